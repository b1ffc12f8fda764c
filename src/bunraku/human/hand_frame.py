"""A hand's orientation from the 21 points that hand detectors give (P4).

Points: 0 the wrist, then four each of thumb, index, middle, ring and little finger, root to tip. The paper's frame: Z
is the mean normal of four triangles in the palm, X runs from the wrist to the knuckles, Y = Z × X, and the negatives
are taken. The negatives of all three would be a mirror image, not a turn; here X and Z are negated and Y follows from
them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.human.body import ADULT
from bunraku.human.skeleton import FINGER_PARTS, FINGERS, INDEX, SIDES
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

POINTS = 21
TRIANGLES = ((1, 17, 5), (1, 17, 9), (0, 13, 5), (0, 9, 2))
KNUCKLES = (5, 9, 13, 17)
_THIN = 1e-6
"""m²; a triangle with less than this has no normal"""


def point_joints(side: str) -> tuple[str, ...]:
    """The canonical skeleton's joint for each of the 21 points."""
    return (f"{side}_hand", *(f"{side}_{finger}_{part}" for finger in FINGERS for part in FINGER_PARTS))


def hand_frame(points: ArrayLike, valid: ArrayLike | None = None) -> Array | None:
    """(3, 3) the paper's hand frame, columns X Y Z, from `points` (21, 3).

    Triangles with a missing corner are left out; None where the wrist, all knuckles or all triangles are missing, or
    the points lie on one line.
    """
    points = np.asarray(points, float)
    seen = np.isfinite(points).all(axis=-1)
    if valid is not None:
        seen &= np.asarray(valid, bool)
    knuckles = [k for k in KNUCKLES if seen[k]]
    normals = [_normal(points[list(corners)]) for corners in TRIANGLES if seen[list(corners)].all()]
    if not (seen[0] and knuckles and normals):
        return None
    z, x = np.mean(normals, axis=0), points[knuckles].mean(axis=0) - points[0]
    y = np.cross(z, x)
    if np.linalg.norm(z) < _THIN or np.linalg.norm(y) < _THIN * max(float(np.linalg.norm(x)), 1e-9):
        return None
    z, y = z / np.linalg.norm(z), y / np.linalg.norm(y)
    return np.column_stack([-np.cross(y, z), y, -z])


def hand_turn(side: str, points: ArrayLike, valid: ArrayLike | None = None) -> Array | None:
    """(4,) the hand's turn away from the canonical pose, as every source gives it; None as in `hand_frame`."""
    frame = hand_frame(points, valid)
    return None if frame is None else rot.from_matrix(frame @ _CANONICAL[side].T)


def _normal(corners: Array) -> Array:
    return np.asarray(np.cross(corners[1] - corners[0], corners[2] - corners[0]))


def _canonical(side: str) -> Array:
    frame = hand_frame(ADULT.joints[[INDEX[name] for name in point_joints(side)]])
    assert frame is not None
    return frame


_CANONICAL = {side: _canonical(side) for side in SIDES}
