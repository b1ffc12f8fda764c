"""From a human pose to the solver's targets, the base's place above the ground, and whole clips; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.solver import point_in_world, solve

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


class HumanSide(NamedTuple):
    """The person's part of the problem, as compiled code sees it."""

    joint: Ints
    """(K, 2) for each task: a bone from the first joint to the second, or a segment, twice"""
    bone: Array
    """(K, 3) canonical direction, for poses that know rotations alone"""
    weight: Array
    """(K,)"""
    reference: int
    """joint whose frame stands for a fixed base, -1 for the world"""
    world_from_body: Array
    """(3, 3) for a fixed base: how the robot faces"""


class Ground(NamedTuple):
    """How the base of a free robot is placed: the person's way along the floor, scaled; lowest points matched."""

    scale: float
    """robot's metres for one of the person's"""
    clearance: Array
    """(J,) height of each human joint above what it touches the floor with; negative where it never does"""
    hips_node: int
    hips_point: Array
    point_node: Ints
    """(S,) points that span the robot's shapes"""
    point: Array
    point_radius: Array


class Anchor(NamedTuple):
    """Where the motion began; kept from frame to frame."""

    human_start: Array
    """(3,)"""
    last: Array
    """(4,) last known hips x y, height of the lowest point, 1 once started"""


@kernel
def _matrix(q, out):
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def fill_targets(tasks, human, positions, rotations, position_valid, rotation_valid, targets):
    """Directions and orientations of one pose; what the pose does not know gets weight zero."""
    A, M = np.zeros((3, 3)), np.zeros((3, 3))
    for i in range(3):
        A[i, i] = 1.0
    if human.reference >= 0:
        for i in range(3):
            for j in range(3):
                A[i, j] = human.world_from_body[i, j]
        if rotation_valid[human.reference]:
            _matrix(rotations[human.reference], M)
            for i in range(3):
                for j in range(3):
                    A[i, j] = 0.0
                    for k in range(3):
                        A[i, j] += human.world_from_body[i, k] * M[j, k]
    for t in range(len(tasks.kind)):
        a, b = human.joint[t, 0], human.joint[t, 1]
        known = rotation_valid[a]
        if tasks.kind[t] == 0:
            x = positions[b, 0] - positions[a, 0]
            y = positions[b, 1] - positions[a, 1]
            z = positions[b, 2] - positions[a, 2]
            length = np.sqrt(x * x + y * y + z * z)
            if position_valid[a] and position_valid[b] and length > 1e-3:
                known = True
                x, y, z = x / length, y / length, z / length
            elif known:
                _matrix(rotations[a], M)
                bone = human.bone[t]
                x = M[0, 0] * bone[0] + M[0, 1] * bone[1] + M[0, 2] * bone[2]
                y = M[1, 0] * bone[0] + M[1, 1] * bone[1] + M[1, 2] * bone[2]
                z = M[2, 0] * bone[0] + M[2, 1] * bone[1] + M[2, 2] * bone[2]
            for k in range(3):
                targets.value[t, 0, k] = A[k, 0] * x + A[k, 1] * y + A[k, 2] * z
        else:
            _matrix(rotations[a], M)
            for i in range(3):
                for j in range(3):
                    targets.value[t, i, j] = A[i, 0] * M[0, j] + A[i, 1] * M[1, j] + A[i, 2] * M[2, j]
        for k in range(3):
            targets.weight[t, k] = human.weight[t] if known else 0.0


@kernel
def human_low_point(clearance, positions, position_valid):
    """Height of the person's lowest point above the floor; nan where no joint that can touch it is known."""
    low = np.inf
    for joint in range(len(clearance)):
        if clearance[joint] >= 0 and position_valid[joint]:
            low = min(low, positions[joint, 2] - clearance[joint])
    return low


@kernel
def robot_low_point(ground, node_position, node_rotation):
    """Height of the robot's lowest point."""
    low = np.inf
    for s in range(len(ground.point_node)):
        node = ground.point_node[s]
        z = node_position[node, 2] - ground.point_radius[s]
        for k in range(3):
            z += node_rotation[node, 2, k] * ground.point[s, k]
        low = min(low, z)
    return low


@kernel
def place_base(ground, anchor, positions, position_valid, qpos, work):
    """Move the base so that the robot's hips follow the person's way and its lowest point is as high as theirs."""
    hips = np.zeros(3)
    if position_valid[0]:
        if anchor.last[3] == 0.0:
            for k in range(3):
                anchor.human_start[k] = positions[0, k]
            anchor.last[3] = 1.0
        for k in range(2):
            travel = positions[0, k] - anchor.human_start[k]
            anchor.last[k] = anchor.human_start[k] + ground.scale * travel
        low = human_low_point(ground.clearance, positions, position_valid)
        if low < np.inf:
            # Measured feet waver by a centimetre or two while they stand: only what is clearly off leaves the ground.
            anchor.last[2] = max(0.0, low - 0.02) * ground.scale
    point_in_world(ground.hips_node, ground.hips_point, work.node_position, work.node_rotation, hips)
    dx, dy = anchor.last[0] - hips[0], anchor.last[1] - hips[1]
    dz = anchor.last[2] - robot_low_point(ground, work.node_position, work.node_rotation)
    if not np.isfinite(dz):
        dz = 0.0
    qpos[0] += dx
    qpos[1] += dy
    qpos[2] += dz


@kernel
def hold_speed(tree, limits, speed, dt, qpos, lower, upper):
    """Bounds for the next frame: the joint limits, and what each joint can reach within `dt`."""
    for joint in range(len(tree.leader)):
        if tree.leader[joint] == joint:
            v, q = tree.variable[joint], qpos[tree.first_joint + joint]
            lower[v] = min(max(limits.lower[v], q - speed[v] * dt), limits.upper[v])
            upper[v] = max(min(limits.upper[v], q + speed[v] * dt), limits.lower[v])


@kernel
def solve_frames(tree, tasks, targets, limits, bounds, speed, dt, human, ground, anchor, work,
                 positions, rotations, position_valid, rotation_valid, qpos, iterations, tolerance,
                 out, costs):  # fmt: skip
    """Frames one after the other, each from the last, no joint faster than `speed`; configurations into `out`."""
    total = 0
    for t in range(len(out)):
        hold_speed(tree, limits, speed, dt, qpos, bounds.lower, bounds.upper)
        fill_targets(tasks, human, positions[t], rotations[t], position_valid[t], rotation_valid[t], targets)
        cost, steps = solve(tree, tasks, targets, bounds, qpos, work, iterations, tolerance)
        if tree.base_size:
            place_base(ground, anchor, positions[t], position_valid[t], qpos, work)
        total += steps
        costs[t] = cost
        for i in range(len(qpos)):
            out[t, i] = qpos[i]
    return total
