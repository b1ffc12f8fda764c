"""How late one path runs behind another."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from bunraku.errors import InputError
from bunraku.evaluate.delay import Spline, delay_between


def path(t: np.ndarray) -> np.ndarray:
    """A smooth path in space, (T, 3)."""
    return np.column_stack([np.sin(2 * t), np.cos(1.3 * t), 0.3 * t])


def test_the_spline_is_the_natural_one() -> None:
    """As scipy's, at uneven times, ends included."""
    t = np.cumsum(np.random.default_rng(0).uniform(0.5, 1.5, 30))
    at = np.linspace(t[0], t[-1], 200)
    assert np.allclose(Spline(t, path(t))(at), CubicSpline(t, path(t), bc_type="natural")(at), atol=1e-12)


@pytest.mark.parametrize("late", [0.0, 0.0123, 0.083, 0.31])
def test_a_known_delay_is_found(late: float) -> None:
    """To a tenth of a millisecond, other rates notwithstanding; without it the paths are one."""
    t, s = np.arange(0, 10, 1 / 115), np.arange(0.5, 10, 1 / 60)
    found = delay_between(Spline(t, path(t)), s, path(s - late))
    assert found.delay_s == pytest.approx(late, abs=1e-4)
    assert found.mean_shifted < 1e-4
    assert found.mean >= found.mean_shifted


def test_distance_is_told_in_the_paths_unit() -> None:
    """A constant offset across the path is no delay and stays."""
    t = np.arange(0, 10, 0.01)
    away = path(t) + [0, 0, 2.0]
    away[:, 2] = 2.0
    flat = path(t)
    flat[:, 2] = 0.0
    found = delay_between(Spline(t, flat), t, away)
    assert (found.mean, found.sd) == (pytest.approx(2.0), pytest.approx(0.0, abs=1e-9))


def test_bad_paths_are_refused() -> None:
    """Too short, times that stand still, NaN."""
    with pytest.raises(InputError, match="three values"):
        Spline([0, 1], [[0], [1]])
    with pytest.raises(InputError, match="rising"):
        Spline([0, 1, 1], [[0], [1], [2]])
    with pytest.raises(InputError, match="finite"):
        Spline([0, 1, 2], [[0], [np.nan], [2]])
