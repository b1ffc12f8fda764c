"""The part of a BVH before its rows of numbers: hierarchy, frame count, frame time. Joints, depth, names bounded."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

import numpy as np

from bunraku.errors import InputError
from bunraku.sources.bvh_file import CHANNELS, BvhFile

MAX_JOINTS = 512
MAX_DEPTH = 64
MAX_NAME = 256

_CODES = {name.lower(): code for code, name in enumerate(CHANNELS)}
_TOKEN = re.compile(rb"[{}]|[^\s{}]+")
_NAME = re.compile(rb"[^\r\n{}]*")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_FRAMES = re.compile(rb"\s*Frames\s*:?[ \t]*([^\s:]+)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame[ \t]*Time\s*:?[ \t]*([^\s:]+)", re.IGNORECASE)


class BvhHeader(NamedTuple):
    """Everything before the rows of numbers."""

    file: BvhFile
    """without rows"""
    frames: int
    """as declared"""
    rows_at: int
    """where the rows of numbers begin, in bytes"""


def parse_header(data: bytes) -> BvhHeader:
    """Read the hierarchy, the frame count and the frame time."""
    reader = _Reader(data)
    first = reader.token()
    if first.upper() != b"HIERARCHY":
        reader.fail(f"not a BVH file: it begins with {quoted(first)}, a BVH file begins with HIERARCHY")
    tree = _Hierarchy(reader)
    tree.read()
    frames, frame_time, rows_at = _read_counts(reader)
    file = BvhFile(
        names=tuple(tree.names),
        parents=np.array(tree.parents, np.int32),
        offsets=np.array(tree.offsets, float),
        channels=tuple(tree.channels),
        end_parents=np.array([joint for joint, _ in tree.ends], np.int32),
        end_offsets=np.array([offset for _, offset in tree.ends], float).reshape(-1, 3),
        frame_time=frame_time,
        values=np.empty((0, sum(map(len, tree.channels)))),
    )
    return BvhHeader(file, frames, rows_at)


class _Reader:
    """A position in the bytes; reads token by token and knows its line when something is wrong."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self.begin = self.at

    def token(self) -> bytes:
        """The next word or brace; empty at the end."""
        found = _TOKEN.search(self.data, self.at)
        if found is None:
            self.begin = self.at = len(self.data)
            return b""
        self.begin, self.at = found.span()
        return found.group()

    def name(self) -> str:
        """The rest of the line up to a brace."""
        found = _NAME.match(self.data, self.at)
        text = b"" if found is None else found.group()
        self.begin = self.at
        self.at += len(text)
        if len(text) > MAX_NAME:
            self.fail(f"a joint's name has more than {MAX_NAME} bytes")
        name = text.decode("utf-8", "replace").strip()
        return "".join(letter if letter.isprintable() else "?" for letter in name)

    def number(self) -> float:
        """The next token as a finite number."""
        token = self.token()
        if not _NUMBER.fullmatch(token) or not np.isfinite(float(token)):
            self.fail(f"{quoted(token)} is no number{advice(token)}")
        return float(token)

    def fail(self, what: str) -> NoReturn:
        raise InputError(f"line {line_at(self.data, self.begin)}: {what}")


class _Hierarchy:
    """Reads ROOT … up to MOTION with a stack of its own, so that depth costs nothing."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[tuple[float, float, float] | None] = []
        self.channels: list[tuple[str, ...]] = []
        self.ends: list[tuple[int, tuple[float, float, float]]] = []
        # The open blocks: a joint's index, or -1 for an end site.
        self.stack: list[int] = []

    def read(self) -> None:
        reader = self.reader
        while True:
            token = reader.token()
            keyword = token.upper()
            if keyword == b"MOTION" and not self.stack:
                break
            if keyword == b"}" and self.stack:
                self._close()
            elif keyword in (b"ROOT", b"JOINT"):
                self._open(keyword)
            elif keyword == b"END" and self.stack and self.stack[-1] >= 0:
                reader.name()
                self._brace()
                self.ends.append((self.stack[-1], (0.0, 0.0, 0.0)))
                self.stack.append(-1)
            elif keyword == b"OFFSET" and self.stack:
                self._offset()
            elif keyword == b"CHANNELS" and self.stack and self.stack[-1] >= 0:
                self._channels()
            else:
                self._unexpected(token)
        if not self.names:
            reader.fail("the hierarchy has no ROOT joint")

    def _unexpected(self, token: bytes) -> NoReturn:
        inside = f"joint '{self.names[self.stack[-1]]}'" if self.stack and self.stack[-1] >= 0 else "an end site"
        if token.upper() in (b"", b"MOTION"):
            missing = f"the closing brace of {inside}" if self.stack else "the MOTION part"
            self.reader.fail(f"{quoted(token)} comes before {missing}")
        if not self.stack:
            self.reader.fail(f"{quoted(token)} where ROOT or MOTION belongs")
        self.reader.fail(f"{quoted(token)} inside {inside}; OFFSET, CHANNELS, JOINT, End Site or a brace belongs there")

    def _open(self, keyword: bytes) -> None:
        reader = self.reader
        if (keyword == b"ROOT") == bool(self.stack) or (self.stack and self.stack[-1] < 0):
            reader.fail("a ROOT inside a joint" if keyword == b"ROOT" else "a JOINT outside of any joint")
        if len(self.names) >= MAX_JOINTS:
            reader.fail(f"more than {MAX_JOINTS} joints")
        if len(self.stack) >= MAX_DEPTH:
            reader.fail(f"joints are nested more than {MAX_DEPTH} deep")
        self.parents.append(self.stack[-1] if self.stack else -1)
        self.stack.append(len(self.names))
        self.names.append(reader.name())
        self.offsets.append(None)
        self.channels.append(())
        self._brace()

    def _brace(self) -> None:
        token = self.reader.token()
        if token != b"{":
            self.reader.fail(f"{quoted(token)} where an opening brace belongs")

    def _close(self) -> None:
        joint = self.stack.pop()
        if joint >= 0 and self.offsets[joint] is None:
            self.reader.fail(f"joint '{self.names[joint]}' has no OFFSET")

    def _offset(self) -> None:
        offset = (self.reader.number(), self.reader.number(), self.reader.number())
        joint = self.stack[-1]
        if joint >= 0:
            self.offsets[joint] = offset
        else:
            self.ends[-1] = (self.ends[-1][0], offset)

    def _channels(self) -> None:
        reader = self.reader
        token = reader.token()
        if not re.fullmatch(rb"[0-6]", token):
            reader.fail(f"{quoted(token)} channels; a joint has 0 to 6")
        codes = []
        for _ in range(int(token)):
            word = reader.token()
            code = _CODES.get(word.decode("ascii", "replace").lower())
            if code is None:
                reader.fail(f"{quoted(word)} is no channel; valid: {', '.join(CHANNELS)}")
            codes.append(code)
        moves = [code for code in codes if code < 3]
        if len(set(moves)) < len(moves) or len(codes) - len(moves) > 3:
            reader.fail("a joint has each position channel once and at most three rotation channels")
        self.channels[self.stack[-1]] = tuple(CHANNELS[code] for code in codes)


def _read_counts(reader: _Reader) -> tuple[int, float, int]:
    """Declared frames, frame time, and where the rows begin."""
    data = reader.data
    found = _FRAMES.match(data, reader.at)
    reader.begin = min(reader.at + 1, len(data))
    if found is None:
        reader.fail("after MOTION a line 'Frames: <count>' belongs")
    reader.begin = found.start(1)
    if not re.fullmatch(rb"\d{1,18}", found.group(1)):
        reader.fail(f"Frames is {quoted(found.group(1))}; a whole number from 0, of at most 18 digits, belongs there")
    frames = int(found.group(1))
    timed = _FRAME_TIME.match(data, found.end())
    if timed is None:
        reader.fail("after Frames a line 'Frame Time: <seconds>' belongs")
    reader.begin = timed.start(1)
    if not _NUMBER.fullmatch(timed.group(1)) or not np.isfinite(float(timed.group(1))):
        reader.fail(f"Frame Time is {quoted(timed.group(1))}; seconds belong there{advice(timed.group(1))}")
    return frames, float(timed.group(1)), timed.end()


def line_at(data: bytes, at: int) -> int:
    """Number of the line that holds byte `at`; lines end in LF, CRLF, or CR alone."""
    return 1 + (data.count(b"\n", 0, at) or data.count(b"\r", 0, at))


def quoted(token: bytes) -> str:
    text = token[:40].decode("ascii", "replace")
    return ascii(text) if token else "the end of the file"


def advice(token: bytes) -> str:
    if b"," in token:
        return "; decimals are written with a point"
    return "; a finite decimal number belongs here" if token else ""
