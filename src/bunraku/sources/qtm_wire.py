"""Qualisys Track Manager's real-time protocol, version 1.25: packets, skeletons and markers, and the reverse.

Little-endian over TCP; a packet is its size, its type, and content. Millimetres, quaternions xyzw.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import ParseError

import numpy as np
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring
from numpy.typing import NDArray

from bunraku.sources.binary import CutOffError, Reader

Array = NDArray[np.float64]

PORT = 22223
ERROR, COMMAND, XML, DATA, NO_MORE, EVENT = 0, 1, 2, 3, 4, 6
MARKERS, SKELETONS = 1, 18
HELLO, VERSION = "QTM RT Interface connected", "1.25"
LARGEST = 1 << 22
_HEAD = struct.Struct("<II")
_SEGMENT = np.dtype([("id", "<i4"), ("place", "<f4", 3), ("turn", "<f4", 4)])
_DEEPEST = 64


@dataclass(frozen=True, eq=False)
class Frame:
    """What one frame says."""

    number: int
    stamp_us: int
    markers: Array
    """(M, 3) mm in the order of the labels; NaN where one is not seen"""
    skeletons: tuple[NDArray[np.void], ...]
    """segments of each: id, place, turn"""


@dataclass
class Names:
    """What the numbers in frames mean."""

    labels: tuple[str, ...] = ()
    skeletons: list[str] = field(default_factory=list)
    segments: list[dict[int, str]] = field(default_factory=list)
    """of each skeleton, by id"""
    rest: list[dict[int, tuple[float, ...]]] = field(default_factory=list)
    """of each skeleton, by id: the turn xyzw in the world of the pose that it is described in"""


class Packets:
    """Packets from a stream that may break anywhere."""

    def __init__(self) -> None:
        self._left = b""

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Type and content of all that are whole now; CutOffError where the stream is no QTM's."""
        data = self._left + data
        at = 0
        while len(data) - at >= _HEAD.size:
            size, kind = _HEAD.unpack_from(data, at)
            if not _HEAD.size <= size <= LARGEST:
                self._left = b""
                raise CutOffError(f"a packet of {size} bytes")
            if len(data) - at < size:
                break
            yield kind, data[at + _HEAD.size : at + size]
            at += size
            self._left = data[at:]
        self._left = data[at:]


def packet(kind: int, content: bytes) -> bytes:
    """One packet."""
    return _HEAD.pack(_HEAD.size + len(content), kind) + content


def command(text: str) -> bytes:
    """One command."""
    return packet(COMMAND, text.encode() + b"\0")


def text_of(content: bytes) -> str:
    """A command's or an error's text."""
    return content.rstrip(b"\0").decode("utf-8", "replace")


def read_frame(content: bytes) -> Frame:
    """A data packet's content; components that are not wanted are skipped."""
    if len(content) < 16:
        raise CutOffError("a frame that is cut off")
    stamp, number, count = struct.unpack_from("<qII", content)
    r = Reader(content, 16)
    markers = np.zeros((0, 3))
    skeletons: tuple[NDArray[np.void], ...] = ()
    for _ in range(count):
        begin, size, kind = r.at, r.u32(), r.u32()
        if size < 8 or begin + size > len(content):
            raise CutOffError("a component that is cut off")
        if kind == MARKERS:
            points = r.count(12)
            r.skip(4)
            markers = np.array(r.floats(3 * points)).reshape(points, 3)
        elif kind == SKELETONS:
            skeletons = tuple(_segments(r) for _ in range(r.count(4)))
        r.at = begin + size
    return Frame(number, stamp, markers, skeletons)


def _segments(r: Reader) -> NDArray[np.void]:
    count = r.count(_SEGMENT.itemsize)
    r.skip(count * _SEGMENT.itemsize)
    return np.frombuffer(r.data, _SEGMENT, count, r.at - count * _SEGMENT.itemsize)


def read_names(content: bytes) -> Names:
    """Labels of markers and segments of skeletons, from the parameters' XML; CutOffError where it is none."""
    try:
        root = fromstring(content.rstrip(b"\0"))
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise CutOffError(f"no XML: {error}") from None
    out = Names(labels=tuple(e.text or "" for e in root.iterfind(".//The_3D/Label/Name")))
    for skeleton in root.iterfind(".//Skeletons/Skeleton"):
        out.skeletons.append(skeleton.get("Name", ""))
        names: dict[int, str] = {}
        rest: dict[int, tuple[float, ...]] = {}
        for top in (*skeleton.iterfind("Segments/Segment"), *skeleton.iterfind("Segment")):
            _walk(top, (0.0, 0.0, 0.0, 1.0), names, rest, 0)
        out.segments.append(names)
        out.rest.append(rest)
    return out


def _walk(element: Any, above: tuple[float, ...], names: dict[int, str], rest: dict[int, tuple[float, ...]],
          depth: int) -> None:  # fmt: skip
    """One segment and those below it; a turn that is not given is none."""
    try:
        number = int(element.get("ID", "-1"))
        turn = element.find("DefaultTransform/Rotation")
        own = (0.0, 0.0, 0.0, 1.0) if turn is None else tuple(float(turn.get(axis, "0")) for axis in "XYZW")
    except ValueError:
        raise CutOffError("a segment without numbers") from None
    names[number] = element.get("Name", "")
    rest[number] = _product(above, own)
    if depth >= _DEEPEST:
        raise CutOffError("a skeleton that is too deep")
    for child in element.iterfind("Segment"):
        _walk(child, rest[number], names, rest, depth + 1)


def _product(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    x, y, z, w = a
    p, q, r, s = b
    return (w * p + x * s + y * r - z * q, w * q - x * r + y * s + z * p, w * r + x * q - y * p + z * s,
            w * s - x * p - y * q - z * r)  # fmt: skip


def write_frame(number: int, stamp_us: int, *, markers: Array | None = None,
                skeletons: Sequence[NDArray[np.void]] = ()) -> bytes:  # fmt: skip
    """A data packet."""
    parts = []
    if markers is not None:
        body = struct.pack("<Ihh", len(markers), 0, 0) + markers.astype("<f4").tobytes()
        parts.append(_HEAD.pack(8 + len(body), MARKERS) + body)
    if skeletons:
        body = struct.pack("<I", len(skeletons)) + b"".join(struct.pack("<I", len(s)) + s.tobytes() for s in skeletons)
        parts.append(_HEAD.pack(8 + len(body), SKELETONS) + body)
    return packet(DATA, struct.pack("<qII", stamp_us, number, len(parts)) + b"".join(parts))


def segments(ids: Array, places: Array, turns: Array) -> NDArray[np.void]:
    """(S,) as a frame holds them: mm, xyzw."""
    out = np.zeros(len(ids), _SEGMENT)
    out["id"], out["place"], out["turn"] = ids, places, turns
    return out
