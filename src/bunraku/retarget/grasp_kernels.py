"""Hands with thumbs that oppose: fingertips go where the person's are, and pinches close; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.solver import solve
from bunraku.retarget.fingertip_kernels import finger_length, finger_points, hand_frame
from bunraku.retarget.follow_kernels import JAW, copy_leaders, follow_frame

Array = NDArray[np.float64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

TOUCHING, APART = 0.2, 0.65
"""distance of thumb and finger tip, in lengths of the finger: a pinch is closed up to one, and begins at the other"""
CURLED, ROLLED_UP = 0.8, 0.95
"""a finger curled further than this pinches less, or not at all: its tip is in the palm"""
SEGMENT, POSTURE, SMOOTH, PINCH_POSTURE = 0.1, 0.02, 0.005, 0.05
"""weights per rad²: first segment's direction, joints by the curls, joints as they were, joints of a pinch.
A tip's place counts 1 per square of the finger's length."""
FIRST_ITERATIONS, ITERATIONS, TOLERANCE_RAD = 60, 4, 2e-3


class Grasp(NamedTuple):
    """D digits of both hands, thumbs among them, on a tree of their own with both palms at its origin.

    Digit d's tip is position task D + d, its first segment direction task d; nv variables are the digits' joints.
    """

    side: Ints
    """(D,) 0 left, 1 right"""
    finger: Ints
    """(D,) row of the person's ten fingers"""
    thumb: Ints
    """(D,) digit that is the thumb of the same hand; its own number for a thumb"""
    root: Array
    """(D, 3) where each digit begins, in the palm's frame"""
    length: Array
    """(D,) root to tip of a straight digit, m"""
    middle: Array
    """(D, 3) mean of the roots of the hand's fingers, the thumb left out"""
    mean_length: Array
    """(D,) mean length of those fingers"""
    palm_from_canonical: Array
    """(D, 3, 3)"""
    meet: Array
    """(D, 2, 3) where the tips of the thumb and of this digit are when they pinch"""
    pinch: Array
    """(D, nv) joints of that pinch"""
    digit: Ints
    """(nv,) the digit that each variable moves"""
    column: Ints
    """(nv,) of the robot's qpos"""
    joint: Ints
    """(nv,) of the hands' own tree"""
    rest: Array
    gain: Array
    drives: Array
    """(nv,) and (nv, 10): a joint is drawn to rest + gain · mean curl of the fingers that drive it"""
    relaxed: Array
    """(nv,) joints until a hand is seen"""
    speed: Array
    """(nv,)"""
    knuckles: Array
    """(2, 3, 3) frame of the knuckles of a hand in the canonical pose"""
    bones: Array
    """(J, 3) a person's bones, for those who know rotations alone"""


class GraspMemory(NamedTuple):
    """What is remembered from frame to frame, and scratch."""

    qpos: Array
    """(k,) configuration of the hands' own tree"""
    point: Array
    """(D, 5, 3) scratch: wrist, segments and tip of the person's fingers, in the frames of the hands"""
    frame: Array
    """(3, 3, 3) scratch: world_from_hand of both hands, and another"""
    touch: Array
    """(D,) scratch: how far each finger and the thumb have closed to a pinch, 0 … 1"""
    seen: Flags
    """(D,) scratch"""
    started: Flags
    """(1,)"""


@kernel
def smooth_step(x, zero, one):
    """0 at `zero`, 1 at `one`, level at both."""
    u = min(max((x - zero) / (one - zero), 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


@kernel
def _touches(grasp, memory, curl, known):
    """How far each finger has closed to a pinch with the thumb, into `touch`; a thumb's is its closest finger's."""
    touch = memory.touch
    for d in range(len(touch)):
        touch[d] = 0.0
    for d in range(len(touch)):
        t = grasp.thumb[d]
        if t == d or not memory.seen[d] or not memory.seen[t]:
            continue
        a, b = memory.point[t, 4], memory.point[d, 4]
        apart = np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2) / finger_length(memory.point[d])
        touch[d] = smooth_step(apart, APART, TOUCHING)
        f = grasp.finger[d]
        if known[f]:
            touch[d] *= smooth_step(curl[f], ROLLED_UP, CURLED)
        touch[t] = max(touch[t], touch[d])


@kernel
def _aim_finger(d, grasp, memory, targets):
    """A finger's tip and first segment as the person's, from the knuckle on; near the thumb, where both can meet."""
    A, P, a = grasp.palm_from_canonical[d], memory.point[d], memory.touch[d]
    D = len(grasp.side)
    scale = grasp.length[d] / finger_length(P)
    bone = np.sqrt((P[2, 0] - P[1, 0]) ** 2 + (P[2, 1] - P[1, 1]) ** 2 + (P[2, 2] - P[1, 2]) ** 2)
    for i in range(3):
        tip, way = 0.0, 0.0
        for k in range(3):
            tip += A[i, k] * (P[4, k] - P[1, k])
            way += A[i, k] * (P[2, k] - P[1, k])
        targets.value[d, 0, i] = way / max(bone, 1e-6)
        targets.weight[d, i] = SEGMENT * (1.0 - a) if bone > 1e-3 else 0.0
        targets.value[D + d, 0, i] = (1.0 - a) * (grasp.root[d, i] + scale * tip) + a * grasp.meet[d, 1, i]
        targets.weight[D + d, i] = 1.0 / grasp.length[d] ** 2


@kernel
def _aim_thumb(d, grasp, memory, targets):
    """A thumb's tip where the person's is, seen from the fingers' knuckles; near a finger, where they meet."""
    A, a, D = grasp.palm_from_canonical[d], memory.touch[d], len(grasp.side)
    middle, count, length, share = memory.frame[2, 0], 0, 0.0, 0.0
    for k in range(3):
        middle[k] = 0.0
        targets.value[D + d, 0, k] = 0.0
    for f in range(D):
        if grasp.thumb[f] == d and f != d and memory.seen[f]:
            count += 1
            length += finger_length(memory.point[f])
            share += memory.touch[f] ** 2
            for k in range(3):
                middle[k] += memory.point[f, 1, k]
    if count == 0:
        return
    for f in range(D):
        if grasp.thumb[f] == d and f != d and share > 0.0:
            for k in range(3):
                targets.value[D + d, 0, k] += a * memory.touch[f] ** 2 / share * grasp.meet[f, 0, k]
    scale = grasp.mean_length[d] / (length / count)
    for i in range(3):
        tip = 0.0
        for k in range(3):
            tip += A[i, k] * (memory.point[d, 4, k] - middle[k] / count)
        targets.value[D + d, 0, i] += (1.0 - a) * (grasp.middle[d, i] + scale * tip)
        targets.weight[D + d, i] = 1.0 / grasp.length[d] ** 2


@kernel
def _draw_joints(grasp, memory, targets, curl, known):
    """Joints are drawn to what the curls say, to a pinch as far as there is one, and a little to where they were."""
    for v in range(len(grasp.digit)):
        d, now = grasp.digit[v], memory.qpos[grasp.joint[v]]
        total, count = 0.0, 0
        for f in range(len(curl)):
            if grasp.drives[v, f] > 0 and known[f]:
                total += curl[f]
                count += 1
        value, weight = now, POSTURE
        if count > 0 or memory.seen[d]:
            value = grasp.rest[v] + grasp.gain[v] * total / max(count, 1)
        a = memory.touch[d]
        if a > 0.0:
            share, wanted = 0.0, 0.0
            for f in range(len(grasp.side)):
                mine = f == d if grasp.thumb[d] != d else (grasp.thumb[f] == d and f != d)
                if mine:
                    share += memory.touch[f] ** 2
                    wanted += memory.touch[f] ** 2 * grasp.pinch[f, v]
            value = (1.0 - a) * value + a * wanted / max(share, 1e-9)
            weight += a * (PINCH_POSTURE - POSTURE)
        smooth = SMOOTH if memory.started[0] else 0.0
        targets.posture[v] = (weight * value + smooth * now) / (weight + smooth)
        targets.posture_weight[v] = weight + smooth


@kernel
def grasp_frame(tree, tasks, targets, bodies, limits, bounds, work, grasp, memory, chain, curl, known, dt,
                positions, rotations, position_valid, rotation_valid, qpos):  # fmt: skip
    """One pose: the joints of both hands into `qpos` (nq,) of the whole robot."""
    D = len(grasp.side)
    for t in range(2 * D):
        for k in range(3):
            targets.weight[t, k] = 0.0
    for side in range(2):
        R, M = memory.frame[side], memory.frame[2]
        there = hand_frame(side, grasp.knuckles[side], chain, positions, rotations, position_valid, rotation_valid,
                           R, M)  # fmt: skip
        for d in range(D):
            if grasp.side[d] == side:
                row = chain[grasp.finger[d]]
                memory.seen[d] = there and finger_points(row, grasp.bones, R, positions, rotations, position_valid,
                                                         rotation_valid, memory.point[d], M)  # fmt: skip
    _touches(grasp, memory, curl, known)
    for d in range(D):
        if memory.seen[d]:
            if grasp.thumb[d] == d:
                _aim_thumb(d, grasp, memory, targets)
            else:
                _aim_finger(d, grasp, memory, targets)
    _draw_joints(grasp, memory, targets, curl, known)
    for v in range(len(grasp.digit)):
        low, high, reach = limits.lower[v], limits.upper[v], grasp.speed[v] * dt
        if memory.started[0]:
            now = memory.qpos[grasp.joint[v]]
            low, high = min(max(low, now - reach), high), max(min(high, now + reach), low)
        bounds.lower[v], bounds.upper[v] = low, high
    # The first pose is brought to its end, so that none of the next ones is still on its way there.
    started = memory.started[0]
    solve(tree, tasks, targets, bodies, bounds, memory.qpos, work,
          ITERATIONS if started else FIRST_ITERATIONS, TOLERANCE_RAD if started else 0.1 * TOLERANCE_RAD)  # fmt: skip
    memory.started[0] = True
    for v in range(len(grasp.digit)):
        qpos[grasp.column[v]] = memory.qpos[grasp.joint[v]]


@kernel
def grasp_frames(tree, fingers, followers, gaze, memory, hands, tasks, targets, bodies, limits, bounds, work, grasp,
                 grasp_memory, dt, positions, rotations, position_valid, rotation_valid, face, qpos):  # fmt: skip
    """T poses: what follows signals and what grasps, into configurations (T, nq) of the whole robot."""
    for t in range(len(qpos)):
        follow_frame(tree, fingers, followers, gaze, memory, dt, positions[t], rotations[t], position_valid[t],
                     rotation_valid[t], face[t], qpos[t])  # fmt: skip
        grasp_frame(hands, tasks, targets, bodies, limits, bounds, work, grasp, grasp_memory, fingers.chain,
                    memory.signal[:JAW], memory.known[:JAW], dt, positions[t], rotations[t], position_valid[t],
                    rotation_valid[t], qpos[t])  # fmt: skip
        copy_leaders(tree, followers.copies, qpos[t])
