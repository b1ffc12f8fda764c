"""A hand's orientation from 21 points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.human.body import ADULT
from bunraku.human.hand_frame import hand_frame, hand_turn, point_joints
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot


def points(side: str) -> np.ndarray:
    """The 21 points of the canonical hand."""
    return ADULT.joints[[INDEX[name] for name in point_joints(side)]]


@pytest.mark.parametrize("side", ["left", "right"])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_turn_of_a_hand_is_found(side: str, seed: int) -> None:
    """Turned and moved and of any size, the turn away from the canonical pose comes back."""
    rng = np.random.default_rng(seed)
    turn = rot.normalize(rng.standard_normal(4))
    seen = rng.uniform(0.6, 1.3) * rot.rotate(turn, points(side)) + rng.uniform(-1, 1, 3)
    found = hand_turn(side, seen)
    assert found is not None
    assert rot.angle_between(found, turn) < 1e-6


def test_the_frame_is_the_papers() -> None:
    """A proper turn; X is against the way to the knuckles, Z against the mean normal of the triangles."""
    hand = points("left")
    frame = hand_frame(hand)
    assert frame is not None
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert frame[:, 0] @ (hand[[5, 9, 13, 17]].mean(axis=0) - hand[0]) < 0
    assert frame[:, 2] @ np.cross(hand[17] - hand[1], hand[5] - hand[1]) < 0


def test_some_points_may_be_missing() -> None:
    """Without the thumb the other triangles decide; a few degrees are the price."""
    hand = points("right")
    hand[1] = np.nan
    turn = hand_turn("right", hand)
    assert turn is not None
    assert rot.angle_between(turn, rot.IDENTITY) < 0.2


@pytest.mark.parametrize("missing", [[0], [5, 9, 13, 17], [1, 9, 5]])
def test_too_little_is_no_frame(missing: list[int]) -> None:
    """No wrist, no knuckles, or no whole triangle: none, never a guess."""
    valid = np.ones(21, bool)
    valid[missing] = False
    assert hand_frame(points("left"), valid) is None


def test_a_hand_on_a_line_is_no_frame() -> None:
    """Seen edge on, without depth, there is no plane."""
    assert hand_frame(np.outer(np.arange(21.0), [0.01, 0, 0])) is None
