"""How alike two trajectories are when one may lag behind the other: dynamic time warping, as the third paper has it.

The paper sums distances: the figure grows with time, and compares motions of one length only. So the distance per step
of the warped path is given too, as a share of the joint's range: 100 % where the two are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import InputError
from bunraku.evaluate.metric import Array, Flags, Metric, MissingError
from bunraku.evaluate.similarity_kernels import warp

WINDOW_S = 1.0
"""how far apart in time the metrics compare frames"""
_WHOLE_RANGE = 2.0  # longest way between two directions


@dataclass(frozen=True, eq=False)
class Warping:
    """Two trajectories brought together."""

    running: Array
    """(T,) the distance up to each frame: the diagonal of the paper's matrix, T the frames that both have"""
    steps: NDArray[np.int64]
    """(T,) steps of the path up to there"""
    distance: float
    """of both trajectories to their ends; infinite where the window is too narrow for their lengths"""
    path_length: int

    @property
    def per_step(self) -> float:
        """Mean distance along the path."""
        return self.distance / max(self.path_length, 1)


@dataclass(frozen=True, eq=False)
class Similarity:
    """J joints of a person and a robot over T frames."""

    joints: Array
    """(T, J) running distance of each joint"""
    system: Array
    """(T,) A_w: their mean, weighted by the joints' ranges"""
    scores: Array
    """(J,) 0 … 100 %: 100 less the distance per step as a share of the range"""
    score: float
    """the same for all joints together"""


def dtw(s: ArrayLike, r: ArrayLike, window: int | None = None) -> Warping:
    """Warp trajectories `(n,)` or `(n, k)` and `(m,)` or `(m, k)`, m samples long. `window`: in frames, else any."""
    one, other = (np.ascontiguousarray(_columns(trajectory)) for trajectory in (s, r))
    if one.shape[1] != other.shape[1]:
        raise InputError(f"trajectories of {one.shape[1]} and {other.shape[1]} values a frame cannot be compared")
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise InputError("a trajectory holds numbers that are not finite")
    if window is not None and window < 0:
        raise InputError(f"a window of {window} frames: it cannot be negative")
    frames = min(len(one), len(other))
    running, steps = np.zeros(frames), np.zeros(frames, np.int64)
    if not frames:
        return Warping(running, steps, 0.0, 0)
    reach = max(len(one), len(other)) if window is None else window
    distance, length = warp(one, other, reach, running, steps)
    return Warping(running, steps, float(distance), int(length))


def trajectory_similarity(
    human: ArrayLike, robot: ArrayLike, ranges: ArrayLike, window: int | None = None
) -> Similarity:
    """Of joint angles `(T, J)` of both, weighted by the joints' ranges `(J,)`: W = max - min, A_w = Σ W D / Σ W."""
    one, other, weights = (np.asarray(a, float) for a in (human, robot, ranges))
    if one.shape != other.shape or one.ndim != 2 or weights.shape != (one.shape[1],):
        shapes = f"{one.shape}, {other.shape} and {weights.shape}"
        raise InputError(f"angles of two and their ranges have shapes {shapes}, expected (T, J), (T, J) and (J,)")
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise InputError("every joint's range must be positive")
    warped = [dtw(one[:, j], other[:, j], window) for j in range(len(weights))]
    joints = np.stack([w.running for w in warped], axis=1)
    off = np.array([w.per_step for w in warped]) / weights
    shares = weights / weights.sum()
    return Similarity(joints, joints @ shares, _percent(off), float(_percent(np.array(off @ shares))))


def dtw_system(limb_person: Array, limb_robot: Array, limb_known: Flags, fps: float) -> float:
    return float(np.mean([w.distance for w in _warp_limbs(limb_person, limb_robot, limb_known, fps)]))


def dtw_score(limb_person: Array, limb_robot: Array, limb_known: Flags, fps: float) -> float:
    off = np.mean([w.per_step for w in _warp_limbs(limb_person, limb_robot, limb_known, fps)]) / _WHOLE_RANGE
    return float(_percent(np.array(off)))


def _warp_limbs(person: Array, robot: Array, known: Flags, fps: float) -> list[Warping]:
    """Limbs' directions `(T, 8, 3)` of both, each limb over the frames in which it is known."""
    if not (np.isfinite(person[known]).all() and np.isfinite(robot[known]).all()):
        raise MissingError("the motion's numbers are too large to compute with")
    window = max(1, round(WINDOW_S * fps))
    warped = [dtw(person[rows, limb], robot[rows, limb], window) for limb, rows in enumerate(known.T) if rows.any()]
    if not warped:
        raise MissingError("no limb is known of both the person and the robot")
    return warped


def _percent(off: Array) -> Array:
    return np.asarray(100.0 * np.clip(1.0 - off, 0.0, 1.0))


def _columns(trajectory: ArrayLike) -> Array:
    array = np.asarray(trajectory, float)
    if array.ndim not in (1, 2):
        raise InputError(f"a trajectory has the shape (n,) or (n, k), not {array.shape}")
    return array[:, None] if array.ndim == 1 else array


METRICS = (
    Metric("dtw_system", "", "lower", "how far limb directions are apart, warped by up to 1 s, summed over frames",
           dtw_system),
    Metric("dtw_score", "%", "higher", "the same per step of the warped path: 100 where the two move alike",
           dtw_score, high=100),
)  # fmt: skip
