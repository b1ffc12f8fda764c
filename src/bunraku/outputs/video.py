"""Films: frames into an MP4 file (H.264) that every browser plays."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import MissingPackageError, OutputError
from bunraku.files import whole_file

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
    av = need_encoder()
    try:
        with whole_file(path) as part, av.open(str(part), "w", format="mp4") as container:
            _encode(av, container, frames, fps)
    except av.FFmpegError as error:
        raise OutputError(f"cannot write {path}: {error}") from error
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


def need_encoder() -> Any:
    """The package that encodes, or the line that installs it."""
    try:
        import av
    except ImportError:
        raise MissingPackageError("av", "video", "writing films") from None
    return av
