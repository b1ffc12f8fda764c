"""Rotations as arrays: quaternions (wxyz, unit), matrices, Euler angles, rotation vectors.

Every function takes any leading shape and returns the same, computes in float64, and never warns:
`(…, 4)` quaternions, `(…, 3, 3)` matrices that act on column vectors, `(…, 3)` angles or vectors in radians.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.setflags(write=False)

_TINY = 1e-12
_LOCK = 1e-10
EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ")


def normalize(q: ArrayLike) -> Array:
    """Unit quaternion; a zero one becomes the identity."""
    q = np.asarray(q, float)
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(norm > _TINY, q / np.maximum(norm, _TINY), IDENTITY)


def canonical(q: ArrayLike) -> Array:
    """The one of q and -q with w >= 0."""
    q = np.asarray(q, float)
    return np.where(q[..., :1] < 0, -q, q)


def continuous(q: ArrayLike) -> Array:
    """Signs chosen along the first axis so that neighbours lie in one hemisphere. `(T, …, 4)`"""
    q = np.asarray(q, float)
    if len(q) < 2:
        return q.copy()
    flips = np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0)
    return np.concatenate([q[:1], q[1:] * np.cumprod(flips, axis=0)[..., None]])


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Hamilton product: first b, then a."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def inverse(q: ArrayLike) -> Array:
    """Inverse of a unit quaternion."""
    return np.asarray(np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0]))


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Vector `(…, 3)` turned by the unit quaternion `(…, 4)`."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    axis = q[..., 1:]
    t = 2.0 * np.cross(axis, v)
    return np.asarray(v + q[..., :1] * t + np.cross(axis, t))


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrix of a unit quaternion."""
    q = np.asarray(q, float)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: ArrayLike) -> Array:
    """Unit quaternion (w >= 0) of a rotation matrix; stable for every angle."""
    m = np.asarray(m, float)
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    # Four times the square of each component; the largest one is safe to divide by.
    squares = np.stack([1 + trace, *(1 - trace + 2 * m[..., i, i] for i in range(3))], axis=-1)
    d = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    s = [m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2]]
    candidates = np.stack(
        [
            np.stack([squares[..., 0], d[0], d[1], d[2]], axis=-1),
            np.stack([d[0], squares[..., 1], s[0], s[1]], axis=-1),
            np.stack([d[1], s[0], squares[..., 2], s[2]], axis=-1),
            np.stack([d[2], s[1], s[2], squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(squares, axis=-1)[..., None, None]
    q = np.take_along_axis(candidates, np.broadcast_to(best, (*best.shape[:-1], 4)), axis=-2)[..., 0, :]
    return canonical(normalize(q))


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Turn by `angle` about the unit vector `axis`."""
    half = 0.5 * np.asarray(angle, float)
    vector = np.sin(half)[..., None] * np.asarray(axis, float)
    w = np.broadcast_to(np.cos(half)[..., None], (*vector.shape[:-1], 1))
    return np.concatenate([w, vector], axis=-1)


def exp(v: ArrayLike) -> Array:
    """Quaternion of a rotation vector (axis times angle)."""
    v = np.asarray(v, float)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    # sinc keeps the limit at zero exact: sin(a/2)/a = sinc(a/2π)/2.
    return np.concatenate([np.cos(angle / 2), v * np.sinc(angle / (2 * np.pi)) / 2], axis=-1)


def log(q: ArrayLike) -> Array:
    """Rotation vector of a unit quaternion, angle in [0, π]."""
    q = canonical(q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    return np.asarray(q[..., 1:] * np.where(sine > _TINY, angle / np.maximum(sine, _TINY), 2.0))


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Angle of the turn from a to b, in [0, π]."""
    return np.asarray(np.linalg.norm(log(multiply(b, inverse(a))), axis=-1))


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """The shorter way from a (t = 0) to b (t = 1) at constant speed."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    step = log(multiply(b, inverse(a)))
    return multiply(exp(step * np.asarray(t, float)[..., None]), a)


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """Shortest turn that takes direction a to direction b; opposite directions turn about some normal."""
    a, b = _unit(a), _unit(b)
    a, b = np.broadcast_arrays(a, b)
    # |a + b|² / 2 is 1 + a·b without its cancellation where a and b are nearly opposite.
    both = a + b
    w = 0.5 * np.sum(both * both, axis=-1, keepdims=True)
    q = np.concatenate([np.where(_exists(a) & _exists(b), w, 1.0), np.cross(a, b)], axis=-1)
    helper = np.where(np.abs(a[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    half_turn = np.concatenate([np.zeros_like(w), _unit(np.cross(a, helper))], axis=-1)
    rest = np.concatenate([2.0 - w, np.cross(b, a)], axis=-1)  # from -a, where the half turn leads, on to b
    opposite = np.linalg.norm(q, axis=-1, keepdims=True) < 1e-7
    return normalize(np.where(opposite, multiply(rest, half_turn), q))


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Array, Array]:
    """Split `q = swing · twist` with the twist about the unit vector `axis` and the swing about a normal to it."""
    q, axis = np.asarray(q, float), np.asarray(axis, float)
    along = np.sum(q[..., 1:] * axis, axis=-1, keepdims=True)
    twist = normalize(np.concatenate([q[..., :1], along * axis], axis=-1))
    return multiply(q, inverse(twist)), twist


def twist_angle(q: ArrayLike, axis: ArrayLike) -> Array:
    """Angle about `axis` of the twist part, in (-π, π]."""
    twist = canonical(swing_twist(q, axis)[1])
    return np.asarray(2 * np.arctan2(np.sum(twist[..., 1:] * np.asarray(axis, float), axis=-1), twist[..., 0]))


def from_euler(order: str, angles: ArrayLike) -> Array:
    """Quaternion of intrinsic Euler angles: `order` "ZXY" means Rz(a₀)·Rx(a₁)·Ry(a₂)."""
    angles = np.asarray(angles, float)
    q = np.broadcast_to(IDENTITY, (*angles.shape[:-1], 4))
    for k, letter in enumerate(order.upper()):
        q = multiply(q, from_axis_angle(np.eye(3)["XYZ".index(letter)], angles[..., k]))
    return q


def to_euler(order: str, q: ArrayLike) -> Array:
    """Intrinsic Euler angles in any of the twelve orders; the third is zero where the first and third axes align."""
    order = order.upper()
    if order not in EULER_ORDERS:
        raise ValueError(f"order '{order}' is not one of {', '.join(EULER_ORDERS)}")
    i, j, k = ("XYZ".index(letter) for letter in order)
    m = to_matrix(q)
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if proper:
        # R_ii = cos b; the rest as for ZXZ with the sign of the permutation.
        sine = np.hypot(m[..., i, j], m[..., i, k])
        middle = np.arctan2(sine, m[..., i, i])
        first = np.arctan2(m[..., j, i], -sign * m[..., k, i])
        locked = sine < _LOCK
    else:
        cosine = np.hypot(m[..., i, i], m[..., i, j])
        middle = np.arctan2(sign * m[..., i, k], cosine)
        first = np.arctan2(-sign * m[..., j, k], m[..., k, k])
        locked = cosine < _LOCK
    first = np.where(locked, np.arctan2(sign * m[..., k, j], m[..., j, j]), first)
    # What is left when the first turn is undone fixes the third, so the product stays exact however near the lock is.
    row = np.cos(first)[..., None] * m[..., j, :] + sign * np.sin(first)[..., None] * m[..., k, :]
    third = np.arctan2(-sign * row[..., k] if proper else sign * row[..., i], row[..., j])
    return np.stack([first, middle, np.where(locked, 0.0, third)], axis=-1)


def yaw(q: ArrayLike) -> Array:
    """Heading about the vertical (z): where the turned x axis points."""
    forward = rotate(q, [1.0, 0.0, 0.0])
    return np.asarray(np.arctan2(forward[..., 1], forward[..., 0]))


def mean(q: ArrayLike) -> Array:
    """Average of the quaternions along the first axis. `(T, …, 4)` → `(…, 4)`"""
    q = np.asarray(q, float)
    outer = np.einsum("t...i,t...j->...ij", q, q)
    return canonical(np.linalg.eigh(outer)[1][..., -1])


def _unit(v: ArrayLike) -> Array:
    v = np.asarray(v, float)
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), _TINY))


def _exists(v: Array) -> NDArray[np.bool_]:
    return np.asarray(np.any(v != 0, axis=-1, keepdims=True))
