"""A body given as points, drawn as bones and joints into a MuJoCo scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_BONE = np.array([0.13, 0.50, 0.55, 1.0], np.float32)
_KNOB = np.array([0.97, 0.94, 0.88, 1.0], np.float32)
_DARK = np.array([0.12, 0.12, 0.16, 0.10], np.float32)
_SPHERE, _CAPSULE, _ELLIPSOID = (
    mujoco.mjtGeom.mjGEOM_SPHERE.value,
    mujoco.mjtGeom.mjGEOM_CAPSULE.value,
    mujoco.mjtGeom.mjGEOM_ELLIPSOID.value,
)


@dataclass(frozen=True)
class Figure:
    """How the points of a body hang together. Point 0 is its root."""

    edges: Sequence[tuple[int, int]]
    head: tuple[int, int] | None = None
    """neck and head: a head is drawn on the way from the one to the other and beyond"""


def height_of(points: Array, valid: NDArray[np.bool_]) -> float:
    """Metres from the lowest point to the top of the head above the highest; an adult's where none can be measured."""
    heights = points[valid, 2]
    return 1.08 * float(np.ptp(heights)) if len(heights) > 1 and np.ptp(heights) > 0.1 else 1.75


def draw_figure(scene: mujoco.MjvScene, figure: Figure, points: Array, valid: NDArray[np.bool_], height: float) -> None:
    """Add bones between valid points `(J, 3)`, knobs on them, and a head; thickness goes by length and body height."""
    knob = np.zeros(len(points))
    for first, second in figure.edges:
        if not (valid[first] and valid[second]):
            continue
        length = float(np.linalg.norm(points[second] - points[first]))
        radius = float(np.clip(0.13 * length, 0.0035 * height, 0.0135 * height))
        knob[[first, second]] = np.maximum(knob[[first, second]], 1.3 * radius)
        _bone(scene, points[first], points[second], radius)
    for k in np.flatnonzero(knob):
        _add(scene, _SPHERE, np.full(3, knob[k]), points[k], np.eye(3), _KNOB)
    if figure.head is not None and valid[list(figure.head)].all():
        neck, head = points[list(figure.head)]
        up = head - neck
        up = up / max(float(np.linalg.norm(up)), 1e-9)
        size = np.array([0.042, 0.042, 0.058]) * height
        _add(scene, _ELLIPSOID, size, head + 0.030 * height * up, _frame(up), _KNOB)


def draw_disc(scene: mujoco.MjvScene, at: Array, radius: float) -> None:
    """A soft dark disc on the floor under a body: what stands for a shadow where none is cast."""
    for k in range(1, 6):
        size = np.array([radius * k / 5, 1e-4, 0.0])
        place = np.array([at[0], at[1], 2e-4 * (6 - k)])
        _add(scene, mujoco.mjtGeom.mjGEOM_CYLINDER.value, size, place, np.eye(3), _DARK)


def _bone(scene: mujoco.MjvScene, start: Array, end: Array, radius: float) -> None:
    geom = _add(scene, _CAPSULE, np.zeros(3), np.zeros(3), np.eye(3), _BONE)
    if geom is not None:
        mujoco.mjv_connector(geom, _CAPSULE, radius, start, end)


def _add(
    scene: mujoco.MjvScene, kind: int, size: Array, at: Array, frame: Array, colour: NDArray[np.float32]
) -> mujoco.MjvGeom | None:
    """One more shape, or None where the scene is full."""
    if scene.ngeom >= scene.maxgeom:
        return None
    geom = scene.geoms[scene.ngeom]
    mujoco.mjv_initGeom(geom, kind, size, at, frame.ravel(), colour)
    geom.specular, geom.shininess = 0.35, 0.5
    scene.ngeom += 1
    return geom


def _frame(z: Array) -> Array:
    """(3, 3) a frame whose third axis is `z`."""
    helper = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    y = np.cross(z, helper)
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)
