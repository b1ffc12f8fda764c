"""Which part of a robot is what, found from names, topology, geometry and symmetry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.robots.anatomy import find_plan
from bunraku.robots.corrections import correct_links, corrected_plan
from bunraku.robots.names import mentions
from bunraku.robots.robot import Point as Point
from bunraku.robots.robot import Robot
from bunraku.robots.skeleton import UP, Skeleton

Array = NDArray[np.float64]
_FORWARD_X = np.eye(3)
_SQUARE, _OBLIQUE = np.sin(np.radians(8)), np.sin(np.radians(45))
"""a segment that is less than 8 degrees from square to its hinge's axis is so; beyond 45 that is no hinge across it"""


@dataclass(frozen=True, eq=False)
class Semantics:
    """The robot's body in human terms. Names are those of `human.skeleton`: "left_forearm", "hips", "left_hand" …"""

    points: Mapping[str, Point] = field(default_factory=dict)
    """joint centres: points["left_forearm"] is the elbow, ["left_hand"] the wrist, ["left_foot"] the ankle"""
    links: Mapping[str, int] = field(default_factory=dict)
    """links whose orientation stands for a segment: "hips", "chest", "head", "left_hand", "left_foot" …"""
    joints: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """joints that move a part, root first: "left_arm", "right_leg", "torso", "neck", "left_fingers", "face" """
    hinges: Mapping[str, int] = field(default_factory=dict)
    """the joint that bends each limb: hinges["left_arm"] the elbow, hinges["left_leg"] the knee"""
    soles: Mapping[str, Array] = field(default_factory=dict)
    """(k, 3) corner points of each sole in the frame of links["left_foot"], links["right_foot"]"""
    world_from_body: Array = field(default_factory=lambda: _FORWARD_X)
    """(3, 3) columns forward, left, up of the robot in its neutral configuration"""
    reasons: tuple[str, ...] = ()
    """what was found and why, a line each, for `bunraku robots check`"""


def find_semantics(robot: Robot) -> Semantics:
    """The body found automatically, then whatever the robot's YAML overrides: `semantics: {links: {head: LINK}}`."""
    body = Skeleton(robot)
    plan = corrected_plan(find_plan(robot), robot)
    reasons = list(plan.reasons)
    points: dict[str, Point] = {}
    links = {"hips": _main_link(robot, plan.hips)}
    if plan.arms or plan.torso:
        links["chest"] = _main_link(robot, plan.chest)
    if plan.neck:
        links["head"] = _main_link(robot, plan.neck[-1])
    hinges: dict[str, int] = {}
    for side, chain in plan.arms.items():
        _add_limb(body, chain, side, "arm", ("upper_arm", "forearm", "hand"), points, links, hinges, reasons)
    for side, chain in plan.legs.items():
        _add_limb(body, chain, side, "leg", ("thigh", "shin", "foot"), points, links, hinges, reasons)
    joints = {"torso": plan.torso, "neck": plan.neck, "face": plan.face}
    joints |= {f"{side}_arm": chain for side, chain in plan.arms.items()}
    joints |= {f"{side}_leg": chain for side, chain in plan.legs.items()}
    joints |= {f"{side}_fingers": chain for side, chain in plan.fingers.items()}
    correct_links(robot, links, points, reasons)
    soles = {f"{side}_foot": _sole(body, links[f"{side}_foot"]) for side in plan.legs}
    forward = np.cross(plan.left, UP)
    return Semantics(
        points=points,
        links=links,
        joints={part: tuple(node - 1 for node in chain) for part, chain in joints.items() if chain},
        hinges=hinges,
        soles=soles,
        world_from_body=np.stack([forward, plan.left, UP], axis=1),
        reasons=tuple(reasons),
    )


def _main_link(robot: Robot, node: int) -> int:
    """The link that the node's joint moves; links welded to it come after it.

    Where several joints move one link together, only the last of them carries it.
    """
    while not (found := np.flatnonzero(robot.links.node == node)).size:
        below = np.flatnonzero(robot.tree.parent == node)
        if not below.size:
            raise RobotError(f"{robot.name}: no link on node {node}")
        node = int(below[0])
    return int(found[0])


def _point(body: Skeleton, node: int, place: Array) -> Point:
    """A place in the world, neutral configuration, as a point of the link that the node moves."""
    links, link = body.robot.links, _main_link(body.robot, node)
    carrier = int(links.node[link])
    local = body.rotation[carrier].T @ (place - body.position[carrier])
    return Point(link, links.rotation[link].T @ (local - links.position[link]))


def _add_limb(
    body: Skeleton,
    chain: list[int],
    side: str,
    kind: str,
    parts: tuple[str, str, str],
    points: dict[str, Point],
    links: dict[str, int],
    hinges: dict[str, int],
    reasons: list[str],
) -> None:
    """Root, middle and end point of an arm or leg, and the link at its end."""
    robot = body.robot
    tip = _tip(body, chain)
    middle = find_hinge(body, chain, tip, "elbow" if kind == "arm" else "knee")
    root = _cluster_centre(body, chain[:middle] or chain[:1])
    upper, lower, end = (f"{side}_{part}" for part in parts)
    place = tip if chain[-1] == chain[middle] else body.position[chain[-1]]
    bend = body.position[chain[middle]] + _aside(body, chain[middle], body.position[chain[middle]], place)
    aside = _aside(body, chain[middle], body.position[root], bend)
    carrier = root if not aside.any() or middle == 0 else chain[middle - 1]
    points[upper] = _point(body, carrier, body.position[root] + aside)
    points[lower] = _point(body, chain[middle], bend)
    hinges[f"{side}_{kind}"] = chain[middle] - 1
    last = chain[-1]
    if last != chain[middle]:
        points[end] = _point(body, last, body.position[last])
        links[end] = _main_link(robot, last)
    else:
        points[end] = _point(body, last, tip)
        if kind == "leg":
            links[end] = _main_link(robot, last)
    names = [robot.joint_names[n - 1] for n in (root, chain[middle], last)]
    reasons.append(f"{side} {kind}: {parts[0]} at {names[0]}, {parts[1]} at {names[1]}, {parts[2]} at {names[2]}")


def _aside(body: Skeleton, hinge: int, start: Array, end: Array) -> Array:
    """(3,) how far along the hinge's axis a segment's start has to move for the segment to lie square to the axis.

    A thigh lies square to the axis of the knee, and where on that axis the joint was drawn means nothing. A robot's
    thigh may be built far to the side of where its hip joints meet. What is nearly square stays as it is.
    """
    axis, along = body.axis[hinge], end - start
    offset, length = float(along @ axis), float(np.linalg.norm(along))
    slanted = _SQUARE * length < abs(offset) < _OBLIQUE * length
    return axis * offset if slanted else np.zeros(3)


def _tip(body: Skeleton, chain: list[int]) -> Array:
    """Where a limb ends: the point of its last link's shapes that lies furthest along the limb."""
    last = chain[-1]
    before = next((n for n in reversed(chain[:-1]) if _far(body, n, last)), chain[0])
    along = body.position[last] - body.position[before]
    length = float(np.linalg.norm(along))
    if length < 1e-6:
        along, length = -UP, 1.0
    cloud = body.points_of(body.subtree(last)) - body.position[last]
    return np.asarray(
        body.position[last] + along / length * max(float((cloud @ along).max() / length), 0.02 * body.size)
    )


def _far(body: Skeleton, a: int, b: int) -> bool:
    return float(np.linalg.norm(body.position[a] - body.position[b])) > 0.02 * body.size


def find_hinge(body: Skeleton, chain: list[int], tip: Array, part: str) -> int:
    """Index in the chain of the joint that bends the limb: a hinge across it with a long segment on either side."""
    bends = [i for i in range(len(chain)) if not _is_twist(body, chain, i, tip)]
    named = [i for i in bends if i > 0 and mentions([body.robot.joint_names[chain[i] - 1]], part)]
    named = named or [i for i in bends if i > 0 and mentions(body.names[chain[i]], part)]
    where = [body.position[chain[i]] for i in bends] + [tip]

    def room(i: int) -> float:
        k = bends.index(i)
        before = np.linalg.norm(where[k] - where[k - 1]) if k else 0.0
        return float(min(before, np.linalg.norm(where[k + 1] - where[k])))

    # The first of those with about the most room: a long gripper can make the wrist look like an elbow.
    candidates = named or bends
    most = max((room(i) for i in candidates), default=0.0)
    return next((i for i in candidates if room(i) >= 0.7 * most), len(chain) // 2)


def _is_twist(body: Skeleton, chain: list[int], i: int, tip: Array) -> bool:
    """Whether the joint turns the limb about its own length, as forearm rotation does."""
    here = body.position[chain[i]]
    ahead = [body.position[n] for n in chain[i + 1 :]] + [tip]
    ways = [p - here for p in ahead if np.linalg.norm(p - here) > 0.03 * body.size] or [tip - here]
    angles = [np.arccos(min(abs(w @ body.axis[chain[i]]) / max(float(np.linalg.norm(w)), 1e-9), 1.0)) for w in ways]
    # An elbow may stand off to the side of the upper arm: then a joint further on shows which way the limb goes.
    return bool(angles[0] < np.radians(30) or min(angles) < np.radians(15))


def _cluster_centre(body: Skeleton, cluster: list[int]) -> int:
    """The node among a ball-like group of joints that lies nearest to where their axes meet."""
    A, b = 1e-6 * np.eye(3), 1e-6 * np.mean([body.position[n] for n in cluster], axis=0)
    for n in cluster:
        across = np.eye(3) - np.outer(body.axis[n], body.axis[n])
        A, b = A + across, b + across @ body.position[n]
    centre = np.linalg.solve(A, b)
    away = {n: float(np.linalg.norm(body.position[n] - centre)) for n in cluster}
    return next(n for n in cluster if away[n] <= min(away.values()) + 0.005 * body.size)


def _sole(body: Skeleton, foot: int) -> Array:
    """Corners of the lowest face of the foot's shapes, in the foot link's frame."""
    robot = body.robot
    node = int(robot.links.node[foot])
    cloud = body.points_of([node])
    cloud = cloud[cloud[:, 2] < cloud[:, 2].min() + 0.02 * body.size]
    flat = np.array([cloud[:, 0].min(), cloud[:, 0].max()]), np.array([cloud[:, 1].min(), cloud[:, 1].max()])
    corners = np.array([[x, y, cloud[:, 2].min()] for x in flat[0] for y in flat[1]])
    at, rotation = robot.link_poses(robot.neutral)
    return np.asarray((corners - at[foot]) @ rotation[foot])
