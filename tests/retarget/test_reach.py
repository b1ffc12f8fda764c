"""Hands that have a place to go to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.errors import UnknownNameError
from bunraku.evaluate import evaluate
from bunraku.human import HumanMotion
from bunraku.human.body import ADULT, Body, pose_body
from bunraku.human.ground import on_ground
from bunraku.human.skeleton import INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations
from bunraku.retarget import Weights, WholeBodyMapper, retarget
from bunraku.retarget.reach import PALM, ArmBuild, arm_build, find_arms
from bunraku.robots import Robot, load_robot
from bunraku.sources import read_motion


@pytest.fixture(scope="module")
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


@pytest.fixture(scope="module")
def boxing() -> HumanMotion:
    """Fists far out and near the face."""
    return on_ground(read_motion("synth:box?seconds=3&fps=30"))


def hand_errors(robot: Robot, human: HumanMotion, qpos: np.ndarray) -> np.ndarray:
    """(T, A) m from where each hand is to where the person's place is, brought to the robot."""
    mapper = WholeBodyMapper(robot, mode="hands")
    mapper.prepare(1.0, None, arm_build(human))
    state, arms = mapper.start(), find_arms(robot)
    first = len(mapper.pairs.directions) + len(mapper.pairs.orientations)
    position, rotation = robot.tree.forward(qpos)
    out = np.empty((len(human), len(arms)))
    for t in range(len(human)):
        mapper.fill_targets(human.pose(t), state)
        for row, arm in enumerate(arms):
            a, p, b, q = arm.vector
            way = position[t, b] + rotation[t, b] @ q - position[t, a] - rotation[t, a] @ p
            out[t, row] = np.linalg.norm(way - state.targets.value[first + row, 0])
    return out


@pytest.mark.parametrize(("name", "motion", "share"), [
    ("puppet", "box", 0.05), ("puppet", "conduct", 0.05), ("inmoov", "conduct", 0.4),
])  # fmt: skip
def test_hands_are_where_they_are_wanted(name: str, motion: str, share: float) -> None:
    """With seven joints an arm a small share of what directions alone leave; InMoov's arms have five, in their way."""
    robot, human = load_robot(name), on_ground(read_motion(f"synth:{motion}?seconds=3&fps=30"))
    posture, mixed, hands = (
        hand_errors(robot, human, retarget(human, robot, mode=mode).qpos).mean()
        for mode in ("posture", "mixed", "hands")
    )
    assert hands < share * posture
    assert hands < mixed < posture


def test_posture_is_what_is_done_without_a_mode(puppet: Robot, boxing: HumanMotion) -> None:
    """To the last bit; given weights are kept unless a mode is given too."""
    default = retarget(boxing, puppet).qpos
    assert np.array_equal(default, retarget(boxing, puppet, mode="posture").qpos)
    assert np.array_equal(default, retarget(boxing, puppet, weights=Weights()).qpos)
    by_weights = retarget(boxing, puppet, weights=Weights(), mode="hands").qpos
    assert np.array_equal(by_weights, retarget(boxing, puppet, mode="hands").qpos)
    assert not np.array_equal(by_weights, default)


def test_unknown_modes_and_bodies_are_refused(puppet: Robot) -> None:
    """With the valid ones."""
    with pytest.raises(UnknownNameError, match="posture, hands, mixed"):
        WholeBodyMapper(puppet, mode="hand")
    with pytest.raises(UnknownNameError, match="whole, upper"):
        WholeBodyMapper(puppet, body="lower")


@pytest.mark.parametrize("mode", ["hands", "mixed"])
def test_everything_else_still_holds(puppet: Robot, mode: str) -> None:
    """Limits, speeds, feet that stand, the floor and the robot's own body."""
    human = read_motion("synth:walk?seconds=3&fps=60")
    motion = retarget(human, puppet, mode=mode)
    scores = evaluate(human, motion, puppet)
    assert scores["limit_violations"] == 0 and scores["velocity_violations"] == 0
    assert scores["slide_cm_s"] < 1.0 and scores["contact_kept_pct"] > 97
    assert scores["penetration_max_cm"] < 0.1
    assert scores["self_collision_pct"] == 0


def test_hands_and_face_are_the_same_in_every_mode(puppet: Robot) -> None:
    """Fingers and jaw do not depend on where the hands are."""
    human = read_motion("synth:wave?seconds=5&fps=15")
    posture, hands = retarget(human, puppet), retarget(human, puppet, mode="hands")
    groups = puppet.semantics.joints
    joints = [j for part in ("left_fingers", "right_fingers") for j in groups[part]]
    assert np.ptp(posture.joints[:, joints], axis=0).max() > 0.1
    joints += [puppet.joint_index("jaw_joint")]
    assert np.ptp(posture.joints[:, joints[-1]]) > 0.05
    assert np.allclose(posture.joints[:, joints], hands.joints[:, joints], atol=1e-9)


def clap(turn: float = 0.0, frames: int = 20) -> HumanMotion:
    """Both forearms come in until the middles of the hands meet before the chest, and stay."""
    forearm = ADULT.lengths[INDEX["left_hand"]] + np.linalg.norm(PALM[0])
    half = ADULT.joints[INDEX["left_upper_arm"], 1]
    way = {"left": np.array([np.sqrt(forearm**2 - half**2), -half, 0.0]) / forearm}
    way["right"] = way["left"] * [1.0, -1.0, 1.0]
    turns = np.tile(rotations.IDENTITY, (frames, JOINT_COUNT, 1))
    for side, out in (("left", 1.0), ("right", -1.0)):
        bone = [0.0, out, 0.0]
        ahead = rotations.between(bone, [1.0, 0.0, 0.0])
        met = rotations.multiply(rotations.between([1.0, 0.0, 0.0], way[side]), ahead)
        share = np.clip(np.arange(frames) / (0.5 * frames), 0.0, 1.0)
        lower = rotations.slerp(np.tile(ahead, (frames, 1)), np.tile(met, (frames, 1)), share)
        turns[:, INDEX[f"{side}_upper_arm"]] = ahead
        hand = [k for name, k in INDEX.items() if name.startswith(f"{side}_") and (
            "hand" in name or any(f in name for f in ("thumb", "index", "middle", "ring", "little")))]  # fmt: skip
        turns[:, [INDEX[f"{side}_forearm"], *hand]] = lower[:, None]
    known = np.ones((frames, JOINT_COUNT), bool)
    positions = pose_body(ADULT, ADULT.bones[0], turns)
    return HumanMotion(positions=positions, rotations=turns, position_valid=known, rotation_valid=known, fps=30.0)


@pytest.mark.parametrize(("name", "gap_m", "share"), [("puppet", 0.04, 0.67), ("inmoov", 0.12, 1.1)])
def test_hands_that_meet_meet_on_the_robot(name: str, gap_m: float, share: float) -> None:
    """Two thirds or less of what directions leave between the middles of the hands, and no overlap.

    What is left is the hands' own thickness. InMoov's arms cannot come together further than about 11 cm, which
    directions alone reach as well.
    """
    robot, human = load_robot(name), clap()
    assert np.linalg.norm(human.position("left_hand") - human.position("right_hand"), axis=1)[-1] < 0.2
    gaps = {}
    for mode in ("posture", "hands"):
        motion = retarget(human, robot, mode=mode)
        position, rotation = robot.tree.forward(motion.qpos[-1])
        middles = [position[b] + rotation[b] @ q for _, _, b, q in (arm.vector for arm in find_arms(robot))]
        gaps[mode] = np.linalg.norm(middles[0] - middles[1])
        assert evaluate(human, motion, robot)["self_collision_pct"] == 0
    assert gaps["hands"] < gap_m
    assert gaps["hands"] < share * gaps["posture"]


def test_live_is_as_good_as_recorded(puppet: Robot, boxing: HumanMotion) -> None:
    """Pose by pose through `solve`, fitted to the person: hands within a centimetre once they have arrived."""
    mapper = WholeBodyMapper(puppet, mode="hands")
    mapper.prepare(0.85, None, arm_build(boxing))
    state = mapper.start()
    live = np.array([mapper.solve(pose, state, dt_s=1 / boxing.fps).qpos for pose in boxing])
    assert hand_errors(puppet, boxing, live).mean() < 0.01


def test_size_and_heading_do_not_matter(puppet: Robot, boxing: HumanMotion) -> None:
    """A child who looks elsewhere and does the same gives the same joints."""
    turn = rotations.from_axis_angle([0.0, 0.0, 1.0], 1.1)
    child = replace(
        boxing,
        positions=rotations.rotate(turn, boxing.positions) * 0.6,
        rotations=rotations.multiply(turn, boxing.rotations),
    )
    one, two = (retarget(motion, puppet, mode="hands").joints for motion in (boxing, child))
    assert np.abs(one - two).mean() < 0.01


def test_arms_are_measured_where_they_are_seen() -> None:
    """Both lengths; one follows from the other where it is not seen; an adult's where none is."""
    human = read_motion("synth:wave?seconds=0.2&fps=30&height=1.2")
    small = Body.scaled(1.2)
    whole = arm_build(human)
    assert whole.length == pytest.approx(small.arm_length, rel=1e-3)
    half = np.abs(small.joints[INDEX["left_upper_arm"], 1])
    assert whole.half_width == pytest.approx(half, rel=0.15), "shoulders move with the clavicles"
    unseen = human.position_valid.copy()
    unseen[:, [INDEX[f"{side}_forearm"] for side in SIDES]] = False
    guessed = arm_build(replace(human, position_valid=unseen))
    assert guessed.length == pytest.approx(whole.half_width * ArmBuild().length / ArmBuild().half_width)
    assert arm_build(replace(human, position_valid=np.zeros_like(unseen))) == ArmBuild()


def test_a_lone_arm_has_a_shoulder_opposite(puppet: Robot) -> None:
    """Without its right arm the left one of a robot reaches for the same places."""
    one = load_robot("puppet", overrides={"semantics": {"joints": {"right_arm": []}}})
    (left,), both = find_arms(one), find_arms(puppet)
    assert left.half_width == pytest.approx(both[0].half_width, abs=1e-3)
    assert left.vector[1] == pytest.approx(both[0].vector[1], abs=1e-3)
