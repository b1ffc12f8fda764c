"""The limiter's base: place and orientation keep to norms of velocity and acceleration, in any axes."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.kinematics import rotations
from bunraku.robots import load_robot
from bunraku.safety.bounds import BaseBounds, Bounds, bounds_of
from bunraku.safety.limiter import Limiter
from bunraku.safety.limiter_kernels import ACCELERATION, GARBAGE, VELOCITY

Array = np.ndarray
PERIOD_S = 1 / 120
BASE = BaseBounds(linear_velocity=1.0, linear_acceleration=8.0, angular_velocity=2.0, angular_acceleration=20.0)
STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def base_only(base: BaseBounds = BASE) -> Limiter:
    none = np.zeros(0)
    bounds = Bounds(
        lower=none, upper=none, velocity=none, acceleration=none, stop_acceleration=none, slow=none,
        leader=np.zeros(0, np.int32), ratio=none, offset=none, base=base,
    )  # fmt: skip
    return Limiter(bounds, period_s=PERIOD_S)


def pose(place: object = (0.0, 0.0, 0.0), turn: object = (0.0, 0.0, 0.0)) -> Array:
    return np.concatenate([np.asarray(place, float), rotations.exp(np.asarray(turn, float))])


def test_no_limit_is_ever_broken() -> None:
    """Hostile places, turns, signs and clocks: speed and its change stay within their norms, quaternions unit."""
    generator, limiter, place, rate = np.random.default_rng(5), base_only(), STILL.copy(), np.zeros(6)
    target = STILL.copy()
    for step in range(6000):
        if generator.random() < (0.5 if step % 400 < 100 else 0.02):
            turn = rotations.exp(generator.normal(size=3) * generator.choice([1e-9, 0.01, 1.0, np.pi]))
            target = np.concatenate([generator.normal(size=3) * 2, generator.choice([-1, 1]) * turn])
        if generator.random() < 0.02:
            target[generator.integers(7)] = generator.choice([np.nan, np.inf, 1e308, 0.0, 40.0])
        clock = generator.choice([PERIOD_S, PERIOD_S, 0.0, 1e-6, 0.02, 9.0])
        scale = generator.choice([1.0, 1.0, 0.2, 0.0])
        dt = limiter.authorised(clock)
        limiter.step(target, clock, scale)
        now = limiter.base_rate.copy()
        moved = limiter.position[:3] - place[:3]
        angle = rotations.angle_between(place[3:], limiter.position[3:])
        assert np.isfinite(limiter.position).all()
        assert abs(np.linalg.norm(limiter.position[3:]) - 1) < 1e-12
        assert limiter.position[3:] @ place[3:] > 0
        assert np.linalg.norm(moved) <= 1.0 * dt * (1 + 1e-9)
        assert angle <= 2.0 * dt * (1 + 1e-9) + 1e-7
        assert np.linalg.norm(now[:3] - rate[:3]) <= 8.0 * dt * (1 + 1e-9)
        assert np.linalg.norm(now[3:] - rate[3:]) <= 20.0 * dt * (1 + 1e-9)
        place, rate = limiter.position.copy(), now


def test_what_keeps_to_the_limits_passes_bit_for_bit() -> None:
    """A walk below all limits comes out as it went in, but for the sign of the quaternion, which stays continuous."""
    limiter = base_only()
    limiter.reset(pose([0.0, 0.0, 0.9]))
    for k in range(400):
        t = k * PERIOD_S
        target = pose([0.1 * (1 - np.cos(t)), 0.2 * t**2 / 4, 0.9], [0.0, 0.1 * (1 - np.cos(t)), 0.2 * t**2 / 4])
        if k % 3 == 0:
            target[3:] *= -1
        assert not limiter.step(target, PERIOD_S).any()
        np.testing.assert_array_equal(limiter.position, target if k % 3 else [*target[:3], *-target[3:]])


def test_a_quaternion_and_its_negative_are_one_target() -> None:
    """Whatever the signs, the same way is taken, and the shorter one."""
    ways = []
    for sign in (1.0, -1.0):
        limiter, way = base_only(), []
        for k in range(300):
            target = pose([0.5, 0.0, 0.0], [0.0, 0.0, 2.0])
            target[3:] *= sign if k % 2 else 1.0
            limiter.step(target, PERIOD_S)
            way.append(limiter.position.copy())
        ways.append(np.array(way))
    np.testing.assert_array_equal(ways[0], ways[1])
    yaw = rotations.yaw(ways[0][:, 3:])
    assert np.all(np.diff(yaw) >= 0)
    np.testing.assert_allclose(ways[0][-1], pose([0.5, 0.0, 0.0], [0.0, 0.0, 2.0]), atol=1e-12)


def test_a_far_target_is_reached_without_going_beyond() -> None:
    """Along a straight line, in about the ideal time."""
    limiter, aim, way = base_only(), np.array([0.6, -0.3, 0.2]), []
    for _ in range(240):
        limiter.step(pose(aim), PERIOD_S)
        way.append(limiter.position[:3].copy())
    along = np.array(way) @ aim / np.linalg.norm(aim)
    np.testing.assert_allclose(np.cross(way, aim), 0, atol=1e-12)
    assert along.max() <= np.linalg.norm(aim) + 1e-12
    ideal = np.linalg.norm(aim) / 1.0 + 1.0 / 8.0
    assert abs(np.argmax(along >= np.linalg.norm(aim) - 1e-6) * PERIOD_S - ideal) < 3.5 * PERIOD_S


@pytest.mark.parametrize("column", [0, 2, 3, 6])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e308])
def test_garbage_stops_the_part_that_it_is_in(column: int, value: float) -> None:
    """A place that is none stops the place, a turn that is none the turn; the other goes on."""
    limiter, aim = base_only(), pose([3.0, 0.0, 0.0], [0.0, 0.0, 3.0])
    for _ in range(40):
        limiter.step(aim, PERIOD_S)
    bad = aim.copy()
    bad[column] = value
    for _ in range(20):
        flags = limiter.step(bad, PERIOD_S).copy()
    place, turn = np.abs(limiter.base_rate.reshape(2, 3)).max(axis=1)
    assert list(flags == GARBAGE) == [column < 3, column >= 3]
    assert (place == 0, turn == 0) == (column < 3, column >= 3)
    limiter.step(aim, PERIOD_S)
    assert not limiter.at_rest()


@pytest.mark.parametrize("length, taken", [(1.009, True), (0.991, True), (1.011, False), (0.989, False), (0.0, False)])
def test_a_quaternion_that_is_nearly_unit_is_made_so(length: float, taken: bool) -> None:
    """Within a hundredth it is renormalised, beyond that it is garbage."""
    limiter, target = base_only(), pose(turn=[0.0, 0.0, 1e-4])
    target[3:] *= length
    assert (limiter.step(target, PERIOD_S)[1] == 0) == taken
    expected = rotations.exp([0.0, 0.0, 1e-4 if taken else 0.0])
    np.testing.assert_allclose(limiter.position[3:], expected, atol=1e-12)


def test_flags_and_the_slow_pace() -> None:
    """Velocity and acceleration are told apart; coming to meet a target is slow."""
    limiter = base_only()
    assert limiter.step(pose([9.0, 0, 0]), PERIOD_S)[0] == VELOCITY | ACCELERATION
    for _ in range(60):
        flags = limiter.step(pose([9.0, 0, 0], [0, 0, 3.0]), PERIOD_S, slow=np.ones(2, np.uint8))
    np.testing.assert_allclose(limiter.base_rate, [0.3, 0, 0, 0, 0, 0.5], atol=1e-12)
    assert list(flags) == [VELOCITY, VELOCITY]


def test_scale_zero_freezes_the_base() -> None:
    """Not a bit changes."""
    limiter = base_only()
    for _ in range(5):
        limiter.step(pose([1.0, 0, 0], [0, 0, 1.0]), PERIOD_S, 0.0)
    np.testing.assert_array_equal(limiter.position, STILL)


def test_a_flat_target_keeps_a_planar_base_flat() -> None:
    """Where the target never leaves the plane the base does not either."""
    limiter, generator = base_only(), np.random.default_rng(0)
    for _ in range(300):
        x, y, yaw = generator.normal(size=3)
        limiter.step(pose([x, y, 0.0], [0.0, 0.0, yaw]), PERIOD_S)
        assert limiter.position[2] == limiter.position[4] == limiter.position[5] == 0.0


def test_base_and_joints_are_limited_together() -> None:
    """A humanoid's base stops with its joints, and both know their bounds."""
    robot = load_robot("puppet")
    limiter = Limiter(bounds_of(robot, base=BASE), period_s=PERIOD_S)
    limiter.reset(robot.neutral)
    target = robot.neutral.copy()
    target[0] += 1.0
    target[7:] += 0.4
    for _ in range(10):
        limiter.step(target, PERIOD_S)
    assert limiter.base_rate[0] > 0.5
    assert limiter.joint_rate.any()
    for _ in range(40):
        limiter.stop(PERIOD_S)
    assert limiter.at_rest()
