"""How trunk, hands and feet have turned, told from where joints are; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.human.skeleton import INDEX
from bunraku.kinematics.jit import kernel

HIPS, SPINE, CHEST, NECK = INDEX["hips"], INDEX["spine"], INDEX["chest"], INDEX["neck"]
LEFT_ARM, RIGHT_ARM = INDEX["left_upper_arm"], INDEX["right_upper_arm"]
LEFT_THIGH, RIGHT_THIGH = INDEX["left_thigh"], INDEX["right_thigh"]
WRISTS = (INDEX["left_hand"], INDEX["right_hand"])
INDEX_FINGERS = (INDEX["left_index_1"], INDEX["right_index_1"])
MIDDLE_FINGERS = (INDEX["left_middle_1"], INDEX["right_middle_1"])
LITTLE_FINGERS = (INDEX["left_little_1"], INDEX["right_little_1"])
ANKLES = (INDEX["left_foot"], INDEX["right_foot"])
TOES = (INDEX["left_toe"], INDEX["right_toe"])
SHINS = (INDEX["left_shin"], INDEX["right_shin"])
PARTS = (HIPS, CHEST, *WRISTS, *ANKLES)
"""whose turns places can tell"""
_LEAST = 1e-6


@kernel
def _frame(yx, yy, yz, zx, zy, zz, out):
    """Quaternion into `out` (4,) of the axes whose y is exactly, and z nearly, as given; False if there are none."""
    n = np.sqrt(yx * yx + yy * yy + yz * yz)
    if not n > _LEAST:
        return False
    yx, yy, yz = yx / n, yy / n, yz / n
    d = yx * zx + yy * zy + yz * zz
    zx, zy, zz = zx - d * yx, zy - d * yy, zz - d * yz
    n = np.sqrt(zx * zx + zy * zy + zz * zz)
    if not n > _LEAST:
        return False
    zx, zy, zz = zx / n, zy / n, zz / n
    xx, xy, xz = yy * zz - yz * zy, yz * zx - yx * zz, yx * zy - yy * zx
    trace = xx + yy + zz
    if trace > 0:
        s = 2.0 * np.sqrt(trace + 1.0)
        out[0], out[1], out[2], out[3] = s / 4, (yz - zy) / s, (zx - xz) / s, (xy - yx) / s
    elif xx >= yy and xx >= zz:
        s = 2.0 * np.sqrt(1.0 + xx - yy - zz)
        out[0], out[1], out[2], out[3] = (yz - zy) / s, s / 4, (yx + xy) / s, (zx + xz) / s
    elif yy >= zz:
        s = 2.0 * np.sqrt(1.0 + yy - xx - zz)
        out[0], out[1], out[2], out[3] = (zx - xz) / s, (yx + xy) / s, s / 4, (zy + yz) / s
    else:
        s = 2.0 * np.sqrt(1.0 + zz - xx - yy)
        out[0], out[1], out[2], out[3] = (xy - yx) / s, (zx + xz) / s, (zy + yz) / s, s / 4
    return True


@kernel
def _trunk(p, valid, left, right, below, above, out):
    """Axes of a part of the trunk: y from the right joint to the left one, z from `below` to `above`."""
    if not (valid[left] and valid[right] and valid[below] and valid[above]):
        return False
    return _frame(
        p[left, 0] - p[right, 0], p[left, 1] - p[right, 1], p[left, 2] - p[right, 2],
        p[above, 0] - p[below, 0], p[above, 1] - p[below, 1], p[above, 2] - p[below, 2], out,
    )  # fmt: skip


@kernel
def _hand(p, valid, side, out):
    """Axes of a hand: fingers along y of the left one, against it of the right one; its back faces z."""
    wrist, index, middle, little = WRISTS[side], INDEX_FINGERS[side], MIDDLE_FINGERS[side], LITTLE_FINGERS[side]
    if not (valid[wrist] and valid[index] and valid[little]):
        return False
    far = middle if valid[middle] else index
    sign = 1.0 if side == 0 else -1.0
    yx, yy, yz = p[far, 0] - p[wrist, 0], p[far, 1] - p[wrist, 1], p[far, 2] - p[wrist, 2]
    ax, ay, az = p[index, 0] - p[little, 0], p[index, 1] - p[little, 1], p[index, 2] - p[little, 2]
    yx, yy, yz = sign * yx, sign * yy, sign * yz
    return _frame(yx, yy, yz, ay * yz - az * yy, az * yx - ax * yz, ax * yy - ay * yx, out)


@kernel
def _foot(p, valid, side, out):
    """Axes of a foot: y to the left of toe and shin, z along the shin; it does not roll against the shin."""
    ankle, toe, shin = ANKLES[side], TOES[side], SHINS[side]
    if not (valid[ankle] and valid[toe] and valid[shin]):
        return False
    dx, dy, dz = p[toe, 0] - p[ankle, 0], p[toe, 1] - p[ankle, 1], p[toe, 2] - p[ankle, 2]
    ux, uy, uz = p[shin, 0] - p[ankle, 0], p[shin, 1] - p[ankle, 1], p[shin, 2] - p[ankle, 2]
    yx, yy, yz = uy * dz - uz * dy, uz * dx - ux * dz, ux * dy - uy * dx
    return _frame(yx, yy, yz, dy * yz - dz * yy, dz * yx - dx * yz, dx * yy - dy * yx, out)


@kernel
def measured_frame(p, valid, part, out):
    """Axes of one of PARTS as its joints stand, into `out` (4,); False where they do not tell."""
    if part == 0:
        return _trunk(p, valid, LEFT_THIGH, RIGHT_THIGH, HIPS, CHEST if valid[CHEST] else NECK, out)
    if part == 1:
        return _trunk(p, valid, LEFT_ARM, RIGHT_ARM, SPINE if valid[SPINE] else HIPS, NECK, out)
    return _hand(p, valid, part - 2, out) if part < 4 else _foot(p, valid, part - 4, out)


@kernel
def orient_rows(positions, position_valid, canonical, rotations, rotation_valid):
    """Fill (T, J, 4) `rotations` and their flags where places tell them and nothing else did.

    `canonical` (6, 4): the axes that the same joints show in the canonical pose.
    """
    q = np.empty(4)
    for t in range(len(positions)):
        for part in range(len(PARTS)):
            joint = PARTS[part]
            if rotation_valid[t, joint] or not measured_frame(positions[t], position_valid[t], part, q):
                continue
            w, x, y, z = q[0], q[1], q[2], q[3]
            a, b, c, d = canonical[part, 0], -canonical[part, 1], -canonical[part, 2], -canonical[part, 3]
            rotations[t, joint, 0] = w * a - x * b - y * c - z * d
            rotations[t, joint, 1] = w * b + x * a + y * d - z * c
            rotations[t, joint, 2] = w * c - x * d + y * a + z * b
            rotations[t, joint, 3] = w * d + x * c - y * b + z * a
            rotation_valid[t, joint] = True
