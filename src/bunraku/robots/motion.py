"""A robot's motion: what retargeting makes, simulators play and evaluation judges. Saved as NPZ (a contract) or CSV."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import UnknownNameError
from bunraku.files import whole_file
from bunraku.robots.motion_file import read_npz

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotMotion:
    """T configurations at a constant rate."""

    qpos: Array
    """(T, 7 + n) free base as x y z qw qx qy qz, then joints; or (T, n) for a fixed base

    A base on wheels is a free one whose height, roll and pitch never change."""
    joint_names: tuple[str, ...]
    fps: float
    robot: str
    root: Literal["free", "fixed"]
    quality: Mapping[str, float] = field(default_factory=dict)
    """what the retargeter says of its own work: frames, time, residuals"""

    def __post_init__(self) -> None:
        width = len(self.joint_names) + (7 if self.root == "free" else 0)
        if self.qpos.ndim != 2 or self.qpos.shape[1] != width:
            raise ValueError(f"qpos has shape {self.qpos.shape}, expected (T, {width})")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise ValueError(f"fps must be positive, not {self.fps}")

    def __len__(self) -> int:
        return len(self.qpos)

    @property
    def joints(self) -> Array:
        """(T, n) joint values alone."""
        return self.qpos[:, self.qpos.shape[1] - len(self.joint_names) :]

    def save(self, path: str | Path) -> Path:
        """Write `.npz`, `.csv` or `.pkl`, chosen by the ending; the file appears whole or not at all."""
        path = Path(path)
        writers: dict[str, Callable[[BinaryIO], None]] = {
            ".npz": self._write_npz,
            ".csv": self._write_csv,
            ".pkl": self._write_pkl,
        }
        if path.suffix not in writers:
            raise UnknownNameError("motion format", path.suffix or path.name, writers)
        with whole_file(path) as part, part.open("wb") as file:
            writers[path.suffix](file)
        return path

    def _write_npz(self, file: BinaryIO) -> None:
        np.savez_compressed(
            file,
            qpos=self.qpos,
            joint_names=np.array(self.joint_names),
            fps=np.float64(self.fps),
            robot=np.array(self.robot),
            root=np.array(self.root),
        )

    def _write_csv(self, file: BinaryIO) -> None:
        base = ["x", "y", "z", "qw", "qx", "qy", "qz"] if self.root == "free" else []
        time = np.arange(len(self)) / self.fps
        header = ",".join(["time_s", *base, *self.joint_names])
        np.savetxt(file, np.column_stack([time, self.qpos]), fmt="%.9g", delimiter=",", header=header, comments="")

    def _write_pkl(self, file: BinaryIO) -> None:
        """The dictionary that GMR and its users exchange; a fixed base stands still at the origin."""
        still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (len(self), 1))
        base = self.qpos[:, :7] if self.root == "free" else still
        pickle.dump(
            {
                "fps": self.fps,
                "root_pos": base[:, :3],
                "root_rot": base[:, [4, 5, 6, 3]],
                "dof_pos": self.joints,
                "local_body_pos": None,
                "link_body_list": None,
            },
            file,
        )

    @classmethod
    def load(cls, path: str | Path) -> RobotMotion:
        """Read an NPZ with the keys of the contract; anything else is an InputError."""
        stored = read_npz(path)
        return cls(
            qpos=stored.qpos, joint_names=stored.joint_names, fps=stored.fps, robot=stored.robot, root=stored.root
        )
