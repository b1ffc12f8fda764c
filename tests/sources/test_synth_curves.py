"""Smooth curves in time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.sources.synth_curves import curve, ease, loop, waves

key_values = st.lists(st.floats(-3, 3), min_size=2, max_size=7)


def _keys(values: list[float]) -> list[tuple[float, float]]:
    return [(0.7 * n + 0.1 * (n % 3), value) for n, value in enumerate(values)]


def test_ease_goes_from_rest_to_rest() -> None:
    """0 before, 1 after, 1/2 amid; slope and curvature vanish at both ends; it never falls."""
    x = np.linspace(-0.5, 1.5, 4001)
    y = ease(x)
    assert (y[x <= 0] == 0).all()
    assert (y[x >= 1] == 1).all()
    assert ease(0.5) == pytest.approx(0.5)
    assert (np.diff(y) >= 0).all()
    assert np.abs(np.diff(y, 2)).max() / (x[1] - x[0]) ** 2 < 6
    for at in (0.001, 0.999):
        assert abs(ease(at) - round(at)) < 2e-8


@given(key_values)
def test_a_curve_passes_its_keys_and_stays_between_them(values: list[float]) -> None:
    """At each key its value; between two keys nothing beyond them; outside the first and last value."""
    keys = _keys(values)
    np.testing.assert_allclose(curve(np.array([t for t, _ in keys]), keys), values, atol=1e-9)
    for (begin, a), (end, b) in pairwise(keys):
        between = curve(np.linspace(begin, end, 50), keys)
        assert min(a, b) - 1e-9 <= between.min()
        assert between.max() <= max(a, b) + 1e-9
    np.testing.assert_allclose(curve(np.array([-1.0, 99.0]), keys), [values[0], values[-1]], atol=1e-9)


@given(key_values, st.booleans())
@settings(max_examples=30)
def test_a_curve_has_no_jump_in_speed_or_acceleration(values: list[float], periodic: bool) -> None:
    """Halving the step does not raise the largest acceleration or its largest change per time: it is C2."""
    keys = _keys(values)
    period = keys[-1][0] + 0.9 if periodic else None
    jerks = []
    for n in (4000, 8000):
        t = np.linspace(-1, 7, n)
        jerks.append(np.abs(np.diff(curve(t, keys, period), 3)).max() / (t[1] - t[0]) ** 3)
    assert jerks[1] < 1.25 * jerks[0] + 1.0


@given(key_values, st.floats(-20, 20))
def test_a_periodic_curve_repeats(values: list[float], t: float) -> None:
    """One period on, the same value."""
    keys = _keys(values)
    period = keys[-1][0] + 0.5
    a, b = curve(np.array([t, t + period]), keys, period)
    assert a == pytest.approx(b, abs=1e-6)


def test_vectors_are_curves_side_by_side() -> None:
    """A vector key is as many curves."""
    t = np.linspace(0, 2, 11)
    both = curve(t, [(0.0, (0.0, 5.0)), (1.0, (2.0, 1.0)), (2.0, (3.0, 1.0))])
    np.testing.assert_allclose(both[:, 0], curve(t, [(0.0, 0.0), (1.0, 2.0), (2.0, 3.0)]))
    np.testing.assert_allclose(both[:, 1], curve(t, [(0.0, 5.0), (1.0, 1.0), (2.0, 1.0)]))


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=9))
def test_a_loop_passes_its_values_and_repeats(values: list[float]) -> None:
    """Evenly spaced values are met, one period on again."""
    t = 2.5 * np.arange(2 * len(values)) / len(values)
    np.testing.assert_allclose(loop(t, 2.5, values), [*values, *values], atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.floats(2.0, 40.0), st.floats(0.5, 8.0))
def test_waves_stay_within_one_repeat_and_depend_on_the_generator(seed: int, period: float, pace: float) -> None:
    """Never beyond ±1, alive, periodic, and the same for the same generator only."""
    t = np.linspace(0, period, 200)
    once = waves(t, period, np.random.default_rng(seed), pace)
    assert np.abs(once).max() <= 1
    assert np.ptp(once) > 0.3
    np.testing.assert_allclose(waves(t + period, period, np.random.default_rng(seed), pace), once, atol=1e-9)
    assert np.abs(waves(t, period, np.random.default_rng(seed + 1), pace) - once).max() > 1e-3
