"""Filters: what they take away, what they cost in delay and overshoot, and that they never jump."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import BunrakuError
from bunraku.kinematics import rotations
from bunraku.robots import load_robot
from bunraku.safety.filters import FilterSettings, OneEuro, Predictor, QuaternionSmoother, TargetFilter

Array = np.ndarray
DT_S = 1 / 120
TIME = np.arange(600) * DT_S


def passed(filtering: OneEuro | QuaternionSmoother | Predictor, values: Array, dt_s: float = DT_S) -> Array:
    return np.array([filtering.step(row, dt_s) for row in values])


def delay_s(values: Array, reference: Array) -> float:
    """How much later a swing is, from the best shift of a hundredth of a tick."""
    shifts = np.arange(-0.06, 0.12, 0.0005)
    errors = [np.abs(values[150:] - np.interp(TIME[150:] - shift, TIME, reference)).mean() for shift in shifts]
    return float(shifts[int(np.argmin(errors))])


def test_one_euro_lets_constants_pass_and_smooths_noise() -> None:
    """A constant comes out as it is; noise at rest loses most of its spread."""
    filtering, noise = OneEuro(1.0, 0.1), np.random.default_rng(0).normal(size=(600, 3)) * 0.01
    np.testing.assert_array_equal(passed(OneEuro(1.0), np.ones((5, 3))), np.ones((5, 3)))
    out = passed(filtering, noise)
    assert out[100:].std() < 0.35 * noise.std()


def test_one_euro_is_what_its_authors_wrote() -> None:
    """First-order low pass of the value with a cutoff that rises with the low-passed speed: step by step by hand."""
    filtering = OneEuro(2.0, 0.5)
    values = [0.0, 1.0, 1.5]
    smooth, speed, expected = values[0], 0.0, [values[0]]

    def alpha(cutoff: float) -> float:
        return 1 / (1 + 1 / (2 * np.pi * cutoff * DT_S))

    for value in values[1:]:
        speed += alpha(1.0) * ((value - smooth) / DT_S - speed)
        smooth += alpha(2.0 + 0.5 * abs(speed)) * (value - smooth)
        expected.append(smooth)
    np.testing.assert_allclose(passed(filtering, np.array(values)[:, None])[:, 0], expected, rtol=1e-12)


def test_beta_buys_speed_with_noise() -> None:
    """Without it a swing comes 77 ms late, with it less than half of that."""
    swing = np.sin(2 * np.pi * TIME)
    slow = delay_s(passed(OneEuro(2.0), swing[:, None])[:, 0], swing)
    quick = delay_s(passed(OneEuro(2.0, 2.0), swing[:, None])[:, 0], swing)
    assert 0.06 < slow < 0.09
    assert quick < 0.5 * slow


def test_a_reset_forgets() -> None:
    """39: after a pause the first values pass as they are, whatever there was before."""
    values = np.array([[3.0, -2.0]])
    for filtering in (OneEuro(1.0, 0.5), Predictor(0.05)):
        passed(filtering, np.random.default_rng(1).normal(size=(30, 2)))
        filtering.reset()
        np.testing.assert_array_equal(filtering.step(values[0], DT_S), values[0])
    smoother = QuaternionSmoother(1.0)
    passed(smoother, rotations.exp(np.random.default_rng(1).normal(size=(30, 3))))
    smoother.reset()
    np.testing.assert_array_equal(smoother.step(rotations.IDENTITY, DT_S), rotations.IDENTITY)


@pytest.mark.parametrize("dt_s", [0.0, 1e-12, -1.0])
def test_a_clock_that_stands_still_is_no_division_by_nothing(dt_s: float) -> None:
    """Finite values come out, near what went in."""
    for filtering in (OneEuro(1.0, 1.0), Predictor(0.05)):
        out = passed(filtering, np.array([[0.0], [0.001], [0.002]]), dt_s)
        assert np.isfinite(out).all()
        assert np.abs(out).max() < 1.1


def test_quaternions_are_smoothed_along_the_shorter_way() -> None:
    """A source that flips signs at random changes nothing; what comes out is unit and never flips."""
    turns = rotations.exp(np.stack([0 * TIME, 0 * TIME, 2.5 * np.sin(3 * TIME)], axis=1))
    flips = np.random.default_rng(2).choice([-1.0, 1.0], (600, 1))
    flips[0] = 1.0
    one, two = passed(QuaternionSmoother(3.0), turns), passed(QuaternionSmoother(3.0), flips * turns)
    np.testing.assert_allclose(one, two, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(one, axis=1), 1.0, atol=1e-12)
    assert (np.sum(one[1:] * one[:-1], axis=1) > 0.9).all()
    assert np.degrees(rotations.angle_between(one[1:], one[:-1])).max() < 4
    behind = rotations.angle_between(one, turns)
    assert 0.1 < behind[100:].max() < 1.0


def test_quaternions_are_smoothed_all_at_once() -> None:
    """Each of several on its own."""
    turns = rotations.exp(np.random.default_rng(3).normal(size=(20, 4, 3)))
    together = passed(QuaternionSmoother(2.0), turns)
    for k in range(4):
        np.testing.assert_allclose(together[:, k], passed(QuaternionSmoother(2.0), turns[:, k]), atol=1e-12)


def test_a_prediction_cancels_a_delay() -> None:
    """Of 50 ms asked for, a swing of 0.8 Hz gains 47 ms; it comes 6 % too large."""
    swing = np.sin(2 * np.pi * 0.8 * TIME)
    out = passed(Predictor(0.05), swing[:, None])[:, 0]
    gained = -delay_s(out, swing)
    assert 0.045 <= gained <= 0.05
    assert 1.0 < np.abs(out[150:]).max() < 1.07


def test_a_prediction_overshoots_where_motion_ends() -> None:
    """A hand that stops at once from 2 rad/s is led too far by 0.1 rad, the way of 50 ms; 2 mrad 0.1 s later."""
    ramp = np.minimum(2.0 * TIME, 2.0)
    beyond = passed(Predictor(0.05), ramp[:, None])[:, 0] - ramp.max()
    assert beyond.max() == pytest.approx(0.1, rel=1e-3)
    assert beyond[round((1.0 + 0.1) / DT_S) :].max() < 0.002
    assert not np.any(passed(Predictor(0.0), ramp[:, None])[:, 0] - ramp)


@pytest.mark.parametrize("make", [
    lambda: OneEuro(0.0), lambda: OneEuro(-1.0), lambda: OneEuro(np.nan), lambda: OneEuro(1.0, -0.1),
    lambda: OneEuro(1.0, np.inf), lambda: QuaternionSmoother(0.0), lambda: QuaternionSmoother(np.inf),
    lambda: Predictor(-0.01), lambda: Predictor(0.11), lambda: Predictor(np.nan),
])  # fmt: skip
def test_settings_that_are_none_are_refused(make: object) -> None:
    """Before anything is filtered."""
    with pytest.raises(BunrakuError):
        make()


def targets(robot: object) -> Array:
    out = np.tile(robot.neutral, (200, 1))
    out[:, robot.first_joint :] += 0.1 * np.random.default_rng(5).normal(size=(200, len(robot.joint_names)))
    if robot.first_joint:
        out[:, :3] += 0.1 * np.random.default_rng(6).normal(size=(200, 3))
        out[:, 3:7] = rotations.exp(0.1 * np.random.default_rng(7).normal(size=(200, 3)))
    return out


@pytest.mark.parametrize("name", ["puppet", "lamp"])
def test_nothing_is_filtered_by_default(name: str) -> None:
    """Bit for bit."""
    robot = load_robot(name)
    plain = TargetFilter(robot, FilterSettings())
    for target in targets(robot):
        np.testing.assert_array_equal(plain.step(target, DT_S), target)


@pytest.mark.parametrize("name", ["puppet", "lamp"])
def test_joints_place_and_turn_are_smoothed(name: str) -> None:
    """Each loses most of its jitter; a prediction concerns the joints alone."""
    robot = load_robot(name)
    values, smooth = targets(robot), TargetFilter(robot, FilterSettings(cutoff_hz=1.0))
    out = np.array([smooth.step(target, DT_S) for target in values])[50:]
    assert np.all(out.std(axis=0) < 0.5 * values.std(axis=0) + 1e-12)
    ahead = TargetFilter(robot, FilterSettings(ahead_s=0.05))
    led = np.array([ahead.step(target, DT_S) for target in values])
    first = robot.first_joint
    np.testing.assert_array_equal(led[:, :first], values[:, :first])
    assert np.all(np.abs(led[5:, first:] - values[5:, first:]).max(axis=0) > 0.01)


def test_a_target_of_garbage_passes_and_is_forgotten() -> None:
    """The guard rejects it; the next good one begins anew."""
    robot = load_robot("lamp")
    filtering, values = TargetFilter(robot, FilterSettings(cutoff_hz=1.0, beta=0.1, ahead_s=0.02)), targets(robot)
    for value in values[:10]:
        filtering.step(value, DT_S)
    bad = values[10].copy()
    bad[2] = np.nan
    assert np.isnan(filtering.step(bad, DT_S)[2])
    np.testing.assert_array_equal(filtering.step(values[11], DT_S), values[11])
