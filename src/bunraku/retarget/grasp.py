"""A dexterous hand as a least-squares problem: its own tree, its frame in human terms, and where its pinches meet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import ADULT_BONES, FINGERS, INDEX, SIDES
from bunraku.kinematics.problem import (
    NO_BODIES,
    Limits,
    Tasks,
    TreeArrays,
    build_tasks,
    make_targets,
    make_workspace,
    tree_arrays,
    variable_limits,
)
from bunraku.kinematics.solver import solve
from bunraku.kinematics.tree import KinematicTree
from bunraku.retarget.finger_joints import THUMB, WHOLE_HAND, Digit, FingerJoint, Hand
from bunraku.retarget.grasp_kernels import Grasp, knuckle_frame
from bunraku.retarget.joint_group import JointGroup
from bunraku.robots import Robot

Array = NDArray[np.float64]

LEAST_JOINTS = 6
"""independent joints of a hand from which its fingertips are led, not only its curls; fewer if a digit has several"""
RELAXED = (0.18, 0.2, 0.24, 0.27, 0.3)
"""curl of thumb … little finger of a hand that does nothing"""
_STARTS = (0.25, 0.5, 0.75)
_MEET_ROUNDS = 25
_TIDY = 0.05  # m a pinch may be worse for each rad that it is nearer to half closed


@dataclass(frozen=True, eq=False)
class GraspProblem:
    """Both hands on one tree, palms at its origin."""

    tree: KinematicTree
    arrays: TreeArrays
    tasks: Tasks
    limits: Limits
    grasp: Grasp
    gap: Array
    """(D,) m between the tips of the thumb and of each finger where they pinch; 0 for thumbs"""


def is_dexterous(robot: Robot, hand: Hand) -> bool:
    """Whether the hand has a thumb, fingers beside it on the same palm, and joints enough to place their tips."""
    tree = robot.tree
    nodes = {node for digit in hand.digits for node in digit.nodes}
    leads = [sum(int(tree.leader[node - 1]) == node - 1 for node in digit.nodes) for digit in hand.digits]
    thumbs = [digit for digit in hand.digits if digit.fingers == (THUMB,)]
    return (
        len(thumbs) == 1
        and len(hand.digits) > 1
        and all(0 < len(digit.fingers) < len(WHOLE_HAND) for digit in hand.digits)
        and all(int(tree.parent[digit.root]) == hand.palm for digit in hand.digits)
        and all(int(tree.leader[node - 1]) + 1 in nodes for node in nodes)
        and (max(leads) > 1 or sum(leads) >= LEAST_JOINTS)
        and _Builder(robot, (hand,)).has_palms()
    )


def build_grasp(robot: Robot, hands: tuple[Hand, ...]) -> GraspProblem:
    """The problem of these hands, all of them dexterous."""
    return _Builder(robot, hands).build()


class _Builder:
    def __init__(self, robot: Robot, hands: tuple[Hand, ...]) -> None:
        self.robot = robot
        self.digits: list[Digit] = [digit for hand in hands for digit in hand.digits]
        self.side = [hand.side for hand in hands for _ in hand.digits]
        self.nodes = [node for hand in hands for node in sorted({n for d in hand.digits for n in d.nodes})]
        self.tree = _hands_tree(robot.tree, self.nodes)
        self.number = {node: k + 1 for k, node in enumerate(self.nodes)}
        """node of the robot → node of the hands' tree"""
        self.joints = [self.nodes[k] - 1 for k in self.tree.independent]
        """(nv,) among the robot's joints"""
        at = robot.first_joint + np.array(self.nodes) - 1
        self.neutral = self.tree.with_followers(robot.neutral[at])
        self.thumb = [self._thumb(d) for d in range(len(self.digits))]
        bends = {joint.joint: joint for hand in hands for joint in hand.joints}
        self.bends = [bends.get(joint) for joint in self.joints]
        self.rest = np.array([b.open if b else self.neutral[k] for b, k in self._each()])
        self.gain = np.array([b.closed - b.open if b else 0.0 for b in self.bends])

    def _each(self) -> list[tuple[FingerJoint | None, int]]:
        return list(zip(self.bends, self.tree.independent.tolist(), strict=True))

    def _thumb(self, d: int) -> int:
        same = [k for k in range(len(self.digits)) if self.side[k] == self.side[d]]
        return next((k for k in same if self.digits[k].fingers == (THUMB,)), d)

    def _others(self, d: int) -> list[int]:
        """Digits of the same hand that are no thumbs."""
        return [k for k in range(len(self.digits)) if self.thumb[k] == self.thumb[d] and self.thumb[k] != k]

    def _curled(self, curl: float) -> Array:
        """(k,) configuration of the hands' tree with every finger curled so far."""
        qpos = self.neutral.copy()
        qpos[self.tree.independent] = self.rest + curl * self.gain
        return self.tree.with_followers(qpos)

    def _tips(self, qpos: Array) -> Array:
        position, rotation = self.tree.forward(qpos)
        last = [self.number[digit.last] for digit in self.digits]
        return np.array(
            [position[n] + rotation[n] @ digit.tip for n, digit in zip(last, self.digits, strict=True)]
        )

    def palms(self) -> Array:
        """(D, 3, 3) palm_from_canonical: fingers point along the hand, and close towards the palm. NaN for no hand."""
        straight, begun = self._tips(self._curled(0.0)), self._tips(self._curled(0.3))
        out = np.full((len(self.digits), 3, 3), np.nan)
        for d in range(len(self.digits)):
            others = self._others(d)
            along = np.sum([straight[k] - self._root(k) for k in others], axis=0)
            along = along / max(float(np.linalg.norm(along)), 1e-9)
            closing = np.sum([begun[k] - straight[k] for k in others], axis=0)
            closing = closing - along * (along @ closing)
            if np.linalg.norm(closing) > 1e-3:
                y = along if self.side[d] == 0 else -along
                z = -closing / np.linalg.norm(closing)
                out[d] = np.stack([np.cross(y, z), y, z], axis=1)
        return out

    def has_palms(self) -> bool:
        return bool(np.isfinite(self.palms()).all()) and all(self._length(d) > 0.01 for d in range(len(self.digits)))

    def _root(self, d: int) -> Array:
        return np.asarray(self.tree.position[self.number[self.digits[d].root]])

    def _length(self, d: int) -> float:
        digit = self.digits[d]
        position, _ = self.tree.forward(self.neutral)
        at = np.array([*(position[self.number[n]] for n in digit.nodes), self._tips(self.neutral)[d]])
        return float(np.linalg.norm(np.diff(at, axis=0), axis=1).sum())

    def build(self) -> GraspProblem:
        D = len(self.digits)
        limits = variable_limits(self.tree, self.robot.lower[self._columns()], self.robot.upper[self._columns()])
        tasks = self._tasks()
        length = np.array([self._length(d) for d in range(D)])
        meet, pinch, gap = self._pinches(tasks, limits, length)
        finger = np.array([len(FINGERS) * s + digit.fingers[0] for s, digit in zip(self.side, self.digits, strict=True)])
        drives = np.zeros((len(self.joints), len(SIDES) * len(FINGERS)))
        relaxed = self.rest.copy()
        for v, bend in enumerate(self.bends):
            if bend is not None:
                drives[v, len(FINGERS) * bend.side + np.array(bend.fingers)] = 1.0
                relaxed[v] += self.gain[v] * np.mean([RELAXED[f] for f in bend.fingers])
        digit_of = {n: d for d, digit in enumerate(self.digits) for n in digit.nodes}
        grasp = Grasp(
            np.array(self.side, np.int32), finger.astype(np.int32), np.array(self.thumb, np.int32),
            np.array([self._root(d) for d in range(D)]), length,
            np.array([np.mean([self._root(k) for k in self._others(d)], axis=0) for d in range(D)]),
            np.array([np.mean(length[self._others(d)]) for d in range(D)]),
            self.palms(), meet, pinch,
            np.array([digit_of[j + 1] for j in self.joints], np.int32),
            np.array(self.joints, np.int32) + self.robot.first_joint,
            self.tree.independent, self.rest, self.gain, drives, np.clip(relaxed, limits.lower, limits.upper),
            JointGroup(self.robot, self.joints).speed, knuckles(), ADULT_BONES,
        )  # fmt: skip
        return GraspProblem(self.tree, tree_arrays(self.tree), tasks, limits, grasp, gap)

    def _columns(self) -> NDArray[np.intp]:
        return np.array(self.nodes) - 1

    def _tasks(self) -> Tasks:
        """First segments' directions, then tips' positions."""
        position, rotation = self.tree.forward(self.neutral)
        directions, tips = [], []
        for digit in self.digits:
            root, last = self.number[digit.root], self.number[digit.last]
            away = [n for n in map(self.number.__getitem__, digit.nodes) if self._apart(position, root, n)]
            joint, end = (away[0], np.zeros(3)) if away else (last, digit.tip)
            before = int(self.tree.parent[joint]) if away else last
            at = rotation[before].T @ (position[joint] + rotation[joint] @ end - position[before])
            directions.append((before, np.zeros(3), before, at))
            tips.append((last, digit.tip))
        return build_tasks(self.tree, directions, (), tips)

    def _apart(self, position: Array, a: int, b: int) -> bool:
        return float(np.linalg.norm(position[a] - position[b])) > 1e-3

    def _pinches(self, tasks: Tasks, limits: Limits, length: Array) -> tuple[Array, Array, Array]:
        """Where thumb and finger meet best (D, 2, 3), the joints (D, nv) with which they do, and the gap left (D,)."""
        D, nv = len(self.digits), len(self.joints)
        meet, pinch, gap = np.zeros((D, 2, 3)), np.tile(self.rest, (D, 1)), np.zeros(D)
        for d in range(D):
            t, best = self.thumb[d], np.inf
            if t == d:
                continue
            for start in self._starts(t, d, limits):
                qpos = self._meet(t, d, start, tasks, limits, length)
                tips = self._tips(qpos)
                apart = float(np.linalg.norm(tips[t] - tips[d]))
                joints = qpos[self.tree.independent]
                bends = np.array([b is not None for b in self.bends])
                score = apart + _TIDY * float(np.abs(joints - start[self.tree.independent])[bends].mean()) / nv
                if score < best:
                    best, gap[d], pinch[d] = score, apart, joints
                    meet[d] = tips[t], tips[d]
        return meet, pinch, gap

    def _starts(self, thumb: int, finger: int, limits: Limits) -> list[Array]:
        """Configurations from which to look: thumb and finger more or less closed, the thumb's other joints anywhere."""
        nodes = {n - 1 for n in self.digits[thumb].nodes}
        spread = [v for v, joint in enumerate(self.joints) if joint in nodes and self.bends[v] is None][:2]
        out = []
        for curl, *share in product(_STARTS, *([_STARTS] * len(spread))):
            qpos = self._curled(curl)
            for v, s in zip(spread, share, strict=True):
                low, high = max(limits.lower[v], -np.pi), min(limits.upper[v], np.pi)
                qpos[self.tree.independent[v]] = low + s * (high - low)
            out.append(self.tree.with_followers(qpos))
        return out

    def _meet(self, thumb: int, finger: int, start: Array, tasks: Tasks, limits: Limits, length: Array) -> Array:
        """(k,) both tips brought to the middle between them, again and again."""
        qpos, D, nv = start.copy(), len(self.digits), len(self.joints)
        arrays, targets, work = tree_arrays(self.tree), make_targets(tasks, nv), make_workspace(self.tree)
        targets.posture[:] = start[self.tree.independent]
        targets.posture_weight[:] = 1e-3
        for d in (thumb, finger):
            targets.weight[D + d] = 1.0 / length[d] ** 2
        for _ in range(_MEET_ROUNDS):
            tips = self._tips(qpos)
            targets.value[D + thumb, 0] = targets.value[D + finger, 0] = (tips[thumb] + tips[finger]) / 2
            solve(arrays, tasks, targets, NO_BODIES, limits, qpos, work, 4, 1e-4)
        return qpos


def _hands_tree(tree: KinematicTree, nodes: list[int]) -> KinematicTree:
    """The digits alone; whatever they hang on becomes the origin."""
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


def knuckles() -> Array:
    """(2, 3, 3) frames that the knuckles of both hands span in the canonical pose."""
    out = np.empty((len(SIDES), 3, 3))
    for s, side in enumerate(SIDES):
        wrist = np.zeros(3)
        index, middle, little = (ADULT_BONES[INDEX[f"{side}_{finger}_1"]] for finger in ("index", "middle", "little"))
        knuckle_frame(wrist, index, middle, little, 1.0 if s == 0 else -1.0, out[s])
    return out
