"""C3D files: the markers in them. Read here, not by a library: those at hand end the program on a file that lies.

512-byte blocks: a header, parameters, then frames of points and of analog channels, as 16-bit numbers or floats, in
the byte order and the floats of the machine that wrote them.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BLOCK = 512
KEY = 0x50
INTEL, DEC, MIPS = 84, 85, 86
MAX_FRAMES = 5_000_000


class C3DError(ValueError):
    """What is wrong with a file, in words."""


@dataclass(frozen=True, eq=False)
class C3DFile:
    """Points of a file in its own unit and axes."""

    labels: tuple[str, ...]
    places: Array
    """(T, M, 3) NaN where a point is not seen"""
    rate: float
    """frames per second"""
    units: str


class _Numbers:
    """Numbers as the writing machine kept them."""

    def __init__(self, processor: int) -> None:
        if processor not in (INTEL, DEC, MIPS):
            raise C3DError(f"a processor of kind {processor}")
        self.order = ">" if processor == MIPS else "<"
        self._is_dec = processor == DEC

    def short(self, data: bytes, at: int) -> int:
        """A number of two bytes, unsigned."""
        return int(struct.unpack_from(self.order + "H", data, at)[0])

    def floats(self, data: bytes, count: int, at: int) -> NDArray[np.float32]:
        """So many numbers of four bytes."""
        if self._is_dec:
            words = np.frombuffer(data, "<u2", 2 * count, at).reshape(-1, 2)
            # The halves are exchanged, and the exponent counts from another number.
            raw = words[:, 0].astype(np.uint32) << 16 | words[:, 1]
            return np.asarray(raw.view(np.float32) / np.float32(4.0))
        return np.frombuffer(data, self.order + "f4", count, at).astype(np.float32)


def read(data: bytes) -> C3DFile:
    """The points of a whole file; C3DError where it is not what it says it is."""
    try:
        return _read(data)
    except (struct.error, IndexError, OverflowError) as error:
        raise C3DError(f"it ends too early: {error}") from None


def _read(data: bytes) -> C3DFile:
    if len(data) < 2 * BLOCK or data[1] != KEY:
        raise C3DError("it does not begin as a C3D does")
    parameters_at = (data[0] - 1) * BLOCK
    if not 0 < parameters_at <= len(data) - 4:
        raise C3DError("its parameters are not in it")
    numbers = _Numbers(data[parameters_at + 3])
    points, analog, first, last = (numbers.short(data, at) for at in (2, 4, 6, 8))
    scale = float(numbers.floats(data, 1, 12)[0])
    header_rate = float(numbers.floats(data, 1, 20)[0])
    start = (numbers.short(data, 16) - 1) * BLOCK
    known = _parameters(data, parameters_at, numbers)
    rate = float(known.get(("POINT", "RATE"), [header_rate])[0])
    is_float = scale < 0
    width = 4 if is_float else 2
    row = (4 * points + analog) * width
    if points == 0 or row == 0:
        raise C3DError("it holds no points")
    if not 0 < start <= len(data):
        raise C3DError("its points are not in it")
    # Sixteen bits do not count long recordings: what is there counts, up to a padding of one block.
    there = (len(data) - start) // row
    declared = last - first + 1
    frames = declared if 0 < declared <= there and last != 0xFFFF else there
    if declared > 0 and there < declared:
        raise C3DError(f"{declared} frames declared, {there} there")
    if not 0 < frames <= MAX_FRAMES:
        raise C3DError(f"{frames} frames")
    if is_float:
        values = numbers.floats(data, frames * row // 4, start).reshape(frames, -1)[:, : 4 * points].astype(float)
    else:
        raw = np.frombuffer(data, numbers.order + "i2", frames * row // 2, start).reshape(frames, -1)
        values = raw[:, : 4 * points].astype(float)
        values.reshape(frames, points, 4)[..., :3] *= scale
    values = values.reshape(frames, points, 4)
    with np.errstate(invalid="ignore"):
        places = np.where(values[..., 3:] < 0, np.nan, values[..., :3])
    return C3DFile(_labels(known, points), places, rate, str(known.get(("POINT", "UNITS"), ["mm"])[0]).strip())


def _labels(known: Mapping[tuple[str, str], list[Any]], points: int) -> tuple[str, ...]:
    """Names of all points; those that have none are numbered. More than 255 go on in LABELS2 and so on."""
    names: list[str] = []
    for number in range(1, 100):
        more = known.get(("POINT", "LABELS" if number == 1 else f"LABELS{number}"))
        if more is None:
            break
        names += [str(name).strip() for name in more]
    return tuple((names + [f"point {k}" for k in range(len(names), points)])[:points])


def _parameters(data: bytes, at: int, numbers: _Numbers) -> dict[tuple[str, str], list[Any]]:
    """(group, name) → values. Records are chained by offsets; a chain that leads back ends."""
    end = min(len(data), at + max(data[at + 2], 1) * BLOCK)
    groups: dict[int, str] = {}
    found: list[tuple[int, str, list[Any]]] = []
    at += 4
    while at + 4 < end:
        length, group = struct.unpack_from("<bb", data, at)
        if length == 0:
            break
        name = data[at + 2 : at + 2 + abs(length)].decode("ascii", "replace").strip().upper()
        offset_at = at + 2 + abs(length)
        offset = numbers.short(data, offset_at)
        if group < 0:
            groups[-group] = name
        elif offset_at + 4 <= end:
            found.append((group, name, _values(data, offset_at + 2, end, numbers)))
        if offset == 0:
            break
        at = offset_at + offset
    return {(groups.get(group, ""), name): values for group, name, values in found}


def _values(data: bytes, at: int, end: int, numbers: _Numbers) -> list[Any]:
    """A parameter's values; texts one for each row of characters."""
    kind, dimensions = struct.unpack_from("<bB", data, at)
    sizes = list(data[at + 2 : at + 2 + dimensions])
    at += 2 + dimensions
    count = int(np.prod(sizes, dtype=np.int64)) if sizes else 1
    size = {-1: 1, 1: 1, 2: 2, 4: 4}.get(kind, 0)
    if size == 0 or not 0 <= count * size <= end - at:
        return []
    if kind == -1:
        width = sizes[0] if sizes else count
        text = data[at : at + count].decode("utf-8", "replace") if width else ""
        if len(text) != count:
            text = data[at : at + count].decode("latin-1")
        return [text[k : k + width] for k in range(0, count, width)] if width else []
    if kind == 4:
        return list(numbers.floats(data, count, at).astype(float))
    if kind == 2:
        return [numbers.short(data, at + 2 * k) for k in range(count)]
    return list(data[at : at + count])
