"""Rows of channel values of one skeleton, as files and suits send them, to poses on the canonical skeleton."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import JOINT_COUNT, JOINTS
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh_file import BvhFile
from bunraku.sources.bvh_kernels import canonical_rows

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_TIPS = np.array([joint.endswith("_tip") for joint in JOINTS])


class CanonicalRows:
    """What is constant of a skeleton on its way to the canonical one; its rows change."""

    placed: Flags
    """(J,) whose position the rows tell"""
    turning: Flags
    """(J,) whose rotation they tell"""

    def __init__(self, file: BvhFile, nodes: NDArray[np.int32], local: Array, world: Array, metres: float) -> None:
        """`nodes` (J,) joint or, from B on, end of the file for each canonical joint, -1 none; `local` (J, 4) the
        joint's axes from the canonical ones; `world` (4,) our world from the file's."""
        B = len(file.names)
        is_end = nodes >= B
        end = np.maximum(nodes - B, 0)
        self.placed = nodes >= 0
        self.turning = self.placed & ~is_end & ~_TIPS
        source = np.where(is_end, np.append(file.end_parents, 0)[end], nodes).astype(np.int32)
        points = np.where(is_end[:, None], np.vstack([file.end_offsets, np.zeros(3)])[end], 0.0)
        self._constants = (file.parents, file.offsets, file.layout, source, points, local, world, metres)

    def poses(self, rows: Array) -> tuple[Array, Array]:
        """Positions (T, J, 3) in metres and rotations (T, J, 4) for rows (T, C); signs follow the row before."""
        T = len(rows)
        positions, rotations = np.zeros((T, JOINT_COUNT, 3)), np.zeros((T, JOINT_COUNT, 4))
        rotations[..., 0] = 1.0
        canonical_rows(rows, *self._constants, positions, rotations)
        rotations[:, ~self.turning] = rot.IDENTITY
        return positions, rotations
