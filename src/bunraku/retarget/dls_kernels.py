"""Damped least squares for the place and orientation of a hand, as the fifth paper has it; compiled.

Δq = Jᵀ(JJᵀ + λ²I)⁻¹ e = (JᵀJ + λ²I)⁻¹ Jᵀe, with e in millimetres and in radians times a weight. The orientation's error
is the rotation vector from where the tip is to where it should be, which has no preferred axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel, part
from bunraku.retarget.light_kernels import choose_side, faced, heading
from bunraku.retarget.turn_kernels import (
    added,
    by_inverse,
    by_quaternion,
    cross,
    dot,
    knows,
    row,
    scaled,
    turned,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

MM = 1000.0
FEW, MANY = 6, 100
"""steps for a frame that follows another, and for the first one"""
STILL_RAD = 1e-7
HALF_TURN_RAD = 3.0
"""error beyond which the way round is kept that was taken before"""
MISSING, SINGULAR = 0, 1


class Reach(NamedTuple):
    """C chains of up to K joints from a base to a tip, as compiled code sees them, in the neutral configuration."""

    column: Ints
    """(C, K) column of qpos, -1 behind the last joint"""
    axis: Array
    """(C, K, 3) unit axis, in the body's canonical axes like all that follows"""
    point: Array
    """(C, K, 3) a point of the axis, m"""
    limits: Array
    """(C, K, 3) low, high, speed"""
    tip: Array
    """(C, 3) m"""
    frame: Array
    """(C, 3, 3) rows: the tip's axes ahead, left and up"""
    origin: Array
    """(C, 3) from where the person's vector is laid off, m"""
    scale: Array
    """(C,) robot's length for one of the person's"""
    side: Ints
    """(C,) the person's side, -1 where the one that is seen is followed"""
    joint: Ints
    """(2, 3) the person's origin, wrist, and what the vector ends at"""
    forearm: Ints
    """(2, 2) forearm and hand, for choosing a side"""
    chest: int
    upright: bool
    """whether the person's vertical is the robot's, else it is the chest's"""
    damping: float
    """λ, mm"""
    weight: float
    """mm for a radian"""


class ReachMemory(NamedTuple):
    """What is remembered from frame to frame, and scratch."""

    angle: Array
    """(C, K) from the neutral configuration"""
    started: NDArray[np.bool_]
    """(C,)"""
    held: NDArray[np.int64]
    """(C, 2)"""
    side: Ints
    """(C,)"""
    error: Array
    """(C, 3) the last rotation vector"""
    jacobian: Array
    """(6, K)"""
    normal: Array
    """(K, K)"""
    step: Array
    """(K,)"""


@part
def _combined(x, y, z, v):
    """v in the axes x, y, z."""
    return added(added(scaled(x, v[0]), scaled(y, v[1])), scaled(z, v[2]))


@part
def _forward(reach, c, angle, count, J):
    """Tip and its axes ahead and left for a chain's angles; into J (6, K) each joint's place, mm, and axis."""
    x, y, z, t = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    for k in range(count):
        axis, at = row(reach.axis[c], k), row(reach.point[c], k)
        J[3, k], J[4, k], J[5, k] = _combined(x, y, z, axis)
        here = added(t, _combined(x, y, z, at))
        J[0, k], J[1, k], J[2, k] = here
        a, b, d = (
            turned(axis, angle[k], (1.0, 0.0, 0.0)),
            turned(axis, angle[k], (0.0, 1.0, 0.0)),
            turned(axis, angle[k], (0.0, 0.0, 1.0)),
        )
        x, y, z = _combined(x, y, z, a), _combined(x, y, z, b), _combined(x, y, z, d)
        t = added(here, scaled(_combined(x, y, z, at), -1.0))
    p = added(t, _combined(x, y, z, row(reach.tip, c)))
    return p, _combined(x, y, z, row(reach.frame[c], 0)), _combined(x, y, z, row(reach.frame[c], 1))


@part
def _rotation_vector(x, y, tx, ty, last):
    """From one pair of axes to another: axis times angle; near a half turn the way round that was taken before."""
    z, tz = cross(x, y), cross(tx, ty)
    v = scaled(added(added(cross(x, tx), cross(y, ty)), cross(z, tz)), 0.5)
    sine, cosine = np.sqrt(dot(v, v)), 0.5 * (dot(x, tx) + dot(y, ty) + dot(z, tz) - 1.0)
    angle = np.arctan2(sine, cosine)
    if sine < 1e-9:
        if cosine > 0.0:
            return v
        v, sine = (last if dot(last, last) > 1e-9 else z), 1.0
        v = scaled(v, 1.0 / np.sqrt(dot(v, v)))
    axis = scaled(v, 1.0 / sine)
    if angle > HALF_TURN_RAD and dot(axis, last) < 0.0:
        return scaled(axis, angle - 2.0 * np.pi)
    return scaled(axis, angle)


@part
def _to_jacobian(count, p, weight, J):
    """Places and axes of the joints in J become mm and weighted radians of the tip at p for a radian of each joint."""
    for k in range(count):
        axis = J[3, k], J[4, k], J[5, k]
        arm = cross(axis, added(p, (-J[0, k], -J[1, k], -J[2, k])))
        for i in range(3):
            J[i, k] = MM * arm[i]
            J[3 + i, k] = weight * axis[i]


@kernel
def _damped_step(J, e, count, damping, frozen, A, b):
    """Solve (JᵀJ + λ²I) Δ = Jᵀe into b by Cholesky; frozen joints stay."""
    for i in range(count):
        b[i] = 0.0
        for j in range(i + 1):
            A[i, j] = damping * damping if i == j else 0.0
        if frozen[i]:
            continue
        for r in range(6):
            b[i] += J[r, i] * e[r]
        for j in range(i + 1):
            if not frozen[j]:
                for r in range(6):
                    A[i, j] += J[r, i] * J[r, j]
    for i in range(count):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = np.sqrt(max(total, 1e-12)) if i == j else total / A[j, j]
    for i in range(count):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for i in range(count - 1, -1, -1):
        for k in range(i + 1, count):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]


@kernel
def reach_for(reach, c, angle, memory, place, tx, ty, weight, steps):
    """Move the angles towards a place (m) and orientation of its tip, within its limits; what is missed, mm, rad."""
    columns, limits = reach.column[c], reach.limits[c]
    count = 0
    while count < len(columns) and columns[count] >= 0:
        count += 1
    e, frozen = np.zeros(6), np.zeros(len(columns), np.bool_)
    for _ in range(steps):
        p, x, y = _forward(reach, c, angle, count, memory.jacobian)
        turn = _rotation_vector(x, y, tx, ty, row(memory.error, c))
        memory.error[c, 0], memory.error[c, 1], memory.error[c, 2] = turn
        for i in range(3):
            e[i], e[3 + i] = MM * (place[i] - p[i]), reach.weight * weight * turn[i]
        _to_jacobian(count, p, reach.weight * weight, memory.jacobian)
        frozen[:] = False
        for _ in range(count):
            _damped_step(memory.jacobian, e, count, reach.damping, frozen, memory.normal, memory.step)
            changed = False
            for k in range(count):
                low, high, new = limits[k, 0], limits[k, 1], angle[k] + memory.step[k]
                # A joint at its end that is pushed on is taken out, and the others make up for it.
                if not frozen[k] and ((new < low and angle[k] <= low) or (new > high and angle[k] >= high)):
                    frozen[k] = changed = True
            if not changed:
                break
        largest = 0.0
        for k in range(count):
            if not frozen[k]:
                new = min(max(angle[k] + memory.step[k], limits[k, 0]), limits[k, 1])
                largest = max(largest, abs(new - angle[k]))
                angle[k] = new
        if largest < STILL_RAD:
            break
    p, x, y = _forward(reach, c, angle, count, memory.jacobian)
    turn = _rotation_vector(x, y, tx, ty, row(memory.error, c))
    off = added(place, scaled(p, -1.0))
    return MM * np.sqrt(dot(off, off)), np.sqrt(dot(turn, turn)) if weight > 0.0 else 0.0


@part
def _as_seen(reach, clip, t, c, s, v):
    """A world vector as the robot's base sees it."""
    if reach.upright:
        return faced(c, s, v)
    return by_inverse(clip[1][t], reach.chest, v) if knows(clip[1][t], clip[3][t], reach.chest) else v


@kernel
def _solve_reach(reach, memory, c, dt_s, clip, t):
    """One chain of one frame."""
    side = reach.side[c]
    if side < 0:
        side = choose_side(reach.forearm, memory.side[c], clip, t)
        memory.side[c] = side
    if side < 0:
        memory.held[c, MISSING] += 1
        return
    start, wrist, end = reach.joint[side, 0], reach.joint[side, 1], reach.joint[side, 2]
    if not (clip[2][t, start] and clip[2][t, end]):
        end = wrist
    v = added(row(clip[0][t], end), scaled(row(clip[0][t], start), -1.0))
    if not (clip[2][t, start] and clip[2][t, end] and dot(v, v) < 1e6):
        memory.held[c, MISSING] += 1
        return
    cosine, sine = heading(clip[1][t], clip[3][t], reach.chest)
    place = added(row(reach.origin, c), scaled(_as_seen(reach, clip, t, cosine, sine, v), reach.scale[c]))
    tx, ty, weight = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0
    turned_by = wrist if knows(clip[1][t], clip[3][t], wrist) else start
    if knows(clip[1][t], clip[3][t], turned_by):
        tx = by_quaternion(clip[1][t], turned_by, (0.0, 1.0 - 2.0 * side, 0.0))
        ty = by_quaternion(clip[1][t], turned_by, (-1.0 + 2.0 * side, 0.0, 0.0))
        tx, ty = _as_seen(reach, clip, t, cosine, sine, tx), _as_seen(reach, clip, t, cosine, sine, ty)
        weight = 1.0
    before = memory.angle[c].copy()
    angle = before.copy()
    _, turn = reach_for(reach, c, angle, memory, place, tx, ty, weight, FEW if memory.started[c] else MANY)
    for k in range(len(angle)):
        if memory.started[c]:
            step = reach.limits[c, k, 2] * dt_s
            angle[k] = before[k] + min(max(angle[k] - before[k], -step), step)
        memory.angle[c, k] = angle[k]
    memory.started[c] = True
    memory.held[c, SINGULAR] += 1 if turn > HALF_TURN_RAD else 0


@kernel
def reach_frames(reach, memory, neutral, dt_s, clip, out):
    """Joints for every frame of `clip` into `out` (T, nq); joints of no chain are neutral."""
    for t in range(len(out)):
        out[t] = neutral
        for c in range(reach.column.shape[0]):
            _solve_reach(reach, memory, c, dt_s, clip, t)
            for k in range(reach.column.shape[1]):
                if reach.column[c, k] < 0:
                    break
                out[t, reach.column[c, k]] += memory.angle[c, k]
