"""Arms, neck and trunk of a robot as the closed forms see them, and what a pose wants of them; compiled.

Angles count from the neutral configuration. Directions are in canonical axes (x forward, y left, z up) of the part that
carries the chain: the chest for arms and neck, the hips for the trunk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel, part
from bunraku.retarget.turn_kernels import added, by_inverse, by_quaternion, cross, dot, knows, row, scaled, turned, unit

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

ORIENTATION, DIRECTION, EULER = 0, 1, 2
"""how an arm is mapped: as the first, the second and the third paper do"""
LEFT, RIGHT, NECK, TORSO = 0, 1, 2, 3
"""the chains"""
MISSING, SINGULAR = 0, 1
"""why a chain held an angle: the pose did not know it, or no angle was determined"""


class Chains(NamedTuple):
    """Both arms, neck and trunk, as compiled code sees them; C = 4 rows, up to K joints each."""

    column: Ints
    """(C, K) column of qpos, -1 behind the last joint"""
    spare: Ints
    """(C, K) column of a joint about the same axis that takes the rest, or -1"""
    axis: Array
    """(C, K, 3)"""
    limits: Array
    """(C, K, 3) low, high, speed; the spare joint's ranges are counted in"""
    own: Array
    """(C, K, 2) low and high of the joint alone"""
    bone: Array
    """(2, 4, 3) arms: shoulder's part of the upper arm, the part that turns with it, forearm, hand"""
    palm: Array
    """(2, 3) normal that points out of the palm"""
    elbow: Array
    """(2, 4) angle of the elbow where the arm is straight, sign of flexion, sign of the wrist's turn, 0 where the wrist
    turns both ways, else the only way"""
    joint: Ints
    """(2, 3) the person's upper arm, forearm, hand"""
    reference: int
    """the person's joint in whose frame all is seen, -1 for the world"""
    head: Ints
    """(2,) the person's chest and head"""
    method: int


class ChainMemory(NamedTuple):
    """What is remembered from frame to frame."""

    angle: Array
    """(C, K)"""
    started: NDArray[np.bool_]
    """(C,)"""
    held: NDArray[np.int64]
    """(C, 2) frames in which something was held, by reason"""
    plane: Array
    """(2, 3) axis about which each elbow was last seen to bend"""
    chest: Array
    """(3, 3) chest_from_hips of the robot's trunk, where that moves, against the neutral configuration"""


@part
def seen(chains, rotations, valid, v):
    """A world direction from the person's reference."""
    reference = chains.reference
    return by_inverse(rotations, reference, v) if reference >= 0 and knows(rotations, valid, reference) else v


@part
def bone_way(chains, side, a, b, clip, t):
    """Direction from one joint of the person to the next, and whether it is known."""
    positions, rotations, position_valid, rotation_valid = clip
    start, end = chains.joint[side, a], chains.joint[side, b]
    v, known = (0.0, 1.0, 0.0), False
    if position_valid[t, start] and position_valid[t, end]:
        v = added(row(positions[t], end), scaled(row(positions[t], start), -1.0))
        known = dot(v, v) > 1e-6
    if not known and knows(rotations[t], rotation_valid[t], start):
        v, known = by_quaternion(rotations[t], start, (0.0, 1.0 - 2.0 * side, 0.0)), True
    return seen(chains, rotations[t], rotation_valid[t], unit(v)), known


@part
def segment_axes(chains, side, part_of_arm, clip, t):
    """Images of the axes of flexion and of the length of a canonical segment, for a known rotation."""
    rotations, valid = clip[1][t], clip[3][t]
    joint, sign = chains.joint[side, part_of_arm], 1.0 - 2.0 * side
    flexion = seen(chains, rotations, valid, by_quaternion(rotations, joint, (0.0, 0.0, -sign)))
    return flexion, seen(chains, rotations, valid, by_quaternion(rotations, joint, (0.0, sign, 0.0)))


@part
def from_chest(memory, v):
    """A direction from the hips as seen from the chest, where the trunk was sent to."""
    R = memory.chest
    return dot(row(R, 0), v), dot(row(R, 1), v), dot(row(R, 2), v)


@kernel
def note_torso(chains, memory):
    """Where the trunk was sent to, for what hangs on the chest."""
    for i in range(3):
        v = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        for k in range(chains.column.shape[1]):
            if chains.column[TORSO, k] < 0:
                break
            v = turned(row(chains.axis[TORSO], k), -memory.angle[TORSO, k], v)
        memory.chest[0, i], memory.chest[1, i], memory.chest[2, i] = v


@part
def elbow_way(chains, side, turn):
    """Direction of the robot's upper arm before shoulder joints, its elbow turned by `turn`."""
    axis = row(chains.axis[side], 2)
    return unit(added(row(chains.bone[side], 0), turned(axis, turn, row(chains.bone[side], 1))))


@part
def is_rigid(chains, side):
    """Whether the elbow lies on the axis about which the upper arm turns."""
    offset = cross(row(chains.bone[side], 1), row(chains.axis[side], 2))
    return dot(offset, offset) < 1e-16


@part
def behind(chains, side, count, angles, v):
    """A direction seen from behind the first `count` joints of an arm."""
    for k in range(count):
        v = turned(row(chains.axis[side], k), -angles[k], v)
    return v
