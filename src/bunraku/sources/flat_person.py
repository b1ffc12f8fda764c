"""A person of whom one picture is all there is: placed in a plane that faces the camera, at a scale from their height.

Bones in the picture are shortened by how far they point to the camera or away, never made longer; so the scale is the
one that the longer ones of the trunk and the limbs agree on. Depth is not known: limbs that reach forward seem short.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.body import ADULT
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.sources.landmarks import BODY, COUNT, HANDS, ROW, Landmarks

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

ENOUGH = 90
"""frames after which the scale is fixed"""
_FORWARD = {"nose": 0.10, **{f"{side}_eye": 0.07 for side in SIDES}, **{f"{side}_ear": -0.01 for side in SIDES}}
"""m, how far points of a face that looks at the camera are before the plane"""
_FEET = np.array([ROW[f"{side}_{part}"] for side in SIDES for part in ("heel", "toe")])

_PALM = [0, 5, 17]
_BROAD = 0.4
"""area over the palm's length squared; 0.7 where it faces the camera"""


def _segments() -> list[tuple[int, int, float]]:
    out = [(ROW["left_shoulder"], ROW["right_shoulder"], 0.36), (ROW["left_hip"], ROW["right_hip"], 0.18)]
    for side in SIDES:
        for upper, lower, joint in (("shoulder", "elbow", "forearm"), ("elbow", "wrist", "hand"),
                                    ("hip", "knee", "shin"), ("knee", "ankle", "foot")):  # fmt: skip
            out.append((ROW[f"{side}_{upper}"], ROW[f"{side}_{lower}"], float(ADULT.lengths[INDEX[f"{side}_{joint}"]])))
        out.append((ROW[f"{side}_shoulder"], ROW[f"{side}_hip"], 0.53))
    return out


_PAIRS = _segments()
_FROM, _TO = np.array([a for a, _, _ in _PAIRS]), np.array([b for _, b, _ in _PAIRS])
_LENGTHS = np.array([length for *_, length in _PAIRS])


def _is_broad(palm: Array) -> bool:
    """Whether wrist and knuckles of index and little finger (3, 2) show a palm, and not its edge."""
    along, across = (palm[1] + palm[2]) / 2 - palm[0], palm[1] - palm[2]
    return bool(abs(along[0] * across[1] - along[1] * across[0]) > _BROAD * (along @ along))


class FlatPerson:
    """Learns the scale while frames come; `height` is the person's, m."""

    def __init__(self, height: float) -> None:
        self._size = height / ADULT.height
        self._scales: list[float] = []
        self.scale: float | None = None
        """pixels a metre, the median so far"""
        self._origin: Array | None = None

    def learn(self, seen: Landmarks) -> None:
        """One frame more."""
        both = seen.known[_FROM] & seen.known[_TO]
        if both.sum() < 2 or len(self._scales) >= ENOUGH:
            return
        ratios = np.linalg.norm(seen.points[_FROM] - seen.points[_TO], axis=1)[both] / (_LENGTHS[both] * self._size)
        best = float(np.sort(ratios)[-2])
        if best > 0:
            self._scales.append(best)
            self.scale = float(np.median(self._scales))

    def place(self, seen: Landmarks) -> tuple[Array, Flags]:
        """(K, 3) and (K,) in our world, the person's first middle above the origin; nothing before there is a scale."""
        points, known = np.zeros((COUNT, 3)), seen.known.copy()
        if self.scale is None:
            return points, np.zeros(COUNT, bool)
        if self._origin is None and known[: len(BODY)].any():
            self._origin = np.median(seen.points[: len(BODY)][known[: len(BODY)]], axis=0)
        if self._origin is not None:
            flat = (seen.points - self._origin) / self.scale
            points[:, 1], points[:, 2] = flat[:, 0], -flat[:, 1]
        for name, forward in _FORWARD.items():
            points[ROW[name], 0] = forward * self._size
        # Feet point to the camera or anywhere; a plane does not tell.
        known[_FEET] = False
        for rows in HANDS.values():
            known[rows] &= _is_broad(seen.points[rows][_PALM])
        return points, known
