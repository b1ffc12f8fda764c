"""Whatever is missing on either side: limb by limb less is followed, and never a NaN, a broken limit or a jump."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.skeleton import GROUPS, INDEX, JOINT_COUNT
from bunraku.retarget import MODES, WholeBodyMapper, retarget
from bunraku.robots import Robot, load_robot
from bunraku.sources import read_motion
from small_robots import TRUNK, hinge, limb_arm, limb_head, limb_leg, shaped, urdf, write

ONE_JOINT = TRUNK + shaped("a") + hinge("j1", "torso", "a", "0 0 0.1")
ROBOTS = {
    "no arms": TRUNK + limb_leg("left") + limb_leg("right") + limb_head(),
    "one arm": TRUNK + limb_arm("left") + limb_head(),
    "the other arm": TRUNK + limb_arm("right"),
    "a head": TRUNK + limb_head(),
    "two joints": ONE_JOINT + shaped("b") + hinge("j2", "a", "b", "0 0 0.2"),
    "one joint": ONE_JOINT,
    "in pieces": TRUNK + limb_arm("left") + limb_arm("right") + shaped("island"),
    "reversed limits": TRUNK + limb_arm("left", 'lower="1.5" upper="-1.5"') + limb_arm("right"),
    "infinite limits": TRUNK + limb_arm("left", 'lower="-inf" upper="inf"') + limb_arm("right"),
    "no range": TRUNK + limb_arm("left", 'lower="0.2" upper="0.2"') + limb_arm("right"),
    "all limbs": TRUNK + limb_arm("left") + limb_arm("right") + limb_leg("left") + limb_leg("right") + limb_head(),
}  # fmt: skip


@pytest.fixture(scope="module")
def boxing() -> HumanMotion:
    """Everything moves."""
    return read_motion("synth:box?seconds=2&fps=30")


@pytest.fixture(scope="module")
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


def assert_sound(robot: Robot, qpos: np.ndarray, fps: float) -> None:
    """Finite, within limits, no joint faster than it may be."""
    joints = qpos[:, robot.first_joint :]
    assert np.isfinite(qpos).all()
    assert np.all(joints >= robot.lower - 1e-9) and np.all(joints <= robot.upper + 1e-9)
    assert np.all(np.abs(np.diff(joints, axis=0)) * fps <= robot.velocity + 1e-6)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("base", [None, "free", "planar"])
def test_robots_that_lack_something(tmp_path: Path, boxing: HumanMotion, name: str, base: str | None) -> None:
    """In every mode and on every base; what they have moves."""
    robot = load_robot(write(tmp_path, urdf(ROBOTS[name])), base=base)  # type: ignore[arg-type]
    for mode in MODES:
        motion = retarget(boxing, robot, mode=mode)
        assert_sound(robot, motion.qpos, motion.fps)
    assert_sound(robot, retarget(boxing, robot, body="upper").qpos, boxing.fps)
    assert np.ptp(motion.qpos, axis=0).max() > 1e-3


def test_what_is_wrong_with_a_robot_is_said_once(tmp_path: Path) -> None:
    """One warning for all joints of a kind, one for all pieces."""
    broken = urdf(ROBOTS["reversed limits"] + shaped("island") + shaped("isle"))
    warnings = load_robot(write(tmp_path, broken)).warnings
    assert [w.split(":")[0] for w in warnings] == [
        "left out, as no joint ties them to the robot", "limits stand the wrong way round and were swapped",
    ]  # fmt: skip


@pytest.mark.parametrize("height", [0.5, 1.0, 2.3])
def test_people_of_any_size(puppet: Robot, height: float) -> None:
    """The joints of a child of half a metre, and of a giant, are those of an adult who does the same."""
    adult = read_motion("synth:walk?seconds=2&fps=30")
    scale = height / 1.75
    for mode in ("posture", "hands"):
        small = retarget(replace(adult, positions=adult.positions * scale), puppet, mode=mode)
        assert_sound(puppet, small.qpos, adult.fps)
        assert np.abs(small.joints - retarget(adult, puppet, mode=mode).joints).mean() < 0.015


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("live", [False, True])
def test_a_part_that_is_lost_for_a_while(puppet: Robot, group: str, live: bool) -> None:
    """It goes on without a jump of any joint, and the base neither leaps nor spins while it is away or comes back."""
    human = read_motion("synth:walk?seconds=3&fps=30")
    lost = [INDEX[joint] for joint in GROUPS[group]]
    holes = with_hole(human, slice(30, 60), lost)
    qpos = through(puppet, holes, live)
    assert_sound(puppet, qpos, human.fps)
    assert steps(qpos)[0] < 0.2 and steps(qpos)[1] < 0.5


@pytest.mark.parametrize("live", [False, True])
def test_a_person_who_goes_and_comes_back_elsewhere(puppet: Robot, live: bool) -> None:
    """Two metres on and turned by half: the robot's base goes on from where it is, and turns bit by bit."""
    from bunraku.kinematics import rotations

    human = read_motion("synth:wave?seconds=4&fps=30")
    turn = rotations.from_axis_angle([0.0, 0.0, 1.0], np.pi / 2)
    positions, turns = human.positions.copy(), human.rotations.copy()
    positions[60:] = rotations.rotate(turn, positions[60:]) + [2.0, 0.0, 0.0]
    turns[60:] = rotations.multiply(turn, turns[60:])
    moved = with_hole(replace(human, positions=positions, rotations=turns), slice(30, 60), list(range(JOINT_COUNT)))
    qpos = through(puppet, moved, live)
    assert_sound(puppet, qpos, human.fps)
    assert steps(qpos)[0] < 0.12 and steps(qpos)[1] < 0.35
    heading = rotations.yaw(qpos[:, 3:7])
    assert heading[-1] - heading[0] == pytest.approx(np.pi / 2, abs=0.1)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), share=st.floats(0, 1), mode=st.sampled_from(sorted(MODES)))
def test_live_with_holes_and_numbers_that_mean_nothing(puppet: Robot, seed: int, share: float, mode: str) -> None:
    """NaN where a pose is not valid, and even where it claims to be, gives finite joints within limits."""
    human, generator = read_motion("synth:box?seconds=1&fps=15"), np.random.default_rng(seed)
    mapper = WholeBodyMapper(puppet, mode=mode)
    state, out = mapper.start(), []
    for pose in human:
        holes = generator.random((2, JOINT_COUNT)) < share
        broken = generator.random(JOINT_COUNT) < 0.1
        positions, turns = pose.positions.copy(), pose.rotations.copy()
        positions[~holes[0] | broken], turns[~holes[1]] = np.nan, np.nan
        seen = replace(
            pose, positions=positions, rotations=turns, position_valid=holes[0] | broken, rotation_valid=holes[1]
        )
        out.append(mapper.solve(seen, state, dt_s=1 / human.fps).qpos)
    assert_sound(puppet, np.array(out), human.fps)


def test_a_pose_that_knows_nothing(puppet: Robot) -> None:
    """The robot stays as it is."""
    mapper = WholeBodyMapper(puppet)
    state = mapper.start()
    targets = [mapper.solve(HumanPose.empty(), state, dt_s=0.01).qpos for _ in range(3)]
    assert_sound(puppet, np.array(targets), 100.0)
    assert np.abs(np.diff(targets, axis=0)).max() < 1e-3


def with_hole(human: HumanMotion, frames: slice, joints: list[int]) -> HumanMotion:
    """The motion without what it knows of some joints in some frames; numbers that mean nothing stand there."""
    valid, turned, positions = human.position_valid.copy(), human.rotation_valid.copy(), human.positions.copy()
    rows = np.arange(len(human))[frames][:, None]
    valid[rows, joints] = turned[rows, joints] = False
    positions[rows, joints] = 1e9
    return replace(human, position_valid=valid, rotation_valid=turned, positions=positions)


def through(robot: Robot, human: HumanMotion, live: bool) -> np.ndarray:
    if not live:
        return retarget(human, robot).qpos
    mapper = WholeBodyMapper(robot)
    state = mapper.start()
    return np.array([mapper.solve(pose, state, dt_s=1 / human.fps).qpos for pose in human])


def steps(qpos: np.ndarray) -> tuple[float, float]:
    """The longest way of the base in a frame, m, and its largest turn, rad."""
    cosine = np.abs(np.sum(qpos[1:, 3:7] * qpos[:-1, 3:7], axis=1)).clip(max=1.0)
    return float(np.linalg.norm(np.diff(qpos[:, :3], axis=0), axis=1).max()), float(2 * np.arccos(cosine).max())
