"""Clips, frame after frame; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.solver import solve
from bunraku.retarget.escape_kernels import change_over, look_for_escape, stay_calm
from bunraku.retarget.ground_kernels import settle, stand
from bunraku.retarget.target_kernels import fill_targets


@kernel
def hold_speed(tree, limits, speed, dt, qpos, lower, upper):
    """Bounds for the next frame: the joint limits, and what each joint can reach within `dt`."""
    leader, variable, first, least, most = tree.leader, tree.variable, tree.first_joint, limits.lower, limits.upper
    for joint in range(len(leader)):
        if leader[joint] == joint:
            v, q = variable[joint], qpos[first + joint]
            lower[v] = min(max(least[v], q - speed[v] * dt), most[v])
            upper[v] = max(min(most[v], q + speed[v] * dt), least[v])


@kernel
def follow_guide(tree, limbs, targets, guide_weight, guide, t, rough, qpos):
    """Start frame t from its `rough` solution, each joint drawn to its smooth way."""
    posture, weight, rest_weight = targets.posture, targets.posture_weight, limbs.rest_weight
    for v in range(tree.base_size, len(posture)):
        posture[v] = guide[t, v]
        weight[v] = guide_weight[t, v] + rest_weight[v]
    for i in range(len(qpos)):
        qpos[i] = rough[t, i]


@kernel
def solve_frames(tree, tasks, targets, bodies, limits, bounds, speed, dt, human, ground, stance, limbs, escape, work,
                 guide_weight, guide, positions, rotations, position_valid, rotation_valid, contact,
                 qpos, iterations, tolerance, out, costs):  # fmt: skip
    """Frames one after the other, each from the last, no joint faster than `speed`; configurations into `out`.

    With a `guide` (T, nv), weighted by `guide_weight` (T, nv), `out` holds a solution already: each frame starts from its own, and its
    joints are drawn to the guide.
    """
    total, spare, guided = 0, np.empty(len(qpos)), len(guide) > 0
    for t in range(len(out)):
        hold_speed(tree, limits, speed, dt, qpos, bounds.lower, bounds.upper)
        fill_targets(tasks, human, positions[t], rotations[t], position_valid[t], rotation_valid[t], targets, work)
        if guided:
            follow_guide(tree, limbs, targets, guide_weight, guide, t, out, qpos)
        else:
            stay_calm(tree, limbs, targets, qpos, dt)
            change_over(limbs, escape, tree, tasks, targets, qpos, dt)
        if tree.base_size:
            stand(ground, stance, tasks, targets, contact[t], dt, positions[t], position_valid[t], work)
        cost, steps = solve(tree, tasks, targets, bodies, bounds, qpos, work, iterations, tolerance)
        if tree.base_size:
            settle(ground, stance, tasks, positions[t], position_valid[t], qpos, work)
        if not guided:
            look_for_escape(limbs, escape, tree, tasks, targets, bodies, limits, qpos, spare, work, cost, dt,
                            2 * iterations, tolerance)  # fmt: skip
        total += steps
        costs[t] = cost
        for i in range(len(qpos)):
            out[t, i] = qpos[i]
    return total
