"""How far the fingers of one pose, or of many, are curled; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel

Array = NDArray[np.float64]

LEAST_M2 = 1e-8
"""two bones whose lengths multiply to less have no angle between them"""


class Fingers(NamedTuple):
    """The ten fingers of a person, F = 10, left hand first, thumb first."""

    chain: NDArray[np.int32]
    """(F, 5) wrist, three segments and tip of each finger"""
    axis: Array
    """(F, 3) unit axes, canonical pose, about which a positive turn curls each finger"""
    rest_cosine: Array
    """(F, 3) cosine of the angle at each joint of a straight finger"""
    fist: Array
    """(F, 3) bend of each joint in a fist, rad"""


@kernel
def _turn(a, b, axis):
    """Angle about `axis` of the turn that takes quaternion `a` to `b`, seen from `a`."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - b[0] * a[1] - (a[2] * b[3] - a[3] * b[2])
    y = a[0] * b[2] - b[0] * a[2] - (a[3] * b[1] - a[1] * b[3])
    z = a[0] * b[3] - b[0] * a[3] - (a[1] * b[2] - a[2] * b[1])
    along = x * axis[0] + y * axis[1] + z * axis[2]
    return 2.0 * np.arctan2(-along if w < 0 else along, abs(w))


@kernel
def _angle(a, b, c, rest_cosine):
    """Angle at `b` between the bones a-b and b-c beyond that of a straight finger; NaN where a bone has no length."""
    uu, vv, uv = 0.0, 0.0, 0.0
    for k in range(3):
        u, v = b[k] - a[k], c[k] - b[k]
        uu += u * u
        vv += v * v
        uv += u * v
    both = np.sqrt(uu) * np.sqrt(vv)
    if not both > LEAST_M2:
        return np.nan
    # A bend across the fan multiplies the cosine of the fan's angle with its own.
    return np.arccos(min(max(uv / both / rest_cosine, -1.0), 1.0))


@kernel
def curl_fingers(fingers, positions, rotations, position_valid, rotation_valid, curl, known):
    """Curls of one pose into `curl` (F,), 0 straight … 1 a fist, and whether they are known into `known` (F,).

    A joint's bend is told by the rotations of its two segments, else by the angle between them. The angle at a
    thumb's root says more of its spread than of its curl, and is left out.
    """
    for f in range(len(curl)):
        chain = fingers.chain[f]
        bend, most = 0.0, 0.0
        for k in range(3):
            angle = np.nan
            if rotation_valid[chain[k]] and rotation_valid[chain[k + 1]]:
                angle = _turn(rotations[chain[k]], rotations[chain[k + 1]], fingers.axis[f])
            elif (
                (k > 0 or f % 5 > 0)
                and position_valid[chain[k]]
                and position_valid[chain[k + 1]]
                and position_valid[chain[k + 2]]
            ):
                a, b, c = positions[chain[k]], positions[chain[k + 1]], positions[chain[k + 2]]
                angle = _angle(a, b, c, fingers.rest_cosine[f, k])
            if np.isfinite(angle):
                bend += angle
                most += fingers.fist[f, k]
        known[f] = most > 0.0
        curl[f] = min(max(bend / most, 0.0), 1.0) if most > 0.0 else 0.0


@kernel
def curl_frames(fingers, positions, rotations, position_valid, rotation_valid, curl, known):
    """The same for T poses: `(T, J, …)` into `(T, F)`."""
    for t in range(len(curl)):
        curl_fingers(fingers, positions[t], rotations[t], position_valid[t], rotation_valid[t], curl[t], known[t])
