"""Joints that follow signals of their own, beside the whole-body solver: fingers, jaw, eyes; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel
from bunraku.retarget.curl_kernels import curl_fingers

Array = NDArray[np.float64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

JAW, YAW, PITCH, SIGNALS = 10, 11, 12, 13
"""signals: the curls of ten fingers, left hand first, thumb first; the jaw's opening; the gaze, left and down"""
CLOSES_AT, OPENS_AT = 0.6, 0.4
"""mean curl of the fingers beyond which a hand that is open or shut changes over"""


class Followers(NamedTuple):
    """m independent joints at `rest` + `gain` · the mean of the signals that drive each."""

    column: Ints
    """(m,) of qpos"""
    drives: Array
    """(m, SIGNALS) 1 where a signal drives a joint"""
    rest: Array
    gain: Array
    relaxed: Array
    """(m,) the signal's value until it is known"""
    switch: Ints
    """(m,) 0 or 1 for a joint of a left or right hand that is either open or shut, else -1"""
    lower: Array
    upper: Array
    speed: Array
    """(m,) each"""
    copies: Ints
    """joints of hands and face that follow others"""


class Gaze(NamedTuple):
    """Where a robot's eyes hang."""

    path: Ints
    """nodes from the base, itself not included, to the one that carries the eyes"""
    node_from_canonical: Array
    """(3, 3) such that world_from_node @ it is the head's turn away from the canonical pose"""
    head: int
    """the human joint that looks; -1 for a robot without eyes"""
    reference: int
    """the human joint whose frame stands for a fixed base, -1 for the world"""
    world_from_body: Array
    """(3, 3) for a fixed base: how the robot faces"""


class FollowMemory(NamedTuple):
    """All that is remembered from frame to frame."""

    value: Array
    """(m,)"""
    shut: Flags
    """(2,) hands that are either open or shut"""
    signal: Array
    """(SIGNALS,) of the last frame"""
    known: Flags
    """(SIGNALS,)"""
    started: Flags
    """(1,) whether there was a frame"""
    matrices: Array
    """(4, 3, 3) scratch"""


@kernel
def matrix_of(q, out):
    """Rotation matrix of a quaternion of any length into `out` (3, 3)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / max(w * w + x * x + y * y + z * z, 1e-300)
    out[0, 0], out[0, 1], out[0, 2] = 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)


@kernel
def _times(A, B, out):
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@kernel
def _world_from_head(tree, gaze, qpos, R, P, M):
    """Rotation of the robot's head away from the canonical pose into `R`; P, M (3, 3) are scratch."""
    if tree.free_base:
        matrix_of(qpos[3:7], R)
    else:
        R[:] = tree.rotation[0]
    for node in gaze.path:
        _times(R, tree.rotation[node], P)
        R[:] = P
        if tree.joint_type[node] == 1:
            q = qpos[tree.first_joint + node - 1]
            a, s = tree.axis[node], np.sin(0.5 * q)
            matrix_of((np.cos(0.5 * q), s * a[0], s * a[1], s * a[2]), M)
            _times(P, M, R)
    _times(R, gaze.node_from_canonical, P)
    R[:] = P


@kernel
def _apply(R, v, transposed):
    """v (3,) turned in place by R or by its inverse."""
    x, y, z = v[0], v[1], v[2]
    for i in range(3):
        if transposed:
            v[i] = R[0, i] * x + R[1, i] * y + R[2, i] * z
        else:
            v[i] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z


@kernel
def _look(tree, gaze, memory, rotations, rotation_valid, qpos):
    """The eyes' signals become what the robot's neck leaves of the person's gaze."""
    signal, known = memory.signal, memory.known
    if gaze.head < 0 or not rotation_valid[gaze.head]:
        return
    R, P, M, way = memory.matrices[0], memory.matrices[1], memory.matrices[2], memory.matrices[3, 0]
    yaw = signal[YAW] if known[YAW] else 0.0
    pitch = signal[PITCH] if known[PITCH] else 0.0
    way[0], way[1], way[2] = np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), -np.sin(pitch)
    matrix_of(rotations[gaze.head], M)
    _apply(M, way, False)
    if gaze.reference >= 0:
        if rotation_valid[gaze.reference]:
            matrix_of(rotations[gaze.reference], M)
            _apply(M, way, True)
        _apply(gaze.world_from_body, way, False)
    _world_from_head(tree, gaze, qpos, R, P, M)
    _apply(R, way, True)
    signal[YAW] = np.arctan2(way[1], way[0])
    signal[PITCH] = np.arctan2(-way[2], np.sqrt(way[0] * way[0] + way[1] * way[1]))
    known[YAW] = known[PITCH] = True


@kernel
def _shut(side, memory):
    """Whether a hand that is either open or shut is shut now, by the mean curl of its fingers without the thumb."""
    total, count = 0.0, 0
    for f in range(5 * side + 1, 5 * side + 5):
        if memory.known[f]:
            total += memory.signal[f]
            count += 1
    if count > 0:
        memory.shut[side] = total / count > (OPENS_AT if memory.shut[side] else CLOSES_AT)
    return count > 0, 1.0 if memory.shut[side] else 0.0


@kernel
def follow(followers, memory, dt):
    """Each joint goes to where its signals want it, no faster than it can; one without a signal stays."""
    begun = memory.started[0]
    for j in range(len(followers.column)):
        total, count = 0.0, 0
        for s in range(SIGNALS):
            if followers.drives[j, s] > 0 and memory.known[s]:
                total += memory.signal[s]
                count += 1
        if count == 0:
            continue
        signal = total / count
        if followers.switch[j] >= 0:
            some, signal = _shut(followers.switch[j], memory)
            if not some:
                continue
        value = followers.rest[j] + followers.gain[j] * signal
        if begun:
            step = followers.speed[j] * dt
            value = min(max(value, memory.value[j] - step), memory.value[j] + step)
        memory.value[j] = min(max(value, followers.lower[j]), followers.upper[j])
    memory.started[0] = True


@kernel
def follow_frame(tree, fingers, followers, gaze, memory, dt, positions, rotations, position_valid, rotation_valid,
                 face, qpos):  # fmt: skip
    """One pose: its signals into `memory`, the joints that follow them into `qpos` (nq,).

    `face` (3,): the jaw's opening 0 … 1; the gaze relative to the head, yaw to the left and pitch down, rad; NaN where
    they are not known.
    """
    curl_fingers(fingers, positions, rotations, position_valid, rotation_valid, memory.signal[:JAW],
                 memory.known[:JAW])  # fmt: skip
    for k in range(3):
        memory.known[JAW + k] = np.isfinite(face[k])
        memory.signal[JAW + k] = face[k] if memory.known[JAW + k] else 0.0
    memory.signal[JAW] = min(max(memory.signal[JAW], 0.0), 1.0)
    _look(tree, gaze, memory, rotations, rotation_valid, qpos)
    follow(followers, memory, dt)
    for j in range(len(followers.column)):
        qpos[followers.column[j]] = memory.value[j]


@kernel
def copy_leaders(tree, copies, qpos):
    """Joints that follow others are put where those demand."""
    for joint in copies:
        qpos[tree.first_joint + joint] = (
            tree.ratio[joint] * qpos[tree.first_joint + tree.leader[joint]] + tree.offset[joint]
        )


@kernel
def follow_frames(tree, fingers, followers, gaze, memory, dt, positions, rotations, position_valid, rotation_valid,
                  face, qpos):  # fmt: skip
    """The same for T poses, their followers in place: `face` (T, 3), `qpos` (T, nq)."""
    for t in range(len(qpos)):
        follow_frame(tree, fingers, followers, gaze, memory, dt, positions[t], rotations[t], position_valid[t],
                     rotation_valid[t], face[t], qpos[t])  # fmt: skip
        copy_leaders(tree, followers.copies, qpos[t])
