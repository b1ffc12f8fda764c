"""Recordings that open with a calibration pose: one frame that is no part of the motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bunraku.human.pose import HumanMotion

Array = NDArray[np.float64]

JUMP_SPEED = 3.0
"""m/s, of the joints relative to the hips, on average, from a calibration pose to the motion's first: nobody's"""
JUMP_RATIO = 3.0
"""and so many times as fast as in the step after"""
SEGMENT_M = 0.3
"""a segment of a body whose joints' places are not known"""


def opens_with_calibration(motion: HumanMotion) -> bool:
    """Whether the first pose is a lone one, from which nobody could come to the second in a frame."""
    if len(motion) < 3:
        return False
    first, second = _steps(motion)
    return bool(first * motion.fps > JUMP_SPEED and first > JUMP_RATIO * second)


def _steps(motion: HumanMotion) -> Array:
    """(2,) how far the pose goes from the first frame to the second and on to the third, m, mean over what is known."""
    placed = np.asarray(motion.position_valid[:3]).min(axis=0)
    if placed[0] and placed.sum() > 1:
        pose = motion.positions[:3, placed] - motion.positions[:3, :1]
        return np.asarray(np.linalg.norm(np.diff(pose, axis=0), axis=-1).mean(axis=1))
    turned = motion.rotation_valid[:3].all(axis=0)
    if not turned.any():
        return np.zeros(2)
    cosines = np.abs((motion.rotations[:2, turned] * motion.rotations[1:3, turned]).sum(axis=-1))
    return np.asarray(SEGMENT_M * 2 * np.arccos(cosines.clip(max=1.0)).mean(axis=1))


def without_calibration(motion: HumanMotion) -> HumanMotion:
    """The same frames; a lone calibration pose in front becomes the motion's first pose."""
    if not opens_with_calibration(motion):
        return motion
    rest = motion.frames(np.maximum(np.arange(len(motion)), 1))
    return replace(rest, notes=(*motion.notes, "the first frame is a calibration pose: the second one stands for it"))
