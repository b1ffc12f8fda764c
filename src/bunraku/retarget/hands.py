"""Hands: a robot's fingers curl as the person's do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.skeleton import FINGERS, SIDES
from bunraku.retarget.finger_curl import curls
from bunraku.retarget.finger_joints import find_finger_joints
from bunraku.retarget.joint_group import JointGroup
from bunraku.robots import Robot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class HandMapper:
    """Sets the m joints that open and close a robot's fingers. It holds no history.

    >>> hands = HandMapper(robot)
    >>> qpos = robot.tree.with_followers(hands.apply(qpos, motion))
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.fingers = find_finger_joints(robot)
        """m joints, what opens and closes them, and how far; empty for a robot without hands"""
        self._group = JointGroup(robot, [finger.joint for finger in self.fingers])
        self._open = np.array([finger.open for finger in self.fingers])
        self._travel = np.array([finger.closed - finger.open for finger in self.fingers])
        self._drives = np.zeros((len(SIDES) * len(FINGERS), len(self.fingers)))
        for column, finger in enumerate(self.fingers):
            self._drives[finger.side * len(FINGERS) + np.array(finger.fingers), column] = 1.0

    def joint_values(self, curl: Array, known: Flags) -> tuple[Array, Flags]:
        """Values (T, m) of the joints for human curls (T, 2, 5), and whether they are known.

        A joint that several fingers drive follows the mean of those that are known.
        """
        weight = known.reshape(len(known), -1).astype(float)
        count = weight @ self._drives
        mean = (curl.reshape(weight.shape) * weight) @ self._drives / np.maximum(count, 1.0)
        return self._open + mean * self._travel, count > 0

    def apply(self, qpos: Array, motion: HumanMotion) -> Array:
        """A copy of the configurations (T, nq) with the fingers set, within their limits and speeds.

        A finger that is lost from sight stays as it last was; one that was never seen is left alone.
        """
        if not self.fingers:
            return qpos.copy()
        seen = curls(motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid)
        return self._group.follow(qpos, *self.joint_values(*seen), 1.0 / motion.fps)

    def apply_pose(self, qpos: Array, pose: HumanPose, previous: Array | None, dt_s: float) -> Array:
        """The same for one configuration (nq,), `dt_s` after `previous` (nq,)."""
        if not self.fingers:
            return qpos.copy()
        seen = curls(pose.positions[None], pose.rotations[None], pose.position_valid[None], pose.rotation_valid[None])
        return np.asarray(self._group.follow(qpos[None], *self.joint_values(*seen), dt_s, previous)[0])
