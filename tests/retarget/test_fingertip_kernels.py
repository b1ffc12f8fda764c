"""Where a person's fingers are, seen from the hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bunraku.human import HumanMotion
from bunraku.human.skeleton import ADULT_BONES, INDEX
from bunraku.kinematics import rotations
from bunraku.retarget.finger_curl import CHAIN
from bunraku.retarget.fingertip_kernels import finger_length, finger_points, hand_frame
from bunraku.retarget.grasp import knuckle_frames
from gestures import gesture

TURNS = arrays(float, 3, elements=st.floats(-3, 3)).map(rotations.exp)
KNUCKLES = knuckle_frames()


def seen(motion: HumanMotion, finger: int, *, placed: bool, turned: bool) -> tuple[bool, np.ndarray]:
    """Whether the first frame shows one of the ten fingers, and its (5, 3) points in the frame of its hand."""
    frame, points, scratch = np.zeros((3, 3)), np.zeros((5, 3)), np.zeros((3, 3))
    known = [np.full(len(motion.position_valid[0]), flag) for flag in (placed, turned)]
    side = finger // 5
    arrays_ = (motion.positions[0], motion.rotations[0], *known)
    there = hand_frame(side, KNUCKLES[side], CHAIN, *arrays_, frame, scratch)
    found = there and finger_points(CHAIN[finger], ADULT_BONES, frame, *arrays_, points, scratch)
    return found, points


@settings(max_examples=40)
@given(arrays(float, (1, 2, 5), elements=st.floats(0, 1)), TURNS, st.integers(0, 9))
def test_positions_and_rotations_tell_the_same(curl: np.ndarray, turn: np.ndarray, finger: int) -> None:
    """Of an adult of average build, whichever way the hands are turned."""
    motion = gesture(curl, turn=turn)
    one, two = (seen(motion, finger, placed=placed, turned=not placed) for placed in (True, False))
    assert one[0] and two[0]
    assert np.allclose(one[1], two[1], atol=1e-9)


def test_a_flat_hand_is_as_in_the_canonical_pose() -> None:
    """Knuckles and tips are the sums of the bones."""
    for finger, row in enumerate(CHAIN):
        _, points = seen(gesture(np.zeros((1, 2, 5))), finger, placed=True, turned=True)
        assert np.allclose(points[1:], np.cumsum(ADULT_BONES[row[1:]], axis=0), atol=1e-9)
        assert finger_length(points) == pytest.approx(np.linalg.norm(ADULT_BONES[row[2:]], axis=1).sum())


def test_what_is_not_there_is_not_seen() -> None:
    """Neither positions nor rotations, knuckles in one place, or a finger without length show nothing."""
    motion = gesture(np.zeros((1, 2, 5)))
    assert not seen(motion, 1, placed=False, turned=False)[0]
    motion.positions[0, :] = motion.positions[0, INDEX["left_hand"]]
    assert not seen(motion, 1, placed=True, turned=False)[0]
    assert not seen(motion, 1, placed=True, turned=True)[0]
