"""Hands that have a place to go to: the robot's arms measured, and the person's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.human.body import ADULT, Body
from bunraku.human.skeleton import ADULT_BONES, INDEX, SIDES
from bunraku.retarget.correspondence import Weights, on_node
from bunraku.retarget.reach_kernels import Reach
from bunraku.robots import Robot

Array = NDArray[np.float64]
Vector = tuple[int, Array, int, Array]
"""node, point, node, point: points in the nodes' frames"""

PALM = np.array([ADULT_BONES[INDEX[f"{side}_middle_1"]] for side in SIDES])
"""(2, 3) the knuckle of the middle finger from the wrist, canonical pose, of an adult: the middle of a hand"""
_LEAST_M = 0.01
"""an arm that measures less is not known"""
_MIDDLE = 0.5
"""how far along its length the middle of a robot's hand lies"""


@dataclass(frozen=True)
class ArmBuild:
    """A person's arms, m."""

    length: float = ADULT.arm_length
    """shoulder to wrist"""
    half_width: float = float(np.abs(ADULT.joints[INDEX["left_upper_arm"], 1]))
    """half of the way from shoulder to shoulder"""

    @classmethod
    def of(cls, body: Body) -> ArmBuild:
        """Those of an operator."""
        return cls(body.arm_length, float(np.abs(body.joints[INDEX["left_upper_arm"], 1])))


@dataclass(frozen=True, eq=False)
class RobotArm:
    """A robot's arm in its neutral configuration."""

    side: int
    """row of `SIDES`"""
    vector: Vector
    """from the middle of the shoulders to the middle of the hand"""
    length: float
    """m, shoulder to the middle of the hand along the arm"""
    half_width: float
    """m, the shoulder from the middle of the shoulders"""

    @property
    def bones(self) -> tuple[int, int]:
        """The human joints at which the arm's two bones begin."""
        return INDEX[f"{SIDES[self.side]}_upper_arm"], INDEX[f"{SIDES[self.side]}_forearm"]


def arm_build(motion: HumanMotion) -> ArmBuild:
    """The person's arms, median over a motion; an adult's in so far as they are not known."""
    arms = [_path_length(motion, *(f"{side}_{part}" for part in ("upper_arm", "forearm", "hand"))) for side in SIDES]
    known = [length for length in arms if length > _LEAST_M]
    length = float(np.mean(known)) if known else 0.0
    half = _path_length(motion, *(f"{side}_upper_arm" for side in SIDES)) / 2
    adult = ArmBuild()
    if length < _LEAST_M and half < _LEAST_M:
        return adult
    ratio = adult.half_width / adult.length
    return ArmBuild(length if length > _LEAST_M else half / ratio, half if half > _LEAST_M else length * ratio)


def _path_length(motion: HumanMotion, *joints: str) -> float:
    """m from joint to joint, median over the frames that know them all; 0 where none does."""
    at = [INDEX[joint] for joint in joints]
    places = motion.positions[motion.position_valid[:, at].all(axis=1)][:, at]
    return float(np.median(np.linalg.norm(np.diff(places, axis=1), axis=2).sum(axis=1))) if len(places) else 0.0


def find_arms(robot: Robot) -> tuple[RobotArm, ...]:
    """The arms with a shoulder and a hand. A lone arm's other shoulder is thought on the other side of the chest."""
    parts = robot.semantics
    position, rotation = robot.tree.forward(robot.neutral)
    left = parts.world_from_body[:, 1]
    chest_link = parts.links.get("chest", parts.links["hips"])
    chest = int(robot.links.node[chest_link])
    shoulders: dict[str, Array] = {}
    for side in SIDES:
        if all(f"{side}_{part}" in parts.points for part in ("upper_arm", "forearm", "hand")):
            node, at = on_node(robot, parts.points[f"{side}_upper_arm"])
            shoulders[side] = position[node] + rotation[node] @ at
    if not shoulders:
        return ()
    ends = list(shoulders.values())
    if len(ends) == 1:
        middle_of_chest = robot.link_poses(robot.neutral)[0][chest_link]
        ends.append(ends[0] - 2 * left * float(left @ (ends[0] - middle_of_chest)))
    middle = np.mean(ends, axis=0)
    half = float(np.linalg.norm(ends[0] - ends[1])) / 2
    origin = rotation[chest].T @ (middle - position[chest])
    out = []
    for side, shoulder in shoulders.items():
        elbow, wrist = (
            position[node] + rotation[node] @ at
            for node, at in (on_node(robot, parts.points[f"{side}_{part}"]) for part in ("forearm", "hand"))
        )
        hand_node, _ = on_node(robot, parts.points[f"{side}_hand"])
        hand = _middle_of_hand(robot, hand_node, elbow, wrist)
        length = np.linalg.norm(elbow - shoulder) + np.linalg.norm(hand - elbow)
        local = rotation[hand_node].T @ (hand - position[hand_node])
        out.append(RobotArm(SIDES.index(side), (chest, origin, hand_node, local), float(length), half))
    return tuple(out)


def make_reach(
    arms: tuple[RobotArm, ...], first_task: int, of_task: NDArray[np.int32], weights: Weights, person: ArmBuild
) -> Reach:
    """The arms as compiled code sees them, their tasks from `first_task` on; none where their places do not count."""
    arms = arms if weights.reach > 0 else ()
    scale = person.length / ADULT.arm_length
    return Reach(
        task=np.arange(first_task, first_task + len(arms), dtype=np.int32),
        side=np.array([arm.side for arm in arms], np.int32),
        of_task=of_task,
        weight=weights.reach,
        guide=weights.guide,
        person_arm=person.length + float(np.linalg.norm(PALM[0])) * scale,
        person_half=person.half_width,
        palm=PALM * scale,
        robot_arm=np.array([arm.length for arm in arms]),
        robot_half=np.array([arm.half_width for arm in arms]),
    )


def _middle_of_hand(robot: Robot, node: int, elbow: Array, wrist: Array) -> Array:
    """(3,) half-way along what the last joint of an arm carries, straight on from the forearm."""
    along = (wrist - elbow) / max(float(np.linalg.norm(wrist - elbow)), 1e-9)
    carried = {node}
    for other in range(node + 1, len(robot.tree.parent)):
        if int(robot.tree.parent[other]) in carried:
            carried.add(other)
    ahead = 0.0
    links, turns = robot.link_poses(robot.neutral)
    for shape in robot.shapes:
        if int(robot.links.node[shape.link]) in carried and shape.kind != "plane":
            centre = links[shape.link] + turns[shape.link] @ shape.position
            axes = np.abs(along @ turns[shape.link] @ shape.rotation)
            half = float(axes @ np.array(shape.size)) if shape.kind == "box" else shape.size[0]
            half += float(axes[2] * shape.size[1]) if shape.kind == "capsule" else 0.0
            ahead = max(ahead, float((centre - wrist) @ along) + half)
    return np.asarray(wrist + _MIDDLE * ahead * along)
