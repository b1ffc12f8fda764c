"""Curls of a person's fingers, from rotations and from positions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bunraku.human import HumanMotion, mirrored
from bunraku.human.skeleton import FINGERS, INDEX, JOINT_COUNT
from bunraku.kinematics import rotations
from bunraku.retarget.finger_curl import curls
from bunraku.sources import read_motion
from gestures import fingers_of, gesture

CURLS = arrays(float, (1, 2, 5), elements=st.floats(0, 1))
TURNS = arrays(float, 3, elements=st.floats(-3, 3)).map(rotations.exp)


def curl_of(motion: HumanMotion) -> tuple[np.ndarray, np.ndarray]:
    """Curls and whether they are known."""
    return curls(motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid)


def without_rotations(motion: HumanMotion) -> HumanMotion:
    """The same person seen by a camera that knows positions alone."""
    return replace(motion, rotation_valid=np.zeros_like(motion.rotation_valid))


@settings(max_examples=40, deadline=None)
@given(CURLS, TURNS)
def test_every_finger_is_read_on_its_own(curl: np.ndarray, turn: np.ndarray) -> None:
    """The curls of ten fingers are told apart, whichever way the person is turned."""
    found, known = curl_of(gesture(curl, turn=turn))
    assert known.all()
    assert np.abs(found - curl).max() < 0.05


@settings(max_examples=40, deadline=None)
@given(CURLS, TURNS)
def test_positions_tell_the_same(curl: np.ndarray, turn: np.ndarray) -> None:
    """Where no rotation is known, the angles between segments give the curls."""
    found, known = curl_of(without_rotations(gesture(curl, turn=turn)))
    assert known.all()
    assert np.abs(found - curl).max() < 0.08


@pytest.mark.parametrize("name", ["wave", "conduct", "box"])
def test_both_ways_agree_on_whole_performances(name: str) -> None:
    """Rotations and positions of the same moving hands give curls less than a tenth apart."""
    motion = read_motion(f"synth:{name}?seconds=10&fps=20")
    assert np.abs(curl_of(motion)[0] - curl_of(without_rotations(motion))[0]).max() < 0.1


def test_straight_and_fist_are_the_ends() -> None:
    """A flat hand is exactly 0, a fist within 0.03 of 1, and bending back counts as straight."""
    flat = curl_of(gesture(np.zeros((1, 2, 5))))[0]
    fist = curl_of(gesture(np.ones((1, 2, 5))))[0]
    back = curl_of(gesture(np.full((1, 2, 5), -0.2)))[0]
    assert np.abs(flat).max() < 1e-12
    assert fist.min() > 0.97
    assert np.abs(back).max() < 1e-12


@pytest.mark.parametrize("seen", ["rotations", "positions"])
def test_spreading_is_not_curling(seen: str) -> None:
    """Fingers that fan out by 0.2 rad each keep their curl, 0 or a half."""
    for curl in (0.0, 0.5):
        motion = gesture(np.full((1, 2, 5), curl), spread=0.2)
        motion = without_rotations(motion) if seen == "positions" else motion
        assert np.abs(curl_of(motion)[0] - curl).max() < 0.1


def test_a_thumb_that_stands_elsewhere_is_no_more_curled() -> None:
    """Where a thumb's root stands against the wrist differs from person to person: positions tell its other bends."""
    motion = without_rotations(gesture(np.full((1, 2, 5), 0.4)))
    positions = motion.positions.copy()
    positions[:, fingers_of("left", "thumb")] += [0.03, -0.02, 0.0]
    assert np.allclose(curl_of(replace(motion, positions=positions))[0], curl_of(motion)[0])


@settings(max_examples=20, deadline=None)
@given(arrays(bool, JOINT_COUNT))
def test_a_quaternion_and_its_negative_are_one_turn(flipped: np.ndarray) -> None:
    """Signs of quaternions make no difference."""
    motion = gesture(np.full((1, 2, 5), 0.7))
    signs = np.where(flipped, -1.0, 1.0)[:, None]
    assert np.allclose(curl_of(replace(motion, rotations=motion.rotations * signs))[0], curl_of(motion)[0])


def test_mirrored_hands_change_places() -> None:
    """The curls of a person seen in a mirror are those of the other hand."""
    motion = read_motion("synth:wave?seconds=3&fps=20")
    assert np.allclose(curl_of(mirrored(motion))[0], curl_of(motion)[0][:, ::-1], atol=1e-9)


def test_a_finger_is_known_by_what_is_seen_of_it() -> None:
    """A finger without data is unknown, the others stay known; a knuckle alone is enough, but it needs the wrist."""
    motion = gesture(np.full((1, 2, 5), 0.6))
    rows = fingers_of("left", "ring")
    position_valid, rotation_valid = motion.position_valid.copy(), motion.rotation_valid.copy()
    position_valid[:, rows] = rotation_valid[:, rows] = False
    found, known = curl_of(replace(motion, position_valid=position_valid, rotation_valid=rotation_valid))
    assert not known[0, 0, 3]
    assert found[0, 0, 3] == 0
    assert known.sum() == 9

    rotation_valid[:, rows[0]] = True
    found, known = curl_of(replace(motion, position_valid=position_valid, rotation_valid=rotation_valid))
    assert known.all()
    assert found[0, 0, 3] == pytest.approx(0.6, abs=0.03)

    rotation_valid[:, INDEX["left_hand"]] = False
    position_valid[:] = False
    _, known = curl_of(replace(motion, position_valid=position_valid, rotation_valid=rotation_valid))
    assert not known[0, 0, 3]
    assert known[0, 1].all()


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
@pytest.mark.parametrize("claimed", [False, True])
def test_rubbish_is_unknown(value: float, claimed: bool) -> None:
    """Numbers that mean nothing never become a curl, even where a flag says that they are valid."""
    flags = np.full((2, JOINT_COUNT), claimed)
    place, turn = np.full((2, JOINT_COUNT, 3), value), np.full((2, JOINT_COUNT, 4), value)
    found, known = curls(place, turn, flags, flags)
    assert np.isfinite(found).all()
    assert not known.any() or value == 0.0
    assert not found.any()


def test_long_clips_are_read_as_short_ones() -> None:
    """Frames do not know of each other: a long clip gives what its frames give."""
    generator = np.random.default_rng(1)
    curl = generator.uniform(0, 1, (2100, 2, len(FINGERS)))
    motion = gesture(curl)
    found, _ = curl_of(motion)
    for frame in (0, 1023, 1024, 2047, 2048, 2099):
        alone = curl_of(gesture(curl[frame : frame + 1]))[0]
        assert np.allclose(found[frame], alone[0], atol=1e-12)
    assert curls(*(np.empty((0, JOINT_COUNT, k)) for k in (3, 4)), *(np.empty((0, JOINT_COUNT), bool),) * 2)[
        0
    ].shape == (0, 2, 5)
