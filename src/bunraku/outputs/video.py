"""Films: frames into an MP4 file (H.264) that every browser plays."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import MissingPackageError, OutputError

Image = NDArray[np.uint8]


def write_video(path: str | Path, frames: Iterable[Image], fps: float) -> Path:
    """Encode frames (H, W, 3) of one size as they come; the file appears whole or not at all, however this ends.

    A last odd row or column is left out: H.264 wants even sizes.
    """
    path = Path(path)
    if path.suffix.lower() != ".mp4":
        raise OutputError(f"a film is an .mp4 file, not {path.name}")
    if not (np.isfinite(fps) and 0 < fps <= 1000):
        raise OutputError(f"a film needs between 0 and 1000 frames a second, not {fps}")
    av = _av()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with av.open(str(part), "w", format="mp4", options={"movflags": "faststart"}) as container:
            _encode(av, container, frames, fps)
        part.replace(path)
    except (OSError, av.FFmpegError) as error:
        raise OutputError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _encode(av: Any, container: Any, frames: Iterable[Image], fps: float) -> None:
    stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000))
    stream.pix_fmt = "yuv420p"
    stream.options = {"crf": "20", "preset": "veryfast"}
    size: tuple[int, ...] | None = None
    for image in frames:
        if size is None:
            size = image.shape
            stream.height, stream.width = (2 * (side // 2) for side in size[:2])
        if image.shape != size:
            raise OutputError(f"a film's frames have one size; {image.shape} came after {size}")
        even = np.ascontiguousarray(image[: stream.height, : stream.width])
        container.mux(stream.encode(av.VideoFrame.from_ndarray(even, format="rgb24")))
    if size is None:
        raise OutputError("a film needs at least one frame")
    container.mux(stream.encode())


def _av() -> Any:
    try:
        import av
    except ImportError:
        raise MissingPackageError("av", "video", "writing films") from None
    return av
