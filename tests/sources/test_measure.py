"""Units and up axes told from bodies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import UnknownNameError
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh import posed_skeleton
from bunraku.sources.measure import UNITS, WORLD_FROM_FILE, find_unit, find_up, stature, unit_metres
from bunraku.sources.skeletons import map_skeleton
from sources.people import as_bvh, walker


@given(st.floats(1.5, 1.95), st.sampled_from([name for name in UNITS if name != "foot"]))
def test_adults(height: float, unit: str) -> None:
    """An adult's height is read in the unit that makes it one."""
    assert find_unit(height / UNITS[unit])[0] == unit


@given(st.floats(1.0, 1.3), st.sampled_from(["m", "cm", "mm", "inch"]))
def test_children(height: float, unit: str) -> None:
    """A child's height, too."""
    assert find_unit(height / UNITS[unit])[0] == unit


def test_giants() -> None:
    """Where no unit makes a person, the note says so."""
    assert "no unit gives a person's size" in find_unit(4e5)[1]
    assert "no unit" not in find_unit(170)[1]


def test_unit_metres() -> None:
    """Units are names, in singular, plural or short, or metres; others are refused with the valid ones."""
    assert unit_metres("inches") == unit_metres("in") == unit_metres("INCH") == 0.0254
    assert unit_metres(0.056444) == unit_metres("cmu")
    for bad in ("parsec", 0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UnknownNameError, match="cmu"):
            unit_metres(bad)


@pytest.mark.parametrize(
    "up, axes", [("y", ((2, 0), (0, 1), (1, 2))), ("z", ((0, 0), (1, 1), (2, 2))), ("x", ((1, 0), (2, 1), (0, 2)))]
)
def test_world(up: str, axes: tuple[tuple[int, int], ...]) -> None:
    """With y up, the file's Z, X, Y become forward, left, up; with z up nothing changes; with x up Y, Z, X do."""
    for theirs, ours in axes:
        np.testing.assert_allclose(rot.rotate(WORLD_FROM_FILE[up], np.eye(3)[theirs]), np.eye(3)[ours], atol=1e-15)


@settings(deadline=None, max_examples=12)
@given(st.floats(1.2, 1.9), st.sampled_from("xyz"), st.sampled_from(["m", "cm", "inch"]))
def test_bodies(height: float, up: str, unit: str) -> None:
    """The stature of a person of any size is told to 3 %, and the axis along which they stand."""
    file = as_bvh(walker(20, size=height / 1.75), up=up, per_metre=1 / UNITS[unit])
    skeleton = posed_skeleton(file)
    mapping = map_skeleton(skeleton)
    assert mapping is not None
    assert stature(skeleton, mapping) * UNITS[unit] == pytest.approx(height, rel=0.03)
    assert find_up(skeleton, mapping, True) == find_up(skeleton, mapping, False) == up
