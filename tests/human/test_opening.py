"""Calibration poses in front of recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.human.opening import opens_with_calibration, without_calibration
from bunraku.sources.synth import MOTIONS, synthesize


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_a_lone_pose_in_front_gives_way_to_the_first_of_the_motion(fps: float) -> None:
    """As many frames as before, the motion untouched, and a note that says so."""
    walk, pose = synthesize("walk", fps=fps, seconds=3), synthesize("t-pose", fps=fps, seconds=1)
    positions = walk.positions.copy()
    positions[0] = pose.positions[0]
    seen = replace(walk, positions=positions)
    assert opens_with_calibration(seen)
    clean = without_calibration(seen)
    np.testing.assert_array_equal(clean.positions[0], walk.positions[1])
    np.testing.assert_array_equal(clean.positions[1:], walk.positions[1:])
    assert len(clean.notes) == len(seen.notes) + 1


@pytest.mark.parametrize("name", MOTIONS)
def test_motions_that_begin_at_once_stay(name: str) -> None:
    """Nothing is taken from any generated motion, nor from one too short to tell."""
    motion = synthesize(name, fps=30)
    assert without_calibration(motion) is motion
    assert not opens_with_calibration(motion.frames(slice(0, 2)))
