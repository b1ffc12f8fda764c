"""Several pictures in a row, as a figure in a paper has them, and PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import OutputError
from bunraku.files import whole_file

Image = NDArray[np.uint8]

_INK, _FAINT, _PAPER = (38, 40, 46), (120, 124, 132), (255, 255, 255)


def strip(
    frames: Sequence[Image],
    times_s: Sequence[float | str],
    *,
    title: str = "",
    captions: tuple[str, ...] = (),
) -> Image:
    """Frames of one size side by side on white, each with its time or label, and the captions below, spread evenly."""
    from PIL import Image as Pictures
    from PIL import ImageDraw, ImageFont

    if not frames or len(frames) != len(times_s) or len({frame.shape for frame in frames}) != 1:
        raise OutputError("a strip needs one time for each picture, and pictures of one size")
    height, width = frames[0].shape[:2]
    gap, edge, size = max(4, width // 60), max(8, width // 24), max(11, width // 24)
    head = int(2.0 * size) if title else 0
    foot = int(1.9 * size)
    sheet = Pictures.new("RGB", (2 * edge + len(frames) * (width + gap) - gap, 2 * edge + head + height + foot), _PAPER)
    draw = ImageDraw.Draw(sheet)
    font, small = ImageFont.load_default(size), ImageFont.load_default(0.88 * size)
    if title:
        draw.text((edge, edge + 0.35 * size), title, _INK, font, anchor="lt")
    for k, (frame, time_s) in enumerate(zip(frames, times_s, strict=True)):
        left, top = edge + k * (width + gap), edge + head
        sheet.paste(Pictures.fromarray(frame), (left, top))
        label = time_s if isinstance(time_s, str) else f"{time_s:.1f} s"
        draw.text((left + width - 0.5 * size, top + 0.5 * size), label, _FAINT, small, anchor="rt")
        for n, caption in enumerate(captions):
            middle = left + width * (2 * n + 1) / (2 * len(captions))
            draw.text((middle, top + height + 1.2 * size), caption, _INK, small, anchor="ms")
    return np.asarray(sheet)


def save_png(image: Image, path: str | Path) -> Path:
    """Write a picture; the file appears whole or not at all."""
    from PIL import Image as Pictures

    path = Path(path)
    with whole_file(path) as part, part.open("wb") as file:
        Pictures.fromarray(image).save(file, format="png")
    return path
