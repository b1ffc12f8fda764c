"""Clips, frame after frame; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel, part
from bunraku.kinematics.problem import Limits
from bunraku.kinematics.solver import solve
from bunraku.retarget.escape_kernels import change_over, look_for_escape, stay_calm
from bunraku.retarget.ground_kernels import settle, stand
from bunraku.retarget.reach_kernels import yield_to_ground
from bunraku.retarget.target_kernels import fill_targets

Array = NDArray[np.float64]


class Pace(NamedTuple):
    """How fast the variables may change, and how fast they do; the base's entries mean nothing."""

    speed: Array
    """(nv,) rad/s or m/s"""
    acceleration: Array
    """(nv,)"""
    lower: Array
    """(nv,) what can be reached in the next frame"""
    upper: Array
    """(nv,)"""
    rate: Array
    """(nv,) of the last frame"""
    before: Array
    """(nq,) the configuration before this frame"""
    spare: Array
    """(nq,)"""


@part
def _braking(distance, acceleration, dt):
    """The fastest that a joint may go towards a wall at this distance so that it can still stop there."""
    return acceleration * (np.sqrt(dt * dt + 2.0 * max(distance, 0.0) / acceleration) - dt)


@kernel
def keep_pace(tree, limits, pace, dt, qpos):
    """Bounds for the next frame: the joint limits, and what each joint can reach without more than its speed and
    acceleration, so that it can stop before its limits. Limits first, then speed, then acceleration."""
    leader, variable, first, least, most = tree.leader, tree.variable, tree.first_joint, limits.lower, limits.upper
    speed, acceleration, rate, lower, upper = pace.speed, pace.acceleration, pace.rate, pace.lower, pace.upper
    for i in range(len(qpos)):
        pace.before[i] = qpos[i]
    for joint in range(len(leader)):
        if leader[joint] != joint:
            continue
        v, q = variable[joint], qpos[first + joint]
        lower[v], upper[v] = least[v], most[v]
        if dt < np.inf:
            a = acceleration[v]
            down = max(-speed[v], min(rate[v] - a * dt, 0.0), -_braking(q - least[v], a, dt))
            up = min(speed[v], max(rate[v] + a * dt, 0.0), _braking(most[v] - q, a, dt))
            lower[v] = min(max(least[v], q + down * dt), most[v])
            upper[v] = max(min(most[v], q + up * dt), least[v])


@kernel
def note_pace(tree, pace, dt, qpos):
    """How fast each joint went in the frame that is done."""
    leader, variable, first, rate, before = tree.leader, tree.variable, tree.first_joint, pace.rate, pace.before
    for joint in range(len(leader)):
        if leader[joint] == joint:
            rate[variable[joint]] = (qpos[first + joint] - before[first + joint]) / dt


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
def solve_frames(tree, tasks, targets, bodies, limits, pace, dt, human, ground, stance, limbs, escape, work,
                 guide_weight, guide, positions, rotations, position_valid, rotation_valid, footing,
                 qpos, iterations, tolerance, out, costs):  # fmt: skip
    """Frames one after the other, each from the last, no joint faster than it may be; configurations into `out`.

    With a `guide` (T, nv), weighted by `guide_weight` (T, nv), `out` holds a solution already: each frame starts from
    its own, and its joints are drawn to the guide.
    """
    total, guided, bounds = 0, len(guide) > 0, Limits(pace.lower, pace.upper)
    travels = tree.base_size > 0 and tree.base_moves[0]
    for t in range(len(out)):
        keep_pace(tree, limits, pace, dt, qpos)
        fill_targets(tasks, human, positions[t], rotations[t], position_valid[t], rotation_valid[t], targets, work)
        if guided:
            follow_guide(tree, limbs, targets, guide_weight, guide, t, out, qpos)
        else:
            stay_calm(tree, limbs, targets, qpos, dt, min(work.apart[0], 1.0))
            change_over(limbs, escape, tree, targets, qpos, dt)
        if travels:
            stand(ground, stance, tasks, targets, footing[t], positions[t], position_valid[t], work, dt)
            yield_to_ground(human.reach, stance.firm, targets)
        cost, steps = solve(tree, tasks, targets, bodies, bounds, qpos, work, iterations, tolerance)
        if travels:
            settle(ground, stance, tree.base_moves[2], tasks, positions[t], position_valid[t], qpos, work)
        if not guided and cost < limbs.poor_cost:
            escape.poor[:] = 0.0
        elif not guided:
            look_for_escape(limbs, escape, tree, tasks, targets, bodies, limits, qpos, pace.spare, work, cost, dt,
                            2 * iterations, tolerance)  # fmt: skip
        note_pace(tree, pace, dt, qpos)
        total += steps
        costs[t] = cost
        for i in range(len(qpos)):
            out[t, i] = qpos[i]
    return total
