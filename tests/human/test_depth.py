"""Pixels with depth become points; holes are filled from around them."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.human.depth import Pinhole, lift

CAMERA = Pinhole(fx=50, fy=50, cx=19.5, cy=14.5, width=40, height=30)


def test_projection_and_back() -> None:
    """A point in front of the camera comes back; one behind it has no pixel."""
    point = np.array([0.2, -0.1, 1.5])
    assert np.allclose(CAMERA.unproject(CAMERA.project(point), 1.5), point)
    assert np.isnan(CAMERA.project(-point)).all()


def test_a_hole_takes_the_mean_of_its_neighbours() -> None:
    """The nearest ring with a value counts; NaN, zero and infinity are no values."""
    depth = np.full((30, 40), 2.0)
    depth[13:16, 18:21] = [[1.0, np.nan, 0.0], [np.inf, np.nan, 3.0], [np.nan, np.nan, np.nan]]
    points, known = lift(CAMERA, depth, [[19, 14]])
    assert known[0]
    assert points[0, 2] == pytest.approx(2.0)


def test_what_is_not_known_is_said() -> None:
    """A pixel that is NaN or outside, and a depth that is NaN all over."""
    depth = np.full((30, 40), 2.0)
    points, known = lift(CAMERA, depth, [[np.nan, 3], [-1, 5], [40, 5], [39, 29]])
    assert known.tolist() == [False, False, False, True]
    assert np.isfinite(points).all()
    assert not lift(CAMERA, np.full((30, 40), np.nan), [[5, 5]])[1].any()


def test_the_picture_must_be_the_cameras() -> None:
    """Another size is refused: its pixels would mean other directions."""
    with pytest.raises(InputError, match="depth picture"):
        lift(CAMERA, np.ones((40, 30)), [[1, 1]])
