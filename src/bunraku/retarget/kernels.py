"""From a human pose to the solver's targets, the base's place above the ground, and whole clips; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.ground import CONTACT_HEIGHT, CONTACT_SPEED, RELEASE_HEIGHT, RELEASE_SPEED
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics.jit import kernel
from bunraku.kinematics.kernels import forward_kinematics
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
    """How a free robot stands and moves through the world."""

    scale: float
    """robot's metres for one of the person's"""
    clearance: Array
    """(J,) height of each human joint above what it touches the floor with; negative where it never does"""
    hips_task: int
    """the position task of the hips; the sole tasks come right before it, four for each foot"""
    patches: int
    """patches that touch the floor: a front and a back one for each foot, two sole points each"""
    point_node: Ints
    """(S,) points that span the robot's shapes"""
    point: Array
    point_radius: Array


class Stance(NamedTuple):
    """What stands where; kept from frame to frame."""

    lock: Array
    """(2 · patches, 3) where each sole point was put down"""
    hold: Array
    """(patches,) 0 lifted … 1 held; between the two a foot is being put down or let go"""
    hips: Array
    """(2, 3) the person's hips and the robot's in the last frame"""


class FootMemory(NamedTuple):
    """What live contact detection remembers: left toe, left ankle, right toe, right ankle."""

    position: Array
    """(4, 3)"""
    standing: NDArray[np.bool_]
    """(4,)"""
    started: NDArray[np.bool_]
    """(1,)"""


FOOT_JOINTS = np.array([INDEX[f"{side}_{part}"] for side in SIDES for part in ("toe", "foot")])


class Limbs(NamedTuple):
    """Which limb each variable and task belongs to, -1 for none, and what its joints are drawn to at rest."""

    of_variable: Ints
    of_task: Ints
    rest: Array
    rest_weight: Array


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
ESCAPE_S, ESCAPE_ITERATIONS = 0.6, 15
ARRIVED_RAD = 0.3
LEAD_WEIGHT = 2.0
LOCK_WEIGHT = 1e3
"""per m² and sole point: a centimetre off weighs as much as eighteen degrees of one limb"""
PATH_WEIGHT = 1.0
"""per m²: the way of the hips yields to everything but nothing else decides it in the air"""
HOLD_S = 0.1
"""in which a foot is put down or let go"""


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
    for t in range(len(human.joint)):
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
def detect_contact(ground, memory, dt, positions, position_valid):
    """(4,) which parts of the feet stand: low and slow, until they are clearly neither."""
    for k in range(4):
        joint = FOOT_JOINTS[k]
        distance = 0.0
        for i in range(3):
            distance += (positions[joint, i] - memory.position[k, i]) ** 2
            memory.position[k, i] = positions[joint, i]
        speed = np.sqrt(distance) / dt if memory.started[0] else 0.0
        height = positions[joint, 2] - ground.clearance[joint]
        if memory.standing[k]:
            stays = speed < RELEASE_SPEED and height < RELEASE_HEIGHT
        else:
            stays = speed < CONTACT_SPEED and height < CONTACT_HEIGHT
        memory.standing[k] = stays and position_valid[joint]
    memory.started[0] = True
    return memory.standing[: ground.patches].copy()


@kernel
def stand(ground, stance, tasks, targets, contact, dt, positions, position_valid, work):
    """Targets of the soles and the hips: what stands stays, what was put down now stays from now on."""
    first = ground.hips_task - 2 * ground.patches
    b = work.vectors[1]
    for patch in range(ground.patches):
        if contact[patch]:
            if stance.hold[patch] == 0.0:
                for k in range(2 * patch, 2 * patch + 2):
                    task = first + k
                    point_in_world(tasks.node[task, 1], tasks.point[task, 1], work.node_position, work.node_rotation, b)
                    stance.lock[k, 0], stance.lock[k, 1] = b[0], b[1]
            stance.hold[patch] = min(1.0, stance.hold[patch] + dt / HOLD_S)
        else:
            stance.hold[patch] = max(0.0, stance.hold[patch] - dt / HOLD_S)
        hold = stance.hold[patch]
        for k in range(2 * patch, 2 * patch + 2):
            task = first + k
            targets.one_sided[task] = hold == 0.0
            for i in range(3):
                targets.value[task, 0, i] = stance.lock[k, i]
                targets.weight[task, i] = LOCK_WEIGHT * 10.0 ** (4.0 * (hold - 1.0)) if hold > 0.0 else 0.0
            if hold == 0.0:
                targets.weight[task, 2] = LOCK_WEIGHT
            elif contact[patch]:
                targets.weight[task, 0] = targets.weight[task, 1] = LOCK_WEIGHT
    task = ground.hips_task
    for k in range(3):
        step = positions[0, k] - stance.hips[0, k] if position_valid[0] else 0.0
        targets.value[task, 0, k] = stance.hips[1, k] + ground.scale * step
        targets.weight[task, k] = PATH_WEIGHT


@kernel
def settle(ground, stance, tasks, positions, position_valid, qpos, work):
    """After a frame: in the air the lowest point is as high as the person's; nothing is left below the floor."""
    low = robot_low_point(ground, work.node_position, work.node_rotation)
    wanted = human_low_point(ground.clearance, positions, position_valid)
    lift = 0.0
    if low < np.inf:
        held = 0.0
        for patch in range(ground.patches):
            held = max(held, stance.hold[patch])
        if wanted < np.inf:
            # Measured feet waver by a centimetre or two while they stand: only what is clearly off leaves the ground.
            lift = (1.0 - held) * (max(0.0, wanted - 0.02) * ground.scale - low)
        lift = max(lift, -low)
    qpos[2] += lift
    for node in range(len(work.node_position)):
        work.node_position[node, 2] += lift
    task = ground.hips_task
    point_in_world(tasks.node[task, 1], tasks.point[task, 1], work.node_position, work.node_rotation, stance.hips[1])
    if position_valid[0]:
        for k in range(3):
            stance.hips[0, k] = positions[0, k]


@kernel
def hold_speed(tree, limits, speed, dt, qpos, lower, upper):
    """Bounds for the next frame: the joint limits, and what each joint can reach within `dt`."""
    for joint in range(len(tree.leader)):
        if tree.leader[joint] == joint:
            v, q = tree.variable[joint], qpos[tree.first_joint + joint]
            lower[v] = min(max(limits.lower[v], q - speed[v] * dt), limits.upper[v])
            upper[v] = max(min(limits.upper[v], q + speed[v] * dt), limits.lower[v])


@kernel
def _limb_error(limb, limbs, tasks, targets, work):
    """Largest angle between a limb's directions and what is wanted of them."""
    worst = 0.0
    a, b = work.vectors[0], work.vectors[1]
    for t in range(len(tasks.kind)):
        if limbs.of_task[t] == limb and tasks.kind[t] == 0 and targets.weight[t, 0] > 0:
            point_in_world(tasks.node[t, 0], tasks.point[t, 0], work.node_position, work.node_rotation, a)
            point_in_world(tasks.node[t, 1], tasks.point[t, 1], work.node_position, work.node_rotation, b)
            dot, length = 0.0, 0.0
            for k in range(3):
                dot += (b[k] - a[k]) * targets.value[t, 0, k]
                length += (b[k] - a[k]) ** 2
            worst = max(worst, np.arccos(min(max(dot / max(np.sqrt(length), 1e-9), -1.0), 1.0)))
    return worst


@kernel
def _random(seed):
    """The next number in [0, 1) of a small generator; the same from the same start on every machine."""
    seed[0] = (seed[0] * 1103515245 + 12345) % 2147483648
    return seed[0] / 2147483648.0


@kernel
def change_over(limbs, escape, tree, targets, qpos, dt):
    """A limb on its way to another branch is led there by its joints, not by its directions, until it is near."""
    for limb in range(len(escape.left)):
        if escape.left[limb] <= 0.0:
            continue
        escape.left[limb] -= dt
        furthest = 0.0
        for joint in range(len(tree.leader)):
            v = tree.variable[joint]
            if tree.leader[joint] == joint and limbs.of_variable[v] == limb:
                furthest = max(furthest, abs(qpos[tree.first_joint + joint] - escape.goal[v]))
        if furthest < ARRIVED_RAD:
            escape.left[limb] = 0.0
        away = escape.left[limb] > 0.0
        for v in range(len(limbs.of_variable)):
            if limbs.of_variable[v] == limb:
                targets.posture[v] = escape.goal[v] if away else limbs.rest[v]
                targets.posture_weight[v] = LEAD_WEIGHT if away else limbs.rest_weight[v]
        if away:
            for t in range(len(limbs.of_task)):
                if limbs.of_task[t] == limb:
                    for k in range(3):
                        targets.weight[t, k] *= 0.02


@kernel
def look_for_escape(limbs, escape, tree, tasks, targets, bodies, limits, qpos, spare, work, cost, dt, tolerance):
    """One try in each frame for each limb that is far off: somewhere else in its range there may be a better branch."""
    for limb in range(len(escape.left)):
        if escape.left[limb] > 0.0:
            continue
        error = _limb_error(limb, limbs, tasks, targets, work)
        escape.poor[limb] = escape.poor[limb] + min(dt, POOR_S) if error > POOR_RAD else 0.0
        if escape.poor[limb] < POOR_S:
            continue
        for i in range(len(qpos)):
            spare[i] = qpos[i]
        for joint in range(len(tree.leader)):
            v = tree.variable[joint]
            if tree.leader[joint] == joint and limbs.of_variable[v] == limb:
                low, high = max(limits.lower[v], -np.pi), min(limits.upper[v], np.pi)
                spare[tree.first_joint + joint] = low + _random(escape.seed) * (high - low)
        other, _ = solve(tree, tasks, targets, bodies, limits, spare, work, ESCAPE_ITERATIONS, tolerance)
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
def solve_frames(tree, tasks, targets, bodies, limits, bounds, speed, dt, human, ground, stance, limbs, escape, work,
                 positions, rotations, position_valid, rotation_valid, contact,
                 qpos, iterations, tolerance, out, costs):  # fmt: skip
    """Frames one after the other, each from the last, no joint faster than `speed`; configurations into `out`."""
    total, spare = 0, np.empty(len(qpos))
    for t in range(len(out)):
        hold_speed(tree, limits, speed, dt, qpos, bounds.lower, bounds.upper)
        fill_targets(tasks, human, positions[t], rotations[t], position_valid[t], rotation_valid[t], targets)
        change_over(limbs, escape, tree, targets, qpos, dt)
        if tree.base_size:
            stand(ground, stance, tasks, targets, contact[t], dt, positions[t], position_valid[t], work)
        cost, steps = solve(tree, tasks, targets, bodies, bounds, qpos, work, iterations, tolerance)
        if tree.base_size:
            settle(ground, stance, tasks, positions[t], position_valid[t], qpos, work)
        look_for_escape(limbs, escape, tree, tasks, targets, bodies, limits, qpos, spare, work, cost, dt, tolerance)
        total += steps
        costs[t] = cost
        for i in range(len(qpos)):
            out[t, i] = qpos[i]
    return total
