"""The shoulder for an orientation of the upper arm, elbow and wrist for that of the forearm; compiled.

The first paper takes Euler angles of the forearm, the third the angles between the segments.
"""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel, part
from bunraku.retarget.chain_kernels import EULER, behind, elbow_way, from_chest, segment_axes
from bunraku.retarget.turn_kernels import (
    added,
    approach,
    by_quaternion,
    cross,
    dot,
    into_range,
    knows,
    one_axis,
    row,
    scaled,
    surety,
    turned,
    two_axes,
    unit,
)

HINGE_SINE = 0.05
"""sine of the elbow's angle above which positions show the plane of the arm"""


@part
def upper_arm_axes(chains, memory, side, clip, t, upper, fore, both):
    """Axes of flexion and length of the upper arm, from its rotation, else from the plane of the arm."""
    if knows(clip[1][t], clip[3][t], chains.joint[side, 0]):
        flexion, along = segment_axes(chains, side, 0, clip, t)
        return from_chest(memory, flexion), from_chest(memory, along)
    flexion = cross(upper, fore)
    sine = np.sqrt(dot(flexion, flexion)) if both else 0.0
    last = row(memory.plane, side)
    if sine > 1e-9:
        flexion = scaled(flexion, 1.0 / sine)
        if sine < 6.0 * HINGE_SINE and dot(flexion, last) < 0.0:  # an elbow that is bent a little the wrong way
            flexion = scaled(flexion, -1.0)
    share = min((sine / HINGE_SINE) ** 2, 1.0)
    mixed = added(scaled(flexion, share), scaled(last, 1.0 - share))
    return unit(added(mixed, scaled(upper, -dot(upper, mixed)))), upper


@kernel
def solve_shoulder(chains, memory, side, flexion, along, dt_s):
    """Three joints of the shoulder so that the axis of the third lies along the arm, and the elbow bends as wanted."""
    axis, limits, angle = chains.axis[side], chains.limits[side], memory.angle[side]
    started, a3, sign = memory.started[side], row(axis, 2), 1.0
    if dot(a3, elbow_way(chains, side, 0.0)) < 0.0:
        sign = -1.0
    angle[0], angle[1], sure = two_axes(
        row(axis, 0), row(axis, 1), a3, scaled(along, sign), limits[0], limits[1], angle[0], angle[1], started, dt_s
    )
    bend = scaled(row(axis, 3), chains.elbow[side, 1])
    angle[2], sure3 = one_axis(a3, bend, behind(chains, side, 2, angle, flexion), limits[2], angle[2], started, dt_s)
    return min(sure, sure3)


@kernel
def solve_elbow(chains, memory, side, flexion, along, clip, t, fore, fore_known, dt_s):
    """Elbow and wrist from the forearm against the upper arm, as the first or third paper has it."""
    limits, angle, started = chains.limits[side], memory.angle[side], memory.started[side]
    straight, bends = chains.elbow[side, 0], chains.elbow[side, 1]
    turns, one_way = chains.elbow[side, 2], chains.elbow[side, 3]
    rotation_known = knows(clip[1][t], clip[3][t], chains.joint[side, 1])
    across, sure = cross(along, flexion), 1.0
    if fore_known or rotation_known:
        ahead = fore
        if rotation_known:
            ahead = from_chest(memory, segment_axes(chains, side, 1, clip, t)[1])
        bend, known = (
            np.arctan2(-dot(across, ahead), dot(along, ahead)),
            np.hypot(dot(across, ahead), dot(along, ahead)),
        )
        sure = surety(known)
        if chains.method == EULER:
            bend, sure = np.arccos(min(max(dot(along, ahead), -1.0), 1.0)), 1.0
        wanted = into_range(bends * (bend - straight), limits[3, 0], limits[3, 1], angle[3], started)
        angle[3] = approach(wanted, sure, angle[3], started, limits[3, 2] * dt_s)
    if chains.column[side, 4] < 0 or not rotation_known:
        return sure
    if chains.method == EULER:
        turn, known = _wrist_tilt(chains, side, clip, t, one_way)
    else:
        turn, known = _wrist_turn(chains, memory, side, clip, t, flexion)
    wrist_sure = surety(known)
    wanted = into_range(turns * turn, limits[4, 0], limits[4, 1], angle[4], started)
    angle[4] = approach(wanted, wrist_sure, angle[4], started, limits[4, 2] * dt_s)
    return min(sure, wrist_sure)


@part
def hand_twist(chains, side, clip, t):
    """Turn of the hand against the forearm about their length; 0 where the hand is not known."""
    rotations = clip[1][t]
    fore, hand = chains.joint[side, 1], chains.joint[side, 2]
    if not knows(rotations, clip[3][t], hand):
        return 0.0
    a, b = rotations[fore], rotations[hand]
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    y = a[0] * b[2] - a[2] * b[0] + a[1] * b[3] - a[3] * b[1]
    angle = 2.0 * np.arctan2(y, w) * (1.0 - 2.0 * side)
    return angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi))


@part
def _wrist_turn(chains, memory, side, clip, t, flexion):
    """What is left of the forearm's turn when its bend about the elbow is taken away, and the hand's twist."""
    bent, _ = segment_axes(chains, side, 1, clip, t)
    bent = from_chest(memory, bent)
    ahead = from_chest(memory, segment_axes(chains, side, 1, clip, t)[1])
    third = cross(ahead, bent)
    x, y = dot(flexion, bent), -dot(flexion, third)
    return np.arctan2(y, x) + hand_twist(chains, side, clip, t), np.hypot(x, y)


@part
def _wrist_tilt(chains, side, clip, t, one_way):
    """The angle between the hand's and the forearm's normals: cos = cos(bend) cos(turn), as the third paper has it.

    Where the robot's wrist turns both ways it is the part of that angle about the forearm, which keeps its sign and
    goes through zero smoothly. The forearm is the upper arm swung over, so that its own twist counts as the hand's.
    """
    rotations, valid, joints = clip[1][t], clip[3][t], chains.joint[side]
    hand = joints[2] if knows(rotations, valid, joints[2]) else joints[1]
    sign = 1.0 - 2.0 * side
    ahead = by_quaternion(rotations, joints[1], (0.0, sign, 0.0))
    before = by_quaternion(rotations, joints[0], (0.0, sign, 0.0))
    normal = by_quaternion(rotations, joints[0], (0.0, 0.0, 1.0))
    if not knows(rotations, valid, joints[0]):
        before, normal = ahead, by_quaternion(rotations, joints[1], (0.0, 0.0, 1.0))
    axis = cross(before, ahead)
    sine = np.sqrt(dot(axis, axis))
    if sine > 1e-9:
        normal = turned(scaled(axis, 1.0 / sine), np.arctan2(sine, dot(before, ahead)), normal)
    z = by_quaternion(rotations, hand, (0.0, 0.0, 1.0))
    tilt = np.arccos(min(max(dot(normal, z), -1.0), 1.0))
    if one_way != 0.0:
        return one_way * tilt, 1.0
    slope = np.sin(tilt)
    about = dot(cross(normal, z), ahead)
    return (about * tilt / slope if slope > 1e-9 else about), 1.0 if slope > 1e-3 or tilt < 1.0 else 0.0
