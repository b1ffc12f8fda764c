"""A robot's arm with the lengths of an operator's: its segments point where the robot's do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import INDEX
from bunraku.retarget.correspondence import Weights, correspond
from bunraku.robots import Robot

Array = NDArray[np.float64]

_PALM_M = 0.08
"""from wrist to palm, of a robot whose own lengths are wanted"""


class ScaledArm:
    """Forward kinematics of one arm from configurations to a palm, from the shoulder, in the robot's base."""

    def __init__(self, robot: Robot, side: str) -> None:
        self.robot, parts = robot, robot.semantics
        self._points = [parts.points[f"{side}_{name}"] for name in ("upper_arm", "forearm", "hand")]
        hand = INDEX[f"{side}_hand"]
        pair = next(p for p in correspond(robot, Weights()).orientations if p.human == hand)
        self._hand = pair.node, pair.node_from_canonical @ np.array([0.0, 1.0 if side == "left" else -1.0, 0.0])
        arm = parts.joints[f"{side}_arm"]
        self.names = tuple(robot.joint_names[joint] for joint in arm)
        self.columns = [robot.first_joint + joint for joint in arm]

    def palm(self, qpos: Array, lengths: Sequence[float] | None = None) -> Array:
        """(T, 3) the palm from the shoulder for (T, nq), with the lengths given for upper arm, forearm and hand."""
        at, turn = self.robot.link_poses(qpos)
        places = [at[:, p.link] + turn[:, p.link] @ p.position for p in self._points]
        ways = [b - a for a, b in pairwise(places)]
        ways.append(_PALM_M * self.robot.tree.forward(qpos)[1][:, self._hand[0]] @ self._hand[1])
        if lengths is not None:
            ways = [
                length * way / np.linalg.norm(way, axis=-1, keepdims=True)
                for length, way in zip(lengths, ways, strict=True)
            ]
        palm = np.sum(ways, axis=0)
        return np.asarray(palm @ self.robot.semantics.world_from_body)
