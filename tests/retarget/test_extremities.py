"""Hands and face with the body: robots' fingers do what the person's do, live as in a recording."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bunraku.human import HumanMotion
from bunraku.human.skeleton import BODY_COUNT, FINGERS, JOINT_COUNT, SIDES
from bunraku.retarget import WholeBodyMapper, retarget
from bunraku.retarget.extremities import Extremities
from bunraku.retarget.finger_joints import WHOLE_HAND, FingerJoint, Hand
from bunraku.robots import Robot, load_robot
from bunraku.sources import read_motion
from gestures import fingers_of, gesture

needs_data = pytest.mark.skipif(find_spec("cmeel") is None, reason="the package example-robot-data is not installed")

RAMP = np.linspace(0, 1, 41)[:, None, None]
ROBOTS = ("puppet", "inmoov")


@cache
def extremities(name: str) -> Extremities:
    """Of a robot by name."""
    return Extremities(load_robot(name))


@cache
def mapper(name: str) -> WholeBodyMapper:
    """Of a robot by name."""
    return WholeBodyMapper(load_robot(name))


@pytest.fixture(params=ROBOTS)
def hands(request: pytest.FixtureRequest) -> Extremities:
    """One robot whose fingertips are led, and one whose fingers follow the curls."""
    return extremities(request.param)


def applied(hands: Extremities, motion: HumanMotion) -> np.ndarray:
    """(T, nq) from the neutral configuration."""
    qpos = np.tile(hands.robot.neutral, (len(motion), 1))
    clip = (motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid)
    hands.follow(hands.start(), 1 / motion.fps, clip, motion.jaw, motion.eyes, qpos)
    return qpos


def chains(hands: Extremities) -> list[list[list[int]]]:
    """Nodes of each finger, by side and finger, named after it."""
    robot = hands.robot
    said = {"little": ("little", "pinky")}
    return [
        [
            [j + 1 for j in robot.semantics.joints[f"{side}_fingers"]
             if any(word in robot.joint_names[j] for word in said.get(finger, (finger,)))]
            for finger in FINGERS
        ]
        for side in SIDES
    ]  # fmt: skip


def tip_to_palm(hands: Extremities, qpos: np.ndarray) -> np.ndarray:
    """(T, 2, 5) distance of each finger's last joint from the middle of the palm: of the wrist and the finger roots."""
    tree = hands.robot.tree
    position, _ = tree.forward(qpos)
    out = np.empty((len(qpos), 2, 5))
    for side, fingers in enumerate(chains(hands)):
        roots = [min(nodes) for nodes in fingers]
        wrist = int(tree.parent[roots[1]])
        palm = position[:, [wrist, *roots[1:]]].mean(axis=1)
        for row, nodes in enumerate(fingers):
            out[:, side, row] = np.linalg.norm(position[:, max(nodes)] - palm, axis=1)
    return out


def test_a_fist_closes_every_finger(hands: Extremities) -> None:
    """While the person makes a fist every finger comes nearer to the palm; while the hand opens they go back."""
    curl = np.concatenate([RAMP, RAMP[::-1]]) * np.ones((1, 2, 5))
    away = tip_to_palm(hands, applied(hands, gesture(curl)))
    assert ((away[0] - away[40])[:, 1:] > 0.015).all()
    assert ((away[0] - away[40])[:, 0] > 0.005).all()
    assert np.allclose(away[0], away[-1], atol=2e-3)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("finger", range(5))
def test_one_finger_moves_alone(hands: Extremities, side: int, finger: int) -> None:
    """Curling one finger moves the joints of that finger; the others stay, but for those that its tip meets."""
    curl = np.zeros((41, 2, 5))
    curl[:, side, finger] = RAMP[:, 0, 0]
    joints = applied(hands, gesture(curl))[:, hands.robot.first_joint :]
    moved = np.ptp(joints, axis=0)
    own = [node - 1 for node in chains(hands)[side][finger]]
    thumb = [node - 1 for node in chains(hands)[side][0]] if hands.grasp is not None else []
    assert moved[own].max() > (0.9 if finger else 0.5)
    if finger:
        assert np.delete(moved, [*own, *thumb]).max() < 0.01
    elif hands.grasp is None:
        assert np.delete(moved, own).max() == 0.0


@pytest.mark.parametrize("name", ["wave", "conduct", "box", "random"])
def test_whole_performances_stay_within_limits_and_speeds(hands: Extremities, name: str) -> None:
    """Generated motions move the fingers, and no joint beyond its range or faster than it can."""
    robot, motion = hands.robot, read_motion(f"synth:{name}?seconds=6&fps=50")
    out = applied(hands, motion)
    assert np.allclose(robot.tree.with_followers(out), out, atol=1e-12)
    joints = out[:, robot.first_joint :]
    assert (joints >= robot.lower - 1e-9).all()
    assert (joints <= robot.upper + 1e-9).all()
    assert (np.abs(np.diff(joints, axis=0)) * motion.fps <= robot.velocity + 1e-6).all()
    assert (np.ptp(joints[:, hands.joints], axis=0) > 0.02).sum() >= (0 if name == "box" else 5)


def test_a_snap_is_slowed_down(hands: Extremities) -> None:
    """A hand that closes from one frame to the next is followed at the joints' speed, and the fist is reached."""
    curl = np.zeros((60, 2, 5))
    curl[5:] = 1.0
    motion, robot = gesture(curl, fps=200.0), hands.robot
    out = applied(hands, motion)
    assert (np.abs(np.diff(out, axis=0))[:, robot.first_joint :] * motion.fps <= robot.velocity + 1e-6).all()
    slow = applied(hands, gesture(np.linspace(0, 1, 300)[:, None, None] * np.ones((1, 2, 5))))
    assert np.allclose(out[-1], slow[-1], atol=0.05)


def test_fingers_that_are_lost_stay(hands: Extremities) -> None:
    """A finger that is lost from sight stays as it was, one that was never seen stays relaxed, the others go on."""
    motion = gesture(RAMP * np.ones((1, 2, 5)))
    positions, turns = motion.position_valid.copy(), motion.rotation_valid.copy()
    never, lost = fingers_of("left", "middle"), fingers_of("right", "ring")
    positions[:, never] = turns[:, never] = False
    positions[20:, lost] = turns[20:, lost] = False
    out = applied(hands, replace(motion, position_valid=positions, rotation_valid=turns))
    first, nodes = hands.robot.first_joint, chains(hands)
    at = [[first + node - 1 for node in nodes[side][row]] for side, row in ((0, 2), (1, 3), (1, 2))]
    assert np.ptp(out[:, at[0]], axis=0).max() < 1e-9
    assert np.ptp(out[:20, at[1]], axis=0).max() > 0.3
    assert np.ptp(out[20:, at[1]], axis=0).max() < 0.02
    assert np.ptp(out[20:, at[2]], axis=0).max() > 0.3


@pytest.mark.parametrize("name", ROBOTS)
def test_without_hands_in_the_motion_they_are_relaxed(name: str) -> None:
    """A recording of the body alone leaves the fingers still, a little curled, neither flat nor a fist."""
    motion = read_motion("synth:wave?seconds=1&fps=30")
    valid = motion.position_valid.copy()
    valid[:, BODY_COUNT:] = False
    body = replace(motion, position_valid=valid, rotation_valid=valid.copy(), jaw=None, eyes=None)
    robot = mapper(name).robot
    columns = [j for side in SIDES for j in robot.semantics.joints[f"{side}_fingers"]]
    joints = mapper(name).solve_clip(body).joints[:, columns]
    assert np.ptp(joints, axis=0).max() < 1e-9
    flat, fist = (
        tip_to_palm(extremities(name), applied(extremities(name), gesture(np.full((1, 2, 5), curl))))[0]
        for curl in (0.0, 1.0)
    )
    now = tip_to_palm(extremities(name), applied(extremities(name), body))[0]
    share = ((flat - now) / (flat - fist))[:, 1:]
    assert (share > 0.02).all() and (share < 0.6).all()


def test_hands_do_not_move_the_body() -> None:
    """A person whose hands are not seen, and whose mouth stays shut, gives the same body and the same gaze."""
    whole = mapper("puppet")
    robot, recorded = whole.robot, read_motion("synth:conduct?seconds=2&fps=30")
    motion = replace(recorded)  # unit quaternions are made unit once in either
    valid = motion.position_valid.copy()
    valid[:, BODY_COUNT:] = False
    bare = replace(recorded, position_valid=valid, rotation_valid=valid.copy(), jaw=None)
    one, two = whole.solve_clip(motion).qpos, whole.solve_clip(bare).qpos
    fingers = [robot.first_joint + j for side in SIDES for j in robot.semantics.joints[f"{side}_fingers"]]
    others = np.setdiff1d(np.arange(one.shape[1]), [*fingers, robot.first_joint + robot.joint_index("jaw_joint")])
    assert np.allclose(one[:, others], two[:, others], rtol=0, atol=1e-9)
    assert np.abs(one[:, fingers] - two[:, fingers]).max() > 0.2


def test_the_body_does_not_move_the_hands() -> None:
    """Wherever the body goes, the solver leaves hands and face where the neutral configuration has them."""
    whole = mapper("puppet")
    columns, state = whole.extremities.joints + whole.robot.first_joint, whole.start()
    for pose in read_motion("synth:random?seconds=1&fps=20"):
        whole.solve(pose, state, dt_s=0.05)
        assert np.allclose(state.qpos[columns], whole.robot.neutral[columns], atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_live_poses_give_what_the_clip_gives(name: str) -> None:
    """Pose by pose through `solve`, hands and face are those of `solve_clip`."""
    motion, whole = read_motion("synth:conduct?seconds=2&fps=60"), mapper(name)
    clip, state = whole.solve_clip(motion).qpos, whole.start()
    columns = whole.extremities.joints + whole.robot.first_joint
    live = np.array([whole.solve(pose, state, dt_s=1 / motion.fps).qpos for pose in motion])
    assert np.abs(live[:, columns] - clip[:, columns]).max() < 0.02
    fingers = [c for c in columns if c - whole.robot.first_joint not in whole.robot.semantics.joints["face"]]
    assert np.allclose(live[:, fingers], clip[:, fingers], atol=1e-9)


def test_nothing_but_hands_and_face_is_touched(hands: Extremities) -> None:
    """Base and limbs come out as they went in."""
    robot = hands.robot
    out = applied(hands, gesture(np.ones((3, 2, 5))))
    own = [j for part in ("left_fingers", "right_fingers", "face") for j in robot.semantics.joints[part]]
    others = np.setdiff1d(np.arange(out.shape[1]), robot.first_joint + np.array(own))
    assert np.array_equal(out[:, others], np.tile(robot.neutral, (3, 1))[:, others])


def test_a_robot_without_hands_is_unchanged() -> None:
    """A lamp does what it did."""
    hands, motion = extremities("lamp"), gesture(np.ones((3, 2, 5)))
    assert hands.fingers == hands.face == () and hands.grasp is None
    assert np.array_equal(applied(hands, motion), np.tile(hands.robot.neutral, (3, 1)))


@settings(max_examples=40)
@given(
    arrays(bool, (4, 2, JOINT_COUNT)),
    st.integers(0, 1000),
    st.sampled_from([0.0, 1e-9, 0.02, 1.0, 1e6]),
    st.sampled_from([np.nan, np.inf, -np.inf, 0.3, 1e300]),
)
def test_nothing_makes_a_number_that_is_none(known: np.ndarray, seed: int, size: float, face: float) -> None:
    """Any flags, hands of any size or of none, a face that says nonsense: joints are finite and within their limits."""
    generator = np.random.default_rng(seed)
    motion = HumanMotion(
        positions=generator.normal(size=(4, JOINT_COUNT, 3)) * size,
        rotations=generator.normal(size=(4, JOINT_COUNT, 4)),
        position_valid=known[:, 0],
        rotation_valid=known[:, 1],
        fps=30.0,
        jaw=np.full(4, face),
        eyes=np.full((4, 2), face),
    )
    for name in ROBOTS:
        robot, out = extremities(name).robot, applied(extremities(name), motion)
        joints = out[:, robot.first_joint :]
        assert np.isfinite(out).all()
        assert (joints >= robot.lower - 1e-9).all() and (joints <= robot.upper + 1e-9).all()


def grip(robot: Robot, curl: float) -> np.ndarray:
    """(2,) values of the two grippers' joints for all fingers but the thumb curled so far."""
    hands = Extremities(robot)
    fingers = np.full((1, 2, 5), curl)
    fingers[:, :, 0] = 0.9
    out = applied(hands, gesture(fingers))[0]
    return np.array([out[robot.first_joint + finger.joint] for finger in hands.fingers])


@needs_data
def test_grippers_follow_the_mean_of_the_fingers() -> None:
    """TALOS closes downwards and Romeo towards zero with index to little finger; the thumb has no say."""
    talos, romeo = load_robot("talos"), load_robot("romeo")
    assert np.allclose(grip(talos, 0.0), 0.0, atol=1e-6)
    assert np.allclose(grip(talos, 1.0), talos.lower[talos.joint_index("gripper_left_joint")], atol=0.03)
    assert np.allclose(grip(talos, 0.5) * 2, grip(talos, 1.0), atol=0.03)
    assert np.allclose(grip(romeo, 0.0), 1.0, atol=1e-6)
    assert np.allclose(grip(romeo, 1.0), 0.0, atol=0.03)


def test_a_gripper_takes_the_fingers_that_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean is over known fingers of the hand's own side."""
    grippers = tuple(
        Hand(side, 0, (), (FingerJoint(joint, side, WHOLE_HAND, 0.2, 1.2),)) for side, joint in ((0, 17), (1, 39))
    )
    monkeypatch.setattr(sys.modules[Extremities.__module__], "find_hands", lambda robot: grippers)
    hands = Extremities(load_robot("puppet"))
    curl = np.array([[[0.9, 0.2, 0.4, 0.9, 0.9], [0.9, 0.1, 0.2, 0.3, 0.4]]])
    motion = gesture(curl)
    unseen = [*fingers_of("left", "ring"), *fingers_of("left", "little")]
    valid = motion.position_valid.copy()
    valid[:, unseen] = False
    out = applied(hands, replace(motion, position_valid=valid, rotation_valid=valid.copy()))[0, 7:]
    assert np.allclose(out[[17, 39]], [0.2 + 0.3, 0.2 + 0.25], atol=0.03)


def test_retargeting_moves_the_hands() -> None:
    """Fingers, jaw and eyes of the robot move with a person who takes things, and are still where the person's are."""
    robot, motion = load_robot("puppet"), read_motion("synth:reach?seconds=9&fps=30")
    parts = robot.semantics.joints
    joints = retarget(motion, robot).joints
    for part in ("left_fingers", "right_fingers"):
        assert np.ptp(joints[:, list(parts[part])], axis=0).max() > 0.1
    quiet = replace(motion, jaw=np.zeros(len(motion)), eyes=None)
    assert np.ptp(retarget(quiet, robot).joints[:, robot.joint_index("jaw_joint")]) == 0.0
