"""Depth pictures in files, and the camera that took them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from bunraku.errors import InputError
from bunraku.human.depth import Pinhole, lift
from bunraku.sources.landmarks import WORLD_FROM_CAMERA, Landmarks
from bunraku.sources.source import number

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MILLIMETRE = 0.001
_FARTHEST_M = 20.0
_MOST_PIXELS = 1 << 24
INTRINSICS = ("fx", "fy", "cx", "cy")
CAMERA_HEIGHT_M = 1.2


def read_depth(path: Path) -> Array | str:
    """(H, W) m of a 16-bit PNG in millimetres, NaN where it says nothing; or why it is none."""
    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                return "depth picture that is too large"
            if picture.mode not in ("I;16", "I;16B", "I"):
                return "depth picture that has not 16 bits a pixel"
            depth = np.asarray(picture, np.float64) * _MILLIMETRE
    except (OSError, UnidentifiedImageError, ValueError, SyntaxError, Image.DecompressionBombError):
        return "depth picture that cannot be read"
    return np.where((depth > 0) & (depth < _FARTHEST_M), depth, np.nan)


def write_depth(path: Path, depth: Array) -> None:
    """The same, written."""
    millimetres = np.nan_to_num(np.clip(depth / _MILLIMETRE, 0, 65535)).round().astype(np.uint16)
    Image.fromarray(millimetres).save(path, format="PNG", compress_level=1)


def pinhole(options: Mapping[str, str], width: int, height: int) -> Pinhole:
    """The camera that options name; without any, an ASUS Xtion's angles at this size."""
    given = {name: value for name in INTRINSICS if (value := number(options, name)) is not None}
    if given and len(given) < len(INTRINSICS):
        missing = [name for name in INTRINSICS if name not in given]
        raise InputError(f"intrinsics: {', '.join(missing)} missing; give fx, fy, cx and cy, or none of them")
    if given and not (given["fx"] > 0 and given["fy"] > 0):
        raise InputError("intrinsics: fx and fy must be above 0")
    if given:
        return Pinhole(**given, width=width, height=height)
    scale = width / Pinhole().width
    return Pinhole(
        fx=Pinhole().fx * scale, fy=Pinhole().fy * scale, cx=(width - 1) / 2, cy=(height - 1) / 2,
        width=width, height=height,
    )  # fmt: skip


def lifted(camera: Pinhole, depth: Array, seen: Landmarks) -> tuple[Array, Flags]:
    """(K, 3) and (K,) in our world: a level camera at the height of a chest, above the origin, that the person faces.

    Points are where the depth picture has the skin; holes are filled from around them (P4).
    """
    pixels = np.where(seen.known[:, None], seen.points, np.nan)
    points, known = lift(camera, depth, pixels)
    return points @ WORLD_FROM_CAMERA.T + [0.0, 0.0, CAMERA_HEIGHT_M], known
