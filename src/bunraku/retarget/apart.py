"""Which of a robot's own parts must be kept apart, and how far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import SIDES
from bunraku.kinematics.problem import tree_arrays
from bunraku.kinematics.self_distance import Bodies, Body, make_bodies, make_memory, nearest_distances
from bunraku.robots import Robot
from bunraku.robots.fitting import DIRECTIONS
from bunraku.robots.robot import Shape

Array = NDArray[np.float64]

MARGIN_M = 0.006
"""parts that come nearer are pushed apart"""
LEAST_MARGIN_M = 0.002
SLACK_M = 0.001
"""parts that are nearer than the margin as the robot stands may come nearer by this much"""
WEIGHT = 1500.0
"""per m²: 6 mm too near weigh as much as a limb that is 13 degrees off"""
HARD_WEIGHT = 20000.0
"""per m², besides, below half of the margin: no goal of a limb is worth a collision"""
SAMPLES = 300
"""random configurations; pairs that are never near in any of them are not watched"""
NEAR_M = 0.3
ROUNDING_M = 0.004
"""radius of the balls around the corners of hulls and boxes: overlaps are measured exactly to about twice this depth"""
BEYOND_M = 0.001
"""the balls reach this far beyond the corners of a mesh's hull: few of its points are known"""
_CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def keep_apart(robot: Robot) -> Bodies:
    """Pairs of parts more than two joints from each other, but for those that touch as the robot stands.

    Arms give way to the rest of the body, legs to each other; the trunk does not bend for a hand that comes too near.
    """
    shapes = [shape for shape in robot.shapes if shape.kind != "plane"]
    bodies = [_body(robot, shape, ROUNDING_M) for shape in shapes]
    limb_root = _limb_roots(robot)
    candidates = [
        (i, j, *_stops(robot, limb_root, bodies[i].node, bodies[j].node), MARGIN_M)
        for i in range(len(bodies))
        for j in range(i + 1, len(bodies))
        if _joints_between(robot, bodies[i].node, bodies[j].node) > 2
    ]
    covered = make_bodies(bodies, candidates, 0.0)
    if not candidates:
        return covered
    exact = make_bodies([_body(robot, shape, 0.0) for shape in shapes], candidates, 0.0)
    generator = np.random.default_rng(0)
    low, high = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    samples = np.tile(robot.neutral, (SAMPLES, 1))
    samples[:, robot.first_joint :] = generator.uniform(low, high, (SAMPLES, len(low)))
    neutral = robot.tree.forward(robot.neutral[None])
    really = nearest_distances(exact, make_memory(exact, 1), *neutral, MARGIN_M)
    standing = nearest_distances(covered, make_memory(covered, 1), *neutral, NEAR_M)
    moved = robot.tree.forward(robot.tree.with_followers(samples))
    nearest = nearest_distances(covered, make_memory(covered, 1), *moved, NEAR_M)
    pairs = [
        (*pair[:4], min(MARGIN_M, max(float(apart) - SLACK_M, LEAST_MARGIN_M)))
        for pair, touching, apart, least in zip(candidates, really <= 0.0, standing, nearest, strict=True)
        if least < NEAR_M and not touching
    ]
    return make_bodies(bodies, pairs, WEIGHT, HARD_WEIGHT, _leads(robot, bodies, pairs))


def _leads(robot: Robot, bodies: list[Body], pairs: list[tuple[int, int, int, int, float]]) -> Sequence[bool]:
    """Variables that move a side of a pair which does not give way; empty where there is none."""
    tree = tree_arrays(robot.tree)
    out = np.zeros(tree.base_size + len(robot.tree.independent), bool)
    for a, b, *stops, _ in pairs:
        meeting = _meeting(robot, bodies[a].node, bodies[b].node)
        for stop in stops:
            for node in _path(robot, stop):
                if node == meeting:
                    break
                out[tree.variable[node - 1]] = True
    return list(out) if out.any() else ()


def _limb_roots(robot: Robot) -> dict[int, tuple[str, int]]:
    """Node → (arm or leg, the node that the limb hangs on), for all nodes of limbs."""
    out: dict[int, tuple[str, int]] = {}
    for part, joints in robot.semantics.joints.items():
        side, _, kind = part.partition("_")
        if side in SIDES and kind in ("arm", "leg"):
            root = joints[0] + 1
            for node in range(root, len(robot.tree.parent)):
                above = int(robot.tree.parent[node])
                if node == root or (above in out and out[above][0] == part):
                    out[node] = (part, int(robot.tree.parent[root]))
    return out


def _stops(robot: Robot, limb_root: dict[int, tuple[str, int]], a: int, b: int) -> tuple[int, int]:
    """Where the search for joints that give way ends on either side; the node itself where that side stays."""
    kinds = [limb_root[node][0].partition("_")[2] if node in limb_root else "" for node in (a, b)]
    stops = [limb_root[node][1] if node in limb_root else node for node in (a, b)]
    if kinds[0] == "arm" and kinds[1] != "arm":
        return stops[0], b
    if kinds[1] == "arm" and kinds[0] != "arm":
        return a, stops[1]
    if not any(kinds):
        meeting = _meeting(robot, a, b)
        return meeting, meeting
    return stops[0], stops[1]


def _body(robot: Robot, shape: Shape, rounding: float) -> Body:
    """A shape as a hull in the frame of its node."""
    points, radius = _core(shape, rounding)
    position, rotation = robot.links.position[shape.link], robot.links.rotation[shape.link]
    in_link = shape.position + points @ shape.rotation.T
    return Body(int(robot.links.node[shape.link]), position + in_link @ rotation.T, radius, rotation @ shape.rotation)


def _core(shape: Shape, rounding: float) -> tuple[Array, float]:
    """(k, 3) points in the shape's frame and the radius, at most `rounding`, of balls around them that cover the shape.

    Corners are moved inwards by the radius, so that the ball around each just reaches the corner: the whole then
    holds the hull and bulges over its faces by less than half the radius.
    """
    size = np.array(shape.size)
    if shape.hull is None and shape.kind == "sphere":
        return np.zeros((1, 3)), float(size[0])
    if shape.hull is None and shape.kind == "capsule":
        return np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]]), float(size[0])
    corners = _CUBE * size if shape.hull is None else shape.hull
    radius = min(rounding, float(np.ptp(corners, axis=0).min()) / 4)
    farthest = (DIRECTIONS @ corners.T).argmax(axis=1)
    outward = np.zeros_like(corners)
    np.add.at(outward, farthest, DIRECTIONS)
    length = np.linalg.norm(outward, axis=1)
    used = length > 0
    reach = 0.0 if shape.hull is None else min(BEYOND_M, radius)
    return corners[used] - (radius - reach) * outward[used] / length[used, None], radius


def _path(robot: Robot, node: int) -> list[int]:
    path = [node]
    while path[-1] > 0:
        path.append(int(robot.tree.parent[path[-1]]))
    return path


def _meeting(robot: Robot, a: int, b: int) -> int:
    """The node that both branches hang on."""
    above = set(_path(robot, a))
    return next(node for node in _path(robot, b) if node in above)


def _joints_between(robot: Robot, a: int, b: int) -> int:
    meeting = _meeting(robot, a, b)
    return _path(robot, a).index(meeting) + _path(robot, b).index(meeting)
