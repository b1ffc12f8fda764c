"""From pixels of a colour picture with registered depth to points in space.

Depth is metres along the optical axis, NaN or nothing positive where the sensor knows none. Camera axes: x right,
y down, z away from the camera.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import InputError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Pinhole:
    """A camera without distortion; all in pixels. The defaults are an ASUS Xtion's at 640 × 480."""

    fx: float = 525.0
    fy: float = 525.0
    cx: float = 319.5
    cy: float = 239.5
    width: int = 640
    height: int = 480

    def project(self, points: ArrayLike) -> Array:
        """(…, 2) pixels (u, v) of points (…, 3) in camera axes; NaN for what is not in front of the camera."""
        points = np.asarray(points, float)
        z = np.where(points[..., 2] > 0, points[..., 2], np.nan)
        u = self.fx * points[..., 0] / z + self.cx
        return np.stack([u, self.fy * points[..., 1] / z + self.cy], axis=-1)

    def unproject(self, pixels: ArrayLike, depth: ArrayLike) -> Array:
        """(…, 3) points at pixels (…, 2) and depths (…)."""
        pixels, z = np.asarray(pixels, float), np.asarray(depth, float)
        x, y = (pixels[..., 0] - self.cx) / self.fx, (pixels[..., 1] - self.cy) / self.fy
        return np.stack([x * z, y * z, z], axis=-1)


def lift(camera: Pinhole, depth: ArrayLike, pixels: ArrayLike, *, reach: int = 3) -> tuple[Array, Flags]:
    """(K, 3) points in camera axes for pixels (K, 2), and (K,) which are known.

    A pixel without depth takes the mean of its valid neighbours, out to `reach` pixels, the nearest ring that has one
    first. A pixel that is NaN (the detector saw nothing) or outside the picture is unknown.
    """
    depth, pixels = np.asarray(depth, float), np.asarray(pixels, float)
    if depth.shape != (camera.height, camera.width):
        raise InputError(f"the depth picture is {depth.shape}, the camera's is {(camera.height, camera.width)}")
    z = np.full(len(pixels), np.nan)
    for k in np.flatnonzero(np.isfinite(pixels).all(axis=-1)):
        u, v = round(float(pixels[k, 0])), round(float(pixels[k, 1]))
        if 0 <= u < camera.width and 0 <= v < camera.height:
            z[k] = depth_at(depth, u, v, reach)
    known = np.isfinite(z)
    points = np.zeros((len(pixels), 3))
    points[known] = camera.unproject(pixels[known], z[known])
    return points, known


def depth_at(depth: Array, u: int, v: int, reach: int) -> float:
    """Depth at a pixel, or the mean of the valid ones around it; NaN where there is none within `reach`."""
    for ring in range(reach + 1):
        around = depth[max(v - ring, 0) : v + ring + 1, max(u - ring, 0) : u + ring + 1]
        good = around[np.isfinite(around) & (around > 0)]
        if len(good):
            return float(good.mean())
    return float("nan")
