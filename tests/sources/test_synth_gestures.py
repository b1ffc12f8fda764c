"""The recordings of P2."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.human.body import local_from_world
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources.synth import synthesize

Z = np.array([0.0, 0.0, 1.0])


def test_the_figure_eight_is_horizontal_and_crosses_itself() -> None:
    """From the shoulder, the right wrist keeps its height, covers 42 by 20 cm, and meets the crossing twice a turn."""
    eight = synthesize("figure-eight")
    wrist = eight.position("right_hand") - eight.position("right_upper_arm")
    assert np.ptp(wrist[:, 2]) < 0.001
    assert np.ptp(wrist[:, 1]) == pytest.approx(0.42, abs=0.002)
    assert np.ptp(wrist[:, 0]) == pytest.approx(0.20, abs=0.002)
    sides = np.sign(wrist[:, 1] - wrist[0, 1])[60:-60]
    assert np.count_nonzero(np.diff(sides)) == 7
    assert rot.rotate(eight.rotation("right_hand"), -Z)[:, 2].max() < -0.6


def test_the_p2_recording_follows_its_script() -> None:
    """Forward; at 6 s to the right; at 10 s raised; at 16 s forward again; 23-27 s the palm before the face; back."""
    motion = synthesize("p2-recording")
    assert motion.duration_s == pytest.approx(30)
    hand = motion.position("right_hand") - motion.position("right_upper_arm")
    frame = lambda t: round(t * motion.fps)  # noqa: E731
    for t in (0, 2.9, 16, 19, 30):
        assert hand[frame(t), 0] > 0.5
        np.testing.assert_allclose(hand[frame(t), 1:], 0, atol=0.03)
    assert np.arctan2(-hand[frame(6), 1], hand[frame(6), 0]) == pytest.approx(np.radians(53), abs=0.05)
    assert np.abs(hand[frame(3) : frame(6), 2]).max() < 0.03
    assert hand[frame(10), 2] > 0.35
    palm = rot.rotate(motion.rotation("right_hand"), -Z)
    face = motion.position("head") + rot.rotate(motion.rotation("head"), [0.08, 0, 0.05])
    to_face = face - motion.position("right_middle_1")
    for t in (23, 25, 27):
        k = frame(t)
        assert np.linalg.norm(to_face[k]) < 0.5
        assert palm[k] @ to_face[k] / np.linalg.norm(to_face[k]) > 0.9
    elbow = np.degrees(rot.to_euler("ZYX", local_from_world(motion.rotations)[:, INDEX["right_forearm"]])[:, 0])
    assert elbow.max() < 91
