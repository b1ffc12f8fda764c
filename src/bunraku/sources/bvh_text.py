"""BVH as text: bytes to `BvhFile` and back. Pure, bounded, and exact: nothing is interpreted here."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.sources.bvh_file import BvhFile
from bunraku.sources.bvh_header import BvhHeader, advice, line_at, parse_header, quoted
from bunraku.sources.bvh_kernels import parse_numbers

Array = NDArray[np.float64]

MAX_VALUES = 200_000_000
_LARGE = 1 << 20

_WORD = re.compile(rb"\S+")
_ROW = re.compile(rb"\S[^\r\n]*")
_LINE_END = re.compile(rb"[\r\n]")


def parse_bvh(data: bytes) -> BvhFile:
    """Read a whole file's bytes; anything but a well-formed BVH raises InputError with the line and what is wrong."""
    header = parse_header(data)
    _check_counts(header, data)
    count = header.frames * header.file.width
    if count > _LARGE:
        # Nothing is kept of a large file before it is known to be whole.
        _read_rows(header, data, np.empty(0))
    values = np.empty(count)
    _read_rows(header, data, values)
    return replace(header.file, values=values.reshape(header.frames, header.file.width))


def _read_rows(header: BvhHeader, data: bytes, out: Array) -> None:
    """Check all rows, and keep what `out` has room for."""
    file, width, declared = header.file, header.file.width, header.frames * header.file.width
    count, stop, lines, odd = parse_numbers(np.frombuffer(data, np.uint8), header.rows_at, width, out)
    if stop < len(data):
        found = _WORD.match(data, stop)
        word = data[stop : stop + 1] if found is None else found.group()
        where = file.describe_value(count) if count < declared else "after the last row"
        raise InputError(f"line {line_at(data, stop)}: {quoted(word)} {where}{advice(word)}")
    if odd >= 0 and lines == header.frames:
        found_numbers = len(data[odd : _end_of_line(data, odd)].split())
        raise InputError(f"line {line_at(data, odd)}: {found_numbers} numbers in a row, the channels demand {width}")
    if count != declared:
        part = f" and {count % width} numbers" if count % width else ""
        raise InputError(
            f"Frames declares {header.frames} rows of {width} numbers, the file holds {count // width}{part}"
        )


def _check_counts(header: BvhHeader, data: bytes) -> None:
    """Refuse counts that the bytes cannot hold, before any memory is taken for them."""
    frames, width = header.frames, header.file.width
    if width == 0 and frames > 0:
        raise InputError(f"Frames declares {frames} rows, but no joint has CHANNELS")
    # A number takes two bytes at least.
    if 2 * frames * width - 1 > len(data) - header.rows_at:
        rows = sum(1 for _ in _ROW.finditer(data, header.rows_at))
        raise InputError(f"Frames declares {frames} rows of {width} numbers, the file holds {rows}")
    if frames * width > MAX_VALUES:
        raise InputError(f"{frames} frames of {width} channels are more than {MAX_VALUES} numbers")


def _end_of_line(data: bytes, at: int) -> int:
    found = _LINE_END.search(data, at)
    return len(data) if found is None else found.start()


def format_bvh(file: BvhFile) -> bytes:
    """The file as text: tabs, LF, every number in as many digits as it takes to tell it from its neighbours."""
    children: list[list[int]] = [[] for _ in file.names]
    for joint, parent in enumerate(file.parents.tolist()):
        if parent >= 0:
            children[parent].append(joint)
    lines, columns = ["HIERARCHY"], list[int]()
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
    lines += [" ".join(map(_text, row)) for row in file.values[:, np.array(columns, np.intp)].tolist()]
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
    """The shortest decimal that means this double and no other; whole numbers without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
