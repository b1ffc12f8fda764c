"""A headset's joints to canonical ones, compiled: 50 joints a frame.

A joint is seven numbers: x, y, z in metres (x right, y up, -z forward) and a quaternion xyzw.
"""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel

LEAST_SIZE, MOST_SIZE = 0.5, 2.0
"""of a quaternion that is one"""


@kernel
def set_turn(values, rest, out):
    """Turn of a joint into `out` (4,), `rest` being that of one whose axes are the headset's; False if it is none."""
    x, y, z, w = values[3], values[4], values[5], values[6]
    size = np.sqrt(x * x + y * y + z * z + w * w)
    if not (size > LEAST_SIZE and size < MOST_SIZE):
        return False
    # The headset's x, y, z are our -y, z, -x.
    w, x, y, z = w / size, -z / size, -x / size, y / size
    a, b, c, d = rest[0], rest[1], rest[2], rest[3]
    out[0] = w * a - x * b - y * c - z * d
    out[1] = w * b + x * a + y * d - z * c
    out[2] = w * c - x * d + y * a + z * b
    out[3] = w * d + x * c - y * b + z * a
    return True


@kernel
def set_place(values, out):
    """Place of a joint into `out` (3,)."""
    out[0], out[1], out[2] = -values[2], -values[0], values[1]


@kernel
def shift_place(turn, x, y, z, out):
    """Move a place by a vector of the joint's own axes."""
    w, a, b, c = turn[0], turn[1], turn[2], turn[3]
    tx, ty, tz = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    out[0] += x + w * tx + b * tz - c * ty
    out[1] += y + w * ty + c * tx - a * tz
    out[2] += z + w * tz + a * ty - b * tx


@kernel
def set_joint(values, rest, shift, joint, positions, rotations, placed, turned):
    """A whole joint, moved by `shift` (3,) of its own axes."""
    if not set_turn(values, rest, rotations[joint]):
        return False
    set_place(values, positions[joint])
    shift_place(rotations[joint], shift[0], shift[1], shift[2], positions[joint])
    placed[joint] = turned[joint] = True
    return True


@kernel
def set_hand(joints, rest, wrist, first, source, positions, rotations, placed, turned):
    """Wrist and the 20 joints from row `first` on, of `joints` (25, 7) by `source` (20,). Thumbs and tips only have
    places: a thumb's axes are no finger's."""
    if not set_turn(joints[0], rest, rotations[wrist]):
        return False
    set_place(joints[0], positions[wrist])
    placed[wrist] = turned[wrist] = True
    for k in range(len(source)):
        row = first + k
        set_place(joints[source[k]], positions[row])
        placed[row] = True
        if k >= 4 and k % 4 < 3:
            if not set_turn(joints[source[k]], rest, rotations[row]):
                return False
            turned[row] = True
    return True


@kernel
def curl_hand(wrist, first, sign, trigger, squeeze, bends, rotations, turned):
    """Fingers of a hand around a controller: the index as far as the trigger, the others as the grip is squeezed."""
    w, x, y, z = rotations[wrist, 0], rotations[wrist, 1], rotations[wrist, 2], rotations[wrist, 3]
    for finger in range(1, 5):
        closed = trigger if finger == 1 else squeeze
        angle = 0.0
        for part in range(3):
            angle -= sign * closed * bends[part]
            c, s = np.cos(angle / 2), np.sin(angle / 2)
            row = first + 4 * finger + part
            rotations[row, 0], rotations[row, 1] = w * c - x * s, w * s + x * c
            rotations[row, 2], rotations[row, 3] = y * c + z * s, z * c - y * s
            turned[row] = True


@kernel
def steady(rotations, turned, before, known):
    """Signs of the known turns as those `before` (J, 4), which then become these."""
    for j in range(len(rotations)):
        if not turned[j]:
            continue
        if known[j]:
            d = 0.0
            for k in range(4):
                d += rotations[j, k] * before[j, k]
            if d < 0:
                for k in range(4):
                    rotations[j, k] = -rotations[j, k]
        for k in range(4):
            before[j, k] = rotations[j, k]
        known[j] = True
