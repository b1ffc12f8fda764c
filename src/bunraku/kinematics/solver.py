"""The solver: Levenberg–Marquardt with box constraints, warm-started, nothing allocated; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel, part
from bunraku.kinematics.kernels import forward_kinematics
from bunraku.kinematics.self_distance import let_go, self_distance_cost
from bunraku.kinematics.terms import linearise

NEARLY = 10.0
"""times the tolerance: the step after one that is shorter falls below the tolerance"""
STIFFEST = 1e3
"""damping of the parts that give way, beyond which the whole body is damped with them"""


@part
def _cholesky_solve(U, x, count):
    """Solve U x = x for the leading `count` block of a symmetric U (upper triangle, overwritten), in place.

    Row operations run along memory, and those of limbs that do not touch each other are left out: with the variables
    from the limbs' ends to the base, no entry between two limbs ever fills.
    """
    for j in range(count):
        inverse = 1.0 / np.sqrt(max(U[j, j], 1e-12))
        for k in range(j, count):
            U[j, k] *= inverse
        U[j, j] = inverse
        x[j] *= inverse
        for i in range(j + 1, count):
            f = U[j, i]
            if f != 0.0:
                for k in range(i, count):
                    U[i, k] -= f * U[j, k]
                x[i] -= f * x[j]
    for i in range(count - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, count):
            s -= U[i, k] * x[k]
        x[i] = s * U[i, i]


@part
def _bounded_step(tree, limits, qpos, damping, largest, work, out, leads, stiff):
    """Step `out` (nv,) that lowers the quadratic model inside the box; joints that would leave it stop at its wall.

    Variables that are not among the `leads` (nv,) are damped by `stiff`, where that is more.
    """
    leader, variable, first, base = tree.leader, tree.variable, tree.first_joint, tree.base_size
    hessian, gradient, factor, step = work.hessian, work.gradient, work.factor, work.step
    lower, upper = limits.lower, limits.upper
    state, index = work.free, work.order  # 1 free, 0 stopped with the step already in `out`
    nv = len(gradient)
    for v in range(nv):
        state[v] = 1 if hessian[v, v] > 0.0 else 0
        out[v] = 0.0
    for v in range(base):
        if not tree.base_moves[v]:
            state[v] = 0
    for joint in range(len(leader)):
        if leader[joint] == joint:
            v, q = variable[joint], qpos[first + joint]
            if (q <= lower[v] and gradient[v] > 0) or (q >= upper[v] and gradient[v] < 0):
                state[v] = 0
                out[v] = min(max(q, lower[v]), upper[v]) - q
    for _ in range(6):
        count, moved = np.intp(0), False  # a plain 0 would be a type of its own and compile the callee twice
        for v in range(nv - 1, -1, -1):
            if state[v] == 1:
                index[count] = v
                count += 1
            elif out[v] != 0.0:
                moved = True
        for i in range(count):
            u = index[i]
            g = gradient[u]
            if moved:
                for v in range(nv):
                    if state[v] == 0 and out[v] != 0.0:
                        g += out[v] * (hessian[u, v] if u >= v else hessian[v, u])
            step[i] = -g
            for k in range(i, count):
                factor[i, k] = hessian[u, index[k]]
            own = damping if stiff <= damping or leads[u] else stiff
            factor[i, i] += own * (1e-3 + hessian[u, u]) + 1e-9
        _cholesky_solve(factor, step, count)
        for i in range(count):
            out[index[i]] = step[i]
        stopped = False
        for joint in range(len(leader)):
            v = variable[joint]
            if leader[joint] == joint and state[v] == 1:
                q = qpos[first + joint]
                wall = q + out[v]
                if wall < lower[v]:
                    out[v], state[v], stopped = lower[v] - q, 0, True
                elif wall > upper[v]:
                    out[v], state[v], stopped = upper[v] - q, 0, True
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


@part
def apply_step(tree, qpos, step, out):
    """`out` = `qpos` moved by `step` (nv,): base rotation by the exponential map, followers behind their leaders."""
    leader, variable, ratio, offset = tree.leader, tree.variable, tree.ratio, tree.offset
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
    for joint in range(len(leader)):
        if leader[joint] == joint:
            out[first + joint] = qpos[first + joint] + step[variable[joint]]
    for joint in range(len(leader)):
        if leader[joint] != joint:
            out[first + joint] = ratio[joint] * out[first + leader[joint]] + offset[joint]


@part
def _inside(tree, limits, qpos):
    """Joints brought into the box, exactly; a step that ends on a wall may miss it by a rounding error."""
    leader, variable, ratio, offset, first = tree.leader, tree.variable, tree.ratio, tree.offset, tree.first_joint
    lower, upper = limits.lower, limits.upper
    for joint in range(len(leader)):
        if leader[joint] == joint:
            v = variable[joint]
            qpos[first + joint] = min(max(qpos[first + joint], lower[v]), upper[v])
    for joint in range(len(leader)):
        if leader[joint] != joint:
            qpos[first + joint] = ratio[joint] * qpos[first + leader[joint]] + offset[joint]


@kernel
def _approach(tree, bodies, qpos, work):
    """What the bodies would cost if, of the step from the backup to `qpos`, only the sides of pairs that do not give
    way had made theirs: of that cost the others are innocent, and they answer it with the next step."""
    leader, variable, first, spare = tree.leader, tree.variable, tree.first_joint, work.spare
    for i in range(len(qpos)):
        spare[i] = qpos[i]
    for joint in range(len(leader)):
        if not bodies.leads[variable[joint]]:
            spare[first + joint] = work.backup[first + joint]
    forward_kinematics(tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base,
                       spare, work.spare_position, work.spare_rotation)  # fmt: skip
    return self_distance_cost(bodies, work.bodies, work.spare_position, work.spare_rotation)


@kernel
def solve(tree, tasks, targets, bodies, limits, qpos, work, iterations, tolerance):
    """Improve `qpos` in place. Returns (cost, steps taken). Node poses in `work` belong to the result.

    Stops when a step promises less than `tolerance` (rad or m) in every variable. A step that does not lower the cost
    is taken back and tried shorter.
    """
    damping, stiff, taken, best, size, apart = 1e-4, 0.0, 0, np.inf, np.inf, 0.0
    retreat, yields = False, len(bodies.leads) > 0
    _inside(tree, limits, qpos)
    let_go(work.bodies)
    while True:
        settled = size < NEARLY * tolerance and max(damping, stiff) < 1e-2
        last = (taken >= iterations or settled) and not retreat
        cost = linearise(tree, tasks, targets, bodies, qpos, work, not last)
        allowed = best
        if cost > best and not retreat and yields and work.apart[0] > apart:
            allowed += max(_approach(tree, bodies, qpos, work) - apart, 0.0)
        if cost > allowed and not retreat:
            for i in range(len(qpos)):
                qpos[i] = work.backup[i]
            if yields and work.apart[0] - apart > 0.5 * (cost - best) and stiff < STIFFEST:
                stiff = max(100.0 * stiff, 10.0)
            else:
                damping = max(10.0 * damping, 1e-1)
            retreat = True
            continue
        converged = not retreat and (settled or (best - cost < 1e-5 * best and size < 10 * tolerance))
        if not retreat:
            damping, stiff = max(0.05 * damping, 1e-6), 0.05 * stiff
        best, apart, retreat = cost, work.apart[0], False
        if converged or taken >= iterations or damping > 1e4:
            break
        size = _bounded_step(tree, limits, qpos, damping, 0.7, work, work.candidate, bodies.leads, stiff)
        if (
            size < tolerance and max(damping, stiff) < 1e-2
        ):  # a step that is short because it is damped is no sign of an optimum
            break
        for i in range(len(qpos)):
            work.backup[i] = qpos[i]
        apply_step(tree, work.backup, work.candidate, qpos)
        _inside(tree, limits, qpos)
        taken += 1
    return best, taken
