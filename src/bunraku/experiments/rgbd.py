"""What a colour camera with depth and a keypoint detector make of an operator (P4).

Depth: 640 × 480 at 30 Hz, structured light as Khoshelham measured it: noise 1.425 mm/m² and steps of 2.85 mm/m², both
times distance squared; part of the pixels are holes. Keypoints: a pixel of noise, some of them hidden, now and then one
somewhere else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.depth import Pinhole
from bunraku.human.operator_hands import BODY_POINTS, KEYPOINTS

Array = NDArray[np.float64]

DEPTH_NOISE, DEPTH_STEP = 1.425e-3, 2.85e-3
"""1/m, times distance squared"""
HOLES = 0.08
"""share of depth pixels that are NaN"""
PIXEL_NOISE = 1.0
"""px, of a keypoint, each way"""
HAND_HIDDEN, WRIST_ASTRAY, _ASTRAY_PX = 0.01, 0.01, 80.0
"""share of frames in which a hand is not found, and in which its wrist is found up to so many pixels away"""
_WALL = 3.5
"""m, the background"""
_RADIUS = np.array([0.10] + [0.05] * (len(BODY_POINTS) - 1) + [0.012] * (KEYPOINTS - len(BODY_POINTS)))
"""m, of what is around each keypoint"""

CAMERA = Pinhole()
PLACE = np.array([1.6, 0.0, 1.15])
"""m in the operator's world: in front of them, at the height of the chest"""
WORLD_FROM_CAMERA = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""(3, 3) the camera looks back at the operator"""

NOTE = (
    f"Camera: 640 × 480 at 30 Hz, {PLACE[0]:g} m away; depth noise {DEPTH_NOISE * 1e3:g} mm and steps of "
    f"{DEPTH_STEP * 1e3:g} mm at 1 m, growing with the square, {HOLES:.0%} holes; keypoints with {PIXEL_NOISE:g} px "
    f"noise, a hand not found in {HAND_HIDDEN:.0%} and its wrist astray in {WRIST_ASTRAY:.0%} of frames."
)


def look(points: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A depth picture (480, 640) and keypoints (KEYPOINTS, 2) of an operator whose points in the world are given."""
    in_camera = (points - PLACE) @ WORLD_FROM_CAMERA
    depth = np.full((CAMERA.height, CAMERA.width), _WALL)
    true_pixels = CAMERA.project(in_camera)
    for k in np.argsort(-in_camera[:, 2]):
        _paint(depth, true_pixels[k], in_camera[k, 2], _RADIUS[k], rng)
    pixels = true_pixels + PIXEL_NOISE * rng.standard_normal(true_pixels.shape)
    for side in range(2):
        hand = slice(len(BODY_POINTS) + 21 * side, len(BODY_POINTS) + 21 * (side + 1))
        if rng.random() < HAND_HIDDEN:
            pixels[hand] = np.nan
        elif rng.random() < WRIST_ASTRAY:
            pixels[hand.start] += rng.uniform(-_ASTRAY_PX, _ASTRAY_PX, 2)
    return depth, pixels


def _paint(depth: Array, pixel: Array, z: float, radius: float, rng: np.random.Generator) -> None:
    """A patch around a keypoint at its depth, with noise, steps and holes; what is nearer comes later."""
    if not np.isfinite(pixel).all():
        return
    reach = max(1, round(CAMERA.fx * radius / z))
    u, v = round(float(pixel[0])), round(float(pixel[1]))
    patch = depth[max(v - reach, 0) : max(v + reach + 1, 0), max(u - reach, 0) : max(u + reach + 1, 0)]
    seen = z + DEPTH_NOISE * z * z * rng.standard_normal(patch.shape)
    step = DEPTH_STEP * z * z
    patch[:] = np.round(seen / step) * step
    patch[rng.random(patch.shape) < HOLES] = np.nan
