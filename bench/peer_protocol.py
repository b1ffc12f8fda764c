"""What every engine of the comparison shares: the problem as files, and a pass over its frames when told to.

This file runs in environments that hold one engine and numpy, and knows no other module of the project.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STEPS = 3
"""Gauss–Newton steps, or solved quadratic programs, for each frame"""
LIMIT_GAIN = 0.95
"""share of the way to a joint's limit that one step may go, for the engines that have such a setting"""


@dataclass(frozen=True)
class Problem:
    """K body poses to be met in T frames. Squared errors are weighted."""

    joints: list[str]
    frames: list[str]
    """K links"""
    start: np.ndarray
    """(7 + n,) x y z qw qx qy qz, then the joints"""
    positions: np.ndarray
    """(T, K, 3) m"""
    rotations: np.ndarray
    """(T, K, 3, 3) world_from_link"""
    position_weight: np.ndarray
    """(K,) per m²"""
    rotation_weight: np.ndarray
    """(K,) per rad²"""
    urdf: Path
    """the robot without shapes"""
    mjcf: Path
    """the same"""

    @classmethod
    def load(cls, folder: Path) -> Problem:
        """What `save` wrote."""
        with np.load(folder / "problem.npz") as data:
            arrays = {name: data[name] for name in data.files}
        names = {name: [str(word) for word in arrays.pop(name)] for name in ("joints", "frames")}
        return cls(**names, **arrays, urdf=folder / "robot.urdf", mjcf=folder / "robot.xml")

    def save(self, folder: Path) -> None:
        """The arrays; the two descriptions are there already."""
        arrays = {name: value for name, value in vars(self).items() if name not in ("urdf", "mjcf")}
        np.savez(folder / "problem.npz", **arrays)

    def poses(self) -> np.ndarray:
        """(T, K, 4, 4) the targets as homogeneous matrices."""
        out = np.zeros((*self.positions.shape[:2], 4, 4))
        out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = self.rotations, self.positions, 1.0
        return out


def serve(name: str, prepare: Callable[[Problem], Callable[[], np.ndarray]]) -> None:
    """For each line on stdin one pass over all frames from the start, its duration in s on stdout.

    `prepare` gives the pass, which returns (T, 7 + n) in the problem's order; `NAME.npy` keeps the last one's.
    """
    folder = Path(sys.argv[1])
    work = prepare(Problem.load(folder))
    np.save(folder / f"{name}.npy", work())
    print("ready", flush=True)
    for _ in sys.stdin:
        started = time.perf_counter()
        result = work()
        spent = time.perf_counter() - started
        np.save(folder / f"{name}.npy", result)
        print(spent, flush=True)
