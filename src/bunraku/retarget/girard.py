"""The first paper's arm (Girard et al. 2020): the upper arm's orientation by Z, X, Y; elbow and wrist from the forearm.

The paper's formulas as functions of arrays, in its axes (x left, y up, z forward, arm hanging), and the mapper that
applies them to any robot. Its Eq. 1 prints a_x = S1 S2 C3; the product of the three turns has C1 S3 + S1 S2 C3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.kinematics import rotations as rot
from bunraku.retarget.chain_kernels import ORIENTATION
from bunraku.retarget.closed_form import ClosedFormMapper
from bunraku.robots import Robot

Array = NDArray[np.float64]

_LOCK = 1e-9


def shoulder_matrix(angles: ArrayLike) -> Array:
    """R_0_3 `(…, 3, 3)` of the angles θ1, θ2, θ3 `(…, 3)` about Z, X and Y: Eq. 1."""
    return rot.to_matrix(rot.from_euler("ZXY", angles))


def shoulder_angles(matrix: ArrayLike) -> Array:
    """θ1, θ2, θ3 `(…, 3)` of R_0_3 = [n s a] `(…, 3, 3)`: Eq. 2; θ3 is 0 where θ2 = ±90° shows only their sum."""
    m = np.asarray(matrix, float)
    n, s, a = m[..., 0], m[..., 1], m[..., 2]
    locked = np.hypot(s[..., 0], s[..., 1]) < _LOCK
    first = np.where(locked, np.arctan2(n[..., 1], n[..., 0]), np.arctan2(-s[..., 0], s[..., 1]))
    third = np.where(locked, 0.0, np.arctan2(-n[..., 2], a[..., 2]))
    return np.stack([first, np.arcsin(np.clip(s[..., 2], -1.0, 1.0)), third], axis=-1)


def arm_angles(upper_arm: ArrayLike, forearm_zyx: ArrayLike) -> Array:
    """θ1 … θ5 `(…, 5)` of the upper arm's matrix and the forearm's α, β, γ `(…, 3)`: θ4 = γ, θ5 = α, β is lost."""
    zyx = np.asarray(forearm_zyx, float)
    return np.concatenate([shoulder_angles(upper_arm), zyx[..., 2:3], zyx[..., 0:1]], axis=-1)


def elbow_error(upper_arm: ArrayLike, displacement_m: float) -> Array:
    """Place of the robot's elbow less the person's `(…, 3)`, m, for a displacement l along x that Y does not turn."""
    m = np.asarray(upper_arm, float)
    angles = shoulder_angles(m)
    angles[..., 2] = 0.0
    return np.asarray((shoulder_matrix(angles) - m)[..., 0] * displacement_m)


def make(robot: Robot) -> ClosedFormMapper:
    """The mapper: three joints of the shoulder follow the upper arm's orientation, elbow and wrist the forearm's."""
    return ClosedFormMapper(robot, "girard", ORIENTATION, torso=True)
