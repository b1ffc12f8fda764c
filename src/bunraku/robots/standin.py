"""Simple shapes for links whose meshes are missing, in proportion to the skeleton."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics import rotations
from bunraku.robots.fitting import Fit
from bunraku.robots.stance import Stance

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]

_THICKNESS = 0.2
"""radius of a limb for its length"""
_THINNEST, _THICKEST = 0.008, 0.035
"""of the robot's own extent"""


def stand_ins(model: mujoco.MjModel, stance: Stance, body: int) -> list[Fit]:
    """Shapes in the body's frame: capsules from its origin to its children's; a level box for a foot."""
    extent = float(np.ptp(stance.positions[1:], axis=0).max()) or 0.2
    leg = next((leg for leg in stance.legs if leg[-1] == body), None)
    if leg is not None:
        return [_foot(model, stance, leg)]
    ends = [model.body_pos[child].copy() for child in range(1, model.nbody) if model.body_parentid[child] == body]
    ends = [end for end in ends if np.linalg.norm(end) > 0.03 * extent]
    if not ends and np.linalg.norm(model.body_ipos[body]) > 0.01 * extent:
        ends = [1.6 * model.body_ipos[body]]
    if not ends:
        return [Fit("sphere", (1.5 * _THINNEST * extent,), np.zeros(3), np.eye(3))]
    return [_limb(end, extent) for end in ends]


def _limb(end: Array, extent: float) -> Fit:
    length = float(np.linalg.norm(end))
    radius = float(np.clip(_THICKNESS * length, _THINNEST * extent, _THICKEST * extent))
    turn = rotations.to_matrix(rotations.between([0.0, 0.0, 1.0], end))
    half = max(length / 2 - radius / 2, 0.25 * radius)
    return Fit("capsule", (radius, half), end / 2, turn)


def _foot(model: mujoco.MjModel, stance: Stance, leg: tuple[int, ...]) -> Fit:
    """As long and wide as a foot is for its leg; the sole is where a link below the ankle says, or a guess."""
    ankle, hip = stance.positions[leg[-1]], stance.positions[leg[0]]
    length = max(float(np.linalg.norm(hip - ankle)), 1e-3)
    below = [
        float(ankle[2] - stance.positions[child][2])
        for child in range(1, model.nbody)
        if model.body_weldid[child] == leg[-1] and child != leg[-1]
    ]
    drops = [drop for drop in below if 0.02 * length < drop < 0.3 * length]
    drop = max(drops) if drops else 0.1 * length
    half = np.array([0.15 * length, 0.06 * length, drop / 2])
    rotation = stance.rotations[leg[-1]].T
    centre = rotation @ np.array([0.05 * length, 0.0, -drop / 2])
    return Fit("box", tuple(half.tolist()), centre, rotation)
