"""Several cameras around a person: what is known of each, and points in space from what they see.

A file (TOML or JSON) names them; `K`, `R`, `t` may also be called matrix, rotation (three numbers: a rotation vector)
and translation, and distortion has up to five numbers k1 k2 p1 p2 k3:

    [left]
    folder = "left"
    K = [[900, 0, 640], [0, 900, 360], [0, 0, 1]]
    R = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    t = [0, 1.2, 3]

A point X in the world is at R·X + t from the camera, in its axes: x right, y down, z away; metres.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.kinematics import rotations as rot
from bunraku.sources.landmarks import Landmarks

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MAX_BYTES = 1 << 20
_LEAST, _MOST = 2, 64
"""cameras"""
_ASTRAY = 0.02
"""of the focal length: a view that is farther than this from the point's image is not used"""
_UNDISTORTED = 8
"""steps of the search for a point without distortion"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Camera:
    """One of them."""

    name: str
    folder: str
    K: Array
    """(3, 3) px"""
    R: Array
    """(3, 3) camera_from_world"""
    t: Array
    """(3,) m"""
    distortion: Array
    """(5,) k1 k2 p1 p2 k3"""

    def rays(self, pixels: Array) -> Array:
        """(…, 2) x / z and y / z of pixels (…, 2), without distortion."""
        y = (pixels[..., 1] - self.K[1, 2]) / self.K[1, 1]
        x = (pixels[..., 0] - self.K[0, 2] - self.K[0, 1] * y) / self.K[0, 0]
        seen = np.stack([x, y], axis=-1)
        k1, k2, p1, p2, k3 = self.distortion
        if not self.distortion.any():
            return seen
        out = seen.copy()
        for _ in range(_UNDISTORTED):
            x, y = out[..., 0], out[..., 1]
            r = x * x + y * y
            radial = np.maximum(1 + r * (k1 + r * (k2 + r * k3)), 0.1)
            shift = np.stack([2 * p1 * x * y + p2 * (r + 2 * x * x), p1 * (r + 2 * y * y) + 2 * p2 * x * y], axis=-1)
            out = np.clip((seen - shift) / radial[..., None], -10, 10)
        return out

    def project(self, points: Array) -> Array:
        """(…, 2) pixels of points (…, 3) in the world, distortion left out; NaN behind the camera."""
        inside = points @ self.R.T + self.t
        z = np.where(inside[..., 2] > 1e-6, inside[..., 2], np.nan)
        flat = np.stack([inside[..., 0] / z, inside[..., 1] / z, np.ones_like(z)], axis=-1)
        return np.asarray((flat @ self.K.T)[..., :2])


def read_cameras(path: str | Path) -> tuple[Camera, ...]:
    """Of a file, in its order; sections that describe none are left out."""
    path = Path(path)
    try:
        data = path.read_bytes()
        if len(data) > _MAX_BYTES:
            raise InputError(f"{path}: {len(data)} bytes are no description of cameras")
        tables = json.loads(data) if path.suffix.lower() == ".json" else tomllib.loads(data.decode())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: it is neither TOML nor JSON: {error}") from None
    if not isinstance(tables, dict):
        raise InputError(f"{path}: it names no cameras")
    cameras = tuple(
        _camera(path, name, table) for name, table in tables.items()
        if isinstance(table, dict) and ("K" in table or "matrix" in table)
    )  # fmt: skip
    if not _LEAST <= len(cameras) <= _MOST:
        raise InputError(f"{path}: {len(cameras)} cameras; {_LEAST} to {_MOST} with K, R and t are needed")
    return cameras


def _camera(path: Path, name: str, table: Mapping[str, Any]) -> Camera:
    def numbers(*names: str, shapes: Sequence[tuple[int, ...]]) -> Array:
        value = next((table[n] for n in names if n in table), None)
        try:
            array = np.array(value, float)
        except (TypeError, ValueError):
            array = np.zeros(0)
        if array.shape not in shapes or not np.isfinite(array).all():
            wanted = " or ".join(str(shape) for shape in shapes)
            raise InputError(f"{path}: camera {name}: {names[0]} must be {wanted} finite numbers")
        return array

    K = numbers("K", "matrix", shapes=[(3, 3)])
    R = numbers("R", "rotation", shapes=[(3, 3), (3,)])
    t = numbers("t", "translation", shapes=[(3,)])
    R = rot.to_matrix(rot.exp(R)) if R.shape == (3,) else R
    if not (K[0, 0] > 0 and K[1, 1] > 0):
        raise InputError(f"{path}: camera {name}: focal lengths must be positive")
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-2 or np.linalg.det(R) < 0:
        raise InputError(f"{path}: camera {name}: R is no rotation")
    distortion = np.zeros(5)
    if "distortion" in table or "distortions" in table:
        given = numbers("distortion", "distortions", shapes=[(n,) for n in range(6)])
        distortion[: len(given)] = given
    folder = table.get("folder", name)
    if not isinstance(folder, str):
        raise InputError(f"{path}: camera {name}: folder must be a name")
    return Camera(name=name, folder=folder, K=K, R=R, t=t, distortion=distortion)


def triangulate(cameras: Sequence[Camera], views: Sequence[Landmarks | None]) -> tuple[Array, Flags]:
    """(K, 3) points in the world and (K,) which are known, from each camera's view; a view may be missing.

    Linear least squares with the detectors' confidences as weights; while a point's views do not agree, the one
    without which the others agree best is left out, and a point that two views alone disagree about is not known.
    """
    there = [(camera, view) for camera, view in zip(cameras, views, strict=True) if view is not None]
    count = len(views[0].points) if views and views[0] is not None else len(there[0][1].points) if there else 0
    if len(there) < _LEAST:
        return np.zeros((count, 3)), np.zeros(count, bool)
    rays = np.stack([camera.rays(np.where(view.known[:, None], view.points, 0.0)) for camera, view in there], axis=1)
    weights = np.stack([np.where(view.known, np.maximum(view.weights, 1e-3), 0.0) for _, view in there], axis=1)
    poses = np.stack([np.column_stack([camera.R, camera.t]) for camera, _ in there])
    points, known = np.zeros((count, 3)), np.zeros(count, bool)
    for _ in range(len(there) - 1):
        rows = np.flatnonzero(((weights > 0).sum(axis=1) >= _LEAST) & ~known)
        if not len(rows):
            break
        points[rows], errors = _solve(poses, rays[rows], weights[rows])
        good = errors.max(axis=1) <= _ASTRAY
        known[rows[good]] = True
        bad = rows[~good]
        if len(bad):
            weights[bad, _liar(poses, rays[bad], weights[bad])] = 0.0
    return points, known


def _liar(poses: Array, rays: Array, weights: Array) -> NDArray[np.intp]:
    """(N,) the view without which the others of a point agree best."""
    left = np.full(weights.shape, np.inf)
    for camera in range(weights.shape[1]):
        others = weights.copy()
        others[:, camera] = 0.0
        rows = np.flatnonzero((weights[:, camera] > 0) & ((others > 0).sum(axis=1) >= _LEAST))
        if len(rows):
            left[rows, camera] = _solve(poses, rays[rows], others[rows])[1].max(axis=1)
    return np.asarray(np.where(np.isfinite(left).any(axis=1), left.argmin(axis=1), weights.argmax(axis=1)))


def _solve(poses: Array, rays: Array, weights: Array) -> tuple[Array, Array]:
    """(N, 3) points of rays (N, C, 2), and (N, C) how far the views with a weight are from their images."""
    rows = rays[..., :, None] * poses[None, :, 2:3, :] - poses[None, :, :2, :]
    rows = rows * weights[..., None, None]
    _, _, Vt = np.linalg.svd(rows.reshape(len(rays), -1, 4))
    last = Vt[:, -1]
    w = np.where(np.abs(last[:, 3:]) > 1e-9, last[:, 3:], np.nan)
    points = last[:, :3] / w
    inside = np.einsum("cij,nj->nci", poses[..., :3], points) + poses[..., 3]
    with np.errstate(invalid="ignore", divide="ignore"):
        away = np.linalg.norm(inside[..., :2] / inside[..., 2:] - rays, axis=-1)
    bad = ~np.isfinite(away) | ~(inside[..., 2] > 0)
    errors = np.where(weights > 0, np.where(bad, np.inf, away), 0.0)
    return np.nan_to_num(points), errors
