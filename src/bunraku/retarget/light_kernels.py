"""The fifth paper's angle method: a forearm's turn, elevation, twist and the wrist's bend, each by itself; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel, part
from bunraku.retarget.turn_kernels import (
    added,
    approach,
    by_quaternion,
    cross,
    dot,
    into_range,
    knows,
    row,
    scaled,
    surety,
    unit,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

TURN, ELEVATION, TWIST, BEND = 0, 1, 2, 3
"""the angles of an arm"""
MISSING, SINGULAR = 0, 1


class Light(NamedTuple):
    """The robot's joints, one for each angle of the arm, as compiled code sees them."""

    column: Ints
    """(4,) column of qpos, -1 where the robot has no such joint"""
    limits: Array
    """(4, 3) low, high, speed"""
    sign: Array
    """(4,) 1 where a growing joint value is a growing angle of the arm, else -1"""
    joint: Ints
    """(2, 2) the person's forearm and hand on either side"""
    chest: int
    """the joint that says where the person faces"""


class LightMemory(NamedTuple):
    """What is remembered from frame to frame."""

    angle: Array
    """(4,) joint values"""
    started: NDArray[np.bool_]
    """(4,)"""
    held: NDArray[np.int64]
    """(4, 2) frames in which an angle was held, by reason"""
    way: Array
    """(2,) the arm's own turn and elevation, rad, when they were last known"""
    side: Ints
    """(1,) the arm that is followed, -1 before any was seen"""


@part
def heading(rotations, valid, chest):
    """Where the person faces: cosine and sine of the angle about the vertical; straight on where that is not known."""
    if not knows(rotations, valid, chest):
        return 1.0, 0.0
    x, y, _ = by_quaternion(rotations, chest, (1.0, 0.0, 0.0))
    size = np.hypot(x, y)
    return (x / size, y / size) if size > 0.05 else (1.0, 0.0)


@part
def faced(c, s, v):
    """A world direction as seen by someone with that heading."""
    return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]


@part
def arm_seen(joints, position_valid, rotations, rotation_valid):
    """Whether an arm's forearm has a direction: 2 by positions or rotation, with the hand's rotation 3, else 0."""
    both = position_valid[joints[0]] and position_valid[joints[1]]
    if not (both or knows(rotations, rotation_valid, joints[0])):
        return 0
    return 3 if knows(rotations, rotation_valid, joints[1]) else 2


@part
def choose_side(joint, known, clip, t):
    """The arm to follow: the one followed so far, else the right one if it is known as well as the left one."""
    if known >= 0:
        return known
    right = arm_seen(joint[1], clip[2][t], clip[1][t], clip[3][t])
    left = arm_seen(joint[0], clip[2][t], clip[1][t], clip[3][t])
    if right == 0 and left == 0:
        return -1
    return 1 if right >= left else 0


@part
def forearm_way(joints, side, clip, t):
    """World direction of a forearm, and whether it is known."""
    positions, position_valid = clip[0][t], clip[2][t]
    if position_valid[joints[0]] and position_valid[joints[1]]:
        v = added(row(positions, joints[1]), scaled(row(positions, joints[0]), -1.0))
        if dot(v, v) > 1e-6:
            return unit(v), True
    if knows(clip[1][t], clip[3][t], joints[0]):
        return by_quaternion(clip[1][t], joints[0], (0.0, 1.0 - 2.0 * side, 0.0)), True
    return (1.0, 0.0, 0.0), False


@part
def _near(angle, last):
    """The same angle, by whole turns nearest to another."""
    return angle + 2.0 * np.pi * np.round((last - angle) / (2.0 * np.pi))


@kernel
def arm_angles(joints, side, clip, t, c, s, last, started):
    """Turn, elevation, twist, bend of an arm, rad; and how sure each is, -1 where the pose does not know it."""
    way, known = forearm_way(joints, side, clip, t)
    if not known:
        return (last[0], last[1], 0.0, 0.0), (-1.0, -1.0, -1.0, -1.0)
    along = faced(c, s, way)
    flat = np.hypot(along[0], along[1])
    sure = surety(flat)
    turn = _near(np.arctan2(along[1], along[0]), last[0])
    elevation = np.arctan2(along[2], flat)
    # An arm that went over the vertical is beyond it, not turned about.
    over, beyond = _near(turn + np.pi, last[0]), np.pi - elevation
    if started and abs(over - last[0]) + abs(beyond - last[1]) < abs(turn - last[0]) + abs(elevation - last[1]):
        turn = over
    turn = last[0] + (sure if started or sure == 0.0 else 1.0) * (turn - last[0])
    elevation = np.arctan2(along[2], along[0] * np.cos(turn) + along[1] * np.sin(turn))
    rotations, valid = clip[1][t], clip[3][t]
    if not knows(rotations, valid, joints[0]):
        return (turn, elevation, 0.0, 0.0), (sure, 1.0, -1.0, -1.0)
    across = (-np.sin(turn), np.cos(turn), 0.0)
    up = unit(cross(along, across))
    normal = faced(c, s, by_quaternion(rotations, joints[0], (0.0, 0.0, 1.0)))
    twist = np.arctan2(-dot(normal, across), dot(normal, up))
    if not knows(rotations, valid, joints[1]):
        return (turn, elevation, twist, 0.0), (sure, 1.0, 1.0, -1.0)
    # Of the hand against the forearm: first the twist, then the bend; the deviation comes last and is left out.
    z = faced(c, s, by_quaternion(rotations, joints[1], (0.0, 0.0, 1.0)))
    side_on, upright = -dot(z, cross(normal, along)), dot(z, normal)
    level = np.hypot(side_on, upright)
    more = surety(level) * np.arctan2(side_on, upright)
    return (turn, elevation, twist + more, np.arctan2(dot(z, along), level)), (sure, 1.0, 1.0, 1.0)


@kernel
def light_frames(light, memory, rest, dt_s, clip, out):
    """Joints for every frame of `clip` into `out` (T, nq); those without an angle of the arm are as in `rest`."""
    for t in range(len(out)):
        out[t] = rest
        side = choose_side(light.joint, memory.side[0], clip, t)
        memory.side[0] = side
        c, s = heading(clip[1][t], clip[3][t], light.chest)
        row_of = max(side, 0)
        angles, sure = arm_angles(light.joint[row_of], row_of, clip, t, c, s, memory.way, memory.started[ELEVATION])
        if side >= 0:
            memory.way[0], memory.way[1] = angles[0], angles[1]
        for k in range(4):
            if light.column[k] < 0:
                continue
            here = sure[k] if side >= 0 else -1.0
            if here > 0.0:
                low, high, speed = light.limits[k, 0], light.limits[k, 1], light.limits[k, 2]
                wanted = into_range(light.sign[k] * angles[k], low, high, memory.angle[k], memory.started[k])
                memory.angle[k] = approach(wanted, 1.0, memory.angle[k], memory.started[k], speed * dt_s)
                memory.started[k] = True
            memory.held[k, MISSING] += 1 if here < 0.0 else 0
            memory.held[k, SINGULAR] += 1 if 0.0 <= here < 1.0 else 0
            out[t, light.column[k]] = memory.angle[k]
