"""One human pose, and a motion as a row of them.

World: x forward, y left, z up, metres. Quaternions wxyz. Joints in the order of `skeleton.JOINTS`.
A pose may be partial: a joint whose flag is off has no meaning in its array, whatever number stands there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.human.skeleton import INDEX, JOINT_COUNT

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanPose:
    """What one source, or all of them merged, knows of a person at one instant."""

    positions: Array
    """(J, 3) world position of each joint, m"""
    rotations: Array
    """(J, 4) world rotation of each joint away from the canonical pose"""
    position_valid: Flags
    """(J,)"""
    rotation_valid: Flags
    """(J,)"""
    stamp_ns: int = 0
    """the device's own stamp; for display only"""
    received_ns: int = 0
    """monotonic clock of this machine at arrival; ages and time-outs use this one"""
    jaw: float | None = None
    """0 closed … 1 open"""
    eyes: tuple[float, float] | None = None
    """gaze relative to the head: yaw to the left, pitch down, rad"""

    @classmethod
    def empty(cls, *, stamp_ns: int = 0, received_ns: int = 0) -> HumanPose:
        """A pose that knows nothing."""
        return cls(
            positions=np.zeros((JOINT_COUNT, 3)),
            rotations=np.tile([1.0, 0.0, 0.0, 0.0], (JOINT_COUNT, 1)),
            position_valid=np.zeros(JOINT_COUNT, bool),
            rotation_valid=np.zeros(JOINT_COUNT, bool),
            stamp_ns=stamp_ns,
            received_ns=received_ns,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanMotion:
    """T poses at a constant rate. Construction checks shapes, normalises quaternions, and drops what is not finite."""

    positions: Array
    """(T, J, 3)"""
    rotations: Array
    """(T, J, 4)"""
    position_valid: Flags
    """(T, J)"""
    rotation_valid: Flags
    """(T, J)"""
    fps: float
    name: str = "motion"
    jaw: Array | None = None
    """(T,) 0 closed … 1 open"""
    eyes: Array | None = None
    """(T, 2) yaw to the left, pitch down, relative to the head, rad"""
    notes: tuple[str, ...] = field(default=())
    """what the reader had to decide, in words for a person"""

    def __post_init__(self) -> None:
        positions, rotations = np.asarray(self.positions, float), np.asarray(self.rotations, float)
        T = len(positions)
        for label, array, shape in (
            ("positions", positions, (T, JOINT_COUNT, 3)),
            ("rotations", rotations, (T, JOINT_COUNT, 4)),
            ("position_valid", self.position_valid, (T, JOINT_COUNT)),
            ("rotation_valid", self.rotation_valid, (T, JOINT_COUNT)),
        ):
            if np.shape(array) != shape:
                raise ValueError(f"{label} has shape {np.shape(array)}, expected {shape}")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise ValueError(f"fps must be positive, not {self.fps}")
        norm = np.linalg.norm(rotations, axis=-1)
        position_ok = np.asarray(self.position_valid, bool) & np.isfinite(positions).all(-1)
        with np.errstate(invalid="ignore"):
            rotation_ok = np.asarray(self.rotation_valid, bool) & np.isfinite(norm) & (norm > 1e-6)
        positions = np.where(position_ok[..., None], positions, 0.0)
        rotations = np.where(
            rotation_ok[..., None], rotations / np.where(rotation_ok, norm, 1.0)[..., None], [1.0, 0, 0, 0]
        )
        for label, array in (("positions", positions), ("rotations", rotations),
                             ("position_valid", position_ok), ("rotation_valid", rotation_ok)):  # fmt: skip
            object.__setattr__(self, label, array)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def duration_s(self) -> float:
        """Time from the first to the last frame."""
        return max(len(self) - 1, 0) / self.fps

    def pose(self, frame: int) -> HumanPose:
        """One frame, stamped with its time in the motion."""
        stamp = round(frame / self.fps * 1e9)
        return HumanPose(
            positions=self.positions[frame],
            rotations=self.rotations[frame],
            position_valid=self.position_valid[frame],
            rotation_valid=self.rotation_valid[frame],
            stamp_ns=stamp,
            received_ns=stamp,
            jaw=None if self.jaw is None else float(self.jaw[frame]),
            eyes=None if self.eyes is None else (float(self.eyes[frame, 0]), float(self.eyes[frame, 1])),
        )

    def __iter__(self) -> Iterator[HumanPose]:
        return (self.pose(frame) for frame in range(len(self)))

    def has(self, *joints: str) -> bool:
        """Whether the positions of all these joints are known in most frames."""
        return all(self.position_valid[:, INDEX[joint]].mean() > 0.5 for joint in joints) if len(self) else False

    def position(self, joint: str) -> Array:
        """(T, 3) world positions of one joint."""
        return self.positions[:, INDEX[joint]]

    def rotation(self, joint: str) -> Array:
        """(T, 4) world rotations of one joint."""
        return self.rotations[:, INDEX[joint]]

    def frames(self, selection: slice | ArrayLike) -> HumanMotion:
        """The chosen frames, in that order, at the same rate."""
        pick = selection if isinstance(selection, slice) else np.asarray(selection)
        return replace(
            self,
            positions=self.positions[pick],
            rotations=self.rotations[pick],
            position_valid=self.position_valid[pick],
            rotation_valid=self.rotation_valid[pick],
            jaw=None if self.jaw is None else self.jaw[pick],
            eyes=None if self.eyes is None else self.eyes[pick],
        )
