"""Joints that follow signals of their own, beside the whole-body solver: fingers, jaw, eyes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.problem import tree_arrays, variable_limits
from bunraku.robots import Robot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


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

    def follow(self, qpos: Array, values: Array, known: Flags, dt_s: float, previous: Array | None = None) -> Array:
        """A copy of `qpos` (T, nq) with the joints at `values` (T, m) where these are known.

        A joint whose value is not known stays where it last was; before it was known at all it is left alone.
        Frames are `dt_s` apart, and `previous` (nq,) is the configuration before the first.
        """
        out = qpos.copy()
        some = known.any(axis=0) if previous is None else np.ones(len(self.joints), bool)
        if not len(qpos) or not some.any():
            return out
        at = self.columns[some]
        start = None if previous is None else previous[at]
        wanted = np.minimum(np.maximum(values[:, some], self.lower[some]), self.upper[some])
        step = self.speed[some] * dt_s
        if not known[:, some].all():
            last = _last_known(known[:, some])
            held = np.take_along_axis(wanted, np.maximum(last, 0), axis=0)
            wanted = np.where(last >= 0, held, out[:, at] if start is None else start)
            step = np.where(known[:, some] | (last < 0), step, 0.0)
        out[:, at] = _limited(wanted, np.broadcast_to(step, wanted.shape), start)
        return out


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


def _last_known(known: Flags) -> NDArray[np.intp]:
    """(T, m) the last frame up to each at which the value was known, -1 where there is none."""
    frames = np.arange(len(known))[:, None]
    return np.asarray(np.maximum.accumulate(np.where(known, frames, -1), axis=0))


def _limited(wanted: Array, step: Array, start: Array | None) -> Array:
    """(T, m) the same with no row further than `step` (T, m) from the one before, the first one from `start`."""
    rows, steps = wanted, step
    if start is not None:
        rows, steps = np.concatenate([start[None], wanted]), np.concatenate([step[:1], step])
    out = rows.copy()
    too_fast = np.flatnonzero((np.abs(rows[1:] - rows[:-1]) > steps[1:]).any(axis=1)) + 1
    row = 0
    for begin in too_fast:
        if begin <= row:
            continue
        # From here on the limited way runs behind the wanted one, until they meet.
        for row in range(begin, len(rows)):
            np.maximum(rows[row], out[row - 1] - steps[row], out=out[row])
            np.minimum(out[row], out[row - 1] + steps[row], out=out[row])
            if (out[row] == rows[row]).all():
                break
    return out if start is None else out[1:]


def _speed(robot: Robot, joint: int) -> float:
    """Fastest change of an independent joint that keeps it and its followers within their limits."""
    followers = np.flatnonzero((robot.tree.leader == joint) & (robot.tree.ratio != 0))
    return float(np.min(robot.velocity[followers] / np.abs(robot.tree.ratio[followers])))
