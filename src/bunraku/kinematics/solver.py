"""One small nonlinear least-squares problem over a kinematic tree, solved by Levenberg–Marquardt with box constraints.

Variables: for a free base three of translation and three of rotation (world axes), then one for each independent joint.
Tasks: directions between two points, orientations of frames, positions of points; their targets change from frame to
frame, everything else is fixed when the problem is built. Nothing is allocated while solving.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.kernels import forward_kinematics
from bunraku.kinematics.self_distance import Bodies, BodyMemory, add_self_distance, make_bodies, make_memory
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


DIRECTION, ORIENTATION, POSITION = 0, 1, 2


class Tasks(NamedTuple):
    """What is to be matched, K tasks of three kinds.

    DIRECTION: the unit vector from the first point to the second. ORIENTATION: a frame on the second node.
    POSITION: the second point.
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
    """(K, 3, 3) world_from_frame of an orientation; a direction or a position is its first row"""
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
    hessian: Array
    gradient: Array
    factor: Array
    step: Array
    jacobian: Array
    free: Ints
    order: Ints
    candidate: Array
    backup: Array
    vectors: Array
    """(4, 3) small operands of a task"""
    matrix: Array
    """(3, 3) likewise"""
    bodies: BodyMemory


NO_BODIES = make_bodies([], [], 0.0)
"""nothing is kept apart"""


class Limits(NamedTuple):
    """(nv,) bounds of the variables; the base's entries are infinite."""

    lower: Array
    upper: Array


def tree_arrays(tree: KinematicTree) -> TreeArrays:
    """The tree as compiled code sees it."""
    base = 6 if tree.free_base else 0
    order = {int(joint): base + k for k, joint in enumerate(tree.independent)}
    variable = np.array([order[int(leader)] for leader in tree.leader], np.int32)
    return TreeArrays(
        tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base,
        tree.leader, tree.ratio, tree.offset, variable, base, 7 if tree.free_base else 0,
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
) -> Tasks:
    """Directions as (node, point, node, point), orientations as (node, node_from_frame), positions as (node, point)."""
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


def make_workspace(tree: KinematicTree, bodies: Bodies = NO_BODIES) -> Workspace:
    """Memory for one solver; two threads need two of them."""
    nodes, nv = len(tree.parent), (6 if tree.free_base else 0) + len(tree.independent)
    return Workspace(
        np.zeros((nodes, 3)), np.zeros((nodes, 3, 3)), np.zeros((nv, nv)), np.zeros(nv), np.zeros((nv, nv)),
        np.zeros(nv), np.zeros((3, nv)), np.zeros(nv, np.int32), np.zeros(nv, np.int32), np.zeros(nv),
        np.zeros(tree.qpos_size), np.zeros((4, 3)), np.zeros((3, 3)), make_memory(bodies, nv),
    )  # fmt: skip


@kernel
def log_rotation(R, out):
    """Rotation vector of a matrix, angle in [0, π], into `out` (3,); returns the angle."""
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    sine = 0.5 * np.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    angle = np.arctan2(sine, cosine)
    if sine > 1e-6:
        k = 0.5 * angle / sine
        out[0], out[1], out[2] = k * x, k * y, k * z
    elif cosine > 0:
        out[0], out[1], out[2] = 0.5 * x, 0.5 * y, 0.5 * z
    else:
        best = 0
        for i in range(1, 3):
            if R[i, i] > R[best, best]:
                best = i
        length = np.sqrt(max(0.5 * (R[best, best] + 1.0), 1e-12))
        for i in range(3):
            out[i] = angle * (length if i == best else 0.5 * R[i, best] / length)
    return angle


@kernel
def add_chain(tree, node, at, position, rotation, angular, sign, J):
    """Add `sign` times the velocity of the world point `at` (or the angular velocity) for unit speed of each joint
    between the base and `node` to the columns of J (3, nv)."""
    while node > 0:
        R, a = rotation[node], tree.axis[node]
        x = R[0, 0] * a[0] + R[0, 1] * a[1] + R[0, 2] * a[2]
        y = R[1, 0] * a[0] + R[1, 1] * a[1] + R[1, 2] * a[2]
        z = R[2, 0] * a[0] + R[2, 1] * a[1] + R[2, 2] * a[2]
        v, s = tree.variable[node - 1], sign * tree.ratio[node - 1]
        if tree.joint_type[node] == 1:
            if not angular:
                rx, ry, rz = at[0] - position[node, 0], at[1] - position[node, 1], at[2] - position[node, 2]
                x, y, z = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
        elif angular:
            s = 0.0
        J[0, v] += s * x
        J[1, v] += s * y
        J[2, v] += s * z
        node = tree.parent[node]


@kernel
def point_in_world(node, point, position, rotation, out):
    """World position of a point fixed to a node, into `out` (3,)."""
    for i in range(3):
        out[i] = (
            position[node, i]
            + rotation[node, i, 0] * point[0]
            + rotation[node, i, 1] * point[1]
            + rotation[node, i, 2] * point[2]
        )


@kernel
def direction_error(current, target, out):
    """Tangent vector at `current` away from `target` (unit vectors), as long as the angle between them, into `out`."""
    dot = current[0] * target[0] + current[1] * target[1] + current[2] * target[2]
    x, y, z = dot * current[0] - target[0], dot * current[1] - target[1], dot * current[2] - target[2]
    sine = np.sqrt(x * x + y * y + z * z)
    scale = np.arctan2(sine, dot) / sine if sine > 1e-9 else (1.0 if dot > 0 else 0.0)
    out[0], out[1], out[2] = scale * x, scale * y, scale * z


@kernel
def orientation_error(R, frame, target, M, out):
    """Rotation vector, world axes, from `target` to `R @ frame`, into `out`; M (3, 3) is scratch."""
    for i in range(3):
        for j in range(3):
            M[i, j] = 0.0
    for i in range(3):
        for k in range(3):
            x = R[i, 0] * frame[0, k] + R[i, 1] * frame[1, k] + R[i, 2] * frame[2, k]
            for j in range(3):
                M[i, j] += x * target[j, k]
    log_rotation(M, out)


@kernel
def _accumulate(J, residual, weight, support, first, last, hessian, gradient):
    """H += Jᵀ W J (lower triangle) and g += Jᵀ W r over a task's own variables; J is cleared for the next task."""
    cost = 0.0
    for k in range(3):
        w = weight[k]
        if w > 0:
            cost += w * residual[k] * residual[k]
            for a in range(first, last):
                u = support[a]
                x = w * J[k, u]
                if x != 0.0:
                    gradient[u] += x * residual[k]
                    for b in range(first, a + 1):
                        hessian[u, support[b]] += x * J[k, support[b]]
        for a in range(first, last):
            J[k, support[a]] = 0.0
    return cost


@kernel
def _centre(tasks, targets, qpos, work):
    """Move a free base to where its position tasks are met best: no other term depends on where it is.

    A turn of the body about a foot that stands would else count as a slide of that foot, to second order.
    """
    b = work.vectors[1]
    for axis in range(3):
        total, pull = 0.0, 0.0
        for t in range(len(tasks.kind)):
            w = targets.weight[t, axis]
            if tasks.kind[t] == 2 and w > 0:
                point_in_world(tasks.node[t, 1], tasks.point[t, 1], work.node_position, work.node_rotation, b)
                away = targets.value[t, 0, axis] - b[axis]
                if not targets.one_sided[t] or away > 0:
                    total += w
                    pull += w * away
        if total > 0:
            qpos[axis] += pull / total
            for node in range(len(work.node_position)):
                work.node_position[node, axis] += pull / total


@kernel
def linearise(tree, tasks, targets, bodies, qpos, work):
    """Forward kinematics, then gradient and Gauss–Newton matrix of all terms at `qpos`; returns the cost.

    A free base is moved on the way to where the position tasks are met best.
    """
    position, rotation, J = work.node_position, work.node_rotation, work.jacobian
    forward_kinematics(tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base,
                       qpos, position, rotation)  # fmt: skip
    if tree.base_size:
        _centre(tasks, targets, qpos, work)
    a, b, d, r = work.vectors[0], work.vectors[1], work.vectors[2], work.vectors[3]
    nv = len(work.gradient)
    for u in range(nv):
        work.gradient[u] = 0.0
        for v in range(u + 1):
            work.hessian[u, v] = 0.0
    cost = 0.0
    for t in range(len(tasks.kind)):
        weight, target, kind = targets.weight[t], targets.value[t], tasks.kind[t]
        if weight[0] <= 0 and weight[1] <= 0 and weight[2] <= 0:
            continue
        start, end = tasks.node[t, 0], tasks.node[t, 1]
        first, last = tasks.support_start[t], tasks.support_start[t + 1]
        length, angular = 1.0, kind == 1
        if angular:
            orientation_error(rotation[end], tasks.frame[t], target, work.matrix, r)
        else:
            point_in_world(end, tasks.point[t, 1], position, rotation, b)
            if kind == 0:
                point_in_world(start, tasks.point[t, 0], position, rotation, a)
                x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
                length = max(np.sqrt(x * x + y * y + z * z), 1e-9)
                d[0], d[1], d[2] = x / length, y / length, z / length
                direction_error(d, target[0], r)
            else:
                if targets.one_sided[t] and b[2] >= target[0, 2]:
                    continue
                for k in range(3):
                    a[k] = position[0, k]
                    r[k] = b[k] - target[0, k]
        chains = 2 if kind == 0 else 1
        for chain in range(chains):
            if chain == 0:
                add_chain(tree, end, b, position, rotation, angular, 1.0, J)
            else:
                add_chain(tree, start, a, position, rotation, angular, -1.0, J)
        if tree.base_size:
            if angular:
                J[0, 3], J[1, 4], J[2, 5] = 1.0, 1.0, 1.0
            else:
                x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
                J[1, 3], J[2, 3], J[0, 4], J[2, 4], J[0, 5], J[1, 5] = -z, y, z, -x, -y, x
                if kind == 2:
                    J[0, 0], J[1, 1], J[2, 2] = 1.0, 1.0, 1.0
        if kind == 0:
            for s in range(first, last):
                v = tasks.support[s]
                along = d[0] * J[0, v] + d[1] * J[1, v] + d[2] * J[2, v]
                for k in range(3):
                    J[k, v] = (J[k, v] - along * d[k]) / length
        cost += _accumulate(J, r, weight, tasks.support, first, last, work.hessian, work.gradient)
    for joint in range(len(tree.leader)):
        if tree.leader[joint] == joint:
            v = tree.variable[joint]
            w = targets.posture_weight[v]
            e = qpos[tree.first_joint + joint] - targets.posture[v]
            cost += w * e * e
            work.gradient[v] += w * e
            work.hessian[v, v] += w
    cost += add_self_distance(tree, bodies, work.bodies, position, rotation, work.hessian, work.gradient)
    return cost


@kernel
def _cholesky_solve(work, count):
    """Solve the leading `count` block of `factor` (lower triangle, overwritten) for `step` in place."""
    L, x = work.factor, work.step
    for j in range(count):
        s = L[j, j]
        for k in range(j):
            s -= L[j, k] * L[j, k]
        s = np.sqrt(max(s, 1e-12))
        L[j, j] = s
        inverse = 1.0 / s
        for i in range(j + 1, count):
            t = L[i, j]
            for k in range(j):
                t -= L[i, k] * L[j, k]
            L[i, j] = t * inverse
    for i in range(count):
        s = x[i]
        for k in range(i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]
    for i in range(count - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, count):
            s -= L[k, i] * x[k]
        x[i] = s / L[i, i]


@kernel
def _bounded_step(tree, limits, qpos, damping, largest, work, out):
    """Step `out` (nv,) that lowers the quadratic model inside the box; joints that would leave it stop at its wall."""
    nv, base = len(work.gradient), tree.base_size
    state, index = work.free, work.order  # 1 free, 0 stopped with the step already in `out`
    for v in range(nv):
        state[v] = 1 if work.hessian[v, v] > 0.0 else 0
        out[v] = 0.0
    for joint in range(len(tree.leader)):
        if tree.leader[joint] == joint:
            v, q = tree.variable[joint], qpos[tree.first_joint + joint]
            if (q <= limits.lower[v] and work.gradient[v] > 0) or (q >= limits.upper[v] and work.gradient[v] < 0):
                state[v] = 0
                out[v] = min(max(q, limits.lower[v]), limits.upper[v]) - q
    for _ in range(6):
        count = np.intp(0)  # a plain 0 would be a type of its own and compile the callee twice
        for v in range(nv):
            if state[v] == 1:
                index[count] = v
                count += 1
        for i in range(count):
            u = index[i]
            g = work.gradient[u]
            for v in range(nv):
                if state[v] == 0 and out[v] != 0.0:
                    g += out[v] * (work.hessian[u, v] if u >= v else work.hessian[v, u])
            work.step[i] = -g
            for k in range(i + 1):
                work.factor[i, k] = work.hessian[u, index[k]]
            work.factor[i, i] += damping * (1e-3 + work.hessian[u, u]) + 1e-9
        _cholesky_solve(work, count)
        for i in range(count):
            out[index[i]] = work.step[i]
        stopped = False
        for joint in range(len(tree.leader)):
            v = tree.variable[joint]
            if tree.leader[joint] == joint and state[v] == 1:
                q = qpos[tree.first_joint + joint]
                wall = q + out[v]
                if wall < limits.lower[v]:
                    out[v], state[v], stopped = limits.lower[v] - q, 0, True
                elif wall > limits.upper[v]:
                    out[v], state[v], stopped = limits.upper[v] - q, 0, True
        if not stopped:
            break
    # A long step is shortened as a whole, so that it keeps its direction; the box is convex, so it stays inside.
    longest = 0.0
    for v in range(nv):
        if not (base and v < 3):
            longest = max(longest, abs(out[v]))
    if longest > largest:
        for v in range(nv):
            out[v] *= largest / longest
    return longest


@kernel
def apply_step(tree, qpos, step, out):
    """`out` = `qpos` moved by `step` (nv,): base rotation by the exponential map, followers behind their leaders."""
    if tree.base_size:
        for k in range(3):
            out[k] = qpos[k] + step[k]
        x, y, z = step[3], step[4], step[5]
        angle = np.sqrt(x * x + y * y + z * z)
        c = np.cos(0.5 * angle)
        s = 0.5 if angle < 1e-9 else np.sin(0.5 * angle) / angle
        x, y, z = s * x, s * y, s * z
        qw, qx, qy, qz = qpos[3], qpos[4], qpos[5], qpos[6]
        w = c * qw - x * qx - y * qy - z * qz
        i = c * qx + x * qw + y * qz - z * qy
        j = c * qy - x * qz + y * qw + z * qx
        k = c * qz + x * qy - y * qx + z * qw
        norm = 1.0 / np.sqrt(w * w + i * i + j * j + k * k)
        out[3], out[4], out[5], out[6] = w * norm, i * norm, j * norm, k * norm
    first = tree.first_joint
    for joint in range(len(tree.leader)):
        if tree.leader[joint] == joint:
            out[first + joint] = qpos[first + joint] + step[tree.variable[joint]]
    for joint in range(len(tree.leader)):
        if tree.leader[joint] != joint:
            out[first + joint] = tree.ratio[joint] * out[first + tree.leader[joint]] + tree.offset[joint]


@kernel
def _inside(tree, limits, qpos):
    """Joints brought into the box, exactly; a step that ends on a wall may miss it by a rounding error."""
    first = tree.first_joint
    for joint in range(len(tree.leader)):
        if tree.leader[joint] == joint:
            v = tree.variable[joint]
            qpos[first + joint] = min(max(qpos[first + joint], limits.lower[v]), limits.upper[v])
    for joint in range(len(tree.leader)):
        if tree.leader[joint] != joint:
            qpos[first + joint] = tree.ratio[joint] * qpos[first + tree.leader[joint]] + tree.offset[joint]


@kernel
def solve(tree, tasks, targets, bodies, limits, qpos, work, iterations, tolerance):
    """Improve `qpos` in place. Returns (cost, steps taken). Node poses in `work` belong to the result.

    Stops when a step promises less than `tolerance` (rad or m) in every variable. A step that does not lower the cost
    is taken back and tried shorter.
    """
    damping, taken, best, size = 1e-4, 0, np.inf, np.inf
    retreat = False
    _inside(tree, limits, qpos)
    while True:
        cost = linearise(tree, tasks, targets, bodies, qpos, work)
        if cost > best and not retreat:
            for i in range(len(qpos)):
                qpos[i] = work.backup[i]
            damping = max(10.0 * damping, 1e-1)
            retreat = True
            continue
        converged = not retreat and best - cost < 1e-5 * best and size < 10 * tolerance
        if not retreat:
            damping = max(0.05 * damping, 1e-6)
        best, retreat = cost, False
        if converged or taken >= iterations or damping > 1e4:
            break
        size = _bounded_step(tree, limits, qpos, damping, 0.7, work, work.candidate)
        if size < tolerance and damping < 1e-2:  # a step that is short because it is damped is no sign of an optimum
            break
        for i in range(len(qpos)):
            work.backup[i] = qpos[i]
        apply_step(tree, work.backup, work.candidate, qpos)
        _inside(tree, limits, qpos)
        taken += 1
    return best, taken
