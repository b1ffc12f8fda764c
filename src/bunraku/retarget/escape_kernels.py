"""A limb stuck in a corner of its joints' ranges looks for a better branch, and is led there; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel, part
from bunraku.kinematics.kernels import forward_kinematics
from bunraku.kinematics.problem import DIRECTION
from bunraku.kinematics.solver import solve
from bunraku.kinematics.terms import place
from bunraku.retarget.target_kernels import fill_targets

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


class Limbs(NamedTuple):
    """Which limb each variable and task belongs to, -1 for none, and what its joints are drawn to at rest."""

    of_variable: Ints
    of_task: Ints
    rest: Array
    rest_weight: Array
    poor_cost: float
    """what a limb that is POOR_RAD off costs, rad²"""


class Escape(NamedTuple):
    """Limbs that are leaving a corner of their range for a better branch; kept from frame to frame."""

    left: Array
    """(L,) seconds that a limb may still take; 0 where none is on its way"""
    poor: Array
    """(L,) seconds that each limb has been far off"""
    goal: Array
    """(nv,)"""
    seed: NDArray[np.int64]
    """(1,)"""


POOR_RAD, POOR_S = 0.35, 0.1
"""a limb that is further off than this for so long looks for a better branch"""
ESCAPE_S = 0.6
ARRIVED_RAD = 0.3
LEAD_WEIGHT = 2.0
TIGHT = 10.0
CALM_S = 1e-3
"""how long a joint that one limb's direction decides lags behind for being drawn to where it is"""


@part
def _limb_error(limb, limbs, tasks, targets, work):
    """Largest angle between a limb's directions and what is wanted of them."""
    worst = 0.0
    a, b, position, rotation = work.vectors[0], work.vectors[1], work.node_position, work.node_rotation
    of_task, kind, nodes, points = limbs.of_task, tasks.kind, tasks.node, tasks.point
    value, weight = targets.value, targets.weight
    for t in range(len(kind)):
        if kind[t] != DIRECTION:  # they come first
            break
        if of_task[t] == limb and weight[t, 0] > 0:
            place(nodes[t, 0], points, t, 0, position, rotation, a)
            place(nodes[t, 1], points, t, 1, position, rotation, b)
            dot, length = 0.0, 0.0
            for k in range(3):
                dot += (b[k] - a[k]) * value[t, 0, k]
                length += (b[k] - a[k]) ** 2
            worst = max(worst, np.arccos(min(max(dot / max(np.sqrt(length), 1e-9), -1.0), 1.0)))
    return worst


@kernel
def _random(seed):
    """The next number in [0, 1) of a small generator; the same from the same start on every machine."""
    seed[0] = (seed[0] * 1103515245 + 12345) % 2147483648
    return seed[0] / 2147483648.0


@kernel
def stay_calm(tree, limbs, targets, qpos, dt, tight):
    """Joints are drawn to their rest, and to where they are: what the person's motion leaves open does not jump.

    More so by how `tight` (0 … 1) it is: of parts that press on each other none darts from side to side.
    """
    leader, variable, first = tree.leader, tree.variable, tree.first_joint
    rest, rest_weight = limbs.rest, limbs.rest_weight
    posture, weight = targets.posture, targets.posture_weight
    stay = CALM_S * (1.0 + TIGHT * tight) / dt
    for joint in range(len(leader)):
        if leader[joint] == joint:
            v = variable[joint]
            weight[v] = rest_weight[v] + stay
            posture[v] = (rest_weight[v] * rest[v] + stay * qpos[first + joint]) / weight[v] if weight[v] > 0.0 else 0.0


@kernel
def change_over(limbs, escape, tree, targets, qpos, dt):
    """A limb on its way to another branch is led there by its joints, not by its directions, until it is near."""
    of_variable, of_task, left, goal = limbs.of_variable, limbs.of_task, escape.left, escape.goal
    leader, variable, first = tree.leader, tree.variable, tree.first_joint
    posture, posture_weight, weight = targets.posture, targets.posture_weight, targets.weight
    for limb in range(len(left)):
        if left[limb] <= 0.0:
            continue
        left[limb] -= dt
        furthest = 0.0
        for joint in range(len(leader)):
            v = variable[joint]
            if leader[joint] == joint and of_variable[v] == limb:
                furthest = max(furthest, abs(qpos[first + joint] - goal[v]))
        if furthest < ARRIVED_RAD:
            left[limb] = 0.0
        if left[limb] <= 0.0:
            continue
        for v in range(len(of_variable)):
            if of_variable[v] == limb:
                posture[v], posture_weight[v] = goal[v], LEAD_WEIGHT
        for t in range(len(of_task)):
            if of_task[t] == limb:
                for k in range(3):
                    weight[t, k] *= 0.02


@kernel
def look_for_escape(
    limbs, escape, tree, tasks, targets, bodies, limits, qpos, spare, work, cost, dt, iterations, tolerance
):
    """One try in each frame for each limb that is far off: somewhere else in its range there may be a better branch."""
    for limb in range(len(escape.left)):
        if escape.left[limb] > 0.0:
            continue
        error = _limb_error(limb, limbs, tasks, targets, work)
        escape.poor[limb] = escape.poor[limb] + min(dt, POOR_S) if error > POOR_RAD else 0.0
        if escape.poor[limb] < POOR_S:
            continue
        for v in range(len(limbs.rest)):  # what keeps joints calm must not speak for the branch they are on
            targets.posture[v], targets.posture_weight[v] = limbs.rest[v], limbs.rest_weight[v]
        for i in range(len(qpos)):
            spare[i] = qpos[i]
        for joint in range(len(tree.leader)):
            v = tree.variable[joint]
            if tree.leader[joint] == joint and limbs.of_variable[v] == limb:
                low, high = max(limits.lower[v], -np.pi), min(limits.upper[v], np.pi)
                spare[tree.first_joint + joint] = low + _random(escape.seed) * (high - low)
        other, _ = solve(tree, tasks, targets, bodies, limits, spare, work, iterations, tolerance)
        if other < 0.7 * cost and _limb_error(limb, limbs, tasks, targets, work) < 0.5 * error:
            escape.left[limb] = ESCAPE_S
            for joint in range(len(tree.leader)):
                if tree.leader[joint] == joint:
                    v = tree.variable[joint]
                    if limbs.of_variable[v] == limb:
                        escape.goal[v] = spare[tree.first_joint + joint]
        forward_kinematics(tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base,
                           qpos, work.node_position, work.node_rotation)  # fmt: skip


@kernel
def limb_errors(limbs, tree, tasks, targets, human, work, positions, rotations, position_valid, rotation_valid,
                qpos, out):  # fmt: skip
    """Largest angle between what each limb does and what is wanted of it, for every frame, into `out` (T, L)."""
    for t in range(len(qpos)):
        fill_targets(tasks, human, positions[t], rotations[t], position_valid[t], rotation_valid[t], targets, work)
        forward_kinematics(tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base,
                           qpos[t], work.node_position, work.node_rotation)  # fmt: skip
        for limb in range(out.shape[1]):
            out[t, limb] = _limb_error(limb, limbs, tasks, targets, work)
