"""The unit and the up axis of a recording, told from the body in it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import UnknownNameError
from bunraku.human.skeleton import SIDES
from bunraku.sources.posed import PosedSkeleton
from bunraku.sources.skeletons import SkeletonMap

Array = NDArray[np.float64]
UpAxis = Literal["x", "y", "z"]

UNITS = MappingProxyType({"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.056444})
"""Metres of each unit by name; `cmu` is what the Carnegie Mellon recordings count in."""
WORLD_FROM_FILE = MappingProxyType(
    {"x": np.array([0.5, -0.5, -0.5, -0.5]), "y": np.array([0.5, 0.5, 0.5, 0.5]), "z": np.array([1.0, 0.0, 0.0, 0.0])}
)
"""Turn from a file's axes to ours by its up axis. Axes change places in a circle: with y up, Z, X, Y become x, y, z."""
FACING = MappingProxyType(
    {"x": (1.0, 0.0, 0.0, 0.0), "y": (0.5**0.5, 0.0, 0.0, -(0.5**0.5)), "-x": (0.0, 0.0, 0.0, 1.0),
     "-y": (0.5**0.5, 0.0, 0.0, 0.5**0.5)}
)  # fmt: skip
"""our world from one in which people faced that way when they were described; z is up"""
_ALIASES = MappingProxyType(
    {"metre": "m", "meter": "m", "centimetre": "cm", "centimeter": "cm", "millimetre": "mm", "millimeter": "mm",
     "in": "inch", "inches": "inch", "ft": "foot", "feet": "foot"}
)  # fmt: skip

# Lengths over stature, after Drillis and Contini.
_LEG, _ARM = 0.491, 0.332
# How common a unit is, as a weight in nats.
_COMMON = MappingProxyType({"cm": 0.0, "m": -0.2, "inch": -0.7, "mm": -0.7, "cmu": -0.7, "foot": -3.0})


def unit_metres(unit: float | str) -> float:
    """Metres in a unit given by name or as a number."""
    if isinstance(unit, str):
        name = _ALIASES.get(unit.lower(), unit.lower())
        if name not in UNITS:
            raise UnknownNameError("unit", unit, UNITS)
        return UNITS[name]
    if not (np.isfinite(unit) and unit > 0):
        raise UnknownNameError("unit", str(unit), ("a positive number of metres", *UNITS))
    return float(unit)


def stature(skeleton: PosedSkeleton, mapping: SkeletonMap) -> float:
    """The person's height as their legs tell it, or their arms, in the file's unit."""
    for parts, share in ((("thigh", "shin", "foot"), _LEG), (("upper_arm", "forearm", "hand"), _ARM)):
        sums = []
        for side in SIDES:
            nodes = [mapping.node(f"{side}_{part}") for part in parts]
            if min(nodes) >= 0:
                bones = skeleton.positions[:, nodes[1:]] - skeleton.positions[:, nodes[:-1]]
                sums.append(float(np.linalg.norm(bones, axis=-1).mean(0).sum()))
        if sums:
            return float(np.mean(sums)) / share
    return 0.0


def find_unit(height: float) -> tuple[str, str]:
    """The unit in which a body of this height is most likely a person's, and the reason in words."""
    scores = {name: _human(height * metres) + _COMMON[name] for name, metres in UNITS.items()}
    ranked = sorted(scores, key=lambda name: -scores[name])
    best = ranked[0]
    metres = height * UNITS[best]
    other = f"in {ranked[1]} it would be {height * UNITS[ranked[1]]:.2f} m"
    words = f"unit {best}: by the limbs' lengths the person is {metres:.2f} m tall; {other}"
    if not 0.8 < metres < 2.3:
        words += "; no unit gives a person's size"
    return best, words


def _human(metres: float) -> float:
    """Log of how likely a height is, for adults and, four times rarer, children."""
    adult = -0.5 * (np.log(max(metres, 1e-9) / 1.70) / 0.11) ** 2
    child = np.log(0.25) - 0.5 * (np.log(max(metres, 1e-9) / 1.20) / 0.18) ** 2
    return float(np.logaddexp(adult, child))


def find_up(skeleton: PosedSkeleton, mapping: SkeletonMap, zero_stands: bool) -> UpAxis:
    """The axis along which the head is above the feet and the lowest point of the body stays where it is.

    The pose at zero rotations counts as half a vote, if it is a person standing.
    """
    tops = ("head", "neck", "chest", "left_upper_arm", "right_upper_arm", "hips", "left_thigh", "right_thigh")
    high = next(node for node in map(mapping.node, tops) if node >= 0)
    feet = [node for node in map(mapping.node, ("left_foot", "right_foot")) if node >= 0]
    low = feet or [max(mapping.node("hips"), 0)]
    score = _rise(skeleton.positions, high, low).mean(0)
    if zero_stands:
        score = score + 0.5 * _rise(skeleton.zero, high, low)
    lowest = skeleton.positions.min(axis=1)
    wander = np.percentile(lowest, 90, axis=0) - np.percentile(lowest, 10, axis=0)
    score = score - 0.5 * np.minimum(wander / stature(skeleton, mapping), 1.0)
    axes: tuple[UpAxis, ...] = ("x", "y", "z")
    return axes[int(np.argmax(score))]


def _rise(positions: Array, high: int, low: list[int]) -> Array:
    """Unit direction from the middle of the low nodes to the high one."""
    line = positions[..., high, :] - positions[..., low, :].mean(-2)
    return np.asarray(line / np.maximum(np.linalg.norm(line, axis=-1, keepdims=True), 1e-12))
