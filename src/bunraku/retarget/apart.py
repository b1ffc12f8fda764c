"""Which of a robot's own parts must be kept apart, and how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import SIDES
from bunraku.kinematics.self_distance import Bodies, make_bodies, make_memory, nearest_distances
from bunraku.robots import Robot

Array = NDArray[np.float64]

MARGIN_M = 0.012
"""parts that come nearer are pushed apart"""
WEIGHT = 1000.0
"""per m²: a centimetre too near weighs as much as a limb that is 18 degrees off"""
SAMPLES = 300
"""random configurations; pairs that are never near in any of them are not watched"""
NEAR_M = 0.06
ROUNDING = 0.9
"""share of its smallest half extent by which a box is rounded"""


def keep_apart(robot: Robot) -> Bodies:
    """Pairs of parts more than two joints from each other, none nearer than as the robot stands.

    Arms give way to the rest of the body, legs to each other; the trunk does not bend for a hand that comes too near.
    """
    shapes = _rounded(robot)
    limb_root = _limb_roots(robot)
    candidates = [
        (i, j, *_stops(robot, limb_root, shapes[i][0], shapes[j][0]), MARGIN_M)
        for i in range(len(shapes))
        for j in range(i + 1, len(shapes))
        if _joints_between(robot, shapes[i][0], shapes[j][0]) > 2
    ]
    everything = make_bodies(shapes, candidates, WEIGHT)
    if not candidates:
        return everything
    generator = np.random.default_rng(0)
    low, high = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    samples = np.tile(robot.neutral, (SAMPLES, 1))
    samples[:, robot.first_joint :] = generator.uniform(low, high, (SAMPLES, len(low)))
    memory = make_memory(everything, 1)
    standing = nearest_distances(everything, memory, *robot.tree.forward(robot.neutral[None]))
    nearest = nearest_distances(everything, memory, *robot.tree.forward(robot.tree.with_followers(samples)))
    pairs = [
        (*pair[:4], min(MARGIN_M, float(apart)))
        for pair, apart, least in zip(candidates, standing, nearest, strict=True)
        if least < NEAR_M
    ]
    return make_bodies(shapes, pairs, WEIGHT)


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


def _rounded(robot: Robot) -> list[tuple[int, Array, Array, Array, float]]:
    """The robot's shapes as rounded boxes in the frames of their nodes."""
    out = []
    links = robot.links
    for shape in robot.shapes:
        size = np.array(shape.size)
        if shape.kind == "sphere":
            core, radius = np.zeros(3), float(size[0])
        elif shape.kind == "capsule":
            core, radius = np.array([0.0, 0.0, size[1]]), float(size[0])
        elif shape.kind == "box":
            radius = ROUNDING * float(size.min())
            core = size - radius
        else:
            continue
        centre = links.position[shape.link] + links.rotation[shape.link] @ shape.position
        out.append((int(links.node[shape.link]), centre, links.rotation[shape.link] @ shape.rotation, core, radius))
    return out


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
