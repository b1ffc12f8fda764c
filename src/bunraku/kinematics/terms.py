"""The terms of the problem: errors, their Jacobian rows, and the Gauss–Newton matrix they add up to; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel, part
from bunraku.kinematics.kernels import forward_kinematics
from bunraku.kinematics.problem import DIRECTION, ORIENTATION, POSITION, VECTOR
from bunraku.kinematics.self_distance import add_self_distance

ROUNDS = 8
"""in which a base is lifted out of the floor"""


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


@part
def turn_axes(axis, rotation, out):
    """World axes of all joints, into `out` (N, 3)."""
    for node in range(1, len(axis)):
        x, y, z = axis[node, 0], axis[node, 1], axis[node, 2]
        for i in range(3):
            out[node, i] = rotation[node, i, 0] * x + rotation[node, i, 1] * y + rotation[node, i, 2] * z


@part
def add_chain(parent, joint_type, variable, ratio, node, at, position, axes, angular, sign, J):
    """Add `sign` times the velocity of the world point `at` (or the angular velocity) for unit speed of each joint
    between the base and `node` to the rows of J (nv, 3)."""
    while node > 0:
        x, y, z = axes[node, 0], axes[node, 1], axes[node, 2]
        v, s = variable[node - 1], sign * ratio[node - 1]
        if joint_type[node] == 1:
            if not angular:
                rx, ry, rz = at[0] - position[node, 0], at[1] - position[node, 1], at[2] - position[node, 2]
                x, y, z = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
        elif angular:
            s = 0.0
        J[v, 0] += s * x
        J[v, 1] += s * y
        J[v, 2] += s * z
        node = parent[node]


@part
def place(node, points, t, end, position, rotation, out):
    """World position of an end of task t, fixed to a node, into `out` (3,)."""
    x, y, z = points[t, end, 0], points[t, end, 1], points[t, end, 2]
    for i in range(3):
        out[i] = position[node, i] + rotation[node, i, 0] * x + rotation[node, i, 1] * y + rotation[node, i, 2] * z


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


@part
def direction_error(current, value, t, out):
    """Tangent vector at `current` away from the direction of task t (unit vectors), as long as the angle between."""
    dot = current[0] * value[t, 0, 0] + current[1] * value[t, 0, 1] + current[2] * value[t, 0, 2]
    x, y, z = dot * current[0] - value[t, 0, 0], dot * current[1] - value[t, 0, 1], dot * current[2] - value[t, 0, 2]
    sine = np.sqrt(x * x + y * y + z * z)
    scale = np.arctan2(sine, dot) / sine if sine > 1e-9 else (1.0 if dot > 0 else 0.0)
    out[0], out[1], out[2] = scale * x, scale * y, scale * z


@part
def orientation_error(rotation, node, frame, value, t, M, out):
    """Rotation vector, world axes, from the target of task t to its frame on the node; M (3, 3) is scratch."""
    for i in range(3):
        M[i, 0] = M[i, 1] = M[i, 2] = 0.0
        for k in range(3):
            x = (
                rotation[node, i, 0] * frame[t, 0, k]
                + rotation[node, i, 1] * frame[t, 1, k]
                + rotation[node, i, 2] * frame[t, 2, k]
            )
            for j in range(3):
                M[i, j] += x * value[t, j, k]
    log_rotation(M, out)


@part
def _accumulate(J, residual, weight, t, support, first, count, rows, hessian, gradient):
    """H += Jᵀ W J (lower triangle) and g += Jᵀ W r over a task's own variables; J (nv, 3) is cleared for the next."""
    for a in range(count):
        u = support[first + a]
        x, y, z = J[u, 0], J[u, 1], J[u, 2]
        rows[a, 0], rows[a, 1], rows[a, 2] = x, y, z
        J[u, 0], J[u, 1], J[u, 2] = 0.0, 0.0, 0.0
        x, y, z = weight[t, 0] * x, weight[t, 1] * y, weight[t, 2] * z
        gradient[u] += x * residual[0] + y * residual[1] + z * residual[2]
        for b in range(a + 1):
            hessian[u, support[first + b]] += x * rows[b, 0] + y * rows[b, 1] + z * rows[b, 2]


@part
def _centre(tree, tasks, targets, qpos, work):
    """Move a free base to where its position tasks are met best: no other term depends on where it is.

    A turn of the body about a foot that stands would else count as a slide of that foot, to second order.
    """
    kind, nodes, points, value, weight = tasks.kind, tasks.node, tasks.point, targets.value, targets.weight
    position, rotation, one_sided, b = work.node_position, work.node_rotation, targets.one_sided, work.vectors[1]
    total, pull, below = work.vectors[2], work.vectors[3], work.below
    total[:] = 0.0
    pull[:] = 0.0
    count = 0
    for t in range(len(kind)):
        if kind[t] != POSITION or (weight[t, 0] <= 0 and weight[t, 1] <= 0 and weight[t, 2] <= 0):
            continue
        place(nodes[t, 1], points, t, 1, position, rotation, b)
        if one_sided[t] and count < len(below):  # the floor's, which only ever lift
            below[count, 0], below[count, 1] = weight[t, 2], value[t, 0, 2] - b[2]
            count += 1
            continue
        for axis in range(3):
            total[axis] += weight[t, axis]
            pull[axis] += weight[t, axis] * (value[t, 0, axis] - b[axis])
    for axis in range(3):
        if tree.base_moves[axis]:
            shift = _lifted(total[2], pull[2], below, count) if axis == 2 else pull[axis] / max(total[axis], 1e-12)
            qpos[axis] += shift
            for node in range(len(position)):
                position[node, axis] += shift


@kernel
def _lifted(total, pull, below, count):
    """The lift with the least squared errors of the heights, `pull` of weight `total` in all, and of what stays
    below the floor: `count` rows (weight, depth). Each round adds up the points that are below after the last."""
    lift = pull / total if total > 0.0 else 0.0
    active = -1
    for _ in range(ROUNDS):
        weights, pulls, now = total, pull, 0
        for k in range(count):
            if below[k, 1] > lift:
                weights += below[k, 0]
                pulls += below[k, 0] * below[k, 1]
                now += 1
        if now == active:
            break
        active = now
        if weights > 0.0:
            lift = pulls / weights
    return lift


@part
def _add_tasks(tree, tasks, targets, work, curved):
    """All tasks at the node poses in `work`: cost, and with `curved` gradient and matrix too."""
    kind, nodes, points, frame = tasks.kind, tasks.node, tasks.point, tasks.frame
    support, support_start = tasks.support, tasks.support_start
    value, weight, one_sided = targets.value, targets.weight, targets.one_sided
    parent, joint_type, variable, ratio, base = tree.parent, tree.joint_type, tree.variable, tree.ratio, tree.base_size
    position, rotation, axes, J = work.node_position, work.node_rotation, work.node_axis, work.jacobian
    a, b, d, r, M = work.vectors[0], work.vectors[1], work.vectors[2], work.vectors[3], work.matrix
    rows, hessian, gradient = work.rows, work.hessian, work.gradient
    cost = 0.0
    for t in range(len(kind)):
        if weight[t, 0] <= 0 and weight[t, 1] <= 0 and weight[t, 2] <= 0:
            continue
        start, end, inverse = nodes[t, 0], nodes[t, 1], 1.0
        if kind[t] == ORIENTATION:
            orientation_error(rotation, end, frame, value, t, M, r)
        else:
            place(end, points, t, 1, position, rotation, b)
            if kind[t] == VECTOR:
                place(start, points, t, 0, position, rotation, a)
                for k in range(3):
                    r[k] = b[k] - a[k] - value[t, 0, k]
            elif kind[t] == DIRECTION:
                place(start, points, t, 0, position, rotation, a)
                x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
                inverse = 1.0 / max(np.sqrt(x * x + y * y + z * z), 1e-9)
                d[0], d[1], d[2] = x * inverse, y * inverse, z * inverse
                direction_error(d, value, t, r)
            else:
                if one_sided[t] and b[2] >= value[t, 0, 2]:
                    continue
                for k in range(3):
                    a[k] = position[0, k]
                    r[k] = b[k] - value[t, 0, k]
        for k in range(3):
            cost += weight[t, k] * r[k] * r[k]
        if not curved:
            continue
        angular = kind[t] == ORIENTATION
        add_chain(parent, joint_type, variable, ratio, end, b, position, axes, angular, 1.0, J)
        if kind[t] == DIRECTION or kind[t] == VECTOR:
            add_chain(parent, joint_type, variable, ratio, start, a, position, axes, False, -1.0, J)
        if base:
            if angular:
                J[3, 0], J[4, 1], J[5, 2] = 1.0, 1.0, 1.0
            else:
                x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
                J[3, 1], J[3, 2], J[4, 0], J[4, 2], J[5, 0], J[5, 1] = -z, y, z, -x, -y, x
                if kind[t] == POSITION:
                    J[0, 0], J[1, 1], J[2, 2] = 1.0, 1.0, 1.0
        first, count = support_start[t], support_start[t + 1] - support_start[t]
        if kind[t] == DIRECTION:
            for s in range(first, first + count):
                v = support[s]
                along = d[0] * J[v, 0] + d[1] * J[v, 1] + d[2] * J[v, 2]
                for k in range(3):
                    J[v, k] = (J[v, k] - along * d[k]) * inverse
        _accumulate(J, r, weight, t, support, first, count, rows, hessian, gradient)
    return cost


@part
def _add_posture(tree, targets, qpos, work):
    """Each independent joint's distance from the value it is drawn to."""
    leader, variable, first = tree.leader, tree.variable, tree.first_joint
    posture, weight, hessian, gradient = targets.posture, targets.posture_weight, work.hessian, work.gradient
    cost = 0.0
    for joint in range(len(leader)):
        if leader[joint] == joint:
            v = variable[joint]
            w, e = weight[v], qpos[first + joint] - posture[v]
            cost += w * e * e
            gradient[v] += w * e
            hessian[v, v] += w
    return cost


@kernel
def linearise(tree, tasks, targets, bodies, qpos, work, curved=True):
    """Forward kinematics, then gradient and Gauss–Newton matrix of all terms at `qpos`; returns the cost.

    A free base is moved on the way to where the position tasks are met best. With `curved` off the cost alone is
    wanted; gradient and matrix then have no meaning.
    """
    position, rotation = work.node_position, work.node_rotation
    forward_kinematics(tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base,
                       qpos, position, rotation)  # fmt: skip
    if tree.base_size:
        _centre(tree, tasks, targets, qpos, work)
    if curved:
        turn_axes(tree.axis, rotation, work.node_axis)
        work.gradient[:] = 0.0
        work.hessian[:] = 0.0
    cost = _add_tasks(tree, tasks, targets, work, curved)
    cost += _add_posture(tree, targets, qpos, work)
    work.apart[0] = add_self_distance(tree, bodies, work.bodies, position, rotation, work.hessian, work.gradient)
    return cost + work.apart[0]
