"""The limiter's joints: no target and no clock moves them beyond a limit of position, velocity or acceleration."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.robots import load_robot
from bunraku.safety.bounds import Bounds, bounds_of, bounds_of_joints
from bunraku.safety.limiter import LEAST_DT_S, LONGEST_PERIODS, SCALE_BLEND_S, Limiter
from bunraku.safety.limiter_kernels import ABSURD, ACCELERATION, CREEP, GARBAGE, POSITION, VELOCITY

Array = np.ndarray
PERIOD_S = 1 / 120
COMPILED = not numba.config.DISABLE_JIT
"""otherwise kernels run as Python, for coverage, a thousand times slower"""
GARBAGE_VALUES = [np.nan, np.inf, -np.inf, 1e308, -1e308, 2 * ABSURD]


def plain(n: int = 1, *, limit: float = 1.0, velocity: float = 3.0, acceleration: float = 15.0) -> Bounds:
    full = np.full(n, 1.0)
    return bounds_of_joints(-limit * full, limit * full, velocity * full, acceleration * full)


def started(bounds: Bounds, position: Array | None = None) -> Limiter:
    limiter = Limiter(bounds, period_s=PERIOD_S)
    limiter.reset(np.zeros(bounds.joint_count) if position is None else position)
    return limiter


def followed(limiter: Limiter, targets: Array, dt_s: float = PERIOD_S) -> Array:
    """(T, n) what comes out for targets (T, n)."""
    out = np.empty_like(targets)
    for target, row in zip(targets, out, strict=True):
        limiter.step(target, dt_s, 1.0, row)
    return out


def random_bounds(generator: np.random.Generator, n: int) -> Bounds:
    """Limits over several orders of magnitude; a few joints without an end, a few without any range."""
    middle, half = generator.uniform(-1, 1, n), 10.0 ** generator.uniform(-4, 1, n)
    half[generator.random(n) < 0.02] = 0.0
    lower, upper = middle - half, middle + half
    lower[generator.random(n) < 0.05] = -np.inf
    upper[generator.random(n) < 0.05] = np.inf
    velocity = 10.0 ** generator.uniform(-2, 1.5, n)
    acceleration = 10.0 ** generator.uniform(-1, 3, n)
    return bounds_of_joints(lower, upper, velocity, acceleration, acceleration * generator.uniform(1, 4, n))


def hostile_target(generator: np.random.Generator, bounds: Bounds, position: Array, before: Array) -> Array:
    """A target of any kind for each joint: near, far, the limits, reversed, the last one, garbage."""
    n = len(position)
    kind, span = generator.integers(0, 8, n), generator.normal(size=n)
    low, high = np.maximum(bounds.lower, -50), np.minimum(bounds.upper, 50)
    choices = [
        before,
        position + span * bounds.velocity * PERIOD_S,
        position + 1e-6 * span,
        low - np.abs(span),
        high + np.abs(span),
        2 * position - before,
        generator.uniform(low, high),
        generator.choice(GARBAGE_VALUES, n),
    ]
    # Each joint keeps its habit for a while, so that full speed is reached.
    return np.choose(kind, choices)


def assault(joints: int, steps: int, seed: int) -> None:
    """Every limit is checked after every step."""
    generator = np.random.default_rng(seed)
    bounds = random_bounds(generator, joints)
    low, high = np.maximum(bounds.lower, -50), np.minimum(bounds.upper, 50)
    start = generator.uniform(low, high)
    limiter = started(bounds, start)
    place, rate, target = start, np.zeros(joints), start
    for step in range(steps):
        fresh = generator.random(joints) < (0.5 if step % 200 < 50 else 0.02)
        with np.errstate(invalid="ignore", over="ignore"):
            target = np.where(fresh, hostile_target(generator, bounds, place, target), target)
        clock = generator.choice([PERIOD_S, PERIOD_S, PERIOD_S, 0.0, -1.0, np.nan, 1e-9, 0.5 * PERIOD_S, 0.02, 10.0])
        scale = generator.choice([1.0, 1.0, 1.0, 0.3, 0.0, -1.0, np.nan, 7.0])
        dt = limiter.authorised(clock)
        garbage = limiter.step(target, clock, scale)[:joints] == GARBAGE
        moved, now = limiter.position - place, limiter.joint_rate
        assert LEAST_DT_S <= dt <= LONGEST_PERIODS * PERIOD_S
        assert np.isfinite(limiter.position).all()
        assert np.all((limiter.position >= bounds.lower) & (limiter.position <= bounds.upper))
        assert np.all(np.abs(moved) <= bounds.velocity * dt * (1 + 1e-9) + 1e-13)
        assert np.all(np.abs(moved - now * dt) <= 1e-12 + 1e-9 * np.abs(moved))
        hard = np.where(garbage, bounds.stop_acceleration, bounds.acceleration)
        assert np.all(np.abs(now - rate) <= hard * dt * (1 + 1e-9) + 1e-9)
        assert np.all(np.abs(now[garbage]) <= np.abs(rate[garbage]))
        place, rate = limiter.position.copy(), now.copy()


@pytest.mark.parametrize("seed", range(4))
def test_no_limit_is_ever_broken(seed: int) -> None:
    """Ten million joint-steps of hostile targets, clocks and scales, limits over five orders of magnitude."""
    assault(joints=10_000 if COMPILED else 60, steps=260, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_no_limit_is_ever_broken_for_long(seed: int) -> None:
    """A hundred million joint-steps."""
    assault(joints=2_500, steps=1_000, seed=seed)


def test_a_robot_with_hands_is_one_too() -> None:
    """Joints that follow others keep to their own limits, and to their leaders, whatever is asked."""
    robot = load_robot("inmoov")
    bounds = bounds_of(robot)
    limiter, generator = started(bounds, robot.clamp(robot.neutral)), np.random.default_rng(1)
    place = limiter.position.copy()
    for _ in range(500):
        limiter.step(generator.normal(size=len(place)) * 3, PERIOD_S)
        np.testing.assert_allclose(limiter.position, robot.tree.with_followers(limiter.position), atol=1e-12)
        assert np.all((limiter.position >= robot.lower - 1e-9) & (limiter.position <= robot.upper + 1e-9))
        assert np.all(np.abs(limiter.position - place) <= robot.velocity * PERIOD_S * (1 + 1e-9))
        place = limiter.position.copy()


def test_what_keeps_to_the_limits_passes_bit_for_bit() -> None:
    """A motion below all limits comes out as it went in."""
    time = np.arange(600) * PERIOD_S
    targets = np.stack([0.4 * (1 - np.cos(2.0 * time)), 0.2 * (1 - np.cos(5.0 * time)), 0.0 * time], axis=1)
    limiter = started(plain(3))
    for target in targets:
        assert not limiter.step(target, PERIOD_S).any()
        np.testing.assert_array_equal(limiter.position, target)


@given(st.integers(0, 10_000))
def test_limiting_twice_is_limiting_once(seed: int) -> None:
    """What came out of a limiter passes another one."""
    targets = np.random.default_rng(seed).normal(size=(60, 4)).cumsum(axis=0) * 0.3
    once = followed(started(plain(4)), targets)
    twice = followed(started(plain(4)), once)
    np.testing.assert_allclose(twice, once, atol=1e-9)


def test_a_far_target_is_reached_without_going_beyond() -> None:
    """Full acceleration, full speed, full braking: the time is that of the ideal profile, within three steps."""
    way = followed(started(plain()), np.full((200, 1), 0.9))[:, 0]
    assert way.max() <= 0.9
    assert way[-1] == 0.9
    ideal = 0.9 / 3.0 + 3.0 / 15.0
    assert abs(np.argmax(way >= 0.9 - 1e-6) * PERIOD_S - ideal) <= 3.5 * PERIOD_S


def test_a_target_that_was_lost_is_caught_up_with() -> None:
    """A swing whose start was too sudden is followed exactly after a while, not chased for ever."""
    time = np.arange(300) * PERIOD_S
    targets = (0.5 * np.sin(2.5 * time) + 0.3)[:, None]
    behind = np.abs(followed(started(plain()), targets) - targets)[:, 0]
    assert behind[0] > 0.2
    assert not behind[60:].any()


@pytest.mark.parametrize("garbage", GARBAGE_VALUES)
def test_garbage_is_a_stop(garbage: float) -> None:
    """From full speed to rest with the deceleration of a stop, to the tick, and the flag says so."""
    bounds = bounds_of_joints(*np.array([[-9.0], [9.0], [3.0], [15.0], [30.0]]))
    limiter = started(bounds)
    followed(limiter, np.full((60, 1), 5.0))
    assert limiter.joint_rate == 3.0
    steps = 0
    while not limiter.at_rest():
        assert limiter.step(np.array([garbage]), PERIOD_S)[0] == GARBAGE
        steps += 1
    assert steps == round(3.0 / 30.0 / PERIOD_S)


def test_after_garbage_the_next_target_is_met_calmly() -> None:
    """The speed of the target is not taken from before the gap: nothing jerks towards where it might be."""
    limiter = started(plain())
    followed(limiter, np.array([[0.0], [0.5], [np.nan]]))
    while not limiter.at_rest():
        limiter.stop(PERIOD_S)
    rest = limiter.position.copy()
    for _ in range(5):
        assert not limiter.step(rest, PERIOD_S).any()
        np.testing.assert_array_equal(limiter.position, rest)


def test_stopping_is_what_garbage_does() -> None:
    """`stop` writes where it leaves the robot, and one joint's stop leaves the others alone."""
    limiter, out = started(plain(2)), np.empty(2)
    limiter.step(np.array([0.5, 0.5]), PERIOD_S)
    limiter.step(np.array([0.5, np.nan]), PERIOD_S)
    rates = limiter.joint_rate
    assert rates[0] > 0.2
    assert rates[1] == 0
    assert np.all(limiter.stop(PERIOD_S, out)[:2] == GARBAGE)
    np.testing.assert_array_equal(out, limiter.position)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_joint_outside_of_its_limits_only_comes_back(side: float) -> None:
    """Inward, slowly, whatever the target is; then it is as free as any."""
    limiter = started(plain(), np.array([side * 1.2]))
    slowest = CREEP * 0.5 * PERIOD_S
    for target in (3.0 * side, -3.0 * side, np.nan, 1.2 * side):
        before = limiter.position.copy()
        limiter.step(np.array([target]), PERIOD_S)
        step = -side * (limiter.position - before)
        assert 0 <= step <= slowest * (1 + 1e-9)
    followed(limiter, np.full((600, 1), 0.0))
    assert limiter.position == 0.0


def test_a_joint_outside_of_its_limits_stays_where_it_is_on_a_stop() -> None:
    """To hold is to hold."""
    limiter = started(plain(), np.array([1.2]))
    for _ in range(10):
        limiter.stop(PERIOD_S)
    assert limiter.position == 1.2


def test_the_flags_name_the_limit() -> None:
    """Nothing, acceleration, velocity, position: each joint its own."""
    limiter = started(plain(4))
    targets = np.tile([0.0, 0.9, 0.0, 2.0], (30, 1))
    targets[:, 2] = 0.01 * np.sin(np.arange(30) / 60)
    seen = np.bitwise_or.reduce([limiter.step(target, PERIOD_S)[:4].copy() for target in targets])
    assert seen[0] == 0
    assert seen[2] == 0
    assert seen[1] & ACCELERATION and seen[1] & VELOCITY and not seen[1] & POSITION
    assert seen[3] & POSITION


def test_scale_slows_down_and_zero_freezes() -> None:
    """The cap is the scale's share of the speed limit; at zero nothing moves by a bit; one is the limit itself."""
    for scale in (0.3, 0.0, 1.0):
        limiter = started(plain(limit=100.0))
        for _ in range(100):
            before = limiter.position.copy()
            limiter.step(np.array([50.0]), PERIOD_S, scale)
        np.testing.assert_allclose(limiter.position - before, 3.0 * scale * PERIOD_S, rtol=1e-9)
        assert limiter.scale == scale


def test_a_jump_of_the_scale_is_blended() -> None:
    """From 1 to 0 in half a second, evenly, and back."""
    limiter = started(plain())
    limiter.step(np.zeros(1), PERIOD_S, 1.0)
    for wanted in (0.0, 1.0):
        scales = [limiter.scale]
        for _ in range(60):
            limiter.step(np.zeros(1), PERIOD_S, wanted)
            scales.append(limiter.scale)
        np.testing.assert_allclose(np.abs(np.diff(scales)), PERIOD_S / SCALE_BLEND_S, rtol=1e-9)
        assert limiter.scale == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("refused", [-0.1, -np.inf, np.nan])
def test_a_scale_that_is_none_is_refused(refused: float) -> None:
    """The one before stays."""
    limiter = started(plain())
    for scale in (0.4, refused, refused):
        limiter.step(np.zeros(1), PERIOD_S, scale)
    assert limiter.scale == 0.4


def test_the_slow_pace_is_slow() -> None:
    """While a robot comes to meet its target no joint is faster than half a radian per second."""
    limiter = started(plain())
    for _ in range(60):
        before = limiter.position.copy()
        limiter.step(np.array([0.9]), PERIOD_S, slow=np.ones(len(limiter.position) + 2, np.uint8))
        assert limiter.position - before <= 0.5 * PERIOD_S * (1 + 1e-9)
    assert limiter.joint_rate == 0.5


def test_a_reset_forgets_everything() -> None:
    """Speed, target and scale: the next step begins at rest."""
    limiter = started(plain())
    followed(limiter, np.full((20, 1), 0.9))
    limiter.step(np.array([0.9]), PERIOD_S, 0.2)
    limiter.reset(np.array([-0.3]))
    assert limiter.at_rest()
    assert limiter.scale == 0.2
    fresh = started(plain(), np.array([-0.3]))
    for target in np.array([[0.1], [0.1], [0.3]]):
        np.testing.assert_array_equal(limiter.step(target, PERIOD_S, 0.2), fresh.step(target, PERIOD_S, 0.2))
    np.testing.assert_array_equal(limiter.position, fresh.position)


def test_the_order_of_joints_is_no_matter() -> None:
    """The same bounds and targets in another order give the same motion in that order."""
    generator = np.random.default_rng(3)
    bounds, order = random_bounds(generator, 30), generator.permutation(30)
    other = bounds_of_joints(
        *(getattr(bounds, name)[order] for name in ("lower", "upper", "velocity", "acceleration", "stop_acceleration"))
    )
    start = np.clip(np.zeros(30), bounds.lower, bounds.upper)
    targets = generator.normal(size=(50, 30))
    one, two = followed(started(bounds, start), targets), followed(started(other, start[order]), targets[:, order])
    np.testing.assert_array_equal(one[:, order], two)
