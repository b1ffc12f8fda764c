"""The second paper's arm (Hirschmanner 2017): directions of upper arm, forearm and hand, and the palm's normal.

The paper's formulas as functions of arrays, in the robot's axes (x forward, y left, z up, arm forward at zero), and the
mapper that applies them to any robot. All turns here are of frames, as the paper writes them. Frames down the chain are
those of the angles as sent, within their limits. Eq. 4.20 prints ψ_S for ψ_E.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.kinematics import rotations as rot
from bunraku.retarget.chain_kernels import DIRECTION
from bunraku.retarget.closed_form import ClosedFormMapper
from bunraku.robots import Robot

Array = NDArray[np.float64]

PEPPER_WRIST_TILT_RAD = np.radians(-9.0)
"""of Pepper's forearm about y"""
NECK_TO_EYES_M = 0.21
"""from the Leap sensor to the middle of the head: 8 cm to the eyes and 13 cm on"""
_LEAP_AXES = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])
_ROBOT_AXES = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True)
class Operator:
    """Where the shoulders are, from the middle of the head; the paper's are those of an average man."""

    shoulder_out_m: float = 0.21
    shoulder_down_m: float = 0.225


AVERAGE = Operator()


def headset_from_leap(points_mm: ArrayLike) -> Array:
    """Places `(…, 3)` measured by the Leap, mm, in the headset's frame (x right, y up, z back), m: Eq. 4.12."""
    eyes = np.array([0.0, 0.0, NECK_TO_EYES_M])
    return np.asarray(directions_from_leap(np.asarray(points_mm, float) * 1e-3) - eyes)


def directions_from_leap(directions: ArrayLike) -> Array:
    """Directions `(…, 3)` seen by the Leap in the headset's frame."""
    return np.asarray(np.asarray(directions, float) @ _LEAP_AXES.T)


def shoulder_from_headset(points: ArrayLike, headset: ArrayLike, side: str, operator: Operator = AVERAGE) -> Array:
    """Places `(…, 3)` in the headset's frame, in that of a shoulder in the robot's axes: Eq. 4.13.

    `headset`: its orientation `(…, 4)`, wxyz, in axes x right, y up, z back; the shoulders do not turn with it.
    """
    out = -operator.shoulder_out_m if side == "right" else operator.shoulder_out_m
    moved = rot.rotate(headset, points) + np.array([out, operator.shoulder_down_m, 0.0])
    return np.asarray(moved @ _ROBOT_AXES.T)


def directions_from_headset(directions: ArrayLike, headset: ArrayLike) -> Array:
    """Directions `(…, 3)` in the headset's frame, in the robot's axes."""
    return np.asarray(rot.rotate(headset, directions) @ _ROBOT_AXES.T)


def turn_x(angle: ArrayLike, v: ArrayLike) -> Array:
    """v `(…, 3)` in a frame turned about x: the paper's R_x."""
    c, s, x, y, z = _parts(angle, v)
    return np.stack([x, c * y + s * z, -s * y + c * z], axis=-1)


def turn_y(angle: ArrayLike, v: ArrayLike) -> Array:
    """v `(…, 3)` in a frame turned about y: the paper's R_y."""
    c, s, x, y, z = _parts(angle, v)
    return np.stack([c * x - s * z, y, s * x + c * z], axis=-1)


def turn_z(angle: ArrayLike, v: ArrayLike) -> Array:
    """v `(…, 3)` in a frame turned about z: the paper's R_z."""
    c, s, x, y, z = _parts(angle, v)
    return np.stack([c * x + s * y, -s * x + c * y, z], axis=-1)


def arm_angles(
    elbow: ArrayLike,
    forearm: ArrayLike,
    palm: ArrayLike,
    hand: ArrayLike,
    limits: ArrayLike | None = None,
    wrist_tilt_rad: float = 0.0,
) -> Array:
    """ShoulderPitch, ShoulderYaw, ElbowRoll, ElbowYaw, WristRoll, WristYaw, WristPitch `(…, 7)`: Eq. 4.14 to 4.29.

    Elbow's place, forearm, palm's normal and hand `(…, 3)` in the shoulder's frame. `limits` (7, 2): every angle is
    kept within them before the next is computed. Of the two ways to bend an elbow the one with ElbowYaw ≤ 0 is taken on
    a left arm and of a right arm the mirror image, as the limits say.
    """
    bounds = np.tile([-np.pi, np.pi], (7, 1)) if limits is None else np.asarray(limits, float)
    p, e, n, h = (np.asarray(v, float) for v in (elbow, forearm, palm, hand))
    pitch = np.clip(np.arctan2(-p[..., 2], p[..., 0]), *bounds[0])
    p = turn_y(pitch, p)
    yaw = np.clip(np.arctan2(p[..., 1], p[..., 0]), *bounds[1])
    e, n, h = (turn_z(yaw, turn_y(pitch, v)) for v in (e, n, h))
    inward = -1.0 if bounds[3].sum() <= 0 else 1.0
    roll = np.clip(np.arctan2(inward * e[..., 2], inward * e[..., 1]), *bounds[2])
    e, n, h = (turn_x(roll, v) for v in (e, n, h))
    bend = np.clip(np.arctan2(e[..., 1], e[..., 0]), *bounds[3])
    n, h = (turn_y(wrist_tilt_rad, turn_z(bend, v)) for v in (n, h))
    wrist = np.clip(np.arctan2(n[..., 1], -n[..., 2]), *bounds[4])
    h = turn_x(wrist, h)
    across = np.clip(np.arctan2(h[..., 1], h[..., 0]), *bounds[5])
    h = turn_z(across, h)
    up = np.clip(np.arctan2(-h[..., 2], h[..., 0]), *bounds[6])
    return np.stack([pitch, yaw, roll, bend, wrist, across, up], axis=-1)


def make(robot: Robot) -> ClosedFormMapper:
    """The mapper: shoulder, elbow and wrist so that upper arm, forearm, palm and hand point as the person's do."""
    return ClosedFormMapper(robot, "hirschmanner", DIRECTION)


def _parts(angle: ArrayLike, v: ArrayLike) -> tuple[Array, Array, Array, Array, Array]:
    v, angle = np.asarray(v, float), np.asarray(angle, float)
    return np.cos(angle), np.sin(angle), v[..., 0], v[..., 1], v[..., 2]
