"""Which of a robot's own parts must be kept apart, and how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    """Pairs of parts more than two joints from each other that do not touch as the robot stands, but can."""
    shapes = _rounded(robot)
    candidates = [
        (i, j, MARGIN_M)
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
        (i, j, min(margin, float(apart)))
        for (i, j, margin), apart, least in zip(candidates, standing, nearest, strict=True)
        if apart > 0 and least < NEAR_M
    ]
    return make_bodies(shapes, pairs, WEIGHT)


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


def _joints_between(robot: Robot, a: int, b: int) -> int:
    count = 0
    while a != b:
        if a > b:
            a = int(robot.tree.parent[a])
        else:
            b = int(robot.tree.parent[b])
        count += 1
    return count
