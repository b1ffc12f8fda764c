"""People whose fingers, jaw and eyes do exactly what a test says."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

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
    local = finger_turns(np.asarray(curl, float), spread)
    local[:, 0] = turn
    return person(local, fps)


def finger_turns(curl: np.ndarray, spread: float = 0.0) -> np.ndarray:
    """(T, J, 4) local rotations of curled and fanned-out fingers."""
    local = np.tile(rotations.IDENTITY, (len(curl), JOINT_COUNT, 1))
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
    return local


def person(local: np.ndarray, fps: float) -> HumanMotion:
    """Someone whose joints are turned so (T, J, 4) against their parents."""
    world = world_from_local(local)
    known = np.ones(world.shape[:2], bool)
    return HumanMotion(
        positions=pose_body(ADULT, [0.0, 0.0, 1.0], world),
        rotations=world,
        position_valid=known,
        rotation_valid=known.copy(),
        fps=fps,
    )


@cache
def _pinch(finger: str) -> tuple[np.ndarray, float]:
    """Turn (3,) of a left thumb's root, and curl of a finger, with which their tips meet."""
    tips = [INDEX["left_thumb_tip"], INDEX[f"left_{finger}_tip"]]

    def apart(x: np.ndarray) -> np.ndarray:
        at = _pinching(finger, x[None, :3], x[3:]).positions[0, tips]
        return np.concatenate([100 * (at[0] - at[1]), 0.1 * x])

    x = least_squares(apart, [0.0, 0.0, 0.0, 0.5]).x
    return x[:3], float(x[3])


def _pinching(finger: str, root: np.ndarray, bend: np.ndarray, fps: float = 50.0) -> HumanMotion:
    curl = np.zeros((len(bend), 2, 5))
    curl[:, :, FINGERS.index(finger)] = bend[:, None]
    curl[:, :, 0] = 0.4 * bend[:, None]
    local = finger_turns(curl)
    for side, mirror in (("left", [1, 1, 1]), ("right", [-1, 1, -1])):
        k = INDEX[f"{side}_thumb_1"]
        local[:, k] = rotations.multiply(rotations.exp(root * mirror), local[:, k])
    return person(local, fps)


def pinch(closed: ArrayLike, finger: str = "index", fps: float = 50.0) -> HumanMotion:
    """A person who brings thumb and finger of both hands together (T,): 0 flat hands, 1 the tips meet."""
    root, bend = _pinch(finger)
    closed = np.asarray(closed, float)
    return _pinching(finger, closed[:, None] * root, closed * bend, fps)


def fingers_of(side: str, finger: str) -> list[int]:
    """Rows of one finger's joints."""
    return [INDEX[f"{side}_{finger}_{part}"] for part in ("1", "2", "3", "tip")]
