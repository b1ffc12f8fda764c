"""A motion as another one: mirrored, farther, faster, at another frame rate. Nothing here knows a robot."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.human.pose import HumanMotion
from bunraku.human.skeleton import MIRROR
from bunraku.kinematics import rotations

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

MOST_FRAMES = 1_000_000
"""that resampling may make"""
_ON_A_FRAME = 1e-6  # of a frame: a time this near to a frame's is that frame's


def edited(
    motion: HumanMotion, *, mirror: bool = False, scale: float = 1.0, speed: float = 1.0, fps: float | None = None
) -> HumanMotion:
    """`mirrored`, `path_scaled`, `at_speed` and `resampled`, those that are asked for."""
    if mirror:
        motion = mirrored(motion)
    motion = path_scaled(motion, scale)
    rate = motion.fps if fps is None else fps
    return resampled(_hastened(motion, speed), rate)


def mirrored(motion: HumanMotion) -> HumanMotion:
    """Left and right exchanged across the world's xz plane: joints, fingers, gaze and path."""
    return replace(
        motion,
        positions=motion.positions[:, MIRROR] * [1.0, -1.0, 1.0],
        rotations=motion.rotations[:, MIRROR] * [1.0, -1.0, 1.0, -1.0],
        position_valid=motion.position_valid[:, MIRROR],
        rotation_valid=motion.rotation_valid[:, MIRROR],
        eyes=None if motion.eyes is None else motion.eyes * [-1.0, 1.0],
    )


def path_scaled(motion: HumanMotion, factor: float) -> HumanMotion:
    """The way of the hips over the ground is so many times as long, from where it began.

    The body goes along as it is: its size, heights and the directions of its limbs stay. So do its steps: feet that
    stand slide by the difference. Without known hips there is no way to scale.
    """
    factor = _positive("scale", factor)
    known = np.flatnonzero(motion.position_valid[:, 0])
    if factor == 1.0 or not len(known):
        return motion
    frames = np.arange(len(motion))
    way = np.stack([np.interp(frames, known, motion.positions[known, 0, axis]) for axis in range(2)], axis=1)
    positions = motion.positions.copy()
    positions[..., :2] += ((factor - 1.0) * (way - way[0]))[:, None]
    return replace(motion, positions=positions)


def at_speed(motion: HumanMotion, factor: float) -> HumanMotion:
    """The same performance so many times as fast, at the same frame rate."""
    return resampled(_hastened(motion, factor), motion.fps)


def resampled(motion: HumanMotion, fps: float) -> HumanMotion:
    """The same motion at another frame rate, from its first frame on.

    Rotations turn at constant speed between two frames, positions follow a cubic through them, jaw and eyes a line.
    A joint is known between two frames that both know it, and on a frame that knows it; such frames stay exact.
    """
    fps = _positive("fps", fps)
    if fps == motion.fps:
        return motion
    if len(motion) < 2:
        return replace(motion, fps=fps)
    count = int(motion.duration_s * fps + _ON_A_FRAME) + 1
    if count > MOST_FRAMES:
        raise InputError(f"{motion.duration_s:.4g} s at {fps:g} frames/s are more than {MOST_FRAMES:,} frames")
    at = _between_frames(np.arange(count, dtype=float) * (motion.fps / fps), len(motion))
    return replace(
        motion,
        positions=_cubic(motion.positions, motion.position_valid, at),
        rotations=rotations.slerp(motion.rotations[at.before], motion.rotations[at.after], at.share[:, None]),
        position_valid=motion.position_valid[at.before] & motion.position_valid[at.after],
        rotation_valid=motion.rotation_valid[at.before] & motion.rotation_valid[at.after],
        fps=fps,
        jaw=None if motion.jaw is None else _line(motion.jaw, at),
        eyes=None if motion.eyes is None else _line(motion.eyes, at),
    )


def _hastened(motion: HumanMotion, factor: float) -> HumanMotion:
    """The same frames in less time."""
    return motion if factor == 1.0 else replace(motion, fps=motion.fps * _positive("speed", factor))


class _Times(NamedTuple):
    """(T,) instants between the frames of a motion."""

    before: Ints
    after: Ints
    """the same frame as before where the instant is on it"""
    share: Array
    """0 at the one … 1 at the other"""


def _between_frames(frames: Array, length: int) -> _Times:
    nearest = np.rint(frames)
    on = np.abs(frames - nearest) < _ON_A_FRAME
    before = np.where(on, nearest, np.floor(frames)).astype(np.int64)
    before = np.minimum(before, length - 1)
    after = np.minimum(before + ~on, length - 1)
    return _Times(before, after, np.where(on, 0.0, frames - before))


def _line(values: Array, at: _Times) -> Array:
    share = at.share.reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray((1.0 - share) * values[at.before] + share * values[at.after])


def _cubic(positions: Array, known: Flags, at: _Times) -> Array:
    """(T, J, 3) Hermite curves, slopes from the frames before and after; from one side where the other is unknown."""
    step = np.diff(positions, axis=0)
    step_known = known[1:] & known[:-1]
    slope, count = np.zeros_like(positions), np.zeros(known.shape)
    for part in (slice(0, -1), slice(1, None)):
        slope[part] += np.where(step_known[..., None], step, 0.0)
        count[part] += step_known
    slope /= np.maximum(count, 1.0)[..., None]
    s = at.share[:, None, None]
    a, b = at.before, at.after
    return np.asarray(
        (1 + 2 * s) * (1 - s) ** 2 * positions[a]
        + s * (1 - s) ** 2 * slope[a]
        + s**2 * (3 - 2 * s) * positions[b]
        - s**2 * (1 - s) * slope[b]
    )


def _positive(what: str, value: float) -> float:
    if not (np.isfinite(value) and value > 0):
        raise InputError(f"{what} must be a positive number, not {value:g}")
    return float(value)
