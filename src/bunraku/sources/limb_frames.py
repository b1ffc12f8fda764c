"""How a forearm or a hand has turned, told from where it points and which way its back faces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_LEAST = 1e-9


def arm_turn(point: Array, back: Array, *, left: bool) -> Array | None:
    """(4,) turn away from the canonical pose, in which arms point to the sides, backs of the hands up; None where the
    two directions are none, or one line. Scalars throughout: it is called for every hand of every frame."""
    px, py, pz = (float(v) for v in point)
    bx, by, bz = (float(v) for v in back)
    size = (px * px + py * py + pz * pz) ** 0.5
    if not _LEAST < size < np.inf:
        return None
    px, py, pz = px / size, py / size, pz / size
    along = bx * px + by * py + bz * pz
    bx, by, bz = bx - along * px, by - along * py, bz - along * pz
    size = (bx * bx + by * by + bz * bz) ** 0.5
    if not _LEAST < size < np.inf:
        return None
    bx, by, bz = bx / size, by / size, bz / size
    if not left:
        px, py, pz = -px, -py, -pz
    # Columns of the matrix: x = y × z, y to the left, z up.
    return _quaternion(py * bz - pz * by, pz * bx - px * bz, px * by - py * bx, px, py, pz, bx, by, bz)


def _quaternion(
    xx: float, xy: float, xz: float, yx: float, yy: float, yz: float, zx: float, zy: float, zz: float
) -> Array:
    """Of the matrix with these columns, by its largest part."""
    trace = xx + yy + zz
    if trace > 0:
        s = 2.0 * (trace + 1.0) ** 0.5
        return np.array([s / 4, (yz - zy) / s, (zx - xz) / s, (xy - yx) / s])
    if xx >= yy and xx >= zz:
        s = 2.0 * (1.0 + xx - yy - zz) ** 0.5
        return np.array([(yz - zy) / s, s / 4, (yx + xy) / s, (zx + xz) / s])
    if yy >= zz:
        s = 2.0 * (1.0 + yy - xx - zz) ** 0.5
        return np.array([(zx - xz) / s, (yx + xy) / s, s / 4, (zy + yz) / s])
    s = 2.0 * (1.0 + zz - xx - yy) ** 0.5
    return np.array([(xy - yx) / s, (zx + xz) / s, (zy + yz) / s, s / 4])
