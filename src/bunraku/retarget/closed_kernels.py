"""The papers' closed forms, frame after frame; compiled.

Each chain's joints are solved from the root on, and what is wanted of the next ones is seen from where the ones before
were really sent: clamped and as fast as they can.
"""

from __future__ import annotations

from bunraku.kinematics.jit import kernel
from bunraku.retarget.chain_kernels import (
    DIRECTION,
    LEFT,
    MISSING,
    NECK,
    RIGHT,
    SINGULAR,
    TORSO,
    behind,
    bone_way,
    from_chest,
    note_torso,
    seen,
)
from bunraku.retarget.direction_kernels import solve_directions
from bunraku.retarget.orientation_kernels import solve_elbow, solve_shoulder, upper_arm_axes
from bunraku.retarget.turn_kernels import by_quaternion, knows, one_axis, row, turned, two_axes


@kernel
def _solve_hand(chains, memory, side, clip, t, first, dt_s):
    """The wrist from the palm's normal and the hand's direction, joint `first` on; how sure."""
    axis, limits, angle = chains.axis[side], chains.limits[side], memory.angle[side]
    column, started, sure = chains.column[side], memory.started[side], 1.0
    rotations, valid, joint = clip[1][t], clip[3][t], chains.joint[side, 2]
    if column[first] < 0:
        return sure
    if not knows(rotations, valid, joint):
        return -1.0
    sign, k = 1.0 - 2.0 * side, first
    if first == 4:
        palm = seen(chains, rotations, valid, by_quaternion(rotations, joint, (0.0, 0.0, -1.0)))
        palm = behind(chains, side, 4, angle, from_chest(memory, palm))
        angle[4], sure = one_axis(row(axis, 4), row(chains.palm, side), palm, limits[4], angle[4], started, dt_s)
        k = 5
    if column[k] < 0:
        return sure
    way = seen(chains, rotations, valid, by_quaternion(rotations, joint, (0.0, sign, 0.0)))
    way = behind(chains, side, k, angle, from_chest(memory, way))
    hand = row(chains.bone[side], 3)
    if column[k + 1] < 0:
        angle[k], other = one_axis(row(axis, k), hand, way, limits[k], angle[k], started, dt_s)
    else:
        angle[k], angle[k + 1], other = two_axes(
            row(axis, k), row(axis, k + 1), hand, way, limits[k], limits[k + 1], angle[k], angle[k + 1], started, dt_s
        )
    return min(sure, other)


@kernel
def _solve_arm(chains, memory, side, clip, t, dt_s):
    """One arm of one frame."""
    if chains.column[side, 0] < 0:
        return
    upper, upper_known = bone_way(chains, side, 0, 1, clip, t)
    fore, fore_known = bone_way(chains, side, 1, 2, clip, t)
    upper, fore = from_chest(memory, upper), from_chest(memory, fore)
    valid, joints = clip[3][t], chains.joint[side]
    if not upper_known:
        memory.held[side, MISSING] += 1
        return
    if chains.method == DIRECTION:
        sure = solve_directions(chains, memory, side, upper, fore, fore_known, dt_s)
        known = fore_known
        if fore_known:
            wrist = _solve_hand(chains, memory, side, clip, t, 4, dt_s)
            sure, known = (min(sure, wrist), True) if wrist >= 0.0 else (sure, False)
    else:
        flexion, along = upper_arm_axes(chains, memory, side, clip, t, upper, fore, fore_known)
        memory.plane[side, 0], memory.plane[side, 1], memory.plane[side, 2] = flexion
        sure = solve_shoulder(chains, memory, side, flexion, along, dt_s)
        sure = min(sure, solve_elbow(chains, memory, side, flexion, along, clip, t, fore, fore_known, dt_s))
        known = fore_known and (chains.column[side, 4] < 0 or knows(clip[1][t], valid, joints[1]))
        wrist = _solve_hand(chains, memory, side, clip, t, 5, dt_s)
        sure, known = (min(sure, wrist), known) if wrist >= 0.0 else (sure, False)
    memory.held[side, MISSING] += 0 if known else 1
    memory.held[side, SINGULAR] += 1 if sure < 1.0 else 0
    memory.started[side] = True


@kernel
def _solve_turns(chains, memory, chain, rotations, valid, dt_s):
    """Neck or trunk: up to three turns in the joints' own order; an axis that is not there is left out."""
    columns, angle = chains.column[chain], memory.angle[chain]
    if columns[0] < 0:
        return
    joint = chains.head[1 if chain == NECK else 0]
    if not knows(rotations, valid, joint):
        memory.held[chain, MISSING] += 1
        return
    axis, limits, started = chains.axis[chain], chains.limits[chain], memory.started[chain]
    a1, a2, a3 = row(axis, 0), row(axis, 1), row(axis, 2)
    w3 = seen(chains, rotations, valid, by_quaternion(rotations, joint, a3))
    if chain == NECK:
        w3 = from_chest(memory, w3)
    if columns[1] < 0:
        angle[0], sure = one_axis(a1, a3, w3, limits[0], angle[0], started, dt_s)
    else:
        angle[0], angle[1], sure = two_axes(a1, a2, a3, w3, limits[0], limits[1], angle[0], angle[1], started, dt_s)
    if columns[1] >= 0 and columns[2] >= 0:
        w2 = seen(chains, rotations, valid, by_quaternion(rotations, joint, a2))
        if chain == NECK:
            w2 = from_chest(memory, w2)
        rest = turned(a2, -angle[1], turned(a1, -angle[0], w2))
        angle[2], last = one_axis(a3, a2, rest, limits[2], angle[2], started, dt_s)
        sure = min(sure, last)
    memory.held[chain, SINGULAR] += 1 if sure < 1.0 else 0
    memory.started[chain] = True


@kernel
def closed_frames(chains, memory, neutral, dt_s, clip, out):
    """Joints of trunk, neck and arms for every frame of `clip` into `out` (T, nq); all others are neutral.

    `clip`: positions (T, J, 3), rotations (T, J, 4), and whether they are known (T, J) each; frames are `dt_s` apart.
    """
    for t in range(len(out)):
        out[t] = neutral
        rotations, valid = clip[1][t], clip[3][t]
        _solve_turns(chains, memory, TORSO, rotations, valid, dt_s)
        note_torso(chains, memory)
        _solve_turns(chains, memory, NECK, rotations, valid, dt_s)
        _solve_arm(chains, memory, LEFT, clip, t, dt_s)
        _solve_arm(chains, memory, RIGHT, clip, t, dt_s)
        for chain in range(chains.column.shape[0]):
            for k in range(chains.column.shape[1]):
                column = chains.column[chain, k]
                if column < 0:
                    break
                angle = memory.angle[chain, k]
                own = min(max(angle, chains.own[chain, k, 0]), chains.own[chain, k, 1])
                out[t, column] += own
                if chains.spare[chain, k] >= 0:
                    out[t, chains.spare[chain, k]] += angle - own
