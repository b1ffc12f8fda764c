"""The point that a part turns about."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.human.turning_point import turning_point


def swing(noise: float = 0.0, up: float = 0.5) -> np.ndarray:
    """Places of a wrist 0.26 m from an elbow at (0.1, 0.2, 0.3)."""
    t = np.linspace(0, 6, 300)
    turn, rise = 0.5 * np.sin(3 * t), 0.6 + up * np.sin(5 * t)
    way = np.column_stack([np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)])
    return np.array([0.1, 0.2, 0.3]) + 0.26 * way + noise * np.random.default_rng(0).standard_normal((300, 3))


def test_the_centre_is_found() -> None:
    """Exactly without noise, to a millimetre or two with one of half a millimetre."""
    centre, radius = turning_point(swing())
    assert np.allclose(centre, [0.1, 0.2, 0.3])
    assert radius == pytest.approx(0.26)
    assert np.linalg.norm(turning_point(swing(5e-4))[0] - [0.1, 0.2, 0.3]) < 2e-3


@pytest.mark.parametrize("places", [np.zeros((5, 3)), np.full((20, 3), np.nan), np.linspace([0, 0, 0], [1, 1, 1], 50)])
def test_too_little_is_refused(places: np.ndarray) -> None:
    """Few places, none, and places on a line."""
    with pytest.raises(InputError):
        turning_point(places)


def test_a_swing_in_one_plane_is_refused() -> None:
    """Left and right alone does not say how high the elbow is."""
    with pytest.raises(InputError, match="up and down"):
        turning_point(swing(up=0.0))
