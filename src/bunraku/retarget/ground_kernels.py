"""How a free robot stands: locked soles, hands and knees that rest, the way of the hips, the floor; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.contacts import FEET, PATCH_JOINTS
from bunraku.human.ground import CONTACT_HEIGHT, CONTACT_SPEED, RELEASE_HEIGHT, RELEASE_SPEED
from bunraku.kinematics.jit import kernel, part
from bunraku.kinematics.terms import point_in_world

Array = NDArray[np.float64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


class Ground(NamedTuple):
    """How a free robot stands and moves through the world."""

    scale: float
    """robot's metres for one of the person's"""
    clearance: Array
    """(J,) height of each human joint above what it touches the floor with; infinite where it never does"""
    hips_task: int
    """the position task of the hips, the last one"""
    floor_task: int
    """the first of the tasks of the points that span the robot's shapes, S of them"""
    sole_task: int
    """the first of the tasks of the sole points, four for each foot"""
    patches: int
    """patches of soles: a front and a back one for each foot, two sole points each"""
    point_radius: Array
    """(S,)"""
    rest_start: Ints
    """(5,) where each hand's and each knee's points begin in `rest_point`"""
    rest_point: Ints
    """rows of the S points"""


class Stance(NamedTuple):
    """What stands where; kept from frame to frame. Patches are those of `human.contacts`."""

    lock: Array
    """(2 · 8, 3) where each sole point was put down; for hands and knees the first of each two"""
    firm: Array
    """(8,) 0 lifted … 1 held; between the two a part is being put down or let go"""
    locked: Flags
    """(8,) whether `lock` holds"""
    point: NDArray[np.int64]
    """(8,) the row of the S points that a hand or knee rests on, -1 for none"""
    hips: Array
    """(2, 3) the person's hips and the robot's in the last frame"""
    path: Array
    """(8, 4) where the two points of each patch were to be in the last frame; not finite where there was none"""


class FootMemory(NamedTuple):
    """What live contact detection remembers of the patches of `human.contacts`."""

    position: Array
    """(8, 3)"""
    standing: Flags
    """(8,)"""
    firm: Array
    """(8,)"""
    started: Flags
    """(1,)"""


LOCK_WEIGHT = 1e3
"""per m² and sole point: a centimetre off weighs as much as eighteen degrees of one limb"""
REST_WEIGHT, REST_STILL = 100.0, 0.15
"""the same for the height of a hand or a knee, and the share of it for its place: arms and legs of other proportions
than a person's cannot keep both"""
PATH_WEIGHT, PATH_WEIGHT_S = 1.0, 0.25
"""per m², and per m² · s of a frame's length: the way of the hips yields to what stands; nothing else decides it in
the air, and what is let go does not snap"""
ANKLES = (int(PATCH_JOINTS[1]), int(PATCH_JOINTS[3]))
"""the joints of heels"""
HOLD_S = 0.1
"""in which a foot is put down or let go"""
LOCKED = 0.999
"""of firmness: from here on the point stays in place, though it may yet come down"""
GIVE_M = 0.02
"""a lock that is pulled further than this comes along"""
EDGE_GIVE_M = 0.004
"""the same for the height of a sole's higher edge: where the ankle cannot lean as far as a person's, it gives way"""
NEAR_M = 0.1
"""points of the robot's body higher than this are not kept from the floor"""
FLAT_UP, TILTED_UP = 0.87, 0.5
"""upward part of a foot's own up: down to 30 degrees its heel stands, from 60 on it does not: nobody kneels on it"""
FLAT_SIDE, TILTED_SIDE = 0.26, 0.5
"""upward part of a foot's own side: up to 15 degrees its toes stand on all of their edge, from 30 on a corner"""
REACH_M = 0.2
"""a hand or knee that is higher than this does not rest, whatever the person's does"""


@kernel
def human_low_point(clearance, positions, position_valid):
    """Height of the person's lowest point above the floor; infinite where a foot is not known, which may be it."""
    low = np.inf
    for foot in ANKLES:
        if not position_valid[foot]:
            return low
    for joint in range(len(clearance)):
        if clearance[joint] < np.inf and position_valid[joint]:
            low = min(low, positions[joint, 2] - clearance[joint])
    return low


@kernel
def robot_low_point(ground, tasks, work):
    """Height of the robot's lowest point."""
    low = np.inf
    for s in range(len(ground.point_radius)):
        low = min(low, _height(ground, tasks, work, s))
    return low


@part
def _height(ground, tasks, work, s):
    """Height of the underside of one of the points that span the robot's shapes."""
    task = ground.floor_task + s
    node = tasks.node[task, 1]
    z = work.node_position[node, 2] - ground.point_radius[s]
    for k in range(3):
        z += work.node_rotation[node, 2, k] * tasks.point[task, 1, k]
    return z


@kernel
def how_flat(w, x, y, z, heel):
    """1 for a foot of this turn whose heel, or the edge of whose toes, can lie on the ground … 0 where it cannot."""
    if heel:
        share = (1.0 - 2.0 * (x * x + y * y) - TILTED_UP) / (FLAT_UP - TILTED_UP)
    else:
        share = (TILTED_SIDE - abs(2.0 * (y * z + w * x))) / (TILTED_SIDE - FLAT_SIDE)
    share = min(max(share, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


@kernel
def flatness(rotations, rotation_valid, out):
    """(T, 8) `how_flat` of each patch of a foot whose turn is known; what else `out` holds stays."""
    for t in range(len(rotations)):
        for k in range(FEET):
            heel = PATCH_JOINTS[2 * (k // 2) + 1]
            if rotation_valid[t, heel]:
                q = rotations[t, heel]
                out[t, k] = how_flat(q[0], q[1], q[2], q[3], k % 2 == 1)


@kernel
def detect_contact(ground, memory, dt, positions, rotations, position_valid, rotation_valid):
    """(8, 11) what `ground.footing` gives for a recording, from what was seen so far."""
    out = np.zeros((len(PATCH_JOINTS), 11))
    for k in range(len(PATCH_JOINTS)):
        joint = PATCH_JOINTS[k]
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
        memory.firm[k] = 1.0 if memory.standing[k] else max(0.0, memory.firm[k] - dt / HOLD_S)
        out[k, 0] = memory.firm[k]
        out[k, 1] = max(height, 0.0)
        out[k, 10] = 1.0
        if k < FEET:
            heel = PATCH_JOINTS[2 * (k // 2) + 1]
            if rotation_valid[heel]:
                q = rotations[heel]
                out[k, 10] = how_flat(q[0], q[1], q[2], q[3], k % 2 == 1)
            if k % 2 == 1:
                out[k, 0] *= out[k, 10]
        for i in range(8):
            out[k, 2 + i] = ground.scale * positions[joint, i % 2]
    memory.started[0] = True
    return out


@part
def _put_down(stance, footing, patch, k, at):
    """Point `k` of the locks, now at `at`, will stand where the patch is going to come to rest."""
    for i in range(2):
        column = 2 * (k - 2 * patch) + i
        way = footing[patch, 2 + column] - stance.path[patch, column]
        stance.lock[k, i] = at[i] + way if np.isfinite(way) else at[i]


@part
def _ramp(firm):
    """Share of the full weight: four powers of ten in equal steps, so that letting go has no jolt."""
    return 10.0 ** (4.0 * (firm - 1.0)) if firm > 0.0 else 0.0


@part
def _hold(ground, targets, stance, footing, task, k, patch, at, floor, weight, still, give):
    """A point that stands stays, one that was let go fades; a lock that cannot be met comes along."""
    dx, dy = stance.lock[k, 0] - at[0], stance.lock[k, 1] - at[1]
    away = np.sqrt(dx * dx + dy * dy)
    if away > GIVE_M:
        stance.lock[k, 0], stance.lock[k, 1] = at[0] + dx * GIVE_M / away, at[1] + dy * GIVE_M / away
    firm = stance.firm[patch]
    weight *= _ramp(firm)
    for i in range(2):
        targets.value[task, 0, i] = stance.lock[k, i]
        targets.weight[task, i] = still * weight if stance.locked[patch] else 0.0
    height = (1.0 - firm) * ground.scale * footing[patch, 1]
    targets.value[task, 0, 2] = floor + max(height, at[2] - floor - give)
    targets.weight[task, 2] = weight


@part
def _change(stance, footing, patch):
    """Whether the patch begins to stand in this frame; a lock lasts until the patch is lifted or comes down again."""
    wanted = footing[patch, 0]
    begins = wanted >= LOCKED and not (stance.locked[patch] and stance.firm[patch] >= LOCKED)
    if begins:
        stance.locked[patch] = True
    elif wanted < LOCKED and (wanted <= 0.0 or wanted > stance.firm[patch]):
        stance.locked[patch] = False
    stance.firm[patch] = wanted
    return begins


@kernel
def _stand_on_soles(ground, stance, tasks, targets, footing, work):
    at = work.vectors[1]
    for patch in range(ground.patches):
        begins = _change(stance, footing, patch)
        lowest, low = np.inf, 2 * patch
        for k in range(2 * patch, 2 * patch + 2):
            task = ground.sole_task + k
            point_in_world(tasks.node[task, 1], tasks.point[task, 1], work.node_position, work.node_rotation, at)
            if at[2] < lowest:
                lowest, low = at[2], k
        for k in range(2 * patch, 2 * patch + 2):
            task = ground.sole_task + k
            point_in_world(tasks.node[task, 1], tasks.point[task, 1], work.node_position, work.node_rotation, at)
            if begins:
                _put_down(stance, footing, patch, k, at)
            weight = LOCK_WEIGHT if k == low else LOCK_WEIGHT * footing[patch, 10]
            give = GIVE_M if k == low else min(max(lowest, 0.0) + EDGE_GIVE_M, GIVE_M)
            _hold(ground, targets, stance, footing, task, k, patch, at, 0.0, weight, 1.0, give)


@kernel
def _keep_above_floor(ground, tasks, targets, work):
    for s in range(len(ground.point_radius)):
        task = ground.floor_task + s
        targets.one_sided[task] = True
        targets.value[task, 0, 2] = ground.point_radius[s]
        targets.weight[task, 0] = targets.weight[task, 1] = 0.0
        targets.weight[task, 2] = LOCK_WEIGHT if _height(ground, tasks, work, s) < NEAR_M else 0.0


@kernel
def _rest_on_hands_and_knees(ground, stance, tasks, targets, footing, work):
    at = work.vectors[1]
    for rest in range(len(ground.rest_start) - 1):
        patch = FEET + rest
        begins = _change(stance, footing, patch)
        lowest, best = np.inf, -1
        for k in range(ground.rest_start[rest], ground.rest_start[rest + 1]):
            height = _height(ground, tasks, work, ground.rest_point[k])
            if height < lowest:
                lowest, best = height, ground.rest_point[k]
        if best < 0 or lowest > REACH_M or stance.firm[patch] <= 0.0:
            stance.point[patch] = -1
            continue
        task = ground.floor_task + best
        point_in_world(tasks.node[task, 1], tasks.point[task, 1], work.node_position, work.node_rotation, at)
        if begins or (stance.point[patch] != best and stance.locked[patch]):
            _put_down(stance, footing, patch, 2 * patch, at)
        stance.point[patch] = best
        targets.one_sided[task] = False
        floor = ground.point_radius[best]
        _hold(ground, targets, stance, footing, task, 2 * patch, patch, at, floor, REST_WEIGHT, REST_STILL, GIVE_M)


@kernel
def stand(ground, stance, tasks, targets, footing, positions, position_valid, work, dt):
    """Targets of soles, body and hips: what stands stays, nothing sinks, the hips go the person's way."""
    _stand_on_soles(ground, stance, tasks, targets, footing, work)
    _keep_above_floor(ground, tasks, targets, work)
    _rest_on_hands_and_knees(ground, stance, tasks, targets, footing, work)
    calm = PATH_WEIGHT_S / dt if np.isfinite(stance.path[0, 0]) else 0.0
    for k in range(3):
        step = positions[0, k] - stance.hips[0, k] if position_valid[0] else 0.0
        targets.value[ground.hips_task, 0, k] = stance.hips[1, k] + ground.scale * step
        targets.weight[ground.hips_task, k] = PATH_WEIGHT + calm
    for patch in range(len(footing)):
        for i in range(4):
            stance.path[patch, i] = footing[patch, 6 + i]


@kernel
def settle(ground, stance, lifts, tasks, positions, position_valid, qpos, work):
    """After a frame: in the air the lowest point is as high as the person's; nothing is left below the floor.

    A base that does not lift keeps its height.
    """
    low = robot_low_point(ground, tasks, work)
    wanted = human_low_point(ground.clearance, positions, position_valid)
    held = 0.0
    for patch in range(len(stance.firm)):
        if patch < ground.patches or stance.point[patch] >= 0:
            held = max(held, stance.firm[patch])
    lift = 0.0
    if wanted < np.inf:
        # Measured feet waver by a centimetre or two while they stand: only what is clearly off leaves the ground.
        lift = (1.0 - held) * (max(0.0, wanted - 0.02) * ground.scale - low)
    lift = max(lift, -low) if lifts else 0.0
    qpos[2] += lift
    for node in range(len(work.node_position)):
        work.node_position[node, 2] += lift
    task = ground.hips_task
    point_in_world(tasks.node[task, 1], tasks.point[task, 1], work.node_position, work.node_rotation, stance.hips[1])
    if position_valid[0]:
        for k in range(3):
            stance.hips[0, k] = positions[0, k]
