"""Ranges and speeds of independent joints, such that what follows them keeps its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.problem import tree_arrays, variable_limits
from bunraku.robots import Robot

Array = NDArray[np.float64]


class JointGroup:
    """Independent joints m of a robot, kept within the limits and speeds of themselves and of what follows them."""

    def __init__(self, robot: Robot, joints: Sequence[int]) -> None:
        self.joints = np.array(joints, np.intp)
        """(m,) among the robot's joints"""
        self.columns = self.joints + robot.first_joint
        """(m,) of qpos"""
        self.lower, self.upper = joint_ranges(robot, joints)
        """(m,) each"""
        self.speed = np.array([_speed(robot, joint) for joint in joints])
        """(m,) rad/s or m/s"""


def joint_ranges(robot: Robot, joints: Sequence[int], unlimited: float = np.inf) -> tuple[Array, Array]:
    """Lower and upper ends (m,) for independent joints, such that what follows them stays within its limits too.

    A side without a limit ends `unlimited` away from the neutral configuration.
    """
    limits = variable_limits(robot.tree, robot.lower, robot.upper)
    at = np.array(joints, np.intp)
    variable, neutral = np.asarray(tree_arrays(robot.tree).variable)[at], robot.neutral[robot.first_joint + at]
    lower, upper = limits.lower[variable], limits.upper[variable]
    return np.where(np.isinf(lower), neutral - unlimited, lower), np.where(np.isinf(upper), neutral + unlimited, upper)


def straight_value(far: float, bent: float) -> float:
    """Rest for a joint whose range ends at `bent` and `far`: zero where it goes beyond that, but less than it bends."""
    return 0.0 if far * bent < 0 and abs(bent) >= abs(far) else far


def _speed(robot: Robot, joint: int) -> float:
    """Fastest change of an independent joint that keeps it and its followers within their limits."""
    followers = np.flatnonzero((robot.tree.leader == joint) & (robot.tree.ratio != 0))
    return float(np.min(robot.velocity[followers] / np.abs(robot.tree.ratio[followers])))
