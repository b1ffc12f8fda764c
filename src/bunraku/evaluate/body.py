"""The joint centres and the trunk of a person or a robot, frame by frame, in one form for both."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.evaluate.metric import Array, Flags, MissingError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations
from bunraku.robots.robot import Robot

POINTS = tuple(f"{side}_{part}" for part in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot") for side in SIDES)
"""Shoulders, elbows, wrists, hips, knees, ankles."""
TRUNKS = MappingProxyType({"hips": ("left_thigh", "right_thigh"), "chest": ("left_upper_arm", "right_upper_arm")})
"""What limbs are seen from, best first, and the two points whose line is its left."""
_CHUNK = 1024


@dataclass(frozen=True, eq=False)
class Body:
    """T frames of P = 12 points and of the trunk, in the world."""

    points: Array
    """(T, P, 3) in the order of POINTS"""
    known: Flags
    """(T, P)"""
    trunk: Array
    """(T, 3) the trunk's origin"""
    trunk_known: Flags
    """(T,)"""
    turn: Array
    """(T, 3, 3) world_from_trunk; columns forward, left, up where the body stands in its reference pose"""
    turn_known: Flags
    """(T,)"""

    def point(self, name: str) -> tuple[Array, Flags]:
        """`(T, 3)` positions of one point, and `(T,)` where they are known."""
        column = POINTS.index(name)
        return self.points[:, column], self.known[:, column]

    def difference(self, end: str, start: str) -> tuple[Array, Flags]:
        """`(T, 3)` way from start to end, and `(T,)` where it is known."""
        (a, a_known), (b, b_known) = self.point(start), self.point(end)
        return b - a, a_known & b_known


def common_trunk(human: HumanMotion, robot: Robot) -> str:
    """What limbs are seen from: where the base stands fast, what it stands for; else the first of TRUNKS that both
    have with its two points, or at least as a segment whose orientation is known."""
    known = {
        trunk for trunk in TRUNKS if trunk in robot.semantics.links and human.rotation_valid[:, INDEX[trunk]].any()
    }
    if robot.base == "fixed":
        base = "hips" if robot.semantics.joints.get("torso") else "chest"
        if base in known:
            return base
    for trunk, line in TRUNKS.items():
        if human.has(*line) and trunk in robot.semantics.links and set(line) <= robot.semantics.points.keys():
            return trunk
    for trunk in ("chest", "hips"):
        if trunk in known and robot.semantics.points:
            return trunk
    raise MissingError(
        "the person and the robot do not both have a pelvis with two hips, nor a chest with two shoulders"
    )


def of_human(human: HumanMotion, frames: NDArray[np.int_], trunk: str) -> Body:
    """The person in the given frames."""
    columns, row = [INDEX[name] for name in POINTS], INDEX[trunk]
    return Body(
        points=human.positions[frames][:, columns],
        known=human.position_valid[frames][:, columns],
        trunk=human.positions[frames, row],
        trunk_known=human.position_valid[frames, row],
        turn=rotations.to_matrix(human.rotations[frames, row]),
        turn_known=human.rotation_valid[frames, row],
    )


def of_robot(robot: Robot, qpos: Array, trunk: str) -> Body:
    """The robot in the given configurations `(T, nq)`."""
    T, semantics = len(qpos), robot.semantics
    found = [(i, semantics.points[name]) for i, name in enumerate(POINTS) if name in semantics.points]
    columns, links = [i for i, _ in found], [point.link for _, point in found]
    offsets = np.array([point.position for _, point in found]).reshape(-1, 3)
    points, known = np.zeros((T, len(POINTS), 3)), np.zeros((T, len(POINTS)), bool)
    origin, turn, base = np.empty((T, 3)), np.empty((T, 3, 3)), semantics.links[trunk]
    link_from_trunk = robot.link_poses(robot.neutral)[1][base].T @ semantics.world_from_body
    for start in range(0, T, _CHUNK):
        rows = slice(start, start + _CHUNK)
        at, rotation = robot.link_poses(qpos[rows])
        points[rows, columns] = at[:, links] + np.einsum("tkij,kj->tki", rotation[:, links], offsets)
        origin[rows], turn[rows] = at[:, base], rotation[:, base] @ link_from_trunk
    known[:, columns] = True
    always = np.ones(T, bool)
    return Body(points=points, known=known, trunk=origin, trunk_known=always, turn=turn, turn_known=always)
