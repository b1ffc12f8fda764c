"""A least-squares problem over a kinematic tree, as flat arrays.

Variables: for a free base three of translation and three of rotation (world axes), then one for each independent joint.
Tasks: directions between two points, orientations of frames, positions of points; their targets change from frame to
frame, everything else is fixed when the problem is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.self_distance import Bodies, BodyMemory, make_bodies, make_memory
from bunraku.kinematics.tree import KinematicTree

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


class TreeArrays(NamedTuple):
    """The tree as compiled code sees it."""

    parent: Ints
    joint_type: NDArray[np.int8]
    axis: Array
    position: Array
    rotation: Array
    free_base: bool
    leader: Ints
    ratio: Array
    offset: Array
    variable: Ints
    """(n,) the variable that moves each joint"""
    base_size: int
    """6 for a free base, else 0"""
    first_joint: int
    """column of qpos where the joints begin"""
    base_moves: NDArray[np.bool_]
    """(6,) which of a free base's variables may change"""


DIRECTION, ORIENTATION, POSITION, VECTOR = 0, 1, 2, 3


class Tasks(NamedTuple):
    """What is to be matched, K tasks of four kinds.

    DIRECTION: the unit vector from the first point to the second. ORIENTATION: a frame on the second node.
    POSITION: the second point. VECTOR: the way from the first point to the second, with its length.
    """

    kind: Ints
    """(K,)"""
    node: Ints
    """(K, 2)"""
    point: Array
    """(K, 2, 3) in the nodes' frames"""
    frame: Array
    """(K, 3, 3) node_from_frame"""
    support_start: Ints
    """(K + 1,) where each task's variables begin in `support`"""
    support: Ints
    """the variables that move each task, ascending"""


class Targets(NamedTuple):
    """The moving part of the problem; weights multiply squared residuals (rad², m²)."""

    value: Array
    """(K, 3, 3) world_from_frame of an orientation; a direction, a position, a vector is its first row"""
    weight: Array
    """(K, 3) for each axis of the world; a task whose weights are all zero costs nothing"""
    one_sided: NDArray[np.bool_]
    """(K,) a position that counts only while it is below its target: the floor"""
    posture: Array
    """(nv,) values that the joints are drawn to; the base's entries are not used"""
    posture_weight: Array
    """(nv,)"""


class Workspace(NamedTuple):
    """Memory of the solver: contents have no meaning between calls."""

    node_position: Array
    node_rotation: Array
    node_axis: Array
    hessian: Array
    gradient: Array
    factor: Array
    step: Array
    jacobian: Array
    rows: Array
    free: Ints
    order: Ints
    candidate: Array
    backup: Array
    vectors: Array
    """(4, 3) small operands of a task"""
    matrix: Array
    """(3, 3) likewise"""
    frame: Array
    """(3, 3) likewise"""
    below: Array
    """(K, 2) weights and depths of what may be below the floor"""
    apart: Array
    """(1,) what the bodies cost where the tasks were last made linear"""
    spare: Array
    """(nq,) a configuration,"""
    spare_position: Array
    spare_rotation: Array
    """and its node poses"""
    bodies: BodyMemory


NO_BODIES = make_bodies([], [], 0.0)
"""nothing is kept apart"""


class Limits(NamedTuple):
    """(nv,) bounds of the variables; the base's entries are infinite."""

    lower: Array
    upper: Array


def tree_arrays(tree: KinematicTree, *, planar: bool = False, still: bool = False) -> TreeArrays:
    """The tree as compiled code sees it; a `planar` free base keeps its height and stays upright, a `still` one all."""
    base_moves = np.array([True, True, not planar, not planar, not planar, True]) & (not still)
    base = 6 if tree.free_base else 0
    order = {int(joint): base + k for k, joint in enumerate(tree.independent)}
    variable = np.array([order[int(leader)] for leader in tree.leader], np.int32)
    return TreeArrays(
        tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base,
        tree.leader, tree.ratio, tree.offset, variable, base, 7 if tree.free_base else 0, base_moves,
    )  # fmt: skip


def variable_limits(tree: KinematicTree, lower: Array, upper: Array) -> Limits:
    """Bounds of the variables such that every joint, followers included, stays in `lower` … `upper` (n,)."""
    arrays = tree_arrays(tree)
    count = arrays.base_size + len(tree.independent)
    low, high = np.full(count, -np.inf), np.full(count, np.inf)
    for joint in range(tree.joint_count):
        v, ratio = arrays.variable[joint], tree.ratio[joint]
        if ratio == 0:
            continue
        ends = sorted([(lower[joint] - tree.offset[joint]) / ratio, (upper[joint] - tree.offset[joint]) / ratio])
        if ends[0] > high[v] or ends[1] < low[v]:
            continue  # a follower whose range excludes its leader's: the leader's own range decides
        low[v], high[v] = max(low[v], ends[0]), min(high[v], ends[1])
    return Limits(low, high)


def build_tasks(
    tree: KinematicTree,
    directions: Sequence[tuple[int, Array, int, Array]] = (),
    orientations: Sequence[tuple[int, Array]] = (),
    positions: Sequence[tuple[int, Array]] = (),
    vectors: Sequence[tuple[int, Array, int, Array]] = (),
) -> Tasks:
    """Directions and vectors as (node, point, node, point), orientations as (node, node_from_frame), positions as
    (node, point). The tasks come in this order: directions, orientations, vectors, positions."""
    arrays = tree_arrays(tree)

    def movers(node: int) -> set[int]:
        out = set()
        while node > 0:
            out.add(int(arrays.variable[node - 1]))
            node = int(tree.parent[node])
        return out

    turn = set(range(3, 6)) if tree.free_base else set()
    shift = set(range(3)) if tree.free_base else set()
    nowhere, none = np.zeros(3), np.eye(3)
    rows = [(DIRECTION, a, p, b, q, none, turn | movers(a) | movers(b)) for a, p, b, q in directions]
    rows += [(ORIENTATION, n, nowhere, n, nowhere, frame, turn | movers(n)) for n, frame in orientations]
    rows += [(VECTOR, a, p, b, q, none, turn | movers(a) | movers(b)) for a, p, b, q in vectors]
    rows += [(POSITION, n, nowhere, n, p, none, shift | turn | movers(n)) for n, p in positions]
    supports = [sorted(row[6]) for row in rows]
    return Tasks(
        np.array([row[0] for row in rows], np.int32),
        np.array([[row[1], row[3]] for row in rows], np.int32).reshape(-1, 2),
        np.array([[row[2], row[4]] for row in rows], float).reshape(-1, 2, 3),
        np.array([row[5] for row in rows], float).reshape(-1, 3, 3),
        np.cumsum([0, *map(len, supports)]).astype(np.int32),
        np.array([v for support in supports for v in support], np.int32),
    )


def make_targets(tasks: Tasks, variables: int) -> Targets:
    """Targets that ask for nothing yet."""
    K = len(tasks.kind)
    return Targets(
        np.zeros((K, 3, 3)), np.zeros((K, 3)), np.zeros(K, np.bool_), np.zeros(variables), np.zeros(variables)
    )


def make_workspace(tree: KinematicTree, bodies: Bodies = NO_BODIES, tasks: int = 0) -> Workspace:
    """Memory for one solver of a problem with so many `tasks` of the floor at most; two threads need two of them."""
    nodes, nv = len(tree.parent), (6 if tree.free_base else 0) + len(tree.independent)
    return Workspace(
        np.zeros((nodes, 3)), np.zeros((nodes, 3, 3)), np.zeros((nodes, 3)), np.zeros((nv, nv)), np.zeros(nv),
        np.zeros((nv, nv)), np.zeros(nv), np.zeros((nv, 3)), np.zeros((nv, 3)), np.zeros(nv, np.int32),
        np.zeros(nv, np.int32), np.zeros(nv), np.zeros(tree.qpos_size), np.zeros((4, 3)), np.zeros((3, 3)),
        np.zeros((3, 3)), np.zeros((tasks, 2)), np.zeros(1), np.zeros(tree.qpos_size), np.zeros((nodes, 3)),
        np.zeros((nodes, 3, 3)), make_memory(bodies, nv),
    )  # fmt: skip
