"""Which joints of a robot's hands curl which fingers, and which values straighten and close them.

Names say which finger is which; where they are silent, the thumb is the digit that points another way than the rest,
and the others follow in order of their distance from it. The last joint of a finger bends it, and so do those that
turn about nearly the same axis; what remains spreads the fingers or turns the thumb, and is left alone.
One joint that moves several nameless digits, or the only ones there are, is a gripper: it closes with the whole hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import SIDES
from bunraku.kinematics.tree import SLIDE
from bunraku.retarget.joint_group import joint_ranges, straight_value
from bunraku.robots import Robot
from bunraku.robots.names import words
from bunraku.robots.skeleton import Skeleton

Array = NDArray[np.float64]

THUMB = 0
WHOLE_HAND = (1, 2, 3, 4)
"""the human fingers that close a gripper"""
_WORDS = {"thumb": 0, "index": 1, "forefinger": 1, "middle": 2, "ring": 3, "little": 4, "pinky": 4, "pinkie": 4}
_SAME_AXIS = 0.7  # cosine
_STILL_M = 1e-3
_FAR_END = 0.9  # of the way to its furthest point: there a digit ends
_ALIKE = 0.02  # of the way between them: ends of a range that open the hand to within this share say nothing
_MOST_RAD = 1.6  # how far a joint without limits is bent


@dataclass(frozen=True)
class FingerJoint:
    """A joint of the robot, and the human fingers whose mean curl takes it from open to closed."""

    joint: int
    side: int
    """0 left, 1 right"""
    fingers: tuple[int, ...]
    """rows of `human.skeleton.FINGERS`"""
    open: float
    closed: float


@dataclass(eq=False)
class Digit:
    """A finger of the robot."""

    nodes: list[int]
    """of the tree, root first"""
    tip: Array
    """(3,) its end, in the last node's frame"""
    fingers: tuple[int, ...] = ()
    """human fingers, none where the name does not say"""

    def __post_init__(self) -> None:
        self.root, self.last = self.nodes[0], self.nodes[-1]


@dataclass(frozen=True, eq=False)
class Hand:
    """What was found of one hand."""

    side: int
    """0 left, 1 right"""
    palm: int
    """the node that the first digit hangs on"""
    digits: tuple[Digit, ...]
    joints: tuple[FingerJoint, ...]
    """those that open and close it"""


def find_hands(robot: Robot) -> tuple[Hand, ...]:
    """The robot's hands, left before right, as far as it has them."""
    body = Skeleton(robot)
    sides = [(number, robot.semantics.joints.get(f"{side}_fingers", ())) for number, side in enumerate(SIDES)]
    return tuple(_Search(body, number, joints).find() for number, joints in sides if joints)


class _Search:
    """One hand during the search."""

    def __init__(self, body: Skeleton, side: int, joints: tuple[int, ...]) -> None:
        self.body, self.robot, self.side = body, body.robot, side
        self.independent = [j for j in joints if self.robot.tree.leader[j] == j]
        self.digits = _digits(body, {j + 1 for j in joints})
        self.palm = int(body.parent[self.digits[0].root])
        lower, upper = joint_ranges(self.robot, self.independent, _MOST_RAD)
        self.ends = {j: (float(lower[k]), float(upper[k])) for k, j in enumerate(self.independent)}
        self.tips = np.array([digit.tip for digit in self.digits])

    def find(self) -> Hand:
        self._name_digits()
        found: list[FingerJoint] = []
        # The thumb closes onto the fingers, so they come first.
        for joint in sorted(self.independent, key=lambda j: self._fingers(j) == (THUMB,)):
            closed = self._closed_end(joint, found)
            if closed is not None:
                low, high = self.ends[joint]
                far = low if closed == high else high
                found.append(FingerJoint(joint, self.side, self._fingers(joint), straight_value(far, closed), closed))
        return Hand(self.side, self.palm, tuple(self.digits), tuple(sorted(found, key=lambda f: f.joint)))

    def _moved(self, joint: int) -> list[int]:
        """Digits that the joint or its followers are part of."""
        leader = self.robot.tree.leader
        return [k for k, digit in enumerate(self.digits) if any(leader[n - 1] == joint for n in digit.nodes)]

    def _fingers(self, joint: int) -> tuple[int, ...]:
        fingers = sorted({f for k in self._moved(joint) for f in self.digits[k].fingers})
        return tuple(f for f in fingers if f != THUMB) or (THUMB,)

    def _name_digits(self) -> None:
        nameless = [digit for digit in self.digits if not digit.fingers]
        moved = [{k for k in self._moved(j) if not self.digits[k].fingers} for j in self.independent]
        if len(nameless) == len(self.digits) <= 2 or any(len(several) > 1 for several in moved):
            for digit in nameless:
                digit.fingers = WHOLE_HAND
            return
        taken = {f for digit in self.digits for f in digit.fingers}
        thumb = next((digit for digit in self.digits if digit.fingers == (THUMB,)), None)
        if thumb is None and len(nameless) > 2:
            thumb = self._odd_one(nameless)
            thumb.fingers = (THUMB,)
            nameless.remove(thumb)
        if thumb is not None:
            at = self.body.position[thumb.root]
            nameless.sort(key=lambda digit: float(np.linalg.norm(self.body.position[digit.root] - at)))
        free = [f for f in WHOLE_HAND if f not in taken] or list(WHOLE_HAND)
        for k, digit in enumerate(nameless):
            first = k * len(free) // len(nameless)
            digit.fingers = tuple(free[first : max((k + 1) * len(free) // len(nameless), first + 1)])

    def _odd_one(self, digits: list[Digit]) -> Digit:
        """The one that points another way than the others."""
        ways = np.array([self._tip_now(digit) - self.body.position[digit.root] for digit in digits])
        ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
        return digits[int((ways @ ways.sum(axis=0)).argmin())]

    def _tip_now(self, digit: Digit) -> Array:
        tip = self.tips[self.digits.index(digit)]
        return np.asarray(self.body.position[digit.last] + self.body.rotation[digit.last] @ tip)

    def _closed_end(self, joint: int, found: list[FingerJoint]) -> float | None:
        """The end of the range at which the hand is closed, or none where the joint does not close it."""
        moved, ends = self._moved(joint), self.ends[joint]
        digits = [self.digits[k] for k in moved]
        if not any(self._bends(joint, digit) for digit in digits):
            return None
        tips = self._tips_at(joint, ends, found)
        travel = float(np.linalg.norm(tips[1, moved] - tips[0, moved], axis=-1).max())
        scores = [self._openness(tip, moved) for tip in tips]
        one_jaw = len(self.digits) == 1 and digits[0].fingers == WHOLE_HAND
        if travel < _STILL_M and not one_jaw:
            return None
        if one_jaw or abs(scores[1] - scores[0]) < _ALIKE * travel:
            now = self.robot.neutral[self.robot.first_joint + joint]
            return max(ends, key=lambda end: abs(end - now))
        return ends[int(np.argmin(scores))]

    def _bends(self, joint: int, digit: Digit) -> bool:
        """Whether the joint, or what follows it, curls the digit."""
        tree, own = self.robot.tree, [n for n in digit.nodes if self.robot.tree.leader[n - 1] == joint]
        if digit.fingers == WHOLE_HAND:
            return digit.root in own
        last = self.body.axis[digit.last]
        return any(tree.joint_type[n] == SLIDE or abs(self.body.axis[n] @ last) > _SAME_AXIS for n in own)

    def _tips_at(self, joint: int, ends: tuple[float, float], found: list[FingerJoint]) -> Array:
        """(2, digits, 3) tips at both ends of the joint's range, the fingers found so far half closed for a thumb."""
        first = self.robot.first_joint
        qpos = np.tile(self.robot.neutral, (2, 1))
        if self._fingers(joint) == (THUMB,):
            for finger in found:
                if finger.fingers != (THUMB,):
                    qpos[:, first + finger.joint] = (finger.open + finger.closed) / 2
        qpos[:, first + joint] = ends
        position, rotation = self.robot.tree.forward(self.robot.tree.with_followers(qpos))
        last = [digit.last for digit in self.digits]
        return np.asarray(position[:, last] + np.einsum("tdij,dj->tdi", rotation[:, last], self.tips))

    def _openness(self, tips: Array, moved: list[int]) -> float:
        """m; smaller where the moved tips are nearer to the palm, the thumb and each other."""
        palm = self.body.position[self.palm]
        others = [k for k in range(len(self.digits)) if k not in moved]
        fingers = [k for k in others if self.digits[k].fingers != (THUMB,)]
        if all(self.digits[k].fingers == (THUMB,) for k in moved) and fingers:
            return float(np.linalg.norm(tips[moved].mean(axis=0) - tips[fingers].mean(axis=0)))
        reach = float(np.linalg.norm(tips[moved] - palm, axis=1).mean())
        apart = np.linalg.norm(tips[moved][:, None] - tips[moved][None], axis=-1)
        thumbs = [self.body.position[self.digits[k].root] for k in others if k not in fingers]
        to_thumb = [float(np.linalg.norm(tips[moved] - at, axis=1).mean()) for at in thumbs]
        return reach + sum(to_thumb) + float(apart.mean())


def _digits(body: Skeleton, nodes: set[int]) -> list[Digit]:
    """The branches that leave the palm, those of one finger's name joined; deepest node last."""
    branches = [body.subtree(node) for node in sorted(nodes) if int(body.parent[node]) not in nodes]
    named: dict[int, list[int]] = {}
    out: list[Digit] = []
    for branch in branches:
        finger = _named_finger([name for node in branch for name in body.names[node]])
        if finger is None:
            out.append(_digit(body, branch))
        else:
            named.setdefault(finger, []).extend(branch)
    return [*(_digit(body, branch, (finger,)) for finger, branch in sorted(named.items())), *out]


def _by_depth(body: Skeleton, nodes: list[int]) -> list[int]:
    def depth(node: int) -> int:
        return 1 + depth(int(body.parent[node])) if node else 0

    return sorted(nodes, key=depth)


def _named_finger(names: list[str]) -> int | None:
    """The finger that most of the names speak of."""
    votes = [_WORDS[word] for name in names for word in words(name) if word in _WORDS]
    return max(set(votes), key=votes.count) if votes else None


def _digit(body: Skeleton, branch: list[int], fingers: tuple[int, ...] = ()) -> Digit:
    nodes = _by_depth(body, branch)
    return Digit(nodes, _tip(body, nodes), fingers)


def _tip(body: Skeleton, nodes: list[int]) -> Array:
    """(3,) end of a digit in its last node's frame: the middle of its shape's far end, else one more bone's length."""
    last = nodes[-1]
    points = body.points_of([last]) - body.position[last]
    away = np.linalg.norm(points, axis=1)
    end = points[away >= _FAR_END * away.max()].mean(axis=0)
    if away.max() < _STILL_M and len(nodes) > 1:
        end = body.position[last] - body.position[int(body.parent[last])]
    return np.asarray(end @ body.rotation[last])
