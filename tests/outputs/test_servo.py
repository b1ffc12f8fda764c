"""Position servos by themselves."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bunraku.outputs.servo import VELOCITY_GAIN, Servos, within_limits

H = 0.002


def servos(velocity: float = 2.0, acceleration: float = 50.0, reach: float = 1.0) -> Servos:
    return Servos(np.array([-reach]), np.array([reach]), np.array([velocity]), np.array([acceleration]))


@settings(deadline=None, max_examples=60)
@given(
    goals=st.lists(st.floats(-3, 3), min_size=1, max_size=6),
    velocity=st.floats(0.1, 20),
    acceleration=st.floats(1, 500),
)
def test_the_reference_keeps_to_every_limit(goals: list[float], velocity: float, acceleration: float) -> None:
    """Position, velocity and acceleration, whatever the goals; only the end stops may brake harder."""
    servo = servos(velocity, acceleration)
    position, rate = servo.reference.copy(), servo.rate.copy()
    for goal in goals:
        for _ in range(40):
            servo.advance(np.array([goal]), np.zeros(1), H)
            assert abs(servo.reference[0]) <= 1
            moved = (servo.reference[0] - position[0]) / H
            assert abs(moved) <= velocity * (1 + 1e-9) + 1e-9
            if abs(servo.reference[0]) < 1:
                assert abs(servo.rate[0] - rate[0]) <= acceleration * H * (1 + 1e-9) + 1e-12
            position, rate = servo.reference.copy(), servo.rate.copy()


def test_the_reference_arrives_without_overshoot() -> None:
    """A step within reach is taken at full speed, and ends at the goal within a hundredth of the way."""
    servo = servos()
    seen = []
    for _ in range(600):
        servo.advance(np.array([0.8]), np.zeros(1), H)
        seen.append(servo.reference[0])
    assert abs(seen[-1] - 0.8) < 1e-6
    assert max(seen) < 0.808
    assert max(np.diff(seen)) / H > 1.99


def test_a_moving_goal_is_followed_without_lag() -> None:
    """With its rate given, a goal that moves steadily is tracked to within a hundredth of a radian a second's way."""
    servo = servos()
    for k in range(300):
        servo.advance(np.array([-0.5 + 1.0 * k * H]), np.ones(1), H)
    assert abs(servo.reference[0] - (-0.5 + 1.0 * 299 * H)) < 0.01


def test_the_loop_never_asks_for_more_than_the_velocity_limit() -> None:
    """At the limit, a far reference asks for no acceleration; past it, for braking."""
    servo = servos()
    servo.reset(np.array([1.0]))
    assert servo.acceleration(np.array([-1.0]), np.array([2.0]))[0] == 0
    assert servo.acceleration(np.array([-1.0]), np.array([2.5]))[0] == -0.5 * VELOCITY_GAIN


@settings(deadline=None, max_examples=300)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 12))
def test_coupled_servos_do_together_what_they_can(seed: int, count: int) -> None:
    """Within their efforts, as near to what is wanted by the inertia's own measure as any other efforts would come."""
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(count, count + 2))
    inertia = roots @ roots.T + 0.05 * np.eye(count)
    wanted, load = rng.normal(size=count) * 3, rng.normal(size=count)
    limit = rng.uniform(0.5, 4, count)
    effort, cut = within_limits(inertia, wanted, load, limit)
    assert (np.abs(effort) <= limit * (1 + 1e-9)).all()
    np.testing.assert_allclose(np.abs(effort[cut]), limit[cut])

    def miss(efforts: NDArray[np.float64]) -> float:
        off = np.linalg.solve(inertia, efforts - load) - wanted
        return float(off @ inertia @ off)

    best = miss(effort)
    for _ in range(20):
        other = np.clip(effort + rng.normal(size=count) * rng.choice([0.01, 0.3, 3.0]), -limit, limit)
        assert best <= miss(other) * (1 + 1e-9) + 1e-12


def test_servos_that_can_get_what_they_want() -> None:
    """Far limits cut nothing."""
    inertia, wanted, load = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -2.0]), np.array([0.3, 0.0])
    effort, cut = within_limits(inertia, wanted, load, np.array([100.0, 100.0]))
    np.testing.assert_allclose(effort, [1.3, -1.5])
    assert not cut.any()
