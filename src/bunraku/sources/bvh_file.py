"""What a BVH file says, before anybody asks what it means."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bunraku.sources.bvh_kernels import pose_rows

Array = NDArray[np.float64]

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")


@dataclass(frozen=True, eq=False, kw_only=True)
class BvhFile:
    """A file's content in its own unit and axes. B joints, parents before children; E end sites; C channels.

    A joint's local transform is T(position) · R1 · R2 · R3, its rotation channels from left to right, in degrees;
    a position channel stands in for that component of the offset.
    """

    names: tuple[str, ...]
    parents: NDArray[np.int32]
    """(B,) -1 for a root"""
    offsets: Array
    """(B, 3)"""
    channels: tuple[tuple[str, ...], ...]
    """the channels of each joint in the file's order, spelled as in CHANNELS"""
    end_parents: NDArray[np.int32]
    """(E,) the joint that each end site hangs on"""
    end_offsets: Array
    """(E, 3)"""
    frame_time: float
    """seconds"""
    values: Array
    """(T, C)"""
    layout: NDArray[np.int32] = field(init=False)
    """(B, 7) first column of each joint, then the indices of its channels in CHANNELS, then -1"""

    def __post_init__(self) -> None:
        layout = np.full((len(self.names), 7), -1, np.int32)
        column = 0
        for joint, channels in enumerate(self.channels):
            layout[joint, 0] = column
            layout[joint, 1 : 1 + len(channels)] = [CHANNELS.index(channel) for channel in channels]
            column += len(channels)
        if self.values.ndim != 2 or self.values.shape[1] != column:
            raise ValueError(f"values have shape {self.values.shape}, the channels demand (T, {column})")
        object.__setattr__(self, "layout", layout)

    @property
    def width(self) -> int:
        """Numbers in a row: C."""
        return int(self.values.shape[1])

    def describe_value(self, index: int) -> str:
        """What the number at `index`, counted over all rows, stands for."""
        frame, column = divmod(index, self.width)
        joint = int(np.searchsorted(self.layout[:, 0], column, side="right")) - 1
        channel = self.channels[joint][column - int(self.layout[joint, 0])]
        return f"for {channel} of joint '{self.names[joint]}' in frame {frame}"

    def poses(self, rows: Array | None = None) -> tuple[Array, Array]:
        """World positions (T, B, 3) and quaternions (T, B, 4) of the joints for these rows of values, or for all."""
        values = self.values if rows is None else np.ascontiguousarray(rows)
        positions = np.empty((len(values), len(self.names), 3))
        rotations = np.empty((len(values), len(self.names), 4))
        pose_rows(values, self.parents, self.offsets, self.layout, positions, rotations)
        return positions, rotations
