"""Keeping a robot's own parts apart: where its hulls are, and the rows that they add to the least squares.

A body is a few core points swept by a ball: a sphere has one, a capsule two, a box eight, a mesh those that span its
convex hull. One search (`hull_distance`) serves all; the bounding boxes of the cores spare it most pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.hull_distance import core_depth, core_distance, farthest
from bunraku.kinematics.jit import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


class Body(NamedTuple):
    """One hull: core points (k, 3) in the frame of a node, each with a ball of the radius around it."""

    node: int
    points: Array
    radius: float
    frame: Array
    """(3, 3) node_from_box: the axes along which its bounding box lies"""


class Bodies(NamedTuple):
    """S hulls on nodes of the tree, and P pairs of them that are kept apart."""

    node: Ints
    """(S,)"""
    centre: Array
    """(S, 3) in the node's frame"""
    rotation: Array
    """(S, 3, 3) node_from_box"""
    half: Array
    """(S, 3) half extents of a box around the core, centred"""
    first: Ints
    """(S + 1,) where the points of each body begin"""
    point: Array
    """(M, 3) core points from the centre, in the frame of the box"""
    radius: Array
    """(S,)"""
    reach: Array
    """(S,) radius of a ball around the centre that holds the body"""
    pair: Ints
    """(P, 2)"""
    stop: Ints
    """(P, 2) for each side of a pair the node above which no joint gives way"""
    margin: Array
    """(P,) distance below which a pair is pushed apart, m"""
    weight: float
    """per m² of what is lacking to the margin"""
    hard_weight: float
    """per m² of what is lacking to half of the margin, besides"""


class BodyMemory(NamedTuple):
    """Where the bodies are, where each pair's search ended, and scratch; no result depends on what it holds."""

    centre: Array
    """(S, 3) world"""
    rotation: Array
    """(S, 3, 3) world_from_box"""
    axis: Array
    """(P, 3) the last direction from the first body of a pair to the second"""
    corner: Ints
    """(P, 4, 2) points of the last simplex"""
    corners: Ints
    """(P,) how many of them"""
    index: Ints
    """(4, 2) and"""
    simplex: Array
    """(4, 10) the search at hand, see `hull_distance`"""
    normal: Array
    """(3,) the way from the first body to the second, unit"""
    point: Array
    """(2, 3) nearest points of the cores, world"""
    row: Array
    """(nv,)"""
    touched: Ints
    """(nv,)"""


def make_bodies(
    bodies: Sequence[Body],
    pairs: Sequence[tuple[int, int, int, int, float]],
    weight: float,
    hard_weight: float = 0.0,
) -> Bodies:
    """Pairs as (first, second, stop, stop, margin)."""
    centres, cores = [], []
    for body in bodies:
        local = body.points @ body.frame
        centre = (local.min(axis=0) + local.max(axis=0)) / 2
        centres.append(body.frame @ centre)
        cores.append(local - centre)
    radius = np.array([body.radius for body in bodies], float)
    return Bodies(
        np.array([body.node for body in bodies], np.int32),
        np.array(centres, float).reshape(-1, 3),
        np.array([body.frame for body in bodies], float).reshape(-1, 3, 3),
        np.array([np.abs(core).max(axis=0) for core in cores], float).reshape(-1, 3),
        np.cumsum([0, *map(len, cores)]).astype(np.int32),
        np.concatenate([np.zeros((0, 3)), *cores]),
        radius,
        np.array([np.linalg.norm(core, axis=1).max() for core in cores], float) + radius,
        np.array([pair[:2] for pair in pairs], np.int32).reshape(-1, 2),
        np.array([pair[2:4] for pair in pairs], np.int32).reshape(-1, 2),
        np.array([pair[4] for pair in pairs], float),
        weight,
        hard_weight,
    )


def make_memory(bodies: Bodies, variables: int) -> BodyMemory:
    """Memory for one solver."""
    S, P = len(bodies.node), len(bodies.pair)
    return BodyMemory(
        np.zeros((S, 3)), np.zeros((S, 3, 3)), np.zeros((P, 3)), np.zeros((P, 4, 2), np.int32), np.zeros(P, np.int32),
        np.zeros((4, 2), np.int32), np.zeros((4, 10)), np.zeros(3), np.zeros((2, 3)),
        np.zeros(variables), np.zeros(variables, np.int32),
    )  # fmt: skip


@kernel
def place_bodies(bodies, memory, position, rotation):
    """World places of all bodies."""
    for s in range(len(bodies.node)):
        node = bodies.node[s]
        R, Q, c = rotation[node], bodies.rotation[s], bodies.centre[s]
        for i in range(3):
            memory.centre[s, i] = position[node, i] + R[i, 0] * c[0] + R[i, 1] * c[1] + R[i, 2] * c[2]
            for j in range(3):
                memory.rotation[s, i, j] = R[i, 0] * Q[0, j] + R[i, 1] * Q[1, j] + R[i, 2] * Q[2, j]


@kernel
def _gap(half, radius, reach, centre, rotation, a, b, axis, k, enough):
    """A lower bound of the distance of two bodies: by balls around them, then by boxes along the axis of pair k."""
    x, y, z = centre[b, 0] - centre[a, 0], centre[b, 1] - centre[a, 1], centre[b, 2] - centre[a, 2]
    square, near = x * x + y * y + z * z, reach[a] + reach[b]
    if square > (near + enough) ** 2 and near + enough > 0.0:
        return np.sqrt(square) - near
    u, v, w = axis[k, 0], axis[k, 1], axis[k, 2]
    gap = u * x + v * y + w * z - radius[a] - radius[b]
    for i in range(3):
        gap -= half[a, i] * abs(rotation[a, 0, i] * u + rotation[a, 1, i] * v + rotation[a, 2, i] * w)
        gap -= half[b, i] * abs(rotation[b, 0, i] * u + rotation[b, 1, i] * v + rotation[b, 2, i] * w)
    return gap


@kernel
def _search(bodies, memory, k, enough):
    """Distance of the bodies of pair k by their points; beyond `enough`, a lower bound above that."""
    a, b, count = bodies.pair[k, 0], bodies.pair[k, 1], memory.corners[k]
    point, first, centre, rotation = bodies.point, bodies.first, memory.centre, memory.rotation
    index, simplex, normal = memory.index, memory.simplex, memory.normal
    rounding = bodies.radius[a] + bodies.radius[b]
    for row in range(count):
        index[row, 0], index[row, 1] = memory.corner[k, row, 0], memory.corner[k, row, 1]
    if count == 0:
        x, y, z = centre[b, 0] - centre[a, 0], centre[b, 1] - centre[a, 1], centre[b, 2] - centre[a, 2]
        index[0, 0], index[0, 1] = (
            farthest(point, first, rotation, a, x, y, z),
            farthest(point, first, rotation, b, -x, -y, -z),
        )
        count = 1
    distance, count = core_distance(
        point, first, centre, rotation, a, b, 1.0, enough + rounding, index, simplex, count, normal
    )
    if distance == 0.0:
        distance, count = core_depth(point, first, centre, rotation, a, b, index, simplex, normal)
    for i in range(3):
        memory.axis[k, i] = normal[i]
        memory.point[0, i], memory.point[1, i] = centre[a, i], centre[b, i]
        for row in range(count):
            memory.point[0, i] += simplex[row, 9] * simplex[row, 3 + i]
            memory.point[1, i] += simplex[row, 9] * simplex[row, 6 + i]
    for row in range(count):
        memory.corner[k, row, 0], memory.corner[k, row, 1] = index[row, 0], index[row, 1]
    memory.corners[k] = count
    return distance - rounding


@kernel
def pair_distance(bodies, memory, k, enough):
    """Distance of the bodies of pair k, negative where they overlap; beyond `enough` (m), a lower bound above that.

    Where it is exact, `memory.normal` is the way from the first body to the second, `memory.point` the nearest points
    of the cores.
    """
    gap = _gap(bodies.half, bodies.radius, bodies.reach, memory.centre, memory.rotation,
               bodies.pair[k, 0], bodies.pair[k, 1], memory.axis, k, enough)  # fmt: skip
    return gap if gap > enough else _search(bodies, memory, k, enough)


@kernel
def nearest_distances(bodies, memory, positions, rotations, enough):
    """(P,) least distance of each pair over configurations given as node poses (T, N, 3) and (T, N, 3, 3).

    Where that is beyond `enough` (m), only that it is.
    """
    least = np.full(len(bodies.pair), np.inf)
    for t in range(len(positions)):
        place_bodies(bodies, memory, positions[t], rotations[t])
        for k in range(len(bodies.pair)):
            least[k] = min(least[k], pair_distance(bodies, memory, k, min(least[k], enough)))
    return least


@kernel
def _climb(tree, node, stop, at, x, y, z, sign, position, rotation, row):
    """Add `sign` times the speed of the point `at` along (x, y, z) for each joint from `stop` (excluded) to `node`."""
    while node > stop:
        R, a = rotation[node], tree.axis[node]
        u = R[0, 0] * a[0] + R[0, 1] * a[1] + R[0, 2] * a[2]
        v = R[1, 0] * a[0] + R[1, 1] * a[1] + R[1, 2] * a[2]
        w = R[2, 0] * a[0] + R[2, 1] * a[1] + R[2, 2] * a[2]
        if tree.joint_type[node] == 1:
            rx, ry, rz = at[0] - position[node, 0], at[1] - position[node, 1], at[2] - position[node, 2]
            u, v, w = v * rz - w * ry, w * rx - u * rz, u * ry - v * rx
        row[tree.variable[node - 1]] += sign * tree.ratio[node - 1] * (u * x + v * y + w * z)
        node = tree.parent[node]


@kernel
def add_self_distance(tree, bodies, memory, position, rotation, hessian, gradient):
    """Rows for all pairs that are nearer than their margins; returns their cost."""
    if len(bodies.pair) == 0:
        return 0.0
    place_bodies(bodies, memory, position, rotation)
    cost, base = 0.0, tree.base_size
    row, p, q = memory.row, memory.point[0], memory.point[1]
    half, radius, reach, pair = bodies.half, bodies.radius, bodies.reach, bodies.pair
    centre, turn, axis = memory.centre, memory.rotation, memory.axis
    for k in range(len(bodies.pair)):
        margin = bodies.margin[k]
        if _gap(half, radius, reach, centre, turn, pair[k, 0], pair[k, 1], axis, k, margin) > margin:
            continue
        distance = _search(bodies, memory, k, margin)
        if distance >= margin:
            continue
        x, y, z = memory.normal[0], memory.normal[1], memory.normal[2]
        node_a, node_b = bodies.node[pair[k, 0]], bodies.node[pair[k, 1]]
        _climb(tree, node_a, bodies.stop[k, 0], p, x, y, z, -1.0, position, rotation, row)
        _climb(tree, node_b, bodies.stop[k, 1], q, x, y, z, 1.0, position, rotation, row)
        lacking, force, stiffness = margin - distance, bodies.weight * (margin - distance), bodies.weight
        cost += bodies.weight * lacking * lacking
        lacking -= 0.5 * margin
        if lacking > 0.0:
            cost += bodies.hard_weight * lacking * lacking
            force += bodies.hard_weight * lacking
            stiffness += bodies.hard_weight
        count = 0
        for v in range(base, len(row)):
            if row[v] != 0.0:
                memory.touched[count] = v
                count += 1
        for i in range(count):
            u = memory.touched[i]
            weighted = stiffness * row[u]
            gradient[u] -= force * row[u]
            for j in range(i + 1):
                hessian[u, memory.touched[j]] += weighted * row[memory.touched[j]]
        for i in range(count):
            row[memory.touched[i]] = 0.0
    return cost
