"""Legs keep to the branch of their hips on which the robot stands: beyond it they would point the same way twisted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import SIDES
from bunraku.kinematics.problem import Limits, tree_arrays
from bunraku.kinematics.tree import HINGE
from bunraku.robots import Robot

Array = NDArray[np.float64]

SHORT_OF_RAD = 0.1
"""the middle joint of a hip stops so far before the first and the last one's axes fall together"""
CLEAR_RAD = 0.3
"""hips that stand nearer than this to where the branches meet are left as they are"""


def legs_in_one_branch(robot: Robot, limits: Limits) -> Limits:
    """The limits (nv,) with each hip's middle joint kept where the hip's first and last axis never fall together.

    A thigh that could be raised through that place comes out of it with the hip turned by half a turn: its directions
    are right, and there is no way back for as long as the leg is needed.
    """
    lower, upper = limits.lower.copy(), limits.upper.copy()
    variable = tree_arrays(robot.tree).variable
    for side in SIDES:
        joints = robot.semantics.joints.get(f"{side}_leg", ())[:3]
        if len(joints) < 3 or any(robot.tree.joint_type[joint + 1] != HINGE for joint in joints):
            continue
        low, high = _between_locks(robot, joints)
        v = variable[joints[1]]
        if lower[v] < high and upper[v] > low:
            lower[v], upper[v] = max(lower[v], low), min(upper[v], high)
    return Limits(lower, upper)


def _between_locks(robot: Robot, joints: tuple[int, ...]) -> tuple[float, float]:
    """Values of a hip's middle joint around the neutral one within which the outer two axes stay apart."""
    values = robot.neutral[robot.first_joint + joints[1]] + np.linspace(-np.pi, np.pi, 721)
    qpos = np.tile(robot.neutral, (len(values), 1))
    qpos[:, robot.first_joint + joints[1]] = values
    rotation = robot.tree.forward(qpos)[1]
    first, last = (rotation[:, joint + 1] @ robot.tree.axis[joint + 1] for joint in (joints[0], joints[2]))
    sine = np.linalg.norm(np.cross(first, last), axis=1)
    middle = len(values) // 2
    locked = np.flatnonzero(sine < np.sin(SHORT_OF_RAD))
    before, after = locked[locked < middle], locked[locked > middle]
    if sine[middle] < np.sin(CLEAR_RAD) or not len(before) or not len(after):
        return -np.inf, np.inf
    return float(values[before[-1]]), float(values[after[0]])
