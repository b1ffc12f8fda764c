"""How a free robot stands: contacts of the person's feet, locked soles, the way of the hips, the floor; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.ground import CONTACT_HEIGHT, CONTACT_SPEED, RELEASE_HEIGHT, RELEASE_SPEED
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics.jit import kernel
from bunraku.kinematics.terms import point_in_world

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


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


LOCK_WEIGHT = 1e3
"""per m² and sole point: a centimetre off weighs as much as eighteen degrees of one limb"""
PATH_WEIGHT = 1.0
"""per m²: the way of the hips yields to everything but nothing else decides it in the air"""
HOLD_S = 0.1
"""in which a foot is put down or let go"""


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
