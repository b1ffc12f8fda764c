"""Segments with places and turns, one after the other, to a pose: what all devices that send named segments need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.skeleton import JOINT_COUNT

Array = NDArray[np.float64]

FARTHEST_M = 1000.0
"""what is farther from the device's origin is no place"""


class PoseBuilder:
    """Fills poses of one source; turns stay in one hemisphere from pose to pose."""

    def __init__(self) -> None:
        self._before = np.zeros((JOINT_COUNT, 4))
        self._known = np.zeros(JOINT_COUNT, bool)

    def reset(self) -> None:
        """Another session."""
        self._known[:] = False

    def pose(
        self, now_ns: int, *, stamp_ns: int = 0, placed: NDArray[np.intp] | None = None, places: Array | None = None,
        turned: NDArray[np.intp] | None = None, turns: Array | None = None, jaw: float | None = None,
    ) -> HumanPose | str:  # fmt: skip
        """Joints `placed` (P,) at `places` (P, 3) m, and `turned` (R,) by `turns` (R, 4) away from the canonical pose;
        or why that is no pose."""
        positions, rotations = np.zeros((JOINT_COUNT, 3)), np.zeros((JOINT_COUNT, 4))
        rotations[:, 0] = 1.0
        position_valid, rotation_valid = np.zeros(JOINT_COUNT, bool), np.zeros(JOINT_COUNT, bool)
        if placed is not None and places is not None and len(placed):
            if not (np.abs(places) < FARTHEST_M).all():
                return "places beyond any room, or no numbers"
            positions[placed], position_valid[placed] = places, True
        if turned is not None and turns is not None and len(turned):
            size = np.sqrt(np.einsum("ij,ij->i", turns, turns))
            if not ((size > 0.5) & (size < 2.0)).all():
                return "turns that are no quaternions"
            unit = turns / size[:, None]
            opposite = np.einsum("ij,ij->i", unit, self._before[turned]) < 0
            unit[opposite & self._known[turned]] *= -1.0
            rotations[turned], rotation_valid[turned] = unit, True
            self._before[turned], self._known[turned] = unit, True
        return HumanPose(
            positions=positions, rotations=rotations, position_valid=position_valid, rotation_valid=rotation_valid,
            stamp_ns=stamp_ns, received_ns=now_ns, jaw=jaw,
        )  # fmt: skip
