"""The simulated robot."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from bunraku.errors import MissingPackageError, OutputError, RobotError, UnknownNameError
from bunraku.outputs.sim import Simulation
from bunraku.robots import Robot, RobotMotion, load_robot

Array = NDArray[np.float64]
NAMES = ("lamp", "inmoov", "puppet")
robot_of = cache(load_robot)


def slide_and_gear() -> str:
    """A carriage on a rail with an arm, and a wheel geared three to one to it, all of it weak."""
    return """
    <mujoco model="carriage"><compiler angle="radian"/><worldbody><body name="rail">
      <geom type="box" size="0.5 0.02 0.02" mass="1"/>
      <body name="carriage" pos="0 0 0.1"><joint name="slide" type="slide" axis="1 0 0" range="-0.4 0.4"/>
        <geom type="box" size="0.05 0.05 0.02" mass="1"/>
        <body name="arm" pos="0 0 0.1"><joint name="arm" axis="0 1 0" range="-1 1"/>
          <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/></body>
        <body name="wheel" pos="0 0.2 0"><joint name="wheel" axis="0 1 0" range="-3 3"/>
          <geom type="box" size="0.05 0.01 0.05" mass="0.2"/></body></body></body></worldbody>
      <equality><joint joint1="wheel" joint2="arm" polycoef="0 3 0 0 0"/></equality></mujoco>"""


@pytest.fixture
def carriage(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    path = tmp_path_factory.mktemp("carriage") / "carriage.xml"
    path.write_text(slide_and_gear())
    overrides = {"velocity": {"slide": 0.5, "arm": 2.0, "wheel": 6.0}, "effort": {"slide": 20, "arm": 4, "wheel": 4}}
    return load_robot(path, base="fixed", overrides=overrides)


def joints_of(robot: Robot, qpos: Array) -> Array:
    return qpos[..., robot.first_joint :]


def within(robot: Robot, seed: int, share: float = 0.8) -> Array:
    """A configuration drawn from the middle `share` of the joints' ranges, neutral base."""
    rng = np.random.default_rng(seed)
    qpos, middle = robot.neutral.copy(), (robot.lower + robot.upper) / 2
    qpos[robot.first_joint :] = middle + share * (rng.random(len(middle)) - 0.5) * (robot.upper - robot.lower)
    return robot.clamp(qpos)


def wave(robot: Robot, seconds: float, fps: float = 50.0, hertz: float = 0.4) -> RobotMotion:
    """Every servo swings slowly by a few per cent of its range, from the neutral pose towards the range's middle."""
    time = np.arange(int(seconds * fps)) / fps
    low, high = robot.lower, robot.upper
    rest = joints_of(robot, robot.neutral)
    toward = np.sign((low + high) / 2 - rest + 1e-9)
    swing = 0.04 * (high - low) * toward * (1 - np.cos(2 * np.pi * hertz * time))[:, None]
    qpos = np.tile(robot.neutral, (len(time), 1))
    qpos[:, robot.first_joint :] = rest + swing
    return RobotMotion(
        qpos=robot.clamp(qpos), joint_names=robot.joint_names, fps=fps, robot=robot.name, root=robot.base
    )


@pytest.mark.parametrize("name", NAMES)
def test_holds_its_pose_against_gravity(name: str) -> None:
    """After a second in the neutral pose no joint is off by more than a degree."""
    robot = robot_of(name)
    sim = Simulation(robot)
    measured = [sim.step(robot.neutral, 0.02) for _ in range(50)][-1]
    assert np.degrees(np.abs(measured.error)).max() < 1
    assert not measured.saturated.any()


def test_gravity_is_on_and_has_to_be_carried() -> None:
    """An arm held out level costs its weight times its lever; with less effort than that it sinks."""
    robot = robot_of("puppet")
    out = robot.neutral.copy()
    out[7 + robot.joint_index("left_shoulder_roll_joint")] = np.pi / 2
    out[7 + robot.joint_index("left_elbow_joint")] = 0
    sim = Simulation(robot)
    sim.reset(out)
    measured = [sim.step(out, 0.02) for _ in range(50)][-1]
    hand = robot.link_poses(out)[0][robot.links.index("left_hand")]
    assert hand[1] > 0.5
    assert 2.0 < abs(measured.effort[robot.joint_index("left_shoulder_roll_joint")]) < 6.0
    weak = Simulation(with_effort(robot, "left_shoulder_roll_joint", 1.0))
    weak.reset(out)
    sunk = [weak.step(out, 0.02) for _ in range(50)][-1]
    k = robot.joint_index("left_shoulder_roll_joint")
    assert sunk.error[k] > 0.5
    assert sunk.saturated[k]
    assert abs(sunk.effort[k]) <= 1.0


def with_effort(robot: Robot, joint: str, effort: float) -> Robot:
    """The same robot with one servo of another strength."""
    efforts = robot.effort.copy()
    efforts[robot.joint_index(joint)] = effort
    return replace(robot, effort=efforts)


@pytest.mark.parametrize("name", NAMES)
def test_tracks_a_slow_motion(name: str) -> None:
    """Played motion comes out frame by frame within a degree, followers included."""
    robot = robot_of(name)
    motion = wave(robot, 2.5)
    played = Simulation(robot).play(motion)
    assert len(played) == len(motion)
    assert played.quality["velocity_limited_pct"] == 0
    assert np.degrees(np.abs(played.joints - motion.joints)).max() < 1
    assert np.ptp(played.joints, axis=0)[robot.tree.independent].min() > 0.003


@pytest.mark.parametrize("name", NAMES)
def test_each_servo_keeps_to_its_velocity_and_effort(name: str) -> None:
    """Thrown from one end to the other, one joint at a time: velocity within 2 %, effort within the limit."""
    robot = robot_of(name)
    sim = Simulation(robot)
    chosen = [k for k in robot.tree.independent if "finger" not in robot.joint_names[k]][:: 1 if name == "lamp" else 5]
    fastest = np.zeros(len(chosen))
    for row, k in enumerate(chosen):
        sim.reset(robot.neutral)
        middle = joints_of(robot, robot.neutral)[k]
        for goal in (robot.lower[k], robot.upper[k]):
            target = robot.neutral.copy()
            target[robot.first_joint + k] = goal if abs(goal - middle) > 0.02 else middle
            for _ in range(20):
                measured = sim.step(target, 0.02)
                assert (np.abs(measured.effort) <= robot.effort * (1 + 1e-9)).all()
                speed = np.abs(joints_of_velocity(robot, measured.qvel))[robot.tree.independent]
                assert (speed <= 1.02 * robot.velocity[robot.tree.independent]).all()
                fastest[row] = max(fastest[row], abs(joints_of_velocity(robot, measured.qvel)[k]) / robot.velocity[k])
    assert fastest.max() > 0.9


def joints_of_velocity(robot: Robot, qvel: Array) -> Array:
    return qvel[6 if robot.base == "free" else 0 :]


def test_slides_and_gears_are_servos_too(carriage: Robot) -> None:
    """A slide keeps to metres a second, a follower turns with its leader three to one, and has no effort of its own."""
    sim = Simulation(carriage)
    target = np.zeros(3)
    target[carriage.joint_index("slide")], target[carriage.joint_index("arm")] = 0.4, 0.5
    steps = [sim.step(target, 0.02) for _ in range(100)]
    slide = carriage.joint_index("slide")
    speeds = [step.qvel[slide] for step in steps]
    assert 0.48 < max(speeds) <= 0.51
    arm, wheel = carriage.joint_index("arm"), carriage.joint_index("wheel")
    assert steps[-1].qpos[slide] == pytest.approx(0.4, abs=1e-3)
    assert steps[-1].qpos[arm] == pytest.approx(0.5, abs=5e-3)
    for step in steps:
        assert step.qpos[wheel] == pytest.approx(3 * step.qpos[arm], abs=0.03)
        assert step.effort[wheel] == 0


def test_says_what_it_could_not_do(carriage: Robot) -> None:
    """A leap beyond the velocity limit is reported for that joint alone, and as error until it has been caught up."""
    sim = Simulation(carriage)
    target = np.zeros(3)
    slide, arm = carriage.joint_index("slide"), carriage.joint_index("arm")
    target[slide] = 0.4
    first = sim.step(target, 0.02)
    assert first.rate_limited[slide]
    assert not first.rate_limited[arm]
    assert first.error[slide] > 0.38
    last = [sim.step(target, 0.02) for _ in range(100)][-1]
    assert not last.rate_limited.any()
    assert abs(last.error[slide]) < 1e-3


@pytest.mark.parametrize("name", [*NAMES, "g1", "talos", "romeo"])
def test_is_stable_for_anything_within_the_limits(name: str) -> None:
    """Five seconds of random targets, new ones every half second: nothing grows without bound or is no number."""
    try:
        robot = robot_of(name)
    except MissingPackageError as error:
        pytest.skip(str(error))
    sim = Simulation(robot)
    fastest = 0.0
    for k in range(10):
        target = within(robot, k)
        for _ in range(10):
            measured = sim.step(target, 0.05)
            speed = np.abs(joints_of_velocity(robot, measured.qvel)) / robot.velocity
            fastest = max(fastest, float(speed[robot.tree.independent].max()))
            assert all(np.isfinite(a).all() for a in (measured.qpos, measured.qvel, measured.effort))
    assert sum(warning.number for warning in sim.data.warning) == 0
    assert fastest < (1.3 if name in NAMES else 5)


def test_a_free_base_falls_and_a_pinned_one_is_carried() -> None:
    """Dropped from half a metre the free puppet lands; the pinned one is where the command says, at its speed."""
    robot = robot_of("puppet")
    high = robot.neutral.copy()
    high[2] += 0.5
    free = Simulation(robot, base="free")
    free.reset(high)
    falling = [free.step(high, 0.02) for _ in range(10)][-1]
    assert falling.qvel[2] == pytest.approx(-9.81 * 0.2, rel=0.02)
    landed = [free.step(high, 0.02) for _ in range(20)][-1]
    assert 0.2 < landed.qpos[2] < 0.8
    pinned = Simulation(robot)
    pinned.reset(high)
    turned = high.copy()
    turned[:3] += [0.01, 0, 0]
    turned[3:7] = [np.cos(0.05), 0, 0, np.sin(0.05)]
    carried = pinned.step(turned, 0.02)
    np.testing.assert_allclose(carried.qpos[:7], turned[:7], atol=1e-12)
    np.testing.assert_allclose(carried.qvel[:6], [0.5, 0, 0, 0, 0, 5.0], atol=1e-6)


def test_the_floor_carries_a_free_robot_and_leaves_a_pinned_one_alone() -> None:
    """The free puppet's soles stay on the floor; a pinned one held too low feels nothing."""
    robot = robot_of("puppet")
    free = Simulation(robot, base="free")
    free.reset(robot.neutral)
    standing = [free.step(robot.neutral, 0.02) for _ in range(10)][-1]
    assert standing.qpos[2] == pytest.approx(robot.neutral[2], abs=0.005)
    low = robot.neutral.copy()
    low[2] -= 0.1
    pinned = Simulation(robot)
    pinned.reset(low)
    measured = [pinned.step(low, 0.02) for _ in range(10)][-1]
    assert pinned.data.ncon == 0
    assert np.degrees(np.abs(measured.error)).max() < 1


def test_links_push_each_other() -> None:
    """A forearm that is told to pass through the chest is stopped by it."""
    robot = robot_of("puppet")
    target = robot.neutral.copy()
    for joint, value in {"shoulder_roll": -0.6, "elbow": 0.0}.items():
        target[7 + robot.joint_index(f"left_{joint}_joint")] = value
    sim = Simulation(robot)
    measured = [sim.step(target, 0.02) for _ in range(60)][-1]
    assert abs(measured.error[robot.joint_index("left_shoulder_roll_joint")]) > 0.1
    assert sim.data.ncon > 0


def test_the_same_again_gives_the_same() -> None:
    """Two simulations, and one that is reset, agree bit for bit."""
    robot = robot_of("puppet")
    motion = wave(robot, 0.4)
    sim = Simulation(robot)
    first, again, other = sim.play(motion), sim.play(motion), Simulation(robot).play(motion)
    assert np.array_equal(first.qpos, again.qpos)
    assert np.array_equal(first.qpos, other.qpos)


def test_time_is_what_the_steps_add_up_to() -> None:
    """Steps that are no multiple of the integrator's step are kept exactly."""
    robot = robot_of("lamp")
    sim = Simulation(robot)
    stamps = [sim.step(robot.neutral, dt).stamp_ns for dt in (1 / 60, 0.0005, 0.1)]
    np.testing.assert_allclose(stamps, np.cumsum([1 / 60, 0.0005, 0.1]) * 1e9, atol=2)


def test_joints_are_found_by_name() -> None:
    """A motion whose joints stand in another order is played the same; one for another robot is refused."""
    robot = robot_of("lamp")
    motion = wave(robot, 0.4)
    order = [3, 1, 4, 0, 2]
    shuffled = RobotMotion(
        qpos=motion.qpos[:, order],
        joint_names=tuple(robot.joint_names[k] for k in order),
        fps=motion.fps,
        robot="lamp",
        root="fixed",
    )
    sim = Simulation(robot)
    assert np.array_equal(sim.play(motion).qpos, sim.play(shuffled).qpos)
    with pytest.raises(RobotError, match="not for 'lamp'"):
        sim.play(wave(robot_of("inmoov"), 0.1))


def test_refuses_what_it_cannot_do() -> None:
    """Commands of the wrong length or not finite, steps of no or endless time, and bases it does not know."""
    robot = robot_of("lamp")
    sim = Simulation(robot)
    bad = robot.neutral.copy()
    bad[2] = np.nan
    with pytest.raises(OutputError, match="finite"):
        sim.step(bad, 0.02)
    with pytest.raises(OutputError, match="5 coordinates"):
        sim.step(np.zeros(4), 0.02)
    for dt in (0.0, -1.0, np.nan, 1e9):
        with pytest.raises(OutputError, match="step lasts"):
            sim.step(robot.neutral, dt)
    with pytest.raises(UnknownNameError, match="pinned"):
        Simulation(robot, base="floating")  # type: ignore[arg-type]


def test_scenery_is_in_the_robots_world() -> None:
    """A box that is put there falls onto the floor and is found by its name; the robot is as it was without it."""

    def scenery(spec):  # type: ignore[no-untyped-def]
        body = spec.worldbody.add_body(name="crate", pos=[2.0, 0.0, 0.5])
        body.add_freejoint()
        body.add_geom(type=6, size=[0.1, 0.1, 0.1], mass=1.0)

    robot = robot_of("lamp")
    world, alone = Simulation(robot, scenery=scenery), Simulation(robot)
    for _ in range(50):
        seen, alike = world.step(robot.neutral, 0.02), alone.step(robot.neutral, 0.02)
    assert world.data.body("crate").xpos[2] == pytest.approx(0.1, abs=0.01)
    assert np.allclose(seen.qpos, alike.qpos, atol=1e-6)
