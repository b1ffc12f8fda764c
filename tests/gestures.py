"""People whose fingers, jaw and eyes do exactly what a test says."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bunraku.human import HumanMotion
from bunraku.human.body import ADULT, pose_body, world_from_local
from bunraku.human.skeleton import FINGERS, INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations

FIST_DEG = {"thumb": (30, 45, 55), **dict.fromkeys(FINGERS[1:], (80, 95, 50))}
"""anatomical bends of knuckle, middle and last joint"""


def gesture(
    curl: ArrayLike, *, fps: float = 50.0, turn: ArrayLike = rotations.IDENTITY, spread: float = 0.0
) -> HumanMotion:
    """A person in the canonical pose, turned as a whole, with the fingers curled (T, 2, 5) and fanned out, rad."""
    curl = np.asarray(curl, float)
    local = np.tile(rotations.IDENTITY, (len(curl), JOINT_COUNT, 1))
    local[:, 0] = turn
    for s, side in enumerate(SIDES):
        sign = 1.0 if side == "left" else -1.0
        for f, finger in enumerate(FINGERS):
            # In left-hand terms: fingers bend about -x, the thumb across the palm; a mirror turns x and z axes round.
            axis = np.array([-0.42, 0.53, 0.74] if finger == "thumb" else [-1.0, 0.0, 0.0]) * [sign, 1.0, sign]
            axis /= np.linalg.norm(axis)
            for part, degrees in enumerate(FIST_DEG[finger]):
                bend = rotations.exp(axis * np.radians(degrees) * curl[:, s, f, None])
                if part == 0 and finger != "thumb":
                    bend = rotations.multiply(rotations.exp([0.0, 0.0, sign * spread * (f - 2)]), bend)
                local[:, INDEX[f"{side}_{finger}_{part + 1}"]] = bend
    world = world_from_local(local)
    known = np.ones(world.shape[:2], bool)
    return HumanMotion(
        positions=pose_body(ADULT, [0.0, 0.0, 1.0], world),
        rotations=world,
        position_valid=known,
        rotation_valid=known.copy(),
        fps=fps,
    )


def fingers_of(side: str, finger: str) -> list[int]:
    """Rows of one finger's joints."""
    return [INDEX[f"{side}_{finger}_{part}"] for part in ("1", "2", "3", "tip")]
