"""The solver: Levenberg–Marquardt with box constraints, warm-started, nothing allocated; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.terms import linearise


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
