"""Keeping a robot's own parts apart: where its hulls are, and the rows that they add to the least squares.

A body is a few core points swept by a ball: a sphere has one, a capsule two, a box eight, a mesh those that span its
convex hull. One search (`hull_distance`) serves all; the bounding boxes of the cores spare it most pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.hull_distance import core_depth, core_distance, farthest, nearest_points
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
    leads: NDArray[np.bool_]
    """(nv,) variables that move a side of some pair which does not give way; empty where both sides always do"""


PRESSED, MOST_PRESSED = 8, 12
"""overlaps after which a side that leads goes round and round with the one that gives way"""


class BodyMemory(NamedTuple):
    """Where the bodies are, where each pair's search ended, and scratch; no result depends on what it holds but for
    `pressed`."""

    centre: Array
    """(S, 3) world"""
    rotation: Array
    """(S, 3, 3) world_from_box"""
    axis: Array
    """(P, 3) the last direction from the first body of a pair to the second"""
    last: Ints
    """(P, 9) how many corners the last simplex had, then the points of each on both bodies"""
    corner: Ints
    """(4, 2) and"""
    simplex: Array
    """(4, 10) the search at hand, see `hull_distance`"""
    normal: Array
    """(3,) the way from the first body to the second, unit"""
    point: Array
    """(2, 3) nearest points of the cores, world"""
    near: Ints
    """(P,) pairs whose balls are near each other"""
    row: Array
    """(nv,)"""
    touched: Ints
    """(nv,)"""
    pressed: Ints
    """(P,) how often each pair has overlapped of late; from PRESSED on both of its sides give way until it is clear"""


def make_bodies(
    bodies: Sequence[Body],
    pairs: Sequence[tuple[int, int, int, int, float]],
    weight: float,
    hard_weight: float = 0.0,
    leads: Sequence[bool] = (),
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
        np.array(leads, np.bool_),
    )


def make_memory(bodies: Bodies, variables: int) -> BodyMemory:
    """Memory for one solver."""
    S, P = len(bodies.node), len(bodies.pair)
    return BodyMemory(
        np.zeros((S, 3)), np.zeros((S, 3, 3)), np.zeros((P, 3)), np.zeros((P, 9), np.int32),
        np.zeros((4, 2), np.int32), np.zeros((4, 10)), np.zeros(3), np.zeros((2, 3)), np.zeros(P, np.int32),
        np.zeros(variables), np.zeros(variables, np.int32), np.zeros(P, np.int32),
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
def near_pairs(bodies, memory, enough):
    """Pairs whose balls are nearer than `enough` (P,) go to `memory.near`; returns how many."""
    pair, reach, centre, near, count = bodies.pair, bodies.reach, memory.centre, memory.near, 0
    for k in range(len(pair)):
        a, b = pair[k, 0], pair[k, 1]
        x, y, z = centre[b, 0] - centre[a, 0], centre[b, 1] - centre[a, 1], centre[b, 2] - centre[a, 2]
        within = reach[a] + reach[b] + enough[k]
        if x * x + y * y + z * z < within * within:
            near[count] = k
            count += 1
    return count


@kernel
def _box_gap(half, centre, rotation, a, b, x, y, z):
    """How far two cores' boxes are apart along the unit direction (x, y, z); negative where they are not."""
    gap = x * (centre[b, 0] - centre[a, 0]) + y * (centre[b, 1] - centre[a, 1]) + z * (centre[b, 2] - centre[a, 2])
    for i in range(3):
        gap -= half[a, i] * abs(rotation[a, 0, i] * x + rotation[a, 1, i] * y + rotation[a, 2, i] * z)
        gap -= half[b, i] * abs(rotation[b, 0, i] * x + rotation[b, 1, i] * y + rotation[b, 2, i] * z)
    return gap


@kernel
def _core_gap(half, point, first, centre, rotation, a, b, k, enough, last, axis, index, simplex, normal, found):
    """Distance of the cores of pair k, of bodies a and b, negative where they overlap; beyond `enough`, a lower bound.

    Begins where the last search for the pair ended: with its axis and its simplex.
    """
    gap = _box_gap(half, centre, rotation, a, b, axis[k, 0], axis[k, 1], axis[k, 2])
    if gap > enough:
        return gap
    count = np.intp(last[k, 0])
    for row in range(count):
        index[row, 0], index[row, 1] = last[k, 1 + 2 * row], last[k, 2 + 2 * row]
    if count == 0:
        x, y, z = centre[b, 0] - centre[a, 0], centre[b, 1] - centre[a, 1], centre[b, 2] - centre[a, 2]
        index[0, 0] = farthest(point, first, rotation, a, x, y, z)
        index[0, 1] = farthest(point, first, rotation, b, -x, -y, -z)
        count = np.intp(1)
    distance, count = core_distance(point, first, centre, rotation, a, b, 1.0, enough, index, simplex, count, normal)
    if distance > 0.0:
        nearest_points(simplex, count, found)
    else:
        distance, count = core_depth(point, first, centre, rotation, a, b, index, simplex, normal, found)
    for i in range(3):
        axis[k, i] = normal[i]
        found[0, i] += centre[a, i]
        found[1, i] += centre[b, i]
    last[k, 0] = count
    for row in range(count):
        last[k, 1 + 2 * row], last[k, 2 + 2 * row] = index[row, 0], index[row, 1]
    return distance


@kernel
def pair_distance(bodies, memory, k, enough):
    """Distance of the bodies of pair k, negative where they overlap; beyond `enough` (m), a lower bound above that.

    Where it is exact, `memory.normal` is the way from the first body to the second, `memory.point` the nearest points
    of the cores.
    """
    a, b = bodies.pair[k, 0], bodies.pair[k, 1]
    rounding = bodies.radius[a] + bodies.radius[b]
    gap = _core_gap(
        bodies.half, bodies.point, bodies.first, memory.centre, memory.rotation, a, b, k, enough + rounding,
        memory.last, memory.axis, memory.corner, memory.simplex, memory.normal, memory.point,
    )  # fmt: skip
    return gap - rounding


@kernel
def nearest_distances(bodies, memory, positions, rotations, enough):
    """(P,) least distance of each pair over configurations given as node poses (T, N, 3) and (T, N, 3, 3).

    Where that is beyond `enough` (m), it is inf.
    """
    least, limit = np.full(len(bodies.pair), np.inf), np.full(len(bodies.pair), enough)
    for t in range(len(positions)):
        place_bodies(bodies, memory, positions[t], rotations[t])
        for n in range(near_pairs(bodies, memory, limit)):
            k = memory.near[n]
            distance = pair_distance(bodies, memory, k, limit[k])
            if distance < limit[k]:
                least[k] = limit[k] = distance
    return least


@kernel
def let_go(memory):
    """Before a solution is begun: what overlapped in the last ones counts for less."""
    for k in range(len(memory.pressed)):
        memory.pressed[k] = max(memory.pressed[k] - 1, 0)


@kernel
def self_distance_cost(bodies, memory, position, rotation):
    """What the pairs that are nearer than their margins, and not pressed, cost at these node poses."""
    cost = 0.0
    place_bodies(bodies, memory, position, rotation)
    for n in range(near_pairs(bodies, memory, bodies.margin)):
        k = memory.near[n]
        if memory.pressed[k] >= PRESSED:
            continue
        lacking = bodies.margin[k] - pair_distance(bodies, memory, k, bodies.margin[k])
        if lacking > 0.0:
            cost += bodies.weight * lacking * lacking
            lacking -= 0.5 * bodies.margin[k]
            if lacking > 0.0:
                cost += bodies.hard_weight * lacking * lacking
    return cost


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
def _meeting(parent, a, b):
    """The node that the branches of both nodes hang on."""
    while a != b:
        if a > b:
            a = parent[a]
        else:
            b = parent[b]
    return a


@kernel
def add_self_distance(tree, bodies, memory, position, rotation, hessian, gradient):
    """Rows for all pairs that are nearer than their margins; returns their cost."""
    if len(bodies.pair) == 0:
        return 0.0
    place_bodies(bodies, memory, position, rotation)
    cost, base = 0.0, tree.base_size
    row, p, q = memory.row, memory.point[0], memory.point[1]
    half, point, first, radius, pair = bodies.half, bodies.point, bodies.first, bodies.radius, bodies.pair
    centre, turn, axis, last, index = memory.centre, memory.rotation, memory.axis, memory.last, memory.corner
    simplex, normal = memory.simplex, memory.normal
    for n in range(near_pairs(bodies, memory, bodies.margin)):
        k = memory.near[n]
        a, b, margin = pair[k, 0], pair[k, 1], bodies.margin[k]
        rounding = radius[a] + radius[b]
        distance = _core_gap(
            half, point, first, centre, turn, a, b, k, margin + rounding, last, axis, index, simplex, normal,
            memory.point,
        ) - rounding  # fmt: skip
        if distance >= margin:
            continue
        x, y, z = normal[0], normal[1], normal[2]
        node_a, node_b = bodies.node[a], bodies.node[b]
        stop_a, stop_b = bodies.stop[k, 0], bodies.stop[k, 1]
        if distance < 0.0:
            memory.pressed[k] = min(memory.pressed[k] + 1, MOST_PRESSED)
        if distance < 0.0 or memory.pressed[k] >= PRESSED:  # all that is between them gives way
            stop_a = stop_b = _meeting(tree.parent, node_a, node_b)
        _climb(tree, node_a, stop_a, p, x, y, z, -1.0, position, rotation, row)
        _climb(tree, node_b, stop_b, q, x, y, z, 1.0, position, rotation, row)
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
