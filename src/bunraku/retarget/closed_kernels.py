"""The papers' closed forms, frame after frame; compiled. Angles count from the neutral configuration.

All directions are in canonical axes (x forward, y left, z up) of the part that carries the chain: the chest for arms and
neck, the hips for the trunk. Each chain's joints are solved from the root on, and what is wanted of the next ones is seen
from where the ones before were really sent: clamped and as fast as they can.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel, part
from bunraku.retarget.turn_kernels import (
    added,
    angle_about,
    approach,
    better_way,
    by_inverse,
    by_quaternion,
    cross,
    dot,
    go,
    into_range,
    knows,
    meeting,
    one_axis,
    one_way,
    prefers,
    row,
    scaled,
    surety,
    turned,
    two_axes,
    unit,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

ORIENTATION, DIRECTION, EULER = 0, 1, 2
"""how an arm is mapped: as the first, the second and the third paper do"""
LEFT, RIGHT, NECK, TORSO = 0, 1, 2, 3
"""the chains"""
MISSING, SINGULAR = 0, 1
"""why a chain held an angle: the pose did not know it, or no angle was determined"""
ROUNDS = 12
"""in which the place of an elbow that stands off the axis of the upper arm's turn is found"""
CLOSE_RAD = 0.5
"""a way this short, all joints together, that misses nothing is taken without looking at the others"""
HINGE_SINE = 0.05
"""sine of the elbow's angle above which positions show the plane of the arm"""


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
def _seen(chains, rotations, valid, v):
    """A world direction from the person's reference."""
    reference = chains.reference
    return by_inverse(rotations, reference, v) if reference >= 0 and knows(rotations, valid, reference) else v


@part
def _bone(chains, side, a, b, clip, t):
    """Direction from one joint of the person to the next, and whether it is known."""
    positions, rotations, position_valid, rotation_valid = clip
    start, end = chains.joint[side, a], chains.joint[side, b]
    v, known = (0.0, 1.0, 0.0), False
    if position_valid[t, start] and position_valid[t, end]:
        v = added(row(positions[t], end), scaled(row(positions[t], start), -1.0))
        known = dot(v, v) > 1e-6
    if not known and knows(rotations[t], rotation_valid[t], start):
        v, known = by_quaternion(rotations[t], start, (0.0, 1.0 - 2.0 * side, 0.0)), True
    return _seen(chains, rotations[t], rotation_valid[t], unit(v)), known


@part
def _axes(chains, side, part_of_arm, clip, t):
    """Images of the axes of flexion and of the length of a canonical segment, for a known rotation."""
    rotations, valid = clip[1][t], clip[3][t]
    joint, sign = chains.joint[side, part_of_arm], 1.0 - 2.0 * side
    flexion = _seen(chains, rotations, valid, by_quaternion(rotations, joint, (0.0, 0.0, -sign)))
    return flexion, _seen(chains, rotations, valid, by_quaternion(rotations, joint, (0.0, sign, 0.0)))


@part
def _through_torso(memory, v):
    """A direction from the hips as seen from the chest, where the trunk was sent to."""
    R = memory.chest
    return dot(row(R, 0), v), dot(row(R, 1), v), dot(row(R, 2), v)


@kernel
def _note_torso(chains, memory):
    """Where the trunk was sent to, for what hangs on the chest."""
    for i in range(3):
        v = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        for k in range(chains.column.shape[1]):
            if chains.column[TORSO, k] < 0:
                break
            v = turned(row(chains.axis[TORSO], k), -memory.angle[TORSO, k], v)
        memory.chest[0, i], memory.chest[1, i], memory.chest[2, i] = v


@part
def _upper_arm_axes(chains, memory, side, clip, t, upper, fore, both):
    """Axes of flexion and length of the upper arm, from its rotation, else from the plane of the arm."""
    if knows(clip[1][t], clip[3][t], chains.joint[side, 0]):
        flexion, along = _axes(chains, side, 0, clip, t)
        return _through_torso(memory, flexion), _through_torso(memory, along)
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


@part
def _reach(chains, side, turn):
    """Direction of the robot's upper arm before shoulder joints, its elbow turned by `turn`."""
    axis = row(chains.axis[side], 2)
    return unit(added(row(chains.bone[side], 0), turned(axis, turn, row(chains.bone[side], 1))))


@part
def _before(chains, side, count, angles, v):
    """A direction seen from behind the first `count` joints of an arm."""
    for k in range(count):
        v = turned(row(chains.axis[side], k), -angles[k], v)
    return v


@kernel
def _solve_shoulder(chains, memory, side, flexion, along, dt_s):
    """Three joints of the shoulder so that the axis of the third lies along the arm, and the elbow bends as wanted."""
    axis, limits, angle = chains.axis[side], chains.limits[side], memory.angle[side]
    started, a3, sign = memory.started[side], row(axis, 2), 1.0
    if dot(a3, _reach(chains, side, 0.0)) < 0.0:
        sign = -1.0
    angle[0], angle[1], sure = two_axes(
        row(axis, 0), row(axis, 1), a3, scaled(along, sign), limits[0], limits[1], angle[0], angle[1], started, dt_s
    )
    bend = scaled(row(axis, 3), chains.elbow[side, 1])
    angle[2], sure3 = one_axis(a3, bend, _before(chains, side, 2, angle, flexion), limits[2], angle[2], started, dt_s)
    return min(sure, sure3)


@part
def _turn_for(chains, side, upper, fore, up, bend, turn, last):
    """The turn of the upper arm that the forearm asks for, when the elbow is thought to stand as after `turn`."""
    axis = chains.axis[side]
    a1, a2, a3, a4 = row(axis, 0), row(axis, 1), row(axis, 2), row(axis, 3)
    reach = _reach(chains, side, turn)
    t1, _ = angle_about(a1, meeting(a1, a2, reach, upper, up), upper)
    rest = turned(a1, -t1, upper)
    t2, _ = angle_about(a2, reach, rest)
    rest = turned(a2, -t2, turned(a1, -t1, fore))
    t3, _ = angle_about(a3, meeting(a3, a4, row(chains.bone[side], 2), rest, bend), rest)
    return t3 + 2.0 * np.pi * np.round((last - t3) / (2.0 * np.pi))


@part
def _find_turn(chains, side, upper, fore, up, bend, last):
    """The same where the elbow stands off the axis of that turn: found by secants."""
    turn, before, gap = last, 0.0, 0.0
    for k in range(ROUNDS):
        error = _turn_for(chains, side, upper, fore, up, bend, turn, turn) - turn
        if abs(error) < 1e-12:
            break
        slope = (error - gap) / (turn - before) if k > 0 and abs(turn - before) > 1e-13 else -1.0
        before, gap = turn, error
        turn += min(max(-error / slope if slope < -0.1 else error, -1.0), 1.0)
    return turn


@part
def _exact_turn(chains, side, upper, fore, up, bend, last):
    """The same where the whole upper arm turns: bend the elbow to the angle between the two, then lay the arm over."""
    axis = chains.axis[side]
    a1, a2, a3, a4 = row(axis, 0), row(axis, 1), row(axis, 2), row(axis, 3)
    u, f = unit(row(chains.bone[side], 1)), row(chains.bone[side], 2)
    still = dot(a4, u) * dot(a4, f)
    cosine, sine = dot(u, f) - still, dot(u, cross(a4, f))
    swing = np.sqrt(cosine * cosine + sine * sine)
    part_way = min(max((dot(upper, fore) - still) / max(swing, 1e-9), -1.0), 1.0)
    t4 = np.arctan2(sine, cosine) + bend * np.arccos(part_way)
    n, N = unit(cross(u, turned(a4, t4, f))), unit(cross(upper, fore))
    along = a3 if dot(a3, u) > 0.0 else scaled(a3, -1.0)
    side_on, ahead, across = dot(along, n), dot(along, u), dot(along, cross(n, u))
    p = added(added(scaled(N, side_on), scaled(upper, ahead)), scaled(cross(N, upper), across))
    t1, _ = angle_about(a1, meeting(a1, a2, along, p, up), p)
    rest = turned(a1, -t1, p)
    t2, _ = angle_about(a2, along, rest)
    t3, _ = angle_about(a3, u, turned(a2, -t2, turned(a1, -t1, upper)))
    return t3 + 2.0 * np.pi * np.round((last - t3) / (2.0 * np.pi))


@kernel
def _arm_by(chains, memory, side, upper, fore, fore_known, up, turn_up, bend):
    """Shoulder and elbow when each pair goes one of its two ways: the first angle, the turn of the upper arm for which
    the elbow is where it is looked for, what is missed, and the way there."""
    axis, limits, last = chains.axis[side], chains.limits[side], memory.angle[side]
    started, a1, a2, turn = memory.started[side], row(axis, 0), row(axis, 1), last[2]
    if fore_known and not _is_rigid(chains, side):
        whole = dot(row(chains.bone[side], 0), row(chains.bone[side], 0)) == 0.0
        if whole:
            turn = _exact_turn(chains, side, upper, fore, turn_up, bend, turn)
        else:
            turn = _find_turn(chains, side, upper, fore, turn_up, bend, turn)
        turn = min(max(turn, limits[2, 0]), limits[2, 1])
    t1, t2, miss = one_way(
        a1, a2, _reach(chains, side, turn), upper, up, limits[0], limits[1], last[0], last[1], started
    )
    way = abs(t1 - last[0]) + abs(t2 - last[1])
    if fore_known:
        rest = turned(a2, -t2, turned(a1, -t1, fore))
        t3, t4, more = better_way(
            row(axis, 2), row(axis, 3), row(chains.bone[side], 2), rest,
            limits[2], limits[3], last[2], last[3], started,
        )  # fmt: skip
        miss = 1.0 - dot(_reach(chains, side, t3), turned(a2, -t2, turned(a1, -t1, upper))) + more
        way += abs(t3 - last[2]) + abs(t4 - last[3])
    return t1, turn, miss, way


@kernel
def _solve_directions(chains, memory, side, upper, fore, fore_known, dt_s):
    """Two joints of the shoulder for the upper arm's direction, two of the elbow for the forearm's."""
    axis, limits, angle = chains.axis[side], chains.limits[side], memory.angle[side]
    started, near = memory.started[side], 0
    t1, turn, miss, way = angle[0], angle[2], np.inf, np.inf
    ways = 2 if _is_rigid(chains, side) or not fore_known else 8
    for k in range(ways):
        turn_up, bend = 1.0 - 2.0 * (k % 2), 1.0 - 2.0 * (k // 2 % 2)
        up = -turn_up if k >= 4 else turn_up
        s1, other_turn, other, detour = _arm_by(chains, memory, side, upper, fore, fore_known, up, turn_up, bend)
        if near == 0 or prefers(miss, way, other, detour, started):
            t1, turn, miss, way, near = s1, other_turn, other, detour, 1
        if miss < 1e-9 and way < CLOSE_RAD:
            break
    reach = _reach(chains, side, turn)
    angle[0], angle[1], sure = go(
        row(axis, 0), row(axis, 1), reach, upper, t1, limits[0], limits[1], angle[0], angle[1], started, dt_s
    )
    if not fore_known:
        return sure
    rest = _before(chains, side, 2, angle, fore)
    angle[2], angle[3], elbow_sure = two_axes(
        row(axis, 2), row(axis, 3), row(chains.bone[side], 2), rest,
        limits[2], limits[3], angle[2], angle[3], started, dt_s,
    )  # fmt: skip
    return min(sure, elbow_sure)


@part
def _is_rigid(chains, side):
    """Whether the elbow lies on the axis about which the upper arm turns."""
    offset = cross(row(chains.bone[side], 1), row(chains.axis[side], 2))
    return dot(offset, offset) < 1e-16


@kernel
def _solve_elbow(chains, memory, side, flexion, along, clip, t, fore, fore_known, dt_s):
    """Elbow and wrist from the forearm against the upper arm, as the first or third paper has it."""
    limits, angle, started = chains.limits[side], memory.angle[side], memory.started[side]
    straight, bends = chains.elbow[side, 0], chains.elbow[side, 1]
    turns, one_way = chains.elbow[side, 2], chains.elbow[side, 3]
    rotation_known = knows(clip[1][t], clip[3][t], chains.joint[side, 1])
    across, sure = cross(along, flexion), 1.0
    if fore_known or rotation_known:
        ahead = fore
        if rotation_known:
            ahead = _through_torso(memory, _axes(chains, side, 1, clip, t)[1])
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
        turn, known = _wrist_tilt(chains, side, clip, t, flexion, along, one_way)
    else:
        turn, known = _wrist_turn(chains, memory, side, clip, t, flexion, across)
    wrist_sure = surety(known)
    wanted = into_range(turns * turn, limits[4, 0], limits[4, 1], angle[4], started)
    angle[4] = approach(wanted, wrist_sure, angle[4], started, limits[4, 2] * dt_s)
    return min(sure, wrist_sure)


@part
def _hand_twist(chains, side, clip, t):
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
def _wrist_turn(chains, memory, side, clip, t, flexion, across):
    """What is left of the forearm's turn when its bend about the elbow is taken away, and the hand's twist."""
    bent, _ = _axes(chains, side, 1, clip, t)
    bent = _through_torso(memory, bent)
    ahead = _through_torso(memory, _axes(chains, side, 1, clip, t)[1])
    third = cross(ahead, bent)
    x, y = dot(flexion, bent), -dot(flexion, third)
    return np.arctan2(y, x) + _hand_twist(chains, side, clip, t), np.hypot(x, y)


@part
def _wrist_tilt(chains, side, clip, t, flexion, along, one_way):
    """The angle between the hand's and the forearm's normals: cos = cos(bend) cos(turn), as the third paper has it.

    Where the robot's wrist turns both ways it is the part of that angle about the forearm, which keeps its sign and goes
    through zero smoothly. The forearm is the upper arm swung over, so that its own twist counts as the hand's.
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
        palm = _seen(chains, rotations, valid, by_quaternion(rotations, joint, (0.0, 0.0, -1.0)))
        palm = _before(chains, side, 4, angle, _through_torso(memory, palm))
        angle[4], sure = one_axis(row(axis, 4), row(chains.palm, side), palm, limits[4], angle[4], started, dt_s)
        k = 5
    if column[k] < 0:
        return sure
    way = _seen(chains, rotations, valid, by_quaternion(rotations, joint, (0.0, sign, 0.0)))
    way = _before(chains, side, k, angle, _through_torso(memory, way))
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
    upper, upper_known = _bone(chains, side, 0, 1, clip, t)
    fore, fore_known = _bone(chains, side, 1, 2, clip, t)
    upper, fore = _through_torso(memory, upper), _through_torso(memory, fore)
    valid, joints = clip[3][t], chains.joint[side]
    if not upper_known:
        memory.held[side, MISSING] += 1
        return
    if chains.method == DIRECTION:
        sure = _solve_directions(chains, memory, side, upper, fore, fore_known, dt_s)
        known = fore_known
        if fore_known:
            wrist = _solve_hand(chains, memory, side, clip, t, 4, dt_s)
            sure, known = (min(sure, wrist), True) if wrist >= 0.0 else (sure, False)
    else:
        flexion, along = _upper_arm_axes(chains, memory, side, clip, t, upper, fore, fore_known)
        memory.plane[side, 0], memory.plane[side, 1], memory.plane[side, 2] = flexion
        sure = _solve_shoulder(chains, memory, side, flexion, along, dt_s)
        sure = min(sure, _solve_elbow(chains, memory, side, flexion, along, clip, t, fore, fore_known, dt_s))
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
    w3 = _seen(chains, rotations, valid, by_quaternion(rotations, joint, a3))
    if chain == NECK:
        w3 = _through_torso(memory, w3)
    if columns[1] < 0:
        angle[0], sure = one_axis(a1, a3, w3, limits[0], angle[0], started, dt_s)
    else:
        angle[0], angle[1], sure = two_axes(a1, a2, a3, w3, limits[0], limits[1], angle[0], angle[1], started, dt_s)
    if columns[1] >= 0 and columns[2] >= 0:
        w2 = _seen(chains, rotations, valid, by_quaternion(rotations, joint, a2))
        if chain == NECK:
            w2 = _through_torso(memory, w2)
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
        _note_torso(chains, memory)
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
