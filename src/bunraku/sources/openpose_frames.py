"""One frame of OpenPose, from one camera or several, with depth or without, to landmarks in the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.human.depth import Pinhole
from bunraku.kinematics import rotations as rot
from bunraku.sources.calibrated import Camera, read_cameras, triangulate
from bunraku.sources.camera_person import Kind, level
from bunraku.sources.depth_pictures import lifted, pinhole, read_depth
from bunraku.sources.flat_person import FlatPerson
from bunraku.sources.landmarks import Landmarks
from bunraku.sources.measure import WORLD_FROM_FILE
from bunraku.sources.openpose_json import MAX_BYTES, frame_files, people_of
from bunraku.sources.person_lock import PictureLock
from bunraku.sources.source import number

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

JSON_ENDINGS = ("_keypoints.json", ".json")
_FPS, _HEIGHT_M = (1.0, 1000.0), (0.3, 3.0)
_ANGLE = 180.0
OPTIONS = {
    "fps": "frames per second (default 30)",
    "depth": "folder of depth pictures of the same numbers: 16-bit PNG, mm, registered to the colour picture",
    "fx": "of the camera with depth, px", "fy": "px", "cx": "px", "cy": "px (default: an ASUS Xtion's)",
    "cameras": "TOML or JSON file of calibrated cameras, each with a folder of its own",
    "up": "x, y or z (default z): of the calibrated cameras' world",
    "height": "of the person, m (default 1.75): sets the scale where there is neither depth nor a second camera",
    "tilt": "degrees that the camera looks down", "roll": "degrees that it is turned clockwise",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Setup:
    """What options say, checked."""

    folder: Path
    fps: float
    height: float
    level: Array
    depth: Path | None
    cameras: tuple[Camera, ...]
    up: Array
    """(4,) our world from the calibrated cameras' one"""
    intrinsics: Mapping[str, str]

    @property
    def kind(self) -> Kind:
        """How its places come about."""
        return "measured" if self.cameras or self.depth else "flat"

    @property
    def folders(self) -> tuple[Path, ...]:
        """Of each camera."""
        return tuple(self.folder / camera.folder for camera in self.cameras) or (self.folder,)


def setup(rest: str, options: Mapping[str, str]) -> Setup:
    """From a URI."""
    if not rest:
        raise InputError("name a folder of OpenPose's JSON files, for instance: openpose:output_jsons")
    fps, height = number(options, "fps") or 30.0, number(options, "height") or 1.75
    angles = [number(options, name) or 0.0 for name in ("tilt", "roll")]
    if not _FPS[0] <= fps <= _FPS[1]:
        raise InputError(f"fps={fps:g}: it must be from {_FPS[0]:g} to {_FPS[1]:g}")
    if not _HEIGHT_M[0] <= height <= _HEIGHT_M[1]:
        raise InputError(f"height={height:g}: it must be from {_HEIGHT_M[0]:g} to {_HEIGHT_M[1]:g} m")
    if not all(abs(angle) <= _ANGLE for angle in angles):
        raise InputError(f"tilt and roll are from {-_ANGLE:g} to {_ANGLE:g} degrees")
    up = options.get("up", "z")
    if up not in WORLD_FROM_FILE:
        raise UnknownNameError("up axis", up, WORLD_FROM_FILE)
    if "depth" in options and "cameras" in options:
        raise InputError("openpose: give depth= or cameras=, not both")
    folder = Path(rest)
    cameras = read_cameras(options["cameras"]) if "cameras" in options else ()
    out = Setup(
        folder=folder, fps=fps, height=height, level=level(*angles), cameras=cameras,
        depth=Path(options["depth"]) if "depth" in options else None, up=np.asarray(WORLD_FROM_FILE[up], float),
        intrinsics={name: options[name] for name in ("fx", "fy", "cx", "cy") if name in options},
    )  # fmt: skip
    for place in (*out.folders, *([out.depth] if out.depth else [])):
        if not place.is_dir():
            raise InputError(f"{place}: {'not a folder' if place.exists() else 'no such folder'}")
    pinhole(out.intrinsics, 640, 480)
    return out


@dataclass(eq=False)
class FrameReader:
    """Follows one person through frames."""

    setup: Setup
    rejected: dict[str, int] = field(default_factory=dict)
    """reason → files that are no use"""
    fault: str = ""
    """the last of them, until somebody empties it"""

    def __post_init__(self) -> None:
        self.locks = [PictureLock() for _ in self.setup.folders]
        self.flat = FlatPerson(self.setup.height)
        self._camera: Pinhole | None = None

    def views(self, files: Sequence[Path | None]) -> list[Landmarks | None]:
        """The person as each camera saw them; None where a camera did not, or its file is no use."""
        return [self._view(lock, file) for lock, file in zip(self.locks, files, strict=True)]

    def _view(self, lock: PictureLock, file: Path | None) -> Landmarks | None:
        people = self._people(file) if file is not None else []
        if isinstance(people, str):
            self._reject(people)
            people = []
        return lock.choose(people)

    def _reject(self, reason: str) -> None:
        self.rejected[reason] = self.rejected.get(reason, 0) + 1
        self.fault = reason

    def _people(self, file: Path) -> list[Landmarks] | str:
        try:
            if file.stat().st_size > MAX_BYTES:
                return "file that is too large"
            return people_of(file.read_bytes())
        except OSError:
            return "file that cannot be read"

    def place(self, views: Sequence[Landmarks | None], depth: Path | None) -> tuple[Array, Flags] | None:
        """Landmarks (K, 3) in the world and (K,) which are known; None where there is nobody."""
        if self.setup.cameras:
            points, known = triangulate(self.setup.cameras, views)
            return (rot.rotate(self.setup.up, points), known) if known.any() else None
        seen = views[0]
        if seen is None:
            return None
        if self.setup.depth is None:
            points, known = self.flat.place(seen)
        else:
            picture = read_depth(depth) if depth is not None else "depth picture that is missing"
            if isinstance(picture, str):
                self._reject(picture)
                return None
            height, width = picture.shape
            if self._camera is None or (self._camera.width, self._camera.height) != (width, height):
                self._camera = pinhole(self.setup.intrinsics, width, height)
            points, known = lifted(self._camera, picture, seen)
        return points @ self.setup.level.T, known


def files_of(setup: Setup) -> dict[int, tuple[list[Path | None], Path | None]]:
    """Frame → the file of each camera, and the depth picture."""
    listed = [keypoint_files(folder) for folder in setup.folders]
    depth = depth_files(setup)
    numbers = sorted({number for files in listed for number in files})
    return {number: ([files.get(number) for files in listed], depth.get(number)) for number in numbers}


def keypoint_files(folder: Path) -> dict[int, Path]:
    """Frame → file, by OpenPose's own names where there are any, else every JSON file."""
    return next((files for ending in JSON_ENDINGS if (files := frame_files(folder, (ending,)))), {})


def depth_files(setup: Setup) -> dict[int, Path]:
    """Frame → depth picture; empty where none are asked for."""
    return frame_files(setup.depth, (".png",)) if setup.depth else {}
