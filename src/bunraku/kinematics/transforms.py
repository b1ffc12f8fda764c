"""Rigid transforms as pairs of arrays: a position `(…, 3)` and a unit quaternion `(…, 4)`, wxyz.

`a_from_b` takes points of frame b into frame a: first turned, then moved. Leading shapes are any that fit together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]


class Transform(NamedTuple):
    """Where a frame stands in another one."""

    position: Array
    rotation: Array

    @classmethod
    def identity(cls) -> Transform:
        """The frame itself."""
        return cls(np.zeros(3), np.array(rot.IDENTITY))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Transform:
        """Of homogeneous matrices `(…, 4, 4)`."""
        m = np.asarray(matrix, float)
        return cls(np.array(m[..., :3, 3]), rot.from_matrix(m[..., :3, :3]))

    def to_matrix(self) -> Array:
        """The homogeneous matrix `(…, 4, 4)`."""
        turn = rot.to_matrix(self.rotation)
        out = np.zeros((*np.broadcast_shapes(turn.shape[:-2], np.shape(self.position)[:-1]), 4, 4))
        out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = turn, self.position, 1.0
        return out

    def inverse(self) -> Transform:
        """b_from_a of a_from_b."""
        back = rot.inverse(self.rotation)
        return Transform(-rot.rotate(back, self.position), back)

    def compose(self, b_from_c: Transform) -> Transform:
        """a_from_c."""
        return Transform(self.apply(b_from_c.position), rot.multiply(self.rotation, b_from_c.rotation))

    def apply(self, points: ArrayLike) -> Array:
        """Points `(…, 3)` of frame b, in frame a."""
        return np.asarray(rot.rotate(self.rotation, points) + np.asarray(self.position))
