"""Pictures for a camera's process, one after the other: of a webcam, a video file, or a camera with depth.

A recording of colour and depth of our own is a folder: `camera.json` ({"fps", "width", "height", "fx", "fy", "cx",
"cy"}), `color/` and `depth/` with pictures of the same numbers; depth is 16-bit PNG, millimetres, registered to colour.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from bunraku.errors import InputError, MissingPackageError
from bunraku.human.depth import Pinhole
from bunraku.sources.depth_pictures import INTRINSICS, pinhole, read_depth
from bunraku.sources.openpose_json import frame_files

Array = NDArray[np.float64]
Colours = NDArray[np.uint8]

_SIZE, _FPS = (640, 480), 30
_MOST_PIXELS = 1 << 26
_PATIENCE_MS = 5000
COLOUR_ENDINGS = (".png", ".jpg", ".jpeg")


@dataclass(frozen=True, eq=False)
class Picture:
    """One of them."""

    colours: Colours
    """(H, W, 3) RGB, contiguous"""
    time_s: float | None
    """since the first one; None where the camera's own pace is the time"""
    depth: Array | None = None
    """(H, W) m, NaN where unknown"""
    camera: Pinhole | None = None
    """of the depth"""


def webcam(number: int) -> Generator[Picture, None, None]:
    """A camera of this machine; ends where it gives no more."""
    try:
        import cv2
    except ImportError:
        raise MissingPackageError("opencv-contrib-python", "camera", "a webcam") from None
    camera = cv2.VideoCapture(number)
    try:
        if not camera.isOpened():
            raise InputError(f"camera {number} is not there, or another program has it")
        camera.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        while True:
            good, picture = camera.read()
            if not good:
                return
            yield Picture(np.ascontiguousarray(picture[..., ::-1]), None)
    finally:
        camera.release()


def video(path: Path) -> Generator[Picture, None, None]:
    """Of any file that FFmpeg reads."""
    try:
        import av
    except ImportError:
        raise MissingPackageError("av", "video", "reading a video") from None
    if not path.is_file():
        raise InputError(f"{path}: {'not a regular file' if path.exists() else 'no such file'}")
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError(f"{path}: it holds no pictures")
            first: float | None = None
            for frame in container.decode(video=0):
                now = float(frame.time or 0.0)
                first = now if first is None else first
                yield Picture(np.ascontiguousarray(frame.to_ndarray(format="rgb24")), max(now - first, 0.0))
    except (av.FFmpegError, OSError) as error:
        raise InputError(f"{path}: it is no video that can be read: {getattr(error, 'strerror', error)}") from None


@dataclass(frozen=True)
class DepthFolder:
    """A recording of our own."""

    folder: Path
    fps: float
    camera: Pinhole

    @classmethod
    def read(cls, folder: Path) -> DepthFolder:
        """Its description, checked."""
        path = folder / "camera.json"
        try:
            told = json.loads(path.read_bytes())
            fps, width, height = (float(told[name]) for name in ("fps", "width", "height"))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            raise InputError(f"{path}: it must be an object with fps, width, height, fx, fy, cx, cy") from None
        if not (1 <= fps <= 1000 and width >= 1 and height >= 1 and width * height <= _MOST_PIXELS):
            raise InputError(f"{path}: fps {fps:g} and {width:g} × {height:g} pixels are no camera's")
        return cls(folder, fps, pinhole({n: str(told[n]) for n in INTRINSICS if n in told}, int(width), int(height)))

    def pictures(self) -> Generator[Picture, None, None]:
        """All that have both colour and depth."""
        depths = frame_files(self.folder / "depth", (".png",))
        for number, path in frame_files(self.folder / "color", COLOUR_ENDINGS).items():
            depth = read_depth(depths[number]) if number in depths else ""
            colours = _colours(path)
            shape = (self.camera.height, self.camera.width)
            if isinstance(depth, str) or colours is None or not depth.shape == colours.shape[:2] == shape:
                continue
            yield Picture(colours, number / self.fps, depth, self.camera)


def _colours(path: Path) -> Colours | None:
    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                return None
            return np.ascontiguousarray(np.asarray(picture.convert("RGB"), np.uint8))
    except (OSError, UnidentifiedImageError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def realsense(bag: Path | None = None) -> Generator[Picture, None, None]:
    """Intel's cameras, or a recording of theirs; depth registered to colour."""
    try:
        import pyrealsense2 as rs
    except ImportError:
        raise MissingPackageError("pyrealsense2", "realsense", "a RealSense") from None
    pipeline, config = rs.pipeline(), rs.config()
    if bag is not None:
        if not bag.is_file():
            raise InputError(f"{bag}: no such file")
        config.enable_device_from_file(str(bag), repeat_playback=False)
    else:
        config.enable_stream(rs.stream.depth, *_SIZE, rs.format.z16, _FPS)
        config.enable_stream(rs.stream.color, *_SIZE, rs.format.rgb8, _FPS)
    try:
        profile = pipeline.start(config)
    except RuntimeError as error:
        raise InputError(f"RealSense: {error}") from None
    try:
        yield from _realsense_pictures(rs, pipeline, profile, live=bag is None)
    finally:
        pipeline.stop()


def _realsense_pictures(rs: Any, pipeline: Any, profile: Any, *, live: bool) -> Generator[Picture, None, None]:
    unit = float(profile.get_device().first_depth_sensor().get_depth_scale())
    beside = rs.align(rs.stream.color)
    first: float | None = None
    while True:
        try:
            frames = beside.process(pipeline.wait_for_frames(_PATIENCE_MS))
        except RuntimeError:
            return
        colour, depth = frames.get_color_frame(), frames.get_depth_frame()
        if not colour or not depth:
            continue
        i = colour.profile.as_video_stream_profile().intrinsics
        metres = np.asarray(depth.get_data(), np.float64) * unit
        first = colour.timestamp if first is None else first
        yield Picture(
            np.ascontiguousarray(colour.get_data(), np.uint8), None if live else (colour.timestamp - first) / 1000,
            np.where(metres > 0, metres, np.nan),
            Pinhole(fx=i.fx, fy=i.fy, cx=i.ppx, cy=i.ppy, width=i.width, height=i.height),
        )  # fmt: skip


def pictures_of(kind: str, where: str) -> Generator[Picture, None, None]:
    """What `camera:0`, `video:FILE`, `rgbd:realsense`, `rgbd:FILE.bag` and `rgbd:FOLDER` mean."""
    if kind == "camera":
        if not where.isascii() or not (where or "0").isdigit() or len(where) > 3:
            raise InputError(f"camera:{where}: name a camera by its number, for instance camera:0")
        return webcam(int(where or "0"))
    if not where:
        raise InputError(
            f"{kind}: name a file, for instance: {'video:me.mp4' if kind == 'video' else 'rgbd:recording'}"
        )
    if kind == "video":
        return video(Path(where))
    if where == "realsense":
        return realsense()
    if Path(where).suffix.lower() == ".bag":
        return realsense(Path(where))
    return DepthFolder.read(Path(where)).pictures()
