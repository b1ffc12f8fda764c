"""What Noitom's programs send: frames of a 64-byte header and float32 values, or lines of text; and the reverse.

Two layouts of the header are told apart by its version: B below 1.1, A from 1.1 on. From 2.0 on there is a third one
that is not public; the user is told what to switch off.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.sources.binary import doubles
from bunraku.sources.health import Tally
from bunraku.sources.noitom_skeleton import BONES

Values = NDArray[np.float64]

BEGIN, END = b"\xff\xdd", b"\xff\xee"
HEADER_BYTES = 64
PLAIN, DISPLACED, REFERENCE = 3 * BONES + 3, 6 * BONES, 6
"""values of a frame: angles alone and the hips' place; a place for every bone; what a reference adds"""
_A, _B = struct.Struct("<2s4BHBBI32sI12x2s"), struct.Struct("<2s4BIIII32s8x2s")
NEW_HEADER = "Axis Studio sends its new frame header: in Settings, BVH Broadcasting, tick 'Use old header format'"
_TEXT = frozenset(b"0123456789+-.eE |#\r\n\t")
_LONGEST_TEXT = 16 * DISPLACED


@dataclass(frozen=True, eq=False, slots=True)
class SuitFrame:
    """One frame of one person."""

    avatar: int
    name: str
    number: int | None
    """running number, where the header has one"""
    displaced: bool
    """whether each bone has a place before its angles"""
    values: Values
    """(354,) or (180,) without the reference"""


class SuitParser:
    """Frames from a stream of bytes that may begin, break and go wrong anywhere. Holds less than one frame."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._left = b""
        self.advice = ""
        """what the user should do, until a frame comes that can be read"""

    def reset(self) -> None:
        """Forget what was begun: a new connection."""
        self._left = b""

    def datagram(self, data: bytes) -> list[SuitFrame]:
        """The same for a datagram: one that begins like a frame ends what the one before left open."""
        if data[:2] == BEGIN and data[HEADER_BYTES - 2 : HEADER_BYTES] == END:
            self._left = b""
        return self.feed(data)

    def feed(self, data: bytes) -> list[SuitFrame]:
        """All frames that are whole now."""
        data = self._left + data
        at = 0
        out: list[SuitFrame] = []
        while at < len(data):
            read = self._text if data[at] in _TEXT else self._binary
            used = read(data, at, out)
            if used == 0:
                break
            at += used
        self._left = data[at:]
        return out

    def _binary(self, data: bytes, at: int, out: list[SuitFrame]) -> int:
        """Bytes used up at `at`; 0 where more are needed."""
        begin = data.find(BEGIN, at)
        if begin < 0:
            # The last byte may be the first half of what is looked for.
            return self._junk(len(data) - at - (data[-1:] == BEGIN[:1]))
        if begin > at:
            return self._junk(begin - at)
        if len(data) - at < HEADER_BYTES:
            return 0
        if data[at + HEADER_BYTES - 2 : at + HEADER_BYTES] != END:
            return self._junk(1)
        if data[at + 5] >= 2:
            self._tally.reject("new frame header")
            self.advice = NEW_HEADER
            return HEADER_BYTES
        newer = (data[at + 5], data[at + 4]) >= (1, 1)
        fields = (_A if newer else _B).unpack_from(data, at)
        count, displaced, reference, avatar = map(int, fields[5:9])
        number = int(fields[10]) if newer else None
        expected = (REFERENCE if reference else 0) + (DISPLACED if displaced else PLAIN)
        if count not in (expected, expected + (6 if displaced else 3)):
            self._tally.reject("count of values does not fit the header's flags")
            return HEADER_BYTES
        size = HEADER_BYTES + 4 * count
        if len(data) - at < size:
            return 0
        values = doubles(np.frombuffer(data, "<f4", expected, at + HEADER_BYTES))
        label = fields[9].split(b"\0", 1)[0].decode("utf-8", "replace")
        self._emit(out, SuitFrame(avatar, label, number, bool(displaced), values[REFERENCE if reference else 0 :]))
        return size

    def _text(self, data: bytes, at: int, out: list[SuitFrame]) -> int:
        """One frame of text: `0 Avatar0 1.0 2.0 … ||`."""
        end = data.find(b"||", at)
        binary = data.find(BEGIN, at)
        if binary >= 0 and (end < 0 or binary < end):
            return self._junk(binary - at)
        if end < 0:
            return self._junk(len(data) - at) if len(data) - at > _LONGEST_TEXT else 0
        words = [word for word in data[at:end].split() if not word.startswith(b"#")]
        used = end + 2 - at
        if not words:
            return used
        try:
            avatar, values = int(words[0]), np.array(words[2:], float)
        except ValueError:
            self._tally.reject("text that is no frame")
            return used
        if len(values) % 3 == 0 and PLAIN <= len(values) <= DISPLACED + 2 * REFERENCE:
            displaced = len(values) >= DISPLACED
            start = REFERENCE if len(values) in (PLAIN + REFERENCE, DISPLACED + REFERENCE) else 0
            values = values[start : start + (DISPLACED if displaced else PLAIN)]
            if len(values) in (DISPLACED, PLAIN):
                label = words[1].decode("utf-8", "replace")
                self._emit(out, SuitFrame(avatar, label, None, displaced, values))
                return used
        self._tally.reject("count of values is no suit's")
        return used

    def _emit(self, out: list[SuitFrame], frame: SuitFrame) -> None:
        if not np.isfinite(frame.values).all():
            self._tally.reject("values that are no numbers")
        elif np.abs(frame.values).max() > 1e6:
            self._tally.reject("values beyond any body")
        else:
            self.advice = ""
            out.append(frame)

    def _junk(self, count: int) -> int:
        if count:
            self._tally.reject("bytes that are no frame")
        return count


def encode_frame(
    values: Values, *, number: int, displaced: bool, avatar: int = 0, name: str = "Avatar0", reference: bool = False,
    header: str = "A",
) -> bytes:  # fmt: skip
    """A frame as the suit's program sends it; `values` without the reference."""
    payload = np.concatenate([np.zeros(REFERENCE), values]) if reference else values
    label = name.encode()[:31]
    if header == "A":
        head = _A.pack(BEGIN, 0, 0, 1, 1, len(payload), displaced, reference, avatar, label, number & 0xFFFFFFFF, END)
    else:
        head = _B.pack(BEGIN, 2, 0, 0, 1, len(payload), displaced, reference, avatar, label, END)
    return head + payload.astype("<f4").tobytes()


def encode_text(values: Values, *, avatar: int = 0, name: str = "Avatar0") -> bytes:
    """The same as text."""
    return f"{avatar} {name} {' '.join(f'{value:.4f}' for value in values)} ||".encode()
