"""What of a person touches the ground when: toes, heels, hands, knees; and how high their joints are when they do.

A patch is slow when it is so from frame to frame, or over a span of time that evens out noise at any frame rate. A
runner's foot rolls faster than a walker's: what counts as slow grows with the hips' speed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.ground import (
    CONTACT_HEIGHT,
    CONTACT_SPEED,
    LOW_PERCENTILE,
    RELEASE_HEIGHT,
    RELEASE_SPEED,
    drop_short,
    latest,
    speed,
)
from bunraku.human.pose import HumanMotion
from bunraku.human.skeleton import INDEX, JOINT_COUNT, SIDES

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

PATCHES = (
    "left_toe", "left_foot", "right_toe", "right_foot",
    "left_hand", "right_hand", "left_shin", "right_shin",
)  # fmt: skip
"""the joints that speak for toe and heel of either foot, then for the hands, then for the knees"""
PATCH_JOINTS = np.array([INDEX[name] for name in PATCHES])
FEET = 4
"""the first so many patches are parts of feet"""
PACE_SHARE = 0.06
"""of the hips' speed that a foot which stands may have, where that is more than CONTACT_SPEED"""
SPAN_S = 1 / 30
"""speeds are taken over twice this, and over two frames"""
SHORT_S = 0.1
"""a contact shorter than this is one of a step in passing"""
GAP_S = 0.05
"""a contact that is lost for less was not lost"""


class Contacts(NamedTuple):
    """When the patches touch, and where."""

    flags: Flags
    """(T, 8)"""
    spans: Flags
    """(T, 8) frames beside a contact in which the patch has hardly left, or come, yet"""
    still: Flags
    """(T, 8) contacts and all frames beside them in which the patch is as good as in place"""
    height: Array
    """(T, 8) of the patch above the ground, m"""


def resting_clearance() -> Array:
    """(J,) heights of an adult's joints above what they touch the ground with; infinite where they never do."""
    clearance = np.full(JOINT_COUNT, np.inf)
    heights = {"toe": 0.02, "foot": 0.08, "shin": 0.06, "thigh": 0.10, "hand": 0.04, "forearm": 0.05, "upper_arm": 0.08}
    for side in SIDES:
        for part, height in heights.items():
            clearance[INDEX[f"{side}_{part}"]] = height
    clearance[INDEX["hips"]], clearance[INDEX["head"]] = 0.12, 0.10
    return clearance


def measured_clearance(motion: HumanMotion) -> Array:
    """The same with the feet measured: how low ankles and toes come in this motion."""
    clearance = resting_clearance()
    for part in ("toe", "foot"):
        columns = [INDEX[f"{side}_{part}"] for side in SIDES]
        known = motion.position_valid[:, columns]
        if known.any():
            clearance[columns] = np.percentile(motion.positions[:, columns, 2][known], LOW_PERCENTILE)
    return clearance


def find_contacts(motion: HumanMotion, clearance: Array) -> Contacts:
    """Contacts of a motion whose ground is z = 0: low and slow, until clearly neither."""
    T = len(motion)
    flags = np.zeros((T, len(PATCHES)), bool)
    spans, still = np.zeros_like(flags), np.zeros_like(flags)
    known = motion.position_valid[:, PATCH_JOINTS]
    height = np.where(known, np.maximum(motion.positions[:, PATCH_JOINTS, 2] - clearance[PATCH_JOINTS], 0.0), 0.0)
    if not T:
        return Contacts(flags, spans, still, height)
    reach = max(1, round(SPAN_S * motion.fps))
    hips = speed(motion.positions[:, 0], motion.position_valid[:, 0], motion.fps, reach)
    slow = np.maximum(CONTACT_SPEED, PACE_SHARE * np.where(np.isfinite(hips), hips, 0.0))
    for patch, joint in enumerate(PATCH_JOINTS):
        ok, z = known[:, patch], height[:, patch]
        pace = np.minimum(*(speed(motion.positions[:, joint], ok, motion.fps, frames) for frames in (1, reach)))
        begins = ok & (pace < slow) & (z < CONTACT_HEIGHT)
        lasts = ok & (pace < slow * (RELEASE_SPEED / CONTACT_SPEED)) & (z < RELEASE_HEIGHT)
        touching = lasts & (latest(begins) > latest(~lasts))
        drop_short(touching, False, GAP_S * motion.fps)
        flags[:, patch] = still[:, patch] = touching
        if not PATCHES[patch].endswith("foot"):  # an ankle that is as slow may already rise over the toes
            spans[:, patch] = _beside(touching, 1, SHORT_S * motion.fps) & ok
            still[:, patch] = (touching | _beside(touching, 1, np.inf)) & ok
    return Contacts(flags, spans, still, height)


def _beside(touching: Flags, reach: int, short: float) -> Flags:
    """Frames after each contact that its last speed was taken over; for a contact of less than `short` frames also
    those before it."""
    out = np.zeros_like(touching)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], touching, [False]]).astype(np.int8)))
    for begin, end in edges.reshape(-1, 2):
        out[end : end + reach] = True
        if end - begin < short:
            out[max(begin - reach, 0) : begin] = True
    return out & ~touching
