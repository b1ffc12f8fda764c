"""The third paper's fast mapping (Gong et al. 2022): Euler angles carried over, or the angle between two segments.

A joint's turn is R = Rz(φ)·Ry(θ)·Rx(ψ) with x along the link. The paper's formulas as functions of arrays, and the
mapper that applies them to any robot. Its Eq. 8 prints sinφ sinθ sinψ in the second entry for sinφ sinθ cosψ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.retarget.chain_kernels import EULER
from bunraku.retarget.closed_form import ClosedFormMapper
from bunraku.robots import Robot

Array = NDArray[np.float64]


def link_angle(phi: ArrayLike, theta: ArrayLike) -> Array:
    """Ω, the angle between the two links of an elbow, π when it is straight: Eq. 6."""
    return np.asarray(np.pi - flexion(phi, theta))


def flexion(phi: ArrayLike, theta: ArrayLike) -> Array:
    """By how much an elbow is bent, 0 when it is straight: two turns of the person for one joint, Eq. 5."""
    return np.asarray(np.arccos(np.clip(np.cos(np.asarray(theta)) * np.cos(np.asarray(phi)), -1.0, 1.0)))


def turned_normal(phi: ArrayLike, theta: ArrayLike, psi: ArrayLike) -> Array:
    """The hand's z axis in the forearm's frame `(…, 3)`: Eq. 8."""
    phi, theta, psi = np.broadcast_arrays(*(np.asarray(angle, float) for angle in (phi, theta, psi)))
    return np.stack(
        [
            np.sin(phi) * np.sin(psi) + np.cos(phi) * np.sin(theta) * np.cos(psi),
            np.sin(phi) * np.sin(theta) * np.cos(psi) - np.cos(phi) * np.sin(psi),
            np.cos(theta) * np.cos(psi),
        ],
        axis=-1,
    )


def wrist_turn(theta: ArrayLike, psi: ArrayLike) -> Array:
    """ω for a wrist that turns one way, 0 … π: two turns of the person for one joint, Eq. 10."""
    return np.asarray(np.arccos(np.clip(np.cos(np.asarray(theta)) * np.cos(np.asarray(psi)), -1.0, 1.0)))


def signed_wrist_turn(phi: ArrayLike, theta: ArrayLike, psi: ArrayLike) -> Array:
    """The same for a wrist that turns both ways: the part of that tilt about the forearm, with the twist's sign.

    Without bend it is ψ. With bend, ω with a sign would jump by 2|θ| where the twist goes through zero; this does not.
    """
    z = turned_normal(phi, theta, psi)
    tilt = np.arccos(np.clip(z[..., 2], -1.0, 1.0))
    slope = np.hypot(z[..., 0], z[..., 1])
    return np.asarray(-z[..., 1] * np.where(slope > 1e-9, tilt / np.maximum(slope, 1e-9), 1.0))


def make(robot: Robot) -> ClosedFormMapper:
    """The mapper: angles carried over where the joints are alike, else the angle between the segments."""
    return ClosedFormMapper(robot, "gong", EULER)
