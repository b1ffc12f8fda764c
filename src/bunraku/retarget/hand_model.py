"""Hands cut off at the palm: their digits on a tree of their own, and their frames in human terms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.problem import Limits, Tasks, build_tasks, variable_limits
from bunraku.kinematics.tree import KinematicTree
from bunraku.retarget.finger_joints import THUMB, Digit, Hand
from bunraku.robots import Robot

Array = NDArray[np.float64]

_BEGUN = 0.3
"""curl at which fingers have shown where they close to"""
_APART_M = 1e-3
_LEAST_LENGTH_M = 0.01


class HandModel:
    """D digits of one or two hands, every palm at the origin of one tree, and the nv joints that move them."""

    def __init__(self, robot: Robot, hands: tuple[Hand, ...]) -> None:
        self.robot = robot
        self.digits: list[Digit] = [digit for hand in hands for digit in hand.digits]
        self.side = [hand.side for hand in hands for _ in hand.digits]
        nodes = [node for hand in hands for node in sorted({n for digit in hand.digits for n in digit.nodes})]
        self.tree = _digits_alone(robot.tree, nodes)
        self.number = {node: k + 1 for k, node in enumerate(nodes)}
        """node of the robot → node of this tree"""
        self.joints = [nodes[k] - 1 for k in self.tree.independent]
        """(nv,) among the robot's joints"""
        all_joints = np.array(nodes) - 1
        self.limits: Limits = variable_limits(self.tree, robot.lower[all_joints], robot.upper[all_joints])
        self.neutral = self.tree.with_followers(robot.neutral[robot.first_joint + all_joints])
        """(k,) configuration of this tree"""
        bends = {joint.joint: joint for hand in hands for joint in hand.joints}
        self.bends = [bends.get(joint) for joint in self.joints]
        """(nv,) how each joint opens and closes the hand; None for those that spread fingers or turn the thumb"""
        now = self.neutral[self.tree.independent]
        self.rest = np.array([now[v] if bend is None else bend.open for v, bend in enumerate(self.bends)])
        self.gain = np.array([0.0 if bend is None else bend.closed - bend.open for bend in self.bends])
        self.length = np.array([self._length(digit) for digit in self.digits])
        """(D,) root to tip of a straight digit, m"""

    @property
    def digit_of(self) -> NDArray[np.int32]:
        """(nv,) the digit that each joint moves."""
        owner = {node: d for d, digit in enumerate(self.digits) for node in digit.nodes}
        return np.array([owner[joint + 1] for joint in self.joints], np.int32)

    def thumb(self, d: int) -> int:
        """The digit that is the thumb of digit d's hand; d where there is none."""
        same = [k for k, side in enumerate(self.side) if side == self.side[d]]
        return next((k for k in same if self.digits[k].fingers == (THUMB,)), d)

    def fingers(self, d: int) -> list[int]:
        """Digits of the same hand that are no thumbs."""
        return [k for k, side in enumerate(self.side) if side == self.side[d] and self.thumb(k) != k]

    def root(self, d: int) -> Array:
        """(3,) where a digit begins, in the palm's frame."""
        return np.asarray(self.tree.position[self.number[self.digits[d].root]])

    def curled(self, curl: float) -> Array:
        """(k,) configuration with every finger curled so far."""
        qpos = self.neutral.copy()
        qpos[self.tree.independent] = self.rest + curl * self.gain
        return self.tree.with_followers(qpos)

    def tips(self, qpos: Array) -> Array:
        """(D, 3) ends of the digits, in the frames of their palms."""
        position, rotation = self.tree.forward(qpos)
        nodes = [self.number[digit.last] for digit in self.digits]
        return np.array([position[n] + rotation[n] @ d.tip for n, d in zip(nodes, self.digits, strict=True)])

    def palms(self) -> Array:
        """(D, 3, 3) palm_from_canonical of each digit's hand: fingers point along it, and close away from its back."""
        straight, begun = self.tips(self.curled(0.0)), self.tips(self.curled(_BEGUN))
        out = np.full((len(self.digits), 3, 3), np.nan)
        for d, side in enumerate(self.side):
            fingers = self.fingers(d)
            along = np.sum([straight[k] - self.root(k) for k in fingers], axis=0)
            along = along / max(float(np.linalg.norm(along)), 1e-9)
            closing = np.sum(begun[fingers] - straight[fingers], axis=0)
            closing = closing - along * (along @ closing)
            if np.linalg.norm(closing) > _APART_M:
                y = along if side == 0 else -along
                z = -closing / np.linalg.norm(closing)
                out[d] = np.stack([np.cross(y, z), y, z], axis=1)
        return out

    def is_shaped(self) -> bool:
        """Whether the hands have frames, and all digits a length."""
        return bool(np.isfinite(self.palms()).all() and (self.length > _LEAST_LENGTH_M).all())

    def tasks(self) -> Tasks:
        """Directions of the digits' first segments, then positions of their tips."""
        position, rotation = self.tree.forward(self.neutral)
        directions, tips = [], []
        for digit in self.digits:
            nodes, last = [self.number[node] for node in digit.nodes], self.number[digit.last]
            away = [n for n in nodes if np.linalg.norm(position[n] - position[nodes[0]]) > _APART_M]
            start = int(self.tree.parent[away[0]]) if away else last
            end = position[away[0]] if away else position[last] + rotation[last] @ digit.tip
            directions.append((start, np.zeros(3), start, rotation[start].T @ (end - position[start])))
            tips.append((last, digit.tip))
        return build_tasks(self.tree, directions, (), tips)

    def _length(self, digit: Digit) -> float:
        position, rotation = self.tree.forward(self.neutral)
        nodes = [self.number[node] for node in digit.nodes]
        at = np.array([*position[nodes], position[nodes[-1]] + rotation[nodes[-1]] @ digit.tip])
        return float(np.linalg.norm(np.diff(at, axis=0), axis=1).sum())


def _digits_alone(tree: KinematicTree, nodes: list[int]) -> KinematicTree:
    """These nodes, parents first; whatever they hang on becomes the origin."""
    number = {node: k + 1 for k, node in enumerate(nodes)}
    at = np.array([0, *nodes])
    position, rotation = tree.position[at].copy(), tree.rotation[at].copy()
    position[0], rotation[0] = 0.0, np.eye(3)
    joints = at[1:] - 1
    return KinematicTree(
        parent=np.array([-1, *(number.get(int(tree.parent[node]), 0) for node in nodes)], np.int32),
        joint_type=np.array([0, *tree.joint_type[nodes]], np.int8),
        axis=tree.axis[at],
        position=position,
        rotation=rotation,
        leader=np.array([number[int(tree.leader[joint]) + 1] - 1 for joint in joints], np.int32),
        ratio=tree.ratio[joints],
        offset=tree.offset[joints],
        free_base=False,
    )
