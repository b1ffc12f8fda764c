"""How far a robot stands as the person does, and the offsets that spare the person to stand as the robot does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, cos, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.tree import HINGE
from bunraku.robots import Robot

Array = NDArray[np.float64]

WITHIN_RAD, WITHIN_M = radians(25), 0.05
"""a joint so near its target matches wholly; at three times that it does not at all"""
OVERALL, EACH = 0.9, 0.75
"""least match of all joints, and of each limb"""
PARTS = ("left_arm", "right_arm", "left_leg", "right_leg", "torso", "neck")
"""that must match; fingers and face come along"""


@dataclass(frozen=True, slots=True)
class Matching:
    """How far a measured pose is like a target."""

    share: float
    """0 … 1 of all joints that count"""
    limbs: Mapping[str, float]
    """likewise for each limb"""

    @property
    def enough(self) -> bool:
        """Whether the robot may begin to follow."""
        return self.share >= OVERALL and all(share >= EACH for share in self.limbs.values())

    @property
    def words(self) -> str:
        """'62 % alike; left arm 40 %', the limbs that are too far, the furthest first."""
        far = sorted((share, name) for name, share in self.limbs.items() if share < EACH)
        named = ", ".join(f"{name.replace('_', ' ')} {int(100 * share)} %" for share, name in far)
        return f"{int(100 * self.share)} % alike" + (f"; {named}" if named else "")


class PoseMatch:
    """Compares poses of one robot."""

    def __init__(self, robot: Robot) -> None:
        tree, first = robot.tree, robot.first_joint
        independent = set(tree.independent.tolist())
        found = {
            part: [first + joint for joint in robot.semantics.joints.get(part, ()) if joint in independent]
            for part in PARTS
        }
        self._limbs = {part: np.array(columns) for part, columns in found.items() if columns}
        columns = [column for part in self._limbs.values() for column in part]
        self._columns = np.array(columns or [first + joint for joint in sorted(independent)], int)
        hinge = tree.joint_type[1:] == HINGE
        self._within = np.concatenate([np.ones(first), np.where(hinge, WITHIN_RAD, WITHIN_M)])
        self._turns = np.concatenate([np.zeros(first, bool), hinge & np.isinf(robot.lower) & np.isinf(robot.upper)])

    def of(self, target: Array, measured: Array) -> Matching:
        """Of two configurations (nq,); a target that is no number matches nothing."""
        known = np.isfinite(target)
        apart = np.abs(np.where(known, target, 0.0) - measured)
        apart[self._turns] = np.abs((apart[self._turns] + pi) % (2 * pi) - pi)
        alike = known * np.clip((3.0 - apart / self._within) / 2.0, 0.0, 1.0)
        shares = {part: float(alike[columns].mean()) for part, columns in self._limbs.items()}
        return Matching(float(alike[self._columns].mean()), shares)


class Clutch:
    """Offsets latched when a robot begins to follow: its base goes on from where it is, as it faces.

    With `relative`, so do its joints: the person's way is followed, not the person's pose.
    """

    def __init__(self, first_joint: int, *, relative: bool = False) -> None:
        self._first, self.relative = first_joint, relative
        self._yaw, self._from, self._to = 0.0, (0.0, 0.0), (0.0, 0.0)
        self._offset: Array | float = 0.0

    def latch(self, target: Array, measured: Array) -> None:
        """From here on the target (nq,) stands for the measured configuration (nq,)."""
        if self._first:
            self._yaw = yaw(measured[3:7]) - yaw(target[3:7])
            self._from, self._to = (float(target[0]), float(target[1])), (float(measured[0]), float(measured[1]))
        if self.relative:
            self._offset = measured[self._first :] - target[self._first :]

    def apply(self, target: Array, out: Array) -> None:
        """The target (nq,) as it stands for the robot, into `out` (nq,)."""
        out[:] = target
        if self._first:
            c, s, x, y = cos(self._yaw), sin(self._yaw), target[0] - self._from[0], target[1] - self._from[1]
            out[0], out[1] = self._to[0] + c * x - s * y, self._to[1] + s * x + c * y
            c, s, (w, i, j, k) = cos(self._yaw / 2), sin(self._yaw / 2), target[3:7]
            out[3], out[4], out[5], out[6] = c * w - s * k, c * i - s * j, c * j + s * i, c * k + s * w
        out[self._first :] += self._offset


def yaw(q: Array) -> float:
    """How far a quaternion (4,) turns x about z."""
    w, x, y, z = (float(value) for value in q)
    return atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
