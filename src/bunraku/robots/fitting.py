"""The smallest capsule, sphere or box around the points of a mesh, and the few points that span its convex hull."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SAMPLE = 1500
_HULL_SAMPLE = 5000
_HULL_POINTS = 80
_HULL_ERROR_M = 5e-4
_CAPSULE_PREFERENCE = 1.15
"""a capsule may be this much larger than the box: distances between capsules cost less"""
THINNEST = 1e-3
"""m; flat and empty meshes get this half size"""


def spread_directions(count: int) -> Array:
    """(count, 3) unit vectors, evenly spread (Fibonacci's spiral)."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + np.sqrt(5)) * k
    level = np.sqrt(1 - z * z)
    return np.stack([level * np.cos(turn), level * np.sin(turn), z], axis=1)


DIRECTIONS = spread_directions(400)
DIRECTIONS.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Fit:
    """A shape in the frame of its points. Sizes as in MuJoCo; a capsule lies along its own z."""

    kind: Literal["sphere", "capsule", "box"]
    size: tuple[float, ...]
    position: Array
    """(3,)"""
    rotation: Array
    """(3, 3) points_from_shape"""
    hull: Array | None = None
    """(k, 3) points in the shape's frame that span the convex hull of what it was fitted around"""

    @property
    def volume(self) -> float:
        """m³"""
        if self.kind == "box":
            return float(8 * np.prod(self.size))
        r, h = self.size[0], self.size[1] if len(self.size) > 1 else 0.0
        return float(np.pi * r * r * (2 * h + 4 / 3 * r))


def fit(points: Array) -> Fit:
    """Sphere, capsule or box around all points `(n, 3)`, whichever has the least volume."""
    columns = np.ascontiguousarray(points.T)
    sample = np.ascontiguousarray(columns[:, :: max(1, len(points) // _SAMPLE)])
    frames = [np.eye(3), principal_axes(sample.T)]
    boxes = [_box(columns, frame) for frame in frames]
    # Axis-parallel boxes keep flat faces flat: turn one only where that saves a tenth.
    box = boxes[1] if boxes[1].volume < 0.9 * boxes[0].volume else boxes[0]
    rough = [_capsule(sample, frame, k) for frame in frames for k in range(3)]
    best = int(np.argmin([capsule.volume for capsule in rough]))
    if rough[best].volume > _CAPSULE_PREFERENCE * box.volume:
        return box
    capsule = _capsule(columns, frames[best // 3], best % 3, rough[best])
    return capsule if capsule.volume < _CAPSULE_PREFERENCE * box.volume else box


def level_box(points: Array, up: Array) -> Fit:
    """The smallest box around all points that stands upright on the direction `up`: a foot, with a flat sole."""
    columns = np.ascontiguousarray(points.T)
    x, y = _across(up)
    flat = np.stack([x, y]) @ columns[:, :: max(1, len(points) // _SAMPLE)]
    angles = np.linspace(0, np.pi / 2, 45, endpoint=False)
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ flat
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1) @ flat
    area = np.ptp(along, axis=1) * np.ptp(across, axis=1)
    # Angle zero wins unless another saves something.
    k = int(np.argmin(area)) if area.min() < 0.97 * area[0] else 0
    first = np.cos(angles[k]) * x + np.sin(angles[k]) * y
    return _box(columns, np.stack([first, np.cross(up, first), up], axis=1))


def with_hull(shape: Fit, points: Array) -> Fit:
    """The shape with the hull of the points `(n, 3)` that it was fitted around."""
    return replace(shape, hull=(hull_points(points) - shape.position) @ shape.rotation)


def hull_points(points: Array) -> Array:
    """(k, 3) of the points, at most 80: the farthest ones in spread directions, those first that add most."""
    sample = np.asarray(points[:: -(-len(points) // _HULL_SAMPLE)], np.float32)
    farthest = np.unique((DIRECTIONS.astype(np.float32) @ sample.T).argmax(axis=1))
    candidates = sample[farthest].astype(float)
    heights = candidates @ DIRECTIONS.T
    best, highest = heights.argmax(axis=0), heights.max(axis=0)
    chosen = [int(best[0])]
    lacking = highest - heights[best[0]]
    while len(chosen) < _HULL_POINTS and lacking.max() > _HULL_ERROR_M:
        chosen.append(int(best[lacking.argmax()]))
        lacking = np.minimum(lacking, highest - heights[chosen[-1]])
    return np.asarray(candidates[chosen])


def principal_axes(points: Array) -> Array:
    """(3, 3) right-handed, columns from the longest extent to the shortest."""
    values, axes = np.linalg.eigh(np.cov(points.T) if len(points) > 1 else np.eye(3))
    axes = axes[:, np.argsort(values)[::-1]]
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return np.asarray(axes)


def _across(up: Array) -> tuple[Array, Array]:
    """Two unit vectors normal to `up`, the first as near to the points' own x as it can be."""
    helper = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = helper - up * (up @ helper)
    x /= np.linalg.norm(x)
    return x, np.cross(up, x)


def _box(columns: Array, frame: Array) -> Fit:
    """The box along the columns of the frame, around points given as `(3, n)`."""
    local = frame.T @ columns
    low, high = local.min(axis=1), local.max(axis=1)
    size = np.maximum((high - low) / 2, THINNEST)
    return Fit("box", tuple(size.tolist()), frame @ ((low + high) / 2), frame)


def _capsule(columns: Array, frame: Array, k: int, like: Fit | None = None) -> Fit:
    """The capsule along column k of the frame; `like` lends the line it lies on."""
    rotation = np.roll(frame, 2 - k, axis=1)
    x, y, z = rotation.T @ columns
    centre = (rotation.T @ like.position)[:2] if like is not None else _circle_centre(x, y)
    apart = (x - centre[0]) ** 2 + (y - centre[1]) ** 2
    radius = max(float(np.sqrt(apart.max())), THINNEST)
    # Each point asks for an end that reaches it: |z| ≤ h + √(r² − d²).
    cap = np.sqrt(np.maximum(radius * radius - apart, 0))
    low, high = float((z + cap).min()), float((z - cap).max())
    middle, half = (low + high) / 2, max((high - low) / 2, 0.0)
    position = rotation @ np.array([centre[0], centre[1], middle])
    if half < 0.05 * radius:
        radius += half
        return Fit("sphere", (radius,), position, np.eye(3))
    return Fit("capsule", (radius, half), position, rotation)


def _circle_centre(x: Array, y: Array) -> Array:
    """Centre of the smallest circle around points, to a few per cent (Bădoiu and Clarkson)."""
    cx, cy = (x.min() + x.max()) / 2, (y.min() + y.max()) / 2
    for step in range(3, 15):
        far = int(np.argmax((x - cx) ** 2 + (y - cy) ** 2))
        cx, cy = cx + (x[far] - cx) / step, cy + (y[far] - cy) / step
    return np.array([cx, cy])
