"""The fifth paper's end-effector method (van Holland 2018): the hand's place and orientation by damped least squares.

A vector of the person, from elbow to hand for a light and from shoulder to wrist for an arm, is scaled to the robot's
reach and laid off from its base. λ = 100 with millimetres, and 100 mm for a radian of orientation, are the paper's. Its
Euler angles fail for turns about y; the rotation vector does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import RobotError
from bunraku.human import HumanMotion
from bunraku.human.body import ADULT, Body
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.retarget.correspondence import forearm_frame, on_node
from bunraku.retarget.dls_kernels import Reach, ReachMemory, reach_for, reach_frames
from bunraku.retarget.frame_mapper import Clip, FrameMapper, is_single_chain
from bunraku.robots import Robot

Array = NDArray[np.float64]

DAMPING_MM, WEIGHT_MM = 100.0, 100.0
MARGIN = 400.0 / 414.0
"""of the robot's reach that is used: the paper's 400 mm of 414"""
FITTING = ("lamp", "inmoov", "leonardo", "pepper", "puppet", "romeo")
PERSON = (("forearm", "hand", "middle_1"), ("upper_arm", "hand", "hand"))
"""for a light and for an arm: where the person's vector begins, the wrist, where the vector ends"""


@dataclass(frozen=True, eq=False)
class _Chain:
    joints: tuple[int, ...]
    tip: Array
    frame: Array
    origin: Array
    length: float
    side: int


class ReachMapper(FrameMapper):
    """The tip of a light, or both hands of a robot with arms, follow the person's hand."""

    def __init__(self, robot: Robot, damping_mm: float = DAMPING_MM, weight_mm: float = WEIGHT_MM) -> None:
        arms = [] if is_single_chain(robot) else [s for s in SIDES if robot.semantics.joints.get(f"{s}_arm")]
        super().__init__(robot, -1 if not arms or robot.base == "free" else INDEX["chest"])
        chains = [_arm(robot, side) for side in arms] if arms else [_light(robot)]
        self.parts = tuple(f"{side}_hand" for side in arms) if arms else ("hand",)
        self._lengths = np.array([chain.length for chain in chains])
        self._joints = np.array([[INDEX[f"{s}_{n}"] for n in PERSON[bool(arms)]] for s in SIDES], np.int32)
        self.reach = _arrays(robot, chains, self._joints, bool(arms), damping_mm, weight_mm)
        self.prepare_for(ADULT)

    def prepare_for(self, body: Body) -> None:
        """The scale: the robot's reach for the person's, arm straight."""
        start, wrist, end = self._joints[1]
        lengths = body.lengths
        if start == INDEX["right_forearm"]:
            self._set_scale(float(lengths[wrist] + lengths[end]))
        else:
            self._set_scale(float(lengths[INDEX["right_forearm"]] + lengths[wrist]))

    def measure(self, motion: HumanMotion) -> None:
        """The same from a recording, where the person's reach is seen."""
        reaches = []
        for side in SIDES:
            path = ("forearm", "hand", "middle_1") if not self._both else ("upper_arm", "forearm", "hand")
            names = [f"{side}_{name}" for name in path]
            if motion.has(*names):
                places = [motion.position(name) for name in names]
                known = np.all([motion.position_valid[:, INDEX[name]] for name in names], axis=0)
                spans = [np.linalg.norm(b - a, axis=1)[known] for a, b in pairwise(places)]
                reaches.append(float(sum(np.median(span) for span in spans)))
        if reaches:
            self._set_scale(float(np.mean(reaches)))

    def make_memory(self) -> ReachMemory:
        """Nothing seen yet."""
        C, K = self.reach.column.shape
        return ReachMemory(
            np.zeros((C, K)), np.zeros(C, bool), np.zeros((C, 2), np.int64), np.full(C, -1, np.int32),
            np.zeros((C, 3)), np.zeros((6, K)), np.zeros((K, K)), np.zeros(K),
        )  # fmt: skip

    def frames(self, memory: ReachMemory, dt_s: float, clip: Clip, out: Array) -> None:
        """Chains that reach."""
        reach_frames(self.reach, memory, self.robot.neutral, dt_s, clip, out)

    def solve_target(
        self, place_m: ArrayLike, orientation: ArrayLike, qpos: Array, steps: int = 100, chain: int = 0
    ) -> tuple[Array, float, float]:
        """A configuration near `qpos` (nq,) with its tip at a place (3,) in an orientation (4,), as the base sees them.

        The tip's axes: x ahead, y left, z up. Also what is missed, m and rad.
        """
        memory, columns = self.make_memory(), self.reach.column[chain]
        columns = columns[columns >= 0]
        out = np.array(qpos, float)
        memory.angle[chain, : len(columns)] = out[columns] - self.robot.neutral[columns]
        axes, place = rot.to_matrix(orientation), np.asarray(place_m, float)
        tx, ty, target = (tuple(float(c) for c in v) for v in (axes[:, 0], axes[:, 1], place))
        angle = memory.angle[chain].copy()
        off_mm, turn = reach_for(self.reach, chain, angle, memory, target, tx, ty, 1.0, steps)
        out[columns] = self.robot.neutral[columns] + angle[: len(columns)]
        return out, off_mm / 1000.0, turn

    @property
    def _both(self) -> bool:
        return not self.reach.upright

    def _set_scale(self, person_m: float) -> None:
        margin = MARGIN if self.reach.upright else 1.0
        self.reach = self.reach._replace(scale=margin * self._lengths / max(person_m, 1e-3))


def make(robot: Robot) -> ReachMapper:
    """The mapper."""
    return ReachMapper(robot)


def _arrays(
    robot: Robot, chains: Sequence[_Chain], joints: NDArray[np.int32], arms: bool, damping: float, weight: float
) -> Reach:
    position, rotation = robot.tree.forward(robot.neutral)
    body, K = robot.semantics.world_from_body, max(len(chain.joints) for chain in chains)
    C, first = len(chains), robot.first_joint
    column, limits = np.full((C, K), -1, np.int32), np.zeros((C, K, 3))
    axis, point = np.zeros((C, K, 3)), np.zeros((C, K, 3))
    for c, chain in enumerate(chains):
        for k, joint in enumerate(chain.joints):
            rest = robot.neutral[first + joint]
            column[c, k] = first + joint
            limits[c, k] = robot.lower[joint] - rest, robot.upper[joint] - rest, robot.velocity[joint]
            axis[c, k] = body.T @ rotation[joint + 1] @ robot.tree.axis[joint + 1]
            point[c, k] = body.T @ position[joint + 1]
    return Reach(
        column, axis, point, limits, np.stack([chain.tip @ body for chain in chains]),
        np.stack([chain.frame.T @ body for chain in chains]), np.stack([chain.origin @ body for chain in chains]),
        np.ones(C), np.array([chain.side for chain in chains], np.int32), joints,
        np.array([[INDEX[f"{s}_forearm"], INDEX[f"{s}_hand"]] for s in SIDES], np.int32),
        INDEX["chest"], not arms, damping, weight,
    )  # fmt: skip


def _arm(robot: Robot, side: str) -> _Chain:
    """Shoulder to wrist; the hand's axes are those of the forearm in the neutral configuration."""
    parts = robot.semantics
    names = [f"{side}_{name}" for name in ("upper_arm", "forearm", "hand")]
    frame = forearm_frame(robot, side)
    if frame is None or any(name not in parts.points for name in names):
        raise _does_not_fit(robot, f"the {side} arm has no elbow or no wrist")
    position, rotation = robot.tree.forward(robot.neutral)
    shoulder, elbow, wrist = (
        position[node] + rotation[node] @ at for node, at in (on_node(robot, parts.points[name]) for name in names)
    )
    sign = 1.0 if side == "left" else -1.0
    axes = np.stack([sign * frame[:, 1], -sign * frame[:, 0], frame[:, 2]], axis=1)
    length = float(np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow))
    return _Chain(parts.joints[f"{side}_arm"], wrist, axes, shoulder, length, SIDES.index(side))


def _light(robot: Robot) -> _Chain:
    """The one chain of a robot without arms: from its base to the link that ends it and looks along its last part."""
    tree, links = robot.tree, robot.links
    if not is_single_chain(robot) or tree.joint_count < 3:
        raise _does_not_fit(robot, "it has no arms and is no single chain on a fixed base")
    last = tree.joint_count
    ends = np.flatnonzero(links.node == last)
    far = np.linalg.norm(links.position[ends], axis=1)
    if far.max() < 1e-3:
        raise _does_not_fit(robot, "no link marks the tip of its chain")
    position, rotation = tree.forward(robot.neutral)
    offset = links.position[ends[int(np.argmax(far))]]
    tip = position[last] + rotation[last] @ offset
    ahead, left = rotation[last] @ offset / far.max(), rotation[last] @ tree.axis[last]
    left = left - ahead * (left @ ahead)
    if np.linalg.norm(left) < 0.5:
        raise _does_not_fit(robot, "its last joint does not bend")
    left = left / np.linalg.norm(left)
    axes = np.stack([ahead, left, np.cross(ahead, left)], axis=1)
    reach = max(
        float(np.linalg.norm(p[last] + r[last] @ offset - p[0]))
        for p, r in (tree.forward(np.array(q)) for q in product(*_samples(robot)))
    )
    return _Chain(tuple(range(last)), tip, axes, position[0], reach, -1)


def _samples(robot: Robot) -> list[tuple[float, ...]]:
    """Values of each joint among which the straightest configuration is: its ends, and zero."""
    ends = zip(robot.lower, robot.upper, strict=True)
    return [(float(low), float(np.clip(0.0, low, high)), float(high)) for low, high in ends]


def _does_not_fit(robot: Robot, lack: str) -> RobotError:
    return RobotError(f"mapper 'dls' does not fit {robot.name}: {lack}. Robots that fit: {', '.join(FITTING)}")
