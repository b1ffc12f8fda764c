"""C3D files of every machine, and files that lie."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import ezc3d
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.sources.c3d_file import DEC, INTEL, MIPS, C3DError, read
from shared import data

PLACES = np.arange(24.0).reshape(2, 4, 3) - 5


def number(value: float, kind: int) -> bytes:
    """A float as that machine keeps it."""
    if kind == DEC:
        raw = struct.pack("<f", value * 4)
        return raw[2:] + raw[:2]
    return struct.pack(">f" if kind == MIPS else "<f", value)


def written(kind: int, *, scale: float = -1.0, units: str = "mm") -> bytes:
    """Two frames of four points, the last point of the second frame hidden."""
    order = ">" if kind == MIPS else "<"

    def parameter(group: int, name: str, content: bytes, *, last: bool = False) -> bytes:
        offset = 0 if last else len(content) + 3
        return struct.pack("bb", len(name), group) + name.encode() + struct.pack(order + "H", offset) + content + b"\0"

    def texts(*rows: str) -> bytes:
        width = max(map(len, rows))
        shape = bytes([2, width, len(rows)]) if len(rows) > 1 else bytes([1, width])
        return struct.pack("b", -1) + shape + "".join(row.ljust(width) for row in rows).encode()

    body = bytes([1, KEY_BYTE, 1, kind])
    body += struct.pack("bb", 5, -1) + b"POINT" + struct.pack(order + "H", 3) + b"\0"
    body += parameter(1, "LABELS", texts("A:one", "two", "three", "four"))
    body += parameter(1, "UNITS", texts(units))
    body += parameter(1, "RATE", bytes([4, 0]) + number(50.0, kind), last=True)
    head = bytes([2, KEY_BYTE]) + struct.pack(order + "5H", 4, 0, 1, 2, 0) + number(scale, kind)
    head += struct.pack(order + "2H", 3, 0) + number(50.0, kind)
    points = b""
    for frame in range(2):
        for point in range(4):
            hidden = frame == 1 and point == 3
            if scale < 0:
                points += b"".join(number(v, kind) for v in (*PLACES[frame, point], -1.0 if hidden else 0.0))
            else:
                row = [*(PLACES[frame, point] / scale).astype(int), -1 if hidden else 0]
                points += struct.pack(order + "4h", *row)
    return head.ljust(512, b"\0") + body.ljust(512, b"\0") + points


KEY_BYTE = 0x50


@pytest.mark.parametrize("kind", [INTEL, DEC, MIPS])
@pytest.mark.parametrize("scale", [-1.0, 0.5])
def test_machines_and_numbers(kind: int, scale: float) -> None:
    """Intel, DEC and MIPS; floats and scaled whole numbers."""
    file = read(written(kind, scale=scale))
    assert file.labels == ("A:one", "two", "three", "four")
    assert (file.rate, file.units) == (50.0, "mm")
    assert np.isnan(file.places[1, 3]).all()
    np.testing.assert_allclose(file.places[0], PLACES[0])
    np.testing.assert_allclose(file.places[1, :3], PLACES[1, :3])


def test_another_program_agrees(tmp_path: Path) -> None:
    """What the usual library writes is read as it reads it."""
    c3d = ezc3d.c3d()
    points = np.random.default_rng(0).normal(size=(4, 300, 7))
    c3d["parameters"]["POINT"]["RATE"]["value"] = [120]
    c3d["parameters"]["POINT"]["LABELS"]["value"] = [f"m{k}" for k in range(300)]
    c3d["parameters"]["POINT"]["UNITS"]["value"] = ["m"]
    c3d["data"]["points"] = points
    path = tmp_path / "a.c3d"
    c3d.write(str(path))
    file = read(path.read_bytes())
    assert file.labels == tuple(f"m{k}" for k in range(300))
    assert (file.rate, file.units, file.places.shape) == (120.0, "m", (7, 300, 3))
    np.testing.assert_allclose(file.places, points[:3].transpose(2, 1, 0), rtol=1e-6)


@given(st.lists(st.tuples(st.integers(0, 1200), st.integers(0, 255)), max_size=8), st.integers(0, 1200))
def test_files_that_lie_are_refused(changes: list[tuple[int, int]], cut: int) -> None:
    """Any bytes give points or a C3DError."""
    data = bytearray(written(INTEL))
    for at, value in changes:
        data[at % len(data)] = value
    for content in (bytes(data), bytes(data[:cut])):
        with suppress(C3DError):
            read(content)


@pytest.mark.parametrize("path", data("optical/*/*.c3d"), ids=lambda path: path.name)
def test_real_recordings(path: Path) -> None:
    """The usual library and this reader see the same."""
    file, theirs = read(path.read_bytes()), ezc3d.c3d(str(path))
    assert list(file.labels) == theirs["parameters"]["POINT"]["LABELS"]["value"]
    np.testing.assert_allclose(file.places, theirs["data"]["points"][:3].transpose(2, 1, 0), rtol=1e-6)
