"""Turns about one and two given axes that bring one direction to another, within ranges and without flips; compiled.

Vectors are tuples of three numbers. An angle that the directions do not determine is held: near such a place only a
part of the way is gone, at it none, so nothing flips; a joint changes to another branch only where that is worth it.
"""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel, part

SURE = 0.05
"""sine of the angle to an axis, about 3°, from which on the turn about it counts as determined"""
LOST = 1e-4
"""the same, below which it counts as unknown"""
WORTH_RAD = 0.25
"""by how much another way round must be nearer before a joint changes over to it"""
FARTHEST_M = 1e4
"""a joint that is farther off is not there"""
WORTH_COSINE = 0.02
"""the same for a pair of joints: 0.2 rad of the direction that they cannot reach"""


@part
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def cross(a, b):
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part
def scaled(a, s):
    """s times a."""
    return a[0] * s, a[1] * s, a[2] * s


@part
def added(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@part
def unit(a):
    """The direction of a; zero stays zero."""
    n = np.sqrt(dot(a, a))
    return scaled(a, 1.0 / n if n > 1e-12 else 0.0)


@part
def row(A, i):
    """A row of an array as a vector."""
    return A[i, 0], A[i, 1], A[i, 2]


@part
def turned(axis, angle, v):
    """v turned about the unit vector `axis`."""
    c, s = np.cos(angle), np.sin(angle)
    along = dot(axis, v) * (1.0 - c)
    x = cross(axis, v)
    return (
        v[0] * c + x[0] * s + axis[0] * along,
        v[1] * c + x[1] * s + axis[1] * along,
        v[2] * c + x[2] * s + axis[2] * along,
    )


@part
def angle_about(axis, u, w):
    """The turn about `axis` from u towards w, and how sure it is: the product of their distances from the axis."""
    au, aw = dot(axis, u), dot(axis, w)
    sine, cosine = dot(axis, cross(u, w)), dot(u, w) - au * aw
    return np.arctan2(sine, cosine), np.sqrt(sine * sine + cosine * cosine)


@part
def surety(size):
    """0 where nothing is known, 1 where all is, rising smoothly between."""
    if size >= SURE:
        return 1.0
    if size <= LOST:
        return 0.0
    return (size / SURE) ** 2


@part
def into_range(angle, low, high, last, started):
    """Of an angle and its whole turns the one to take, within the range."""
    if not np.isfinite(angle):
        return last
    near = angle + 2.0 * np.pi * np.round((last - angle) / (2.0 * np.pi))
    best, worth = near, WORTH_RAD if started else 0.0
    miss = max(low - near, near - high, 0.0)
    for other in (near - 2.0 * np.pi, near + 2.0 * np.pi):
        beyond = max(low - other, other - high, 0.0)
        if beyond < miss - worth:
            best, miss = other, beyond
    return min(max(best, low), high)


@part
def approach(angle, sure, last, started, step):
    """From the last angle towards the new one: as far as it is sure, no further than a step."""
    if not started:
        return angle if sure > 0.0 else last
    return last + min(max(sure * (angle - last), -step), step)


@part
def one_axis(axis, u, w, limits, last, started, dt_s):
    """The joint about `axis` that turns u as near to w as it can; and how sure. `limits`: low, high, speed."""
    angle, size = angle_about(axis, u, w)
    sure = surety(size)
    wanted = into_range(angle, limits[0], limits[1], last, started)
    return approach(wanted, sure, last, started, limits[2] * dt_s), sure


@part
def meeting(a1, a2, u, w, up):
    """Where u, turned about a2, meets w, turned back about a1; of the two places that on the side `up` (1 or -1) of the
    axes. Where they do not meet, the place between them."""
    m, au, aw = dot(a1, a2), dot(a2, u), dot(a1, w)
    room = max(1.0 - m * m, 1e-12)
    along1, along2 = (aw - m * au) / room, (au - m * aw) / room
    high = np.sqrt(max((1.0 - along1 * along1 - along2 * along2 - 2.0 * along1 * along2 * m) / room, 0.0))
    return added(added(scaled(a1, along1), scaled(a2, along2)), scaled(cross(a1, a2), up * high))


@part
def one_way(a1, a2, u, w, up, first, second, last1, last2, started):
    """One of the two ways of a pair of joints: its angles within the ranges, and 1 - cosine of what is missed."""
    t1, _ = angle_about(a1, meeting(a1, a2, u, w, up), w)
    t1 = into_range(t1, first[0], first[1], last1, started)
    rest = turned(a1, -t1, w)
    t2, _ = angle_about(a2, u, rest)
    t2 = into_range(t2, second[0], second[1], last2, started)
    return t1, t2, 1.0 - dot(turned(a2, t2, u), rest)


@part
def prefers(miss, way, other_miss, other_way, started):
    """Whether the other of two ways is the better one: it misses less, or is nearer and misses no more."""
    worth = WORTH_COSINE if started else 1e-9
    return other_miss < miss - worth or (other_way < way and other_miss < miss + worth)


@part
def better_way(a1, a2, u, w, first, second, last1, last2, started):
    """The better of the two ways of a pair of joints: angles within the ranges, and 1 - cosine of what is missed."""
    t1, t2, miss = one_way(a1, a2, u, w, 1.0, first, second, last1, last2, started)
    s1, s2, other = one_way(a1, a2, u, w, -1.0, first, second, last1, last2, started)
    way, detour = abs(t1 - last1) + abs(t2 - last2), abs(s1 - last1) + abs(s2 - last2)
    return (s1, s2, other) if prefers(miss, way, other, detour, started) else (t1, t2, miss)


@part
def go(a1, a2, u, w, angle, first, second, last1, last2, started, dt_s):
    """A pair of joints towards `angle` of the first, as far as it is sure and fast; the second as is best then."""
    _, size = angle_about(a1, w, w)
    sure = surety(np.sqrt(size))
    t1 = approach(angle, sure, last1, started, first[2] * dt_s)
    t2, _ = one_axis(a2, u, turned(a1, -t1, w), second, last2, started, dt_s)
    return t1, t2, sure


@part
def two_axes(a1, a2, u, w, first, second, last1, last2, started, dt_s):
    """A pair of joints, a1 nearer the root, that turns u as near to w as their ranges allow; and how sure the first is.

    Unit vectors, all as in the configuration from which the angles count. `first`, `second`: low, high, speed.
    """
    t1, _, _ = better_way(a1, a2, u, w, first, second, last1, last2, started)
    return go(a1, a2, u, w, t1, first, second, last1, last2, started, dt_s)


@part
def by_quaternion(q, joint, v):
    """v turned by one joint's unit quaternion."""
    w, x, y, z = q[joint, 0], q[joint, 1], q[joint, 2], q[joint, 3]
    t = scaled(cross((x, y, z), v), 2.0)
    c = cross((x, y, z), t)
    return v[0] + w * t[0] + c[0], v[1] + w * t[1] + c[1], v[2] + w * t[2] + c[2]


@part
def by_inverse(q, joint, v):
    """v turned back by one joint's unit quaternion."""
    w, x, y, z = q[joint, 0], -q[joint, 1], -q[joint, 2], -q[joint, 3]
    t = scaled(cross((x, y, z), v), 2.0)
    c = cross((x, y, z), t)
    return v[0] + w * t[0] + c[0], v[1] + w * t[1] + c[1], v[2] + w * t[2] + c[2]


@part
def knows(q, valid, joint):
    """Whether a joint's rotation is known: flagged so, and a unit quaternion."""
    w, x, y, z = q[joint, 0], q[joint, 1], q[joint, 2], q[joint, 3]
    return valid[joint] and abs(w * w + x * x + y * y + z * z - 1.0) < 0.01


@kernel
def sound(positions, rotations, position_valid, rotation_valid, place_known, turn_known):
    """What of a pose is known and a number, into `place_known`, `turn_known` (1, J): no NaN, no place off the map."""
    for j in range(len(positions)):
        x, y, z = positions[j, 0], positions[j, 1], positions[j, 2]
        place_known[0, j] = position_valid[j] and x * x + y * y + z * z < FARTHEST_M * FARTHEST_M
        turn_known[0, j] = knows(rotations, rotation_valid, j)
