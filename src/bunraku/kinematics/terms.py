"""The terms of the problem: errors, their Jacobian rows, and the Gauss–Newton matrix they add up to; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.kernels import forward_kinematics
from bunraku.kinematics.self_distance import add_self_distance


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
