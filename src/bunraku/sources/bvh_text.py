"""BVH as text: bytes to `BvhFile` and back. Pure, bounded, and exact: nothing is interpreted here.

A joint's local transform is T(position) · R1 · R2 · R3 with its rotation channels from left to right, in degrees.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.sources.bvh_kernels import parse_numbers, pose_rows

Array = NDArray[np.float64]

MAX_JOINTS = 512
MAX_DEPTH = 64
MAX_VALUES = 200_000_000
MAX_NAME = 256
CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")

_CODES = {name.lower(): code for code, name in enumerate(CHANNELS)}
_TOKEN = re.compile(rb"[{}]|[^\s{}]+")
_NAME = re.compile(rb"[^\r\n{}]*")
_LINE_END = re.compile(rb"[\r\n]")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_FRAMES = re.compile(rb"\s*Frames\s*:?[ \t]*([^\s:]+)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame[ \t]*Time\s*:?[ \t]*([^\s:]+)", re.IGNORECASE)


@dataclass(frozen=True, eq=False, kw_only=True)
class BvhFile:
    """What a BVH file says, in its own unit and axes. B joints, parents before children; E end sites; C channels."""

    names: tuple[str, ...]
    parents: NDArray[np.int32]
    """(B,) -1 for a root"""
    offsets: Array
    """(B, 3)"""
    channels: tuple[tuple[str, ...], ...]
    """the channels of each joint in the file's order, spelled as in CHANNELS"""
    end_parents: NDArray[np.int32]
    """(E,) the joint that each end site hangs on"""
    end_offsets: Array
    """(E, 3)"""
    frame_time: float
    """seconds"""
    values: Array
    """(T, C)"""
    layout: NDArray[np.int32] = field(init=False)
    """(B, 7) first column of each joint, then the indices of its channels in CHANNELS, then -1"""

    def __post_init__(self) -> None:
        layout = np.full((len(self.names), 7), -1, np.int32)
        column = 0
        for joint, channels in enumerate(self.channels):
            layout[joint, 0] = column
            layout[joint, 1 : 1 + len(channels)] = [CHANNELS.index(channel) for channel in channels]
            column += len(channels)
        if self.values.ndim != 2 or self.values.shape[1] != column:
            raise ValueError(f"values have shape {self.values.shape}, the channels demand (T, {column})")
        object.__setattr__(self, "layout", layout)

    @property
    def width(self) -> int:
        """Numbers in a row: C."""
        return self.values.shape[1]

    def describe_value(self, index: int) -> str:
        """What the number at `index`, counted over all rows, stands for."""
        frame, column = divmod(index, self.width)
        joint = int(np.searchsorted(self.layout[:, 0], column, side="right")) - 1
        channel = self.channels[joint][column - int(self.layout[joint, 0])]
        return f"for {channel} of joint '{self.names[joint]}' in frame {frame}"

    def poses(self, rows: Array | None = None) -> tuple[Array, Array]:
        """World positions (T, B, 3) and quaternions (T, B, 4) of the joints for these rows of values, or for all."""
        values = self.values if rows is None else np.ascontiguousarray(rows)
        positions = np.empty((len(values), len(self.names), 3))
        rotations = np.empty((len(values), len(self.names), 4))
        pose_rows(values, self.parents, self.offsets, self.layout, positions, rotations)
        return positions, rotations


class BvhHeader(NamedTuple):
    """Everything before the rows of numbers."""

    file: BvhFile
    """without rows"""
    frames: int
    """as declared"""
    rows_at: int
    """where the rows of numbers begin, in bytes"""


def parse_bvh(data: bytes) -> BvhFile:
    """Read a whole file's bytes; anything but a well-formed BVH raises InputError with the line and what is wrong."""
    header = parse_header(data)
    file, width = header.file, header.file.width
    _check_counts(header, data)
    values = np.empty(header.frames * width)
    count, stop, lines, odd = parse_numbers(np.frombuffer(data, np.uint8), header.rows_at, width, values)
    if stop < len(data):
        found = _TOKEN.match(data, stop)
        word = data[stop : stop + 1] if found is None else found.group()
        where = file.describe_value(count) if count < len(values) else "after the last row"
        raise InputError(f"line {_line(data, stop)}: {_quoted(word)} {where}{_advice(word)}")
    if odd >= 0 and lines == header.frames:
        found_numbers = len(data[odd : _end_of_line(data, odd)].split())
        raise InputError(f"line {_line(data, odd)}: {found_numbers} numbers in a row, the channels demand {width}")
    if count != len(values):
        rows = f"{lines}" if odd < 0 else f"{count / width:.4g}"
        raise InputError(f"Frames declares {header.frames} rows of {width} numbers, the file holds {rows}")
    return replace(file, values=values.reshape(header.frames, width))


def _check_counts(header: BvhHeader, data: bytes) -> None:
    """Refuse counts that the bytes cannot hold, before any memory is taken for them."""
    frames, width = header.frames, header.file.width
    if width == 0 and frames > 0:
        raise InputError(f"Frames declares {frames} rows, but no joint has CHANNELS")
    if frames * width > MAX_VALUES:
        raise InputError(f"{frames} frames of {width} channels are more than {MAX_VALUES} numbers")
    # A number takes two bytes at least.
    if 2 * frames * width - 1 > len(data) - header.rows_at:
        rows = len(re.findall(rb"[^\s][^\r\n]*", data[header.rows_at :]))
        raise InputError(f"Frames declares {frames} rows of {width} numbers, the file holds {rows}")


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
            self.fail(f"a joint's name has {len(text)} bytes; at most {MAX_NAME} are allowed")
        name = text.decode("utf-8", "replace").strip()
        return "".join(letter if letter.isprintable() else "?" for letter in name)

    def number(self) -> float:
        """The next token as a finite number."""
        token = self.token()
        if not _NUMBER.fullmatch(token) or not np.isfinite(float(token)):
            self.fail(f"{_quoted(token)} is no number{_advice(token)}")
        return float(token)

    def fail(self, what: str) -> NoReturn:
        raise InputError(f"line {_line(self.data, self.begin)}: {what}")


def _line(data: bytes, at: int) -> int:
    """Number of the line that holds byte `at`; lines end in LF, CRLF, or CR alone."""
    before = data[:at]
    return 1 + (before.count(b"\n") or before.count(b"\r"))


def _end_of_line(data: bytes, at: int) -> int:
    found = _LINE_END.search(data, at)
    return len(data) if found is None else found.start()


def _quoted(token: bytes) -> str:
    text = token[:40].decode("ascii", "replace")
    return ascii(text) if token else "the end of the file"


def _advice(token: bytes) -> str:
    if b"," in token:
        return "; decimals are written with a point"
    return "; a finite decimal number belongs here" if token else ""


def parse_header(data: bytes) -> BvhHeader:
    """Read the hierarchy, the frame count and the frame time."""
    reader = _Reader(data)
    first = reader.token()
    if first.upper() != b"HIERARCHY":
        reader.fail(f"not a BVH file: it begins with {_quoted(first)}, a BVH file begins with HIERARCHY")
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
            keyword = reader.token().upper()
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
                self._unexpected(keyword)
        if not self.names:
            reader.fail("the hierarchy has no ROOT joint")

    def _unexpected(self, keyword: bytes) -> NoReturn:
        inside = f"joint '{self.names[self.stack[-1]]}'" if self.stack and self.stack[-1] >= 0 else "an end site"
        if keyword in (b"", b"MOTION"):
            missing = f"the closing brace of {inside}" if self.stack else "the MOTION part"
            self.reader.fail(f"{_quoted(keyword)} comes before {missing}")
        if not self.stack:
            self.reader.fail(f"{_quoted(keyword)} where ROOT or MOTION belongs")
        self.reader.fail(
            f"{_quoted(keyword)} inside {inside}; OFFSET, CHANNELS, JOINT, End Site or a brace belongs there"
        )

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
            self.reader.fail(f"{_quoted(token)} where an opening brace belongs")

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
            reader.fail(f"{_quoted(token)} channels; a joint has 0 to 6")
        codes = []
        for _ in range(int(token)):
            word = reader.token()
            code = _CODES.get(word.decode("ascii", "replace").lower())
            if code is None:
                reader.fail(f"{_quoted(word)} is no channel; valid: {', '.join(CHANNELS)}")
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
        reader.fail(f"Frames is {_quoted(found.group(1))}; a whole number from 0 belongs there")
    frames = int(found.group(1))
    timed = _FRAME_TIME.match(data, found.end())
    if timed is None:
        reader.fail("after Frames a line 'Frame Time: <seconds>' belongs")
    reader.begin = timed.start(1)
    if not _NUMBER.fullmatch(timed.group(1)) or not np.isfinite(float(timed.group(1))):
        reader.fail(f"Frame Time is {_quoted(timed.group(1))}; seconds belong there{_advice(timed.group(1))}")
    return frames, float(timed.group(1)), timed.end()


def format_bvh(file: BvhFile) -> bytes:
    """The file as text: tabs, LF, every number so that it reads back as the same double."""
    children: list[list[int]] = [[] for _ in file.names]
    for joint, parent in enumerate(file.parents.tolist()):
        if parent >= 0:
            children[parent].append(joint)
    lines, columns = ["HIERARCHY"], []
    # Joints still to be written, the next one last; ~joint closes that joint's block.
    todo = [joint for joint in reversed(range(len(file.names))) if file.parents[joint] < 0]
    depth = 0
    while todo:
        joint = todo.pop()
        if joint < 0:
            depth -= 1
            lines.append("\t" * depth + "}")
            continue
        lines += _joint_lines(file, joint, "\t" * depth)
        first, channels = int(file.layout[joint, 0]), file.channels[joint]
        columns += range(first, first + len(channels))
        todo += [~joint, *reversed(children[joint])]
        depth += 1
    lines += ["MOTION", f"Frames: {len(file.values)}", f"Frame Time: {_text(file.frame_time)}"]
    lines += [" ".join(map(_text, row)) for row in file.values[:, columns].tolist()]
    return "\n".join([*lines, ""]).encode()


def _joint_lines(file: BvhFile, joint: int, tabs: str) -> list[str]:
    """A joint's block without its closing brace and its children."""
    name = re.sub(r"[\r\n{}]", "_", file.names[joint])
    channels = file.channels[joint]
    lines = [
        f"{tabs}{'ROOT' if file.parents[joint] < 0 else 'JOINT'} {name}",
        f"{tabs}{{",
        f"{tabs}\tOFFSET {' '.join(map(_text, file.offsets[joint].tolist()))}",
        f"{tabs}\t{' '.join(['CHANNELS', str(len(channels)), *channels])}",
    ]
    for offset in file.end_offsets[file.end_parents == joint].tolist():
        lines += [f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\tOFFSET {' '.join(map(_text, offset))}", f"{tabs}\t}}"]
    return lines


def _text(value: float) -> str:
    """Shortest decimal that reads back as the same double; whole numbers without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
