"""The whole-body mapper: right directions, limits, speeds, feet, invariances, partial input."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bunraku.human import HumanMotion, mirrored, path_scaled
from bunraku.human.skeleton import INDEX, JOINT_COUNT, mirror_name
from bunraku.kinematics import rotations
from bunraku.retarget import Weights, WholeBodyMapper, retarget
from bunraku.retarget.ground import no_footing
from bunraku.robots import Robot, RobotMotion, load_robot
from bunraku.sources import read_motion
from small_robots import TRUNK, limb_arm, urdf, wheels, write


@pytest.fixture(scope="module")
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


@pytest.fixture(scope="module")
def walk() -> HumanMotion:
    """Two seconds of walking."""
    return read_motion("synth:walk?seconds=3&fps=60")


def limb_errors_deg(robot: Robot, human: HumanMotion, motion: RobotMotion) -> np.ndarray:
    """(T, D) angles between the person's limbs and the robot's, in the world."""
    mapper = WholeBodyMapper(robot)
    position, rotation = robot.tree.forward(motion.qpos)
    out = []
    for pair in mapper.pairs.directions:
        a, b = (
            position[:, node] + rotation[:, node] @ point for node, point in zip(pair.node, pair.point, strict=True)
        )
        wanted = human.positions[:, pair.human[1]] - human.positions[:, pair.human[0]]
        cosine = np.sum((b - a) * wanted, axis=1) / np.linalg.norm(b - a, axis=1) / np.linalg.norm(wanted, axis=1)
        out.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    return np.stack(out, axis=1)


@pytest.mark.parametrize(
    ("name", "mean_deg"),
    [("wave", 0.5), ("walk", 1.0), ("box", 1.5), ("conduct", 0.5), ("squat", 2.0)],
)
def test_limbs_point_where_the_persons_do(puppet: Robot, name: str, mean_deg: float) -> None:
    """On a robot with a person's ranges limb directions are met within a degree on average.

    Two feet that stand while the knees bend leave no room for other proportions than the person's: a squat costs more.
    """
    human = read_motion(f"synth:{name}?seconds=3&fps=30")
    errors = limb_errors_deg(puppet, human, retarget(human, puppet))
    assert errors.mean() < mean_deg
    assert np.percentile(errors, 95) < 8


def test_limits_and_speeds_hold_for_any_pose(puppet: Robot) -> None:
    """Also where the motion asks for more: every joint in its range, no joint faster than it can."""
    human = read_motion("synth:random?seconds=4&fps=30&seed=3")
    wild = replace(human, rotations=rotations.multiply(rotations.exp([0.9, -0.7, 0.8]), human.rotations), fps=240.0)
    joints = retarget(wild, puppet).joints
    assert np.all(joints >= puppet.lower - 1e-9) and np.all(joints <= puppet.upper + 1e-9)
    assert np.all(np.abs(np.diff(joints, axis=0)) * 240 <= puppet.velocity + 1e-6)


def test_standing_feet_stay_and_nothing_sinks(puppet: Robot, walk: HumanMotion) -> None:
    """Soles that stand do not slide, and no point of the robot is below the floor."""
    from bunraku.evaluate import evaluate

    scores = evaluate(walk, retarget(walk, puppet), puppet)
    assert scores["slide_cm_s"] < 1.0
    assert scores["contact_kept_pct"] > 97
    assert scores["penetration_max_cm"] < 0.1


def test_locked_feet_have_an_effect(puppet: Robot, walk: HumanMotion, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without contacts the same motion slides several times as much: the lock is what holds the feet."""
    from bunraku.evaluate import evaluate
    from bunraku.retarget import clip

    held = evaluate(walk, retarget(walk, puppet), puppet)["slide_all_cm_s"]
    monkeypatch.setattr(clip, "footing", lambda _, motion, *__: np.repeat(no_footing(), len(motion), axis=0))
    loose = evaluate(walk, retarget(walk, puppet), puppet)["slide_all_cm_s"]
    assert loose > 3 * held


def turned(motion: HumanMotion, yaw: float, shift: tuple[float, float]) -> HumanMotion:
    """The same motion elsewhere, heading elsewhere."""
    turn = rotations.from_axis_angle([0.0, 0.0, 1.0], yaw)
    return replace(
        motion,
        positions=rotations.rotate(turn, motion.positions) + [*shift, 0.0],
        rotations=rotations.multiply(turn, motion.rotations),
    )


@pytest.mark.parametrize("yaw", [0.7, 3.0])
def test_the_world_has_no_special_place_or_heading(puppet: Robot, walk: HumanMotion, yaw: float) -> None:
    """Turning and moving the person turns and moves the robot alike, joints untouched."""
    here, there = retarget(walk, puppet), retarget(turned(walk, yaw, (2.0, -1.0)), puppet)
    assert np.abs(here.joints - there.joints).max() < 0.02
    turn = rotations.from_axis_angle([0.0, 0.0, 1.0], yaw)
    assert np.allclose(rotations.rotate(turn, here.qpos[:, :3]) + [2, -1, 0], there.qpos[:, :3], atol=0.01)


def test_size_does_not_matter(puppet: Robot, walk: HumanMotion) -> None:
    """A child and an adult who do the same give the same joints."""
    adult = retarget(walk, puppet)
    child = retarget(replace(walk, positions=walk.positions * 0.9), puppet)
    assert np.abs(adult.joints - child.joints).mean() < 0.01


@pytest.mark.parametrize("name", ["conduct", "walk"])
def test_a_mirrored_person_gives_a_mirrored_robot(puppet: Robot, name: str) -> None:
    """Every link of a symmetric robot is where its counterpart was, seen in the mirror, within 5 mm."""
    human = read_motion(f"synth:{name}?seconds=3&fps=30")
    one, two = (puppet.link_poses(retarget(motion, puppet).qpos)[0] for motion in (human, mirrored(human)))
    names = puppet.links.names
    assert any(name.startswith("left_") for name in names)
    other = [names.index(mirror_name(name)) for name in names]
    assert np.linalg.norm(one * [1.0, -1.0, 1.0] - two[:, other], axis=-1).max() < 0.005


def test_a_longer_path_of_the_person_is_one_of_the_robot(puppet: Robot, walk: HumanMotion) -> None:
    """Twice the path is nearly twice the robot's, with the same joints on the way."""
    near, far = retarget(walk, puppet), retarget(path_scaled(walk, 2.0), puppet)
    lengths = [np.linalg.norm(np.diff(motion.qpos[:, :2], axis=0), axis=1).sum() for motion in (near, far)]
    assert 1.7 < lengths[1] / lengths[0] < 2.1
    assert np.abs(near.joints - far.joints).mean() < 0.01


def test_live_and_recorded_are_the_same(puppet: Robot, walk: HumanMotion) -> None:
    """Pose by pose through `solve` gives the limbs of `solve_clip`."""
    mapper = WholeBodyMapper(puppet)
    clip = mapper.solve_clip(walk)
    state = mapper.start()
    live = np.array([mapper.solve(pose, state, dt_s=1 / walk.fps).qpos for pose in walk])
    motion = replace(clip, qpos=live)
    assert np.abs(limb_errors_deg(puppet, walk, motion) - limb_errors_deg(puppet, walk, clip)).mean() < 0.5


@pytest.mark.parametrize("robot", ["inmoov", "lamp"])
def test_fixed_bases(robot: str) -> None:
    """Robots on a stand: limits hold, and what the arm can follow it follows."""
    built, human = load_robot(robot), read_motion("synth:reach?seconds=3&fps=30")
    motion = retarget(human, built)
    assert motion.root == "fixed" and motion.qpos.shape == (len(human), len(built.joint_names))
    assert np.all(motion.joints >= built.lower - 1e-9) and np.all(motion.joints <= built.upper + 1e-9)
    assert np.abs(np.diff(motion.joints, axis=0)).max() > 1e-3


def test_a_person_who_turns_on_the_spot_leaves_a_fixed_robot_alone() -> None:
    """A stand has no heading to follow: arms are taken relative to the person's trunk."""
    built, human = load_robot("inmoov"), read_motion("synth:wave?seconds=2&fps=30")
    assert np.abs(retarget(human, built).joints - retarget(turned(human, 1.2, (0, 0)), built).joints).max() < 0.01


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_subset_of_joints_may_be_missing(puppet: Robot, data: st.DataObject) -> None:
    """Frames with random holes, and positions that mean nothing where invalid, give finite joints within limits."""
    human = read_motion("synth:box?seconds=1&fps=15")
    generator = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    share = data.draw(st.floats(0, 1))
    shape = (len(human), JOINT_COUNT)
    holes = replace(
        human,
        positions=np.where(generator.random(shape)[..., None] < 0.1, 1e9, human.positions),
        position_valid=generator.random(shape) < share,
        rotation_valid=generator.random(shape) < share,
    )
    qpos = retarget(holes, puppet).qpos
    assert np.isfinite(qpos).all()
    assert np.all(qpos[:, 7:] >= puppet.lower - 1e-9) and np.all(qpos[:, 7:] <= puppet.upper + 1e-9)


def test_a_lost_arm_leaves_the_other_limbs_alone(puppet: Robot, walk: HumanMotion) -> None:
    """Without the left arm's data the right arm and the legs do what they did."""
    lost = [INDEX[f"left_{part}"] for part in ("clavicle", "upper_arm", "forearm", "hand")]
    valid, turned_valid = walk.position_valid.copy(), walk.rotation_valid.copy()
    valid[:, lost] = turned_valid[:, lost] = False
    whole = retarget(walk, puppet)
    partial = retarget(replace(walk, position_valid=valid, rotation_valid=turned_valid), puppet)
    for part in ("right_arm", "left_leg", "right_leg"):
        joints = list(puppet.semantics.joints[part])
        assert np.abs(whole.joints[:, joints] - partial.joints[:, joints]).mean() < 0.02


def test_rotations_alone_are_enough(puppet: Robot) -> None:
    """A suit that knows no positions: limb directions come from the rotations."""
    human = read_motion("synth:wave?seconds=2&fps=30")
    blind = replace(human, position_valid=np.zeros_like(human.position_valid))
    assert limb_errors_deg(puppet, human, retarget(blind, puppet)).mean() < 2


def test_followers_follow(puppet: Robot, walk: HumanMotion) -> None:
    """Every joint that copies another one has the value that it must have."""
    motion = retarget(walk, puppet)
    assert np.allclose(puppet.tree.with_followers(motion.qpos), motion.qpos, atol=1e-12)


def test_weights_have_an_effect(puppet: Robot) -> None:
    """With the head's weight at zero the head no longer follows."""
    human = read_motion("synth:random?seconds=3&fps=30")
    neck = list(puppet.semantics.joints["neck"])
    moving = np.ptp(retarget(human, puppet).joints[:, neck], axis=0).max()
    still = np.ptp(retarget(human, puppet, weights=Weights(head=0.0)).joints[:, neck], axis=0).max()
    assert moving > 0.1
    assert still < 0.1 * moving


@pytest.mark.parametrize("frames", [0, 1])
def test_shortest_motions(puppet: Robot, walk: HumanMotion, frames: int) -> None:
    """No frame and one frame are motions too."""
    assert len(retarget(walk.frames(slice(0, frames)), puppet)) == frames


def test_an_upper_body_on_legs_that_stand(puppet: Robot, walk: HumanMotion) -> None:
    """Base and legs keep their places to the last bit; the arms do what the whole body's do, seen from the hips."""
    still = retarget(walk, puppet, body="upper")
    legs = [joint for side in ("left", "right") for joint in puppet.semantics.joints[f"{side}_leg"]]
    assert np.array_equal(still.qpos[:, :7], np.tile(puppet.neutral[:7], (len(walk), 1)))
    assert np.ptp(still.joints[:, legs], axis=0).max() == 0
    arms = [joint for side in ("left", "right") for joint in puppet.semantics.joints[f"{side}_arm"]]
    assert np.ptp(still.joints[:, arms], axis=0).max() > 0.2
    assert np.abs(still.joints[:, arms] - retarget(walk, puppet).joints[:, arms]).mean() < 0.15
    elsewhere = retarget(turned(walk, 1.0, (3, 2)), puppet, body="upper")
    assert np.abs(still.joints - elsewhere.joints).max() < 0.01


def test_wheels_roll_over_the_floor(walk: HumanMotion) -> None:
    """A planar base goes the person's way and heads where they head; it keeps its height and stays upright, exactly."""
    robot = load_robot("puppet", base="planar")
    motion = retarget(walk, robot)
    assert (robot.base_kind, robot.base, motion.root) == ("planar", "free", "free")
    base = motion.qpos[:, :7]
    assert np.all(base[:, 2] == robot.neutral[2])
    assert np.all(base[:, 4:6] == 0)
    scale = WholeBodyMapper(robot).pairs.leg_length / 0.85
    path, own = walk.positions[:, 0, :2], base[:, :2]
    assert np.linalg.norm(own[-1] - own[0]) == pytest.approx(scale * np.linalg.norm(path[-1] - path[0]), rel=0.05)
    heading = np.unwrap(rotations.yaw(base[:, 3:7])) - np.unwrap(rotations.yaw(walk.rotations[:, 0]))
    assert np.abs(heading).max() < 0.02
    legs = [joint for side in ("left", "right") for joint in robot.semantics.joints[f"{side}_leg"]]
    assert np.ptp(motion.joints[:, legs], axis=0).max() == 0


@pytest.mark.parametrize("mode", ["posture", "hands"])
def test_arms_do_not_turn_the_wheels(tmp_path: Path, mode: str) -> None:
    """Arms with few joints would be helped by a base that spins; it heads where the person's hips do all the same."""
    robot = load_robot(write(tmp_path, urdf(TRUNK, limb_arm("left"), limb_arm("right"), wheels())))
    human = read_motion("synth:box?seconds=3&fps=30")
    base = retarget(human, robot, mode=mode).qpos
    heading = np.unwrap(rotations.yaw(base[:, 3:7])) - np.unwrap(rotations.yaw(human.rotations[:, 0]))
    assert robot.planar and np.abs(heading).max() < 0.03


def test_a_planar_motion_is_judged_and_played(walk: HumanMotion, tmp_path: Path) -> None:
    """As the contract's free base: saved, read again, judged, and played by the simulator."""
    from bunraku.evaluate import evaluate
    from bunraku.outputs.sim import Simulation

    robot = load_robot("puppet", base="planar")
    motion = RobotMotion.load(retarget(walk, robot).save(tmp_path / "rolls.npz"))
    assert evaluate(walk, motion, load_robot("puppet", base="free"))["limit_violations"] == 0
    played = Simulation(robot).play(motion)
    assert np.abs(played.qpos[:, 2] - robot.neutral[2]).max() < 1e-6
    assert played.quality["tracking_mean_rad"] < 0.05


@pytest.mark.parametrize(("body", "mode"), [("upper", "hands"), ("whole", "hands")])
def test_live_keeps_still_what_stands(puppet: Robot, walk: HumanMotion, body: str, mode: str) -> None:
    """Mode and body mean the same pose by pose; hands and face follow there too."""
    mapper = WholeBodyMapper(puppet, mode=mode, body=body)
    state = mapper.start()
    live = np.array([mapper.solve(pose, state, dt_s=1 / walk.fps).qpos for pose in walk])
    assert (np.ptp(live[:, :3], axis=0).max() == 0) == (body == "upper")
    assert np.ptp(live[:, 7:], axis=0).max() > 0.2


def test_what_nothing_drives_is_named() -> None:
    """Joints that are no part of a person's body stay at rest, and `idle_joints` says which."""
    robot = load_robot("puppet")
    assert [robot.joint_names[j] for j in WholeBodyMapper(robot).idle_joints] == []
    without = load_robot("puppet", overrides={"semantics": {"joints": {"left_arm": []}}})
    names = [without.joint_names[j] for j in WholeBodyMapper(without).idle_joints]
    assert len(names) == 7 and all(name.startswith("left_") for name in names)
