"""A robot in its neutral configuration, with what the search for its body plan keeps asking for."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bunraku.robots.robot import Robot

Array = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])


class Skeleton:
    """Nodes of the tree with their places, axes, names and shapes. Node k hangs on joint k - 1."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.parent = robot.tree.parent
        self.position, self.rotation = robot.tree.forward(robot.neutral)
        self.axis = np.einsum("nij,nj->ni", self.rotation, robot.tree.axis)
        self.children: list[list[int]] = [[] for _ in self.parent]
        for node in range(1, len(self.parent)):
            self.children[self.parent[node]].append(node)
        self.size = max(float(np.ptp(self.shape_points[1], axis=0).max()), 1e-3)

    @cached_property
    def names(self) -> list[list[str]]:
        """Names that belong to each node: its joint's and its links'."""
        out: list[list[str]] = [[] for _ in self.parent]
        for joint, name in enumerate(self.robot.joint_names):
            out[joint + 1].append(name)
        for link, name in enumerate(self.robot.links.names):
            out[self.robot.links.node[link]].append(name)
        return out

    @cached_property
    def shape_points(self) -> tuple[NDArray[np.int32], Array]:
        """(k,) node and (k, 3) world position of points that span the robot's shapes, joint origins among them."""
        at, rotation = self.robot.link_poses(self.robot.neutral)
        nodes, points = [np.arange(len(self.parent), dtype=np.int32)], [self.position]
        for shape in self.robot.shapes:
            if shape.kind == "plane":
                continue
            half = np.array(shape.size)
            if shape.kind == "sphere":
                corners = np.array(
                    [[x * half[0], y * half[0], z * half[0]] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
                )
            elif shape.kind == "capsule":
                ends = half[1] + half[0]
                corners = np.array([[0, 0, -ends], [0, 0, ends]])
            else:
                corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
            local = shape.position + corners @ shape.rotation.T
            points.append(at[shape.link] + local @ rotation[shape.link].T)
            nodes.append(np.full(len(corners), self.robot.links.node[shape.link], np.int32))
        return np.concatenate(nodes), np.concatenate(points)

    def subtree(self, node: int) -> list[int]:
        """The node and all below it."""
        out = [node]
        for member in out:
            out += self.children[member]
        return out

    def points_of(self, nodes: list[int]) -> Array:
        """Shape points of these nodes, world, neutral configuration."""
        owner, points = self.shape_points
        return points[np.isin(owner, nodes)]

    def subtree_names(self, node: int) -> list[str]:
        """Names of a whole branch."""
        return [name for member in self.subtree(node) for name in self.names[member]]

    def is_follower(self, node: int) -> bool:
        """Whether the node's joint copies another one."""
        return bool(self.robot.tree.leader[node - 1] != node - 1)
