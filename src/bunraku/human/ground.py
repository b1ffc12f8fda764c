"""The ground a person stands on, and when their feet stand on it.

Producers place the toe joint anywhere from the sole to 4 cm above it, and the lowest heights in a recording are errors
as often as steps. So the ground is read off planted feet, from toe and ankle alike: the median height of each, less
what that joint's height is in the canonical pose for shins of this length, averaged over the two.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bunraku.human.body import ADULT
from bunraku.human.pose import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

LOW_PERCENTILE = 2.0
"""of both toes' heights: the level that contact heights count from"""
CONTACT_SPEED, CONTACT_HEIGHT = 0.1, 0.03
"""m/s, m: a foot slower and lower than this stands"""
RELEASE_SPEED, RELEASE_HEIGHT = 0.2, 0.045
"""m/s, m: a standing foot faster or higher than this has left"""
SHORTEST_CONTACT_S, SHORTEST_RELEASE_S = 0.1, 0.05

_SPEED_SPAN_S = 1 / 60  # speeds are taken over twice this, or over two frames where those are longer apart


def floor_height(motion: HumanMotion) -> float:
    """z of the ground, m. Without feet: the 2nd percentile of the lowest known joint's height; 0 if none is known."""
    size = _shin_length(motion) / ADULT.lengths[INDEX["left_foot"]]
    planted = _standing(motion) if len(motion) else np.zeros((0, len(SIDES)), bool)
    grounds = []
    for joint, height in (("toe", ADULT.toe_height), ("foot", ADULT.ankle_height)):
        z, known = _heights(motion, joint)
        if (planted & known).any():
            grounds.append(float(np.median(z[planted & known])) - height * size)
        elif known.any():
            grounds.append(float(np.percentile(z[known], LOW_PERCENTILE)) - height * size)
    if grounds:
        return float(np.mean(grounds))
    seen = motion.position_valid.any(axis=1)
    if not seen.any():
        return 0.0
    lowest = np.where(motion.position_valid, motion.positions[..., 2], np.inf).min(axis=1, initial=np.inf)
    return float(np.percentile(lowest[seen], LOW_PERCENTILE))


def on_ground(motion: HumanMotion) -> HumanMotion:
    """The same motion, moved up or down so that its ground is z = 0."""
    return replace(motion, positions=motion.positions - [0.0, 0.0, floor_height(motion)])


def foot_contacts(motion: HumanMotion) -> Flags:
    """(T, 2) whether the left and the right foot stand, by the toe's height and speed, or the ankle's without a toe.

    A foot stands from when it is slow and low until it is clearly neither; flickers shorter than
    SHORTEST_RELEASE_S and SHORTEST_CONTACT_S are no changes. Heights count from the joint's own 2nd percentile.
    """
    if not len(motion):
        return np.zeros((0, len(SIDES)), bool)
    standing = _standing(motion)
    for side in range(len(SIDES)):
        drop_short(standing[:, side], False, SHORTEST_RELEASE_S * motion.fps)
        drop_short(standing[:, side], True, SHORTEST_CONTACT_S * motion.fps)
    return standing


def _stands(z: Array, known: Flags, path: Array, fps: float) -> Flags:
    """(T,) low and slow, until clearly neither."""
    pace = speed(path, known, fps, max(1, round(_SPEED_SPAN_S * fps)))
    begins = known & (pace < CONTACT_SPEED) & (z < CONTACT_HEIGHT)
    lasts = known & (pace < RELEASE_SPEED) & (z < RELEASE_HEIGHT)
    return lasts & (latest(begins) > latest(~lasts))


def _standing(motion: HumanMotion) -> Flags:
    """(T, 2) contacts with hysteresis, flickers included."""
    standing = np.zeros((len(motion), len(SIDES)), bool)
    seen = standing.copy()
    for joint in ("toe", "foot"):
        z, known = _heights(motion, joint)
        if not known.any():
            continue
        z = z - np.percentile(z[known], LOW_PERCENTILE)
        for column, side in enumerate(SIDES):
            if seen[:, column].mean() > 0.5:  # the toe has told already
                continue
            ok = known[:, column]
            standing[:, column] = _stands(z[:, column], ok, motion.position(f"{side}_{joint}"), motion.fps)
            seen[:, column] = ok
    return standing


def _heights(motion: HumanMotion, joint: str) -> tuple[Array, Flags]:
    """(T, 2) heights of the left and right joint, and whether they are known."""
    columns = [INDEX[f"{side}_{joint}"] for side in SIDES]
    return motion.positions[:, columns, 2], motion.position_valid[:, columns]


def speed(path: Array, known: Flags, fps: float, reach: int) -> Array:
    """(T,) speed of a point, by differences over `reach` frames either way; infinite where an end is unknown."""
    T = len(path)
    after, before = np.minimum(np.arange(T) + reach, T - 1), np.maximum(np.arange(T) - reach, 0)
    pace = np.linalg.norm(path[after] - path[before], axis=-1) * fps / np.maximum(after - before, 1)
    return np.where(known[after] & known[before], pace, np.inf)


def latest(flags: Flags) -> NDArray[np.int64]:
    """For each frame the last one so far whose flag is on, -1 before the first."""
    return np.maximum.accumulate(np.where(flags, np.arange(len(flags)), -1))


def drop_short(flags: Flags, value: bool, shortest: float) -> None:
    """Runs of `value` with fewer frames than `shortest` are flipped in place, but not where the recording cuts them."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8))) + 1
    for begin, end in pairwise(edges):
        if flags[begin] == value and end - begin < shortest:
            flags[begin:end] = not value


def _shin_length(motion: HumanMotion) -> float:
    """Median over frames and sides; an adult's where no shin is known."""
    lengths = []
    for side in SIDES:
        pair = [INDEX[f"{side}_shin"], INDEX[f"{side}_foot"]]
        known = motion.position_valid[:, pair].all(axis=1)
        knee, ankle = motion.positions[known][:, pair[0]], motion.positions[known][:, pair[1]]
        lengths.append(np.linalg.norm(knee - ankle, axis=-1))
    every = np.concatenate(lengths)
    return float(np.median(every)) if len(every) else float(ADULT.lengths[INDEX["left_foot"]])
