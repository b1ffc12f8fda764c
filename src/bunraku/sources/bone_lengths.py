"""A person's bones as a camera sees them: their lengths are learned, and then kept or used to tell what is no person.

Left and right are alike; each bone's length is the median of what was seen so far, and fixed once that is enough.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX, JOINT_COUNT, MIRROR, PARENTS, SIDES

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

ENOUGH = 90
"""frames of a bone after which its length is fixed"""
_FEW = 5
"""frames of it before which its length is not used"""
_LEAST_M = 1e-3


def _bones() -> list[tuple[int, int]]:
    """(joint, the joint above that cameras see), upper ones first."""
    out = [(INDEX["neck"], INDEX["hips"]), (INDEX["head"], INDEX["neck"])]
    for joint in range(INDEX["head"] + 1, JOINT_COUNT):
        parent = int(PARENTS[joint])
        out.append((joint, INDEX["neck"] if parent in {INDEX[f"{side}_clavicle"] for side in SIDES} else parent))
    seen = {joint for joint, _ in out}
    clavicles = {INDEX[f"{side}_clavicle"] for side in SIDES}
    return [(joint, parent) for joint, parent in out if joint not in clavicles and (parent in seen or parent == 0)]


_PAIRS = tuple(_bones())
_JOINTS, _ABOVE = (np.array(column) for column in zip(*_PAIRS, strict=True))
_BONE_OF = np.full(JOINT_COUNT, -1)
_BONE_OF[_JOINTS] = np.arange(len(_JOINTS))
_MIRRORED = _BONE_OF[MIRROR[_JOINTS]]


class BoneLengths:
    """Learns one person's, frame by frame."""

    def __init__(self, enough: int = ENOUGH) -> None:
        self._enough = max(enough, _FEW)
        self._seen = np.full((self._enough, len(_JOINTS)), np.nan)
        self._counts = np.zeros(len(_JOINTS), np.int64)
        self.lengths = np.full(len(_JOINTS), np.nan)
        """m; NaN where too little was seen"""

    def learn(self, pose: HumanPose) -> None:
        """One more frame."""
        both = pose.position_valid[_JOINTS] & pose.position_valid[_ABOVE] & (self._counts < self._enough)
        if not both.any():
            return
        bones = np.flatnonzero(both)
        seen = np.linalg.norm(pose.positions[_JOINTS[bones]] - pose.positions[_ABOVE[bones]], axis=-1)
        self._seen[self._counts[bones], bones] = seen
        self._counts[bones] += 1
        changed = np.unique(np.concatenate([bones, _MIRRORED[bones]]))
        sides = np.concatenate([self._seen[:, changed], self._seen[:, _MIRRORED[changed]]])
        enough = np.isfinite(sides).sum(axis=0) >= _FEW
        self.lengths[changed[enough]] = np.nanmedian(sides[:, enough], axis=0)

    def steady(self, pose: HumanPose) -> HumanPose:
        """Each joint in the direction in which it was seen, at its bone's length from the joint above."""
        positions = pose.positions.copy()
        valid = pose.position_valid
        for joint, parent, length in zip(_JOINTS.tolist(), _ABOVE.tolist(), self.lengths.tolist(), strict=True):
            if valid[joint] and valid[parent] and length == length:
                way = pose.positions[joint] - pose.positions[parent]
                size = float(np.sqrt(way @ way))
                if size > _LEAST_M:
                    positions[joint] = positions[parent] + way * (length / size)
        return replace(pose, positions=positions)

    def strange(self, pose: HumanPose, tolerance: float) -> Flags:
        """(J,) joints whose bone departs from its length by more than this share: seen on something else."""
        bones = np.linalg.norm(pose.positions[_JOINTS] - pose.positions[_ABOVE], axis=-1)
        both = pose.position_valid[_JOINTS] & pose.position_valid[_ABOVE] & np.isfinite(self.lengths)
        out = np.zeros(JOINT_COUNT, bool)
        out[_JOINTS] = both & (np.abs(bones - self.lengths) > tolerance * self.lengths + 0.02)
        for joint, parent in _PAIRS:
            out[joint] |= out[parent]
        return out & pose.position_valid


def spread(positions: Array, valid: Flags) -> Array:
    """(B,) for (T, J, 3): standard deviation over mean of each bone's length; NaN where it is not seen."""
    both = valid[:, _JOINTS] & valid[:, _ABOVE]
    lengths = np.where(both, np.linalg.norm(positions[:, _JOINTS] - positions[:, _ABOVE], axis=-1), np.nan)
    out = np.full(len(_JOINTS), np.nan)
    some = both.sum(axis=0) > 1
    out[some] = np.nanstd(lengths[:, some], axis=0) / np.nanmean(lengths[:, some], axis=0)
    return out
