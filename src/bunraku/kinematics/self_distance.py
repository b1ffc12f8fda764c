"""Keeping a robot's own parts apart: distances between rounded boxes, and the rows that they add to the least squares.

A rounded box is a core box swept by a sphere: a sphere has no core, a capsule a core with one extent, a box is shrunk
by its rounding. So one closest-point search serves all shapes: clamp into one core, then into the other, and again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

SWEEPS = 8
"""of the closest-point search; more change the distance by less than a millimetre on links of ordinary shape"""


class Bodies(NamedTuple):
    """S rounded boxes on nodes of the tree, and P pairs of them that are kept apart."""

    node: Ints
    """(S,)"""
    centre: Array
    """(S, 3) in the node's frame"""
    rotation: Array
    """(S, 3, 3) node_from_box"""
    core: Array
    """(S, 3) half extents of the core"""
    radius: Array
    """(S,)"""
    reach: Array
    """(S,) radius of a ball around the centre that holds the shape"""
    pair: Ints
    """(P, 2)"""
    stop: Ints
    """(P, 2) for each side of a pair the node above which no joint gives way"""
    margin: Array
    """(P,) distance below which a pair is pushed apart, m"""
    weight: float
    """per m²"""


class BodyMemory(NamedTuple):
    """Where the boxes are, and scratch; contents have no meaning between calls."""

    centre: Array
    """(S, 3) world"""
    rotation: Array
    """(S, 3, 3) world_from_box"""
    point: Array
    """(2, 3) closest points of the cores"""
    row: Array
    """(nv,)"""
    touched: Ints
    """(nv,)"""


def make_bodies(
    shapes: list[tuple[int, Array, Array, Array, float]],
    pairs: list[tuple[int, int, int, int, float]],
    weight: float,
) -> Bodies:
    """Shapes as (node, centre, node_from_box, core, radius), pairs as (first, second, stop, stop, margin)."""
    core = np.array([shape[3] for shape in shapes], float).reshape(-1, 3)
    radius = np.array([shape[4] for shape in shapes], float)
    return Bodies(
        np.array([shape[0] for shape in shapes], np.int32),
        np.array([shape[1] for shape in shapes], float).reshape(-1, 3),
        np.array([shape[2] for shape in shapes], float).reshape(-1, 3, 3),
        core,
        radius,
        np.linalg.norm(core, axis=1) + radius,
        np.array([pair[:2] for pair in pairs], np.int32).reshape(-1, 2),
        np.array([pair[2:4] for pair in pairs], np.int32).reshape(-1, 2),
        np.array([pair[4] for pair in pairs], float),
        weight,
    )


def make_memory(bodies: Bodies, variables: int) -> BodyMemory:
    """Memory for one solver."""
    S = len(bodies.node)
    return BodyMemory(
        np.zeros((S, 3)), np.zeros((S, 3, 3)), np.zeros((2, 3)), np.zeros(variables), np.zeros(variables, np.int32)
    )


@kernel
def place_bodies(bodies, memory, position, rotation):
    """World places of all boxes."""
    for s in range(len(bodies.node)):
        node = bodies.node[s]
        R, Q, c = rotation[node], bodies.rotation[s], bodies.centre[s]
        for i in range(3):
            memory.centre[s, i] = position[node, i] + R[i, 0] * c[0] + R[i, 1] * c[1] + R[i, 2] * c[2]
            for j in range(3):
                memory.rotation[s, i, j] = R[i, 0] * Q[0, j] + R[i, 1] * Q[1, j] + R[i, 2] * Q[2, j]


@kernel
def _into_core(core, centre, R, point, out):
    """The point of a core that is nearest to `point` (3,), into `out`."""
    x, y, z = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    a = min(max(R[0, 0] * x + R[1, 0] * y + R[2, 0] * z, -core[0]), core[0])
    b = min(max(R[0, 1] * x + R[1, 1] * y + R[2, 1] * z, -core[1]), core[1])
    c = min(max(R[0, 2] * x + R[1, 2] * y + R[2, 2] * z, -core[2]), core[2])
    for i in range(3):
        out[i] = centre[i] + R[i, 0] * a + R[i, 1] * b + R[i, 2] * c


@kernel
def pair_distance(bodies, memory, a, b):
    """Distance of two rounded boxes, negative where they overlap; the cores' nearest points go to `memory.point`."""
    p, q = memory.point[0], memory.point[1]
    for i in range(3):
        q[i] = memory.centre[b, i]
    for _ in range(SWEEPS):
        _into_core(bodies.core[a], memory.centre[a], memory.rotation[a], q, p)
        _into_core(bodies.core[b], memory.centre[b], memory.rotation[b], p, q)
    x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    return np.sqrt(x * x + y * y + z * z) - bodies.radius[a] - bodies.radius[b]


@kernel
def nearest_distances(bodies, memory, positions, rotations):
    """(P,) least distance of each pair over configurations given as node poses (T, N, 3) and (T, N, 3, 3)."""
    least = np.full(len(bodies.pair), np.inf)
    for t in range(len(positions)):
        place_bodies(bodies, memory, positions[t], rotations[t])
        for k in range(len(bodies.pair)):
            least[k] = min(least[k], pair_distance(bodies, memory, bodies.pair[k, 0], bodies.pair[k, 1]))
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
    for k in range(len(bodies.pair)):
        a, b, margin = bodies.pair[k, 0], bodies.pair[k, 1], bodies.margin[k]
        x = memory.centre[b, 0] - memory.centre[a, 0]
        y = memory.centre[b, 1] - memory.centre[a, 1]
        z = memory.centre[b, 2] - memory.centre[a, 2]
        near = bodies.reach[a] + bodies.reach[b] + margin
        if x * x + y * y + z * z > near * near:
            continue
        distance = pair_distance(bodies, memory, a, b)
        if distance >= margin:
            continue
        apart = distance + bodies.radius[a] + bodies.radius[b]
        if apart > 1e-6:
            x, y, z = (q[0] - p[0]) / apart, (q[1] - p[1]) / apart, (q[2] - p[2]) / apart
        else:  # the cores themselves touch: away from each other's middle is the way out
            length = max(np.sqrt(x * x + y * y + z * z), 1e-9)
            x, y, z = x / length, y / length, z / length
        node_a, node_b = bodies.node[a], bodies.node[b]
        _climb(tree, node_a, bodies.stop[k, 0], p, x, y, z, -1.0, position, rotation, row)
        _climb(tree, node_b, bodies.stop[k, 1], q, x, y, z, 1.0, position, rotation, row)
        lacking = margin - distance
        cost += bodies.weight * lacking * lacking
        count = 0
        for v in range(base, len(row)):
            if row[v] != 0.0:
                memory.touched[count] = v
                count += 1
        for i in range(count):
            u = memory.touched[i]
            weighted = bodies.weight * row[u]
            gradient[u] -= weighted * lacking
            for j in range(i + 1):
                hessian[u, memory.touched[j]] += weighted * row[memory.touched[j]]
        for i in range(count):
            row[memory.touched[i]] = 0.0
    return cost
