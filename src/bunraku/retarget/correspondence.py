"""Which part of the person drives which part of the robot, and by what constant turn their frames differ.

Both bodies are thought into one reference pose: the person in the canonical T, the robot in its neutral configuration.
Limbs are matched by direction, so size never matters; trunk, head, hands and feet by orientation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import UnknownNameError
from bunraku.human.skeleton import ADULT_BONES, INDEX, SIDES
from bunraku.robots import Robot
from bunraku.robots.semantics import Point, Semantics

Array = NDArray[np.float64]

ARM = (("upper_arm", "forearm"), ("forearm", "hand"))
LEG = (("thigh", "shin"), ("shin", "foot"))
LIMBS = (*ARM, *LEG)


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How much each kind of likeness counts, per squared radian. Limb directions come first."""

    limb: float = 1.0
    hips: float = 1.0
    chest: float = 0.1
    head: float = 0.1
    hand: float = 0.03
    foot: float = 0.03
    posture: float = 1e-4
    """draws joints that nothing else moves to their neutral values"""
    reach: float = 0.0
    """per m²: hands at the person's places around the shoulders, brought to the robot's build; see `reach_kernels`"""
    guide: float = 1.0
    """what is left of the weight of an arm's directions where its hand has such a place"""


MODES: Mapping[str, Weights] = MappingProxyType(
    {
        "posture": Weights(),
        "hands": Weights(reach=200.0, guide=0.05, hips=10.0),
        "mixed": Weights(reach=10.0, guide=0.5),
    }
)
"""what comes first: the directions of all limbs, where the hands are, or both alike"""
BODIES = ("whole", "upper")
"""what follows the person: all, or what is above the hips of a robot that stands still"""


def weights_for(mode: str | None, weights: Weights | None = None) -> Weights:
    """The weights of a mode; of `weights`, where they are given, only those that a given mode decides are replaced."""
    if mode is not None and mode not in MODES:
        raise UnknownNameError("mode", mode, MODES)
    if weights is None:
        return MODES[mode or "posture"]
    if mode is None:
        return weights
    return replace(weights, reach=MODES[mode].reach, guide=MODES[mode].guide, hips=MODES[mode].hips)


@dataclass(frozen=True, eq=False)
class DirectionPair:
    """A human bone and the robot's."""

    human: tuple[int, int]
    node: tuple[int, int]
    point: tuple[Array, Array]
    """in the nodes' frames"""
    weight: float


@dataclass(frozen=True, eq=False)
class OrientationPair:
    """A human segment and the robot's."""

    human: int
    node: int
    node_from_canonical: Array
    """(3, 3) such that world_from_node @ it is the segment's turn away from the canonical pose"""
    weight: float


@dataclass(frozen=True, eq=False)
class Correspondence:
    """All pairs, and what has no counterpart."""

    directions: tuple[DirectionPair, ...]
    orientations: tuple[OrientationPair, ...]
    reference: int
    """the human joint that stands for a fixed base; -1 where the base is free and the world is shared"""
    leg_length: float
    """m, hip to ankle; 0 without legs"""
    unmatched: tuple[str, ...]
    """human segments with no counterpart on the robot"""


def correspond(robot: Robot, weights: Weights, *, stands: bool = False) -> Correspondence:
    """Pair the person's segments with the robot's, as far as the robot has them.

    A robot that `stands` has legs that do not follow, and a base that does not go where the person goes unless it
    rolls.
    """
    parts = robot.semantics
    still = not robot.tree.free_base or (stands and not robot.planar)
    directions: list[DirectionPair] = []
    unmatched: list[str] = []
    for side in SIDES:
        for start, end in LIMBS:
            a, b = f"{side}_{start}", f"{side}_{end}"
            if a in parts.points and b in parts.points:
                if stands and (start, end) in LEG:
                    continue
                (node_a, at_a), (node_b, at_b) = on_node(robot, parts.points[a]), on_node(robot, parts.points[b])
                directions.append(DirectionPair((INDEX[a], INDEX[b]), (node_a, node_b), (at_a, at_b), weights.limb))
            else:
                unmatched.append(a)
    orientations = _orientations(robot, parts, weights, unmatched, stands, still)
    reference = -1
    if still:
        reference = INDEX["hips"] if parts.joints.get("torso") else INDEX["chest"]
    return Correspondence(
        tuple(directions), tuple(orientations), reference, _leg_length(robot, parts), tuple(unmatched)
    )


def on_node(robot: Robot, point: Point) -> tuple[int, Array]:
    """The node that carries a point, and the point in that node's frame."""
    links = robot.links
    return int(links.node[point.link]), links.position[point.link] + links.rotation[point.link] @ point.position


def _orientations(
    robot: Robot, parts: Semantics, weights: Weights, unmatched: list[str], stands: bool, still: bool
) -> list[OrientationPair]:
    _, rotation = robot.tree.forward(robot.neutral)
    out: list[OrientationPair] = []

    def pair(name: str, world_from_canonical: Array, weight: float) -> None:
        node = int(robot.links.node[parts.links[name]])
        if node == 0 and still:
            return
        out.append(OrientationPair(INDEX[name], node, rotation[node].T @ world_from_canonical, weight))

    for name, weight in (("hips", weights.hips), ("chest", weights.chest), ("head", weights.head)):
        if name in parts.links:
            pair(name, parts.world_from_body, weight)
        else:
            unmatched.append(name)
    for side in SIDES:
        if f"{side}_foot" in parts.links and not stands:
            pair(f"{side}_foot", parts.world_from_body, weights.foot)
        forearm = forearm_frame(robot, side)
        if f"{side}_hand" in parts.links and forearm is not None:
            pair(f"{side}_hand", forearm, weights.hand)
        else:
            unmatched.append(f"{side}_hand")
    return out


def forearm_frame(robot: Robot, side: str) -> Array | None:
    """world_from_canonical of a forearm in the neutral configuration: from its length and the axis of the elbow.

    A person's palm lies across the elbow's axis when the forearm is not turned, and so does a robot's hand at zero.
    """
    parts = robot.semantics
    names = [f"{side}_upper_arm", f"{side}_forearm", f"{side}_hand"]
    joint = parts.hinges.get(f"{side}_arm")
    if joint is None or any(name not in parts.points for name in names):
        return None
    position, rotation = robot.tree.forward(robot.neutral)
    _, elbow, wrist = (_world(robot, parts.points[name], position, rotation) for name in names)
    along = wrist - elbow
    axis = rotation[joint + 1] @ robot.tree.axis[joint + 1] * _flexion_sign(robot, joint, names)
    across = axis - along * (along @ axis) / max(float(along @ along), 1e-12)
    if np.linalg.norm(along) < 1e-6 or np.linalg.norm(across) < 0.1:
        return None
    along, across = along / np.linalg.norm(along), across / np.linalg.norm(across)
    sign = 1.0 if side == "left" else -1.0
    # Canonical: the left forearm lies along +y and flexes about -z, the right one along -y about +z.
    y, z = sign * along, -sign * across
    return np.stack([np.cross(y, z), y, z], axis=1)


def _world(robot: Robot, point: Point, position: Array, rotation: Array) -> Array:
    node, at = on_node(robot, point)
    return np.asarray(position[node] + rotation[node] @ at)


def _flexion_sign(robot: Robot, joint: int, names: list[str]) -> float:
    """+1 where raising the joint's value bends the limb within its range, -1 where lowering does."""

    def bend(value: float) -> float:
        qpos = robot.neutral.copy()
        qpos[robot.first_joint + joint] = value
        position, rotation = robot.tree.forward(qpos)
        a, b, c = (_world(robot, robot.semantics.points[name], position, rotation) for name in names)
        cosine = (b - a) @ (c - b) / max(float(np.linalg.norm(b - a) * np.linalg.norm(c - b)), 1e-9)
        return float(np.arccos(np.clip(cosine, -1, 1)))

    now = robot.neutral[robot.first_joint + joint]
    low, high = max(robot.lower[joint], now - 2.0), min(robot.upper[joint], now + 2.0)
    return 1.0 if bend(high) >= bend(low) else -1.0


def _leg_length(robot: Robot, parts: Semantics) -> float:
    position, rotation = robot.tree.forward(robot.neutral)
    lengths = []
    for side in SIDES:
        names = [f"{side}_thigh", f"{side}_shin", f"{side}_foot"]
        if all(name in parts.points for name in names):
            a, b, c = (_world(robot, parts.points[name], position, rotation) for name in names)
            lengths.append(np.linalg.norm(b - a) + np.linalg.norm(c - b))
    return float(np.mean(lengths)) if lengths else 0.0


def canonical_direction(pair: DirectionPair) -> Array:
    """(3,) direction of a human bone in the canonical pose."""
    bone = ADULT_BONES[pair.human[1]]
    return np.asarray(bone / np.linalg.norm(bone))
