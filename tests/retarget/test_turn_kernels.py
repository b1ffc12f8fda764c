"""Turns about one and two axes: exact where that is possible, nearest where not, held where nothing is determined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bunraku.kinematics import rotations as rot
from bunraku.retarget.turn_kernels import approach, into_range, knows, one_axis, sound, surety, two_axes

Vec = tuple[float, float, float]
WIDE = np.array([-np.pi, np.pi, np.inf])
seeds, angles = st.integers(0, 2**32 - 1), st.floats(-3.0, 3.0)


def directions(seed: int, count: int) -> list[Vec]:
    v = np.random.default_rng(seed).normal(size=(count, 3))
    return [tuple(float(c) for c in row) for row in v / np.linalg.norm(v, axis=1, keepdims=True)]


def turned(axis: Vec, angle: float, v: Vec) -> Vec:
    return tuple(float(c) for c in rot.rotate(rot.from_axis_angle(np.array(axis), angle), np.array(v)))


@settings(max_examples=150, deadline=None)
@given(seeds, angles, angles)
def test_a_pair_of_joints_meets_what_it_can(seed: int, first: float, second: float) -> None:
    """For any two axes, upright to each other or not, and any direction that they can turn to."""
    a1, a2, u = directions(seed, 3)
    assume(abs(np.dot(a1, a2)) < 0.95 and abs(np.dot(a2, u)) < 0.95)
    w = turned(a1, first, turned(a2, second, u))
    assume(abs(np.dot(a1, w)) < 0.99)
    t1, t2, sure = two_axes(a1, a2, u, w, WIDE, WIDE, 0.0, 0.0, False, np.inf)
    np.testing.assert_allclose(turned(a1, t1, turned(a2, t2, u)), w, atol=1e-7)
    assert sure == 1.0


@settings(max_examples=100, deadline=None)
@given(seeds, st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_of_two_ways_the_one_within_the_ranges_is_taken(seed: int, a: float, b: float) -> None:
    """Whichever way the joints stood before."""
    rng = np.random.default_rng(seed)
    a1, a2, u = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    limits = np.array([[-2.1, 2.1, np.inf], [0.1, 1.4, np.inf]])
    first, second = (low + share * (high - low) for (low, high, _), share in zip(limits, (a, b), strict=True))
    w = turned(a1, first, turned(a2, second, u))
    last = rng.uniform(limits[:, 0], limits[:, 1])
    t1, t2, _ = two_axes(a1, a2, u, w, limits[0], limits[1], last[0], last[1], True, np.inf)
    np.testing.assert_allclose(turned(a1, t1, turned(a2, t2, u)), w, atol=1e-7)


@given(seeds)
def test_out_of_reach_is_no_number_that_is_none(seed: int) -> None:
    """A direction nearer to the first axis than the second joint can bring anything: the nearest that is there."""
    a1, a2, u = (0.0, 0.0, 1.0), (0.0, 0.1, np.sqrt(0.99)), (1.0, 0.0, 0.0)
    w = directions(seed, 1)[0]
    t1, t2, sure = two_axes(a1, a2, u, w, WIDE, WIDE, 0.3, 0.2, True, np.inf)
    assert np.isfinite([t1, t2, sure]).all()


def test_along_the_axis_nothing_is_known_and_the_joint_stays() -> None:
    """Exactly there it holds; a little off it goes a part of the way; three degrees off all of it."""
    axis, u, last = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 0.7
    for tilt, moved in ((0.0, 0.0), (0.01, 0.04), (0.06, 1.0)):
        w = (0.0, float(np.sin(tilt)), float(np.cos(tilt)))
        angle, sure = one_axis(axis, u, w, WIDE, last, True, np.inf)
        assert sure == pytest.approx(moved, abs=1e-3)
        assert angle == pytest.approx(last + moved * (np.pi / 2 - last), abs=2e-3)
    assert surety(1e-5) == 0.0


def test_whole_turns_are_chosen_by_the_range_and_by_where_one_was() -> None:
    """A wrist with -210° … 30° that is asked for 200° is at -160°. At the ends of a range nothing changes lightly."""
    low, high = np.radians([-210, 30])
    assert into_range(np.radians(200), low, high, 0.0, True) == pytest.approx(np.radians(-160))
    assert into_range(np.radians(-177), -1.8, 1.8, 1.8, True) == 1.8  # nearer by way of -180°, but not by enough
    assert into_range(np.radians(-120), -1.8, 1.8, 1.8, True) == -1.8
    assert into_range(np.nan, -1.0, 1.0, 0.4, True) == 0.4


def test_steps_are_no_longer_than_allowed() -> None:
    """The first angle is met at once, the next no faster than its joint can."""
    assert approach(1.0, 1.0, 0.0, False, 0.1) == 1.0
    assert approach(1.0, 1.0, 0.0, True, 0.1) == pytest.approx(0.1)
    assert approach(1.0, 0.0, 0.3, False, 0.1) == 0.3


def test_what_is_no_number_is_not_known() -> None:
    """NaN, infinity, quaternions that are none and places off the map, whatever their flags say."""
    positions = np.array([[0.0, 0, 1], [np.nan, 0, 0], [np.inf, 0, 0], [1e9, 0, 0], [0, 0, 0]])
    rotations = np.array([[1.0, 0, 0, 0], [np.nan, 0, 0, 0], [0, 0, 0, 0], [2.0, 0, 0, 0], [0, 1.0, 0, 0]])
    flags, known = np.array([True, True, True, True, False]), np.empty((2, 1, 5), bool)
    sound(positions, rotations, flags, flags, known[0], known[1])
    np.testing.assert_array_equal(known, [[[True, False, False, False, False]]] * 2)
    assert knows(rotations, ~flags, 4)
