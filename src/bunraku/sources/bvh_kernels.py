"""The compiled parts of BVH reading: numbers from text, and the poses of a file's own skeleton."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel

# 10^0 … 10^22 are exact in double precision.
_POWERS = np.array([float(f"1e{k}") for k in range(23)])
# Whole numbers up to this one are exact in double precision.
_EXACT = 2**53
_HALF_RADIAN = np.pi / 360.0


@kernel
def _quotient(mantissa, power):
    """mantissa / power rounded once, also for mantissas beyond 2^53: what the quotient leaves is divided as well."""
    high = float(mantissa)
    q = high / power
    # q · power as an exact sum, after Dekker.
    c, d = 134217729.0 * q, 134217729.0 * power
    qh, ph = c - (c - q), d - (d - power)
    ql, pl = q - qh, power - ph
    product = q * power
    error = ((qh * ph - product) + qh * pl + ql * ph) + ql * pl
    return q + ((high - product) - error + float(mantissa - np.int64(high))) / power


@kernel
def _number(text, at):
    """The number that begins at `at`: (its value, where it ends); infinite if there is none or it is too large."""
    end = len(text)
    negative = text[at] == 45
    if negative or text[at] == 43:
        at += 1
    mantissa, digits, exponent, point = 0, 0, 0, False
    while at < end:
        c = text[at]
        if 48 <= c <= 57:
            digits += 1
            if mantissa < 100000000000000000:
                mantissa = mantissa * 10 + (c - 48)
                exponent -= point
            else:
                exponent += not point
        elif c == 46 and not point:
            point = True
        else:
            break
        at += 1
    good = digits > 0
    if good and at < end and (text[at] == 101 or text[at] == 69):
        at += 1
        down = at < end and text[at] == 45
        if down or (at < end and text[at] == 43):
            at += 1
        shift, digits = 0, 0
        while at < end and 48 <= text[at] <= 57:
            shift = min(shift * 10 + (text[at] - 48), 9999)
            digits += 1
            at += 1
        good = digits > 0
        exponent += -shift if down else shift
    if not good or (at < end and not (text[at] == 32 or 9 <= text[at] <= 13)):
        return np.inf, at
    value = float(mantissa)
    if 0 < exponent <= 22:
        value *= _POWERS[exponent]
    elif -22 <= exponent < 0:
        power = _POWERS[-exponent]
        value = value / power if mantissa <= _EXACT else _quotient(mantissa, power)
    elif exponent < -300:
        value = value * 1e-300 * 10.0 ** (exponent + 300)
    elif exponent != 0 and mantissa != 0:
        value *= 10.0**exponent
    return -value if negative else value, at


@kernel
def parse_numbers(text, at, width, out):
    """Read the white-space separated decimal numbers of `text[at:]` (uint8) into `out`.

    Returns (numbers found, where it stopped, lines with numbers, where the first line with other than `width`
    numbers begins or -1). It stops at the end or at what is no finite number; what does not fit `out` is only counted.
    """
    end = len(text)
    count, lines, odd = 0, 0, -1
    on_line, line_at = 0, at
    while True:
        while at < end and (text[at] == 32 or 9 <= text[at] <= 13):
            if (text[at] == 10 or text[at] == 13) and on_line > 0:
                lines += 1
                if on_line != width and odd < 0:
                    odd = line_at
                on_line = 0
            at += 1
        if at >= end:
            break
        if on_line == 0:
            line_at = at
        value, after = _number(text, at)
        if not np.isfinite(value):
            break
        at = after
        if count < len(out):
            out[count] = value
        count += 1
        on_line += 1
    if on_line > 0:
        lines += 1
        if on_line != width and odd < 0:
            odd = line_at
    return count, at, lines, odd


@kernel
def _multiply(aw, ax, ay, az, bw, bx, by, bz):
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@kernel
def _rotate(w, x, y, z, px, py, pz):
    tx, ty, tz = 2 * (y * pz - z * py), 2 * (z * px - x * pz), 2 * (x * py - y * px)
    return px + w * tx + y * tz - z * ty, py + w * ty + z * tx - x * tz, pz + w * tz + x * ty - y * tx


@kernel
def pose_joints(row, parents, offsets, channels, positions, rotations):
    """World positions (B, 3) and quaternions (B, 4) of one row of channel values, in the file's axes and unit.

    `channels` (B, 7): the column of the joint's first value, then up to six codes: 0-2 position along x, y, z;
    3-5 rotation about x, y, z; -1 none. A position channel replaces that component of the offset.
    """
    for b in range(len(parents)):
        px, py, pz = offsets[b, 0], offsets[b, 1], offsets[b, 2]
        w, x, y, z = 1.0, 0.0, 0.0, 0.0
        column = channels[b, 0]
        for k in range(1, 7):
            code = channels[b, k]
            if code < 0:
                break
            value = row[column]
            column += 1
            if code >= 3:
                half = value * _HALF_RADIAN
                c, s = np.cos(half), np.sin(half)
                if code == 3:
                    w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
                elif code == 4:
                    w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
                else:
                    w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
            elif code == 0:
                px = value
            elif code == 1:
                py = value
            else:
                pz = value
        p = parents[b]
        if p >= 0:
            W, X, Y, Z = rotations[p, 0], rotations[p, 1], rotations[p, 2], rotations[p, 3]
            px, py, pz = _rotate(W, X, Y, Z, px, py, pz)
            px, py, pz = positions[p, 0] + px, positions[p, 1] + py, positions[p, 2] + pz
            w, x, y, z = _multiply(W, X, Y, Z, w, x, y, z)
        positions[b, 0], positions[b, 1], positions[b, 2] = px, py, pz
        rotations[b, 0], rotations[b, 1], rotations[b, 2], rotations[b, 3] = w, x, y, z


@kernel
def pose_rows(values, parents, offsets, channels, positions, rotations):
    """`pose_joints` of every row: (T, B, 3) and (T, B, 4)."""
    for t in range(len(values)):
        pose_joints(values[t], parents, offsets, channels, positions[t], rotations[t])


@kernel
def canonical_rows(values, parents, offsets, channels, source, points, local, world, scale, positions, rotations):
    """Canonical positions (T, J, 3) in metres and rotations (T, J, 4) of every row of channel values.

    `source` (J,) the file's joint that canonical joint j rides on, -1 none; `points` (J, 3) where on it, in its own
    frame; `local` (J, 4) its frame from the canonical one; `world` (4,) our world from the file's; `scale` metres
    per unit. Signs of quaternions follow the row before.
    """
    B, J = len(parents), len(source)
    at, turn = np.empty((B, 3)), np.empty((B, 4))
    a, b, c, d = world[0], world[1], world[2], world[3]
    for t in range(len(values)):
        pose_joints(values[t], parents, offsets, channels, at, turn)
        for j in range(J):
            i = source[j]
            if i < 0:
                continue
            w, x, y, z = turn[i, 0], turn[i, 1], turn[i, 2], turn[i, 3]
            px, py, pz = _rotate(w, x, y, z, points[j, 0], points[j, 1], points[j, 2])
            px, py, pz = _rotate(a, b, c, d, at[i, 0] + px, at[i, 1] + py, at[i, 2] + pz)
            positions[t, j, 0], positions[t, j, 1], positions[t, j, 2] = scale * px, scale * py, scale * pz
            w, x, y, z = _multiply(a, b, c, d, w, x, y, z)
            w, x, y, z = _multiply(w, x, y, z, local[j, 0], local[j, 1], local[j, 2], local[j, 3])
            q = rotations[max(t - 1, 0), j]
            s = 1.0
            if t > 0 and w * q[0] + x * q[1] + y * q[2] + z * q[3] < 0:
                s = -1.0
            rotations[t, j, 0], rotations[t, j, 1] = s * w, s * x
            rotations[t, j, 2], rotations[t, j, 3] = s * y, s * z
