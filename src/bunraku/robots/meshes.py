"""Mesh files: STL (binary and text), OBJ and COLLADA, as points to fit shapes to and as bytes for MuJoCo."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.robots import dae, markup

Floats = NDArray[np.floating[Any]]

MAX_MESH_BYTES = 32 << 20
SUFFIXES = (".stl", ".obj", ".dae")
_HEADER = 84
_LOOK = 1 << 16
_PIECE = 1 << 20
_MANY = 200_000
_SMALLEST = 1e-6
"""m"""
_OBJ_VERTEX = re.compile(rb"^v[ \t]+(\S+[ \t]+\S+[ \t]+\S+)", re.MULTILINE)
_STL_VERTEX = re.compile(rb"\bvertex\s+(\S+\s+\S+\s+\S+)")
_FACE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
_MUJOCO_FACES = 200_000
"""more than this in one STL file MuJoCo refuses"""


def is_readable(path: Path) -> bool:
    """A first look at the kind, the size and the first bytes; the whole is judged when it is used."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError:
        return False
    if path.suffix.lower() not in SUFFIXES or not 0 < size <= MAX_MESH_BYTES:
        return False
    if path.suffix.lower() != ".stl" or head[:5].lower() == b"solid":
        return True
    return len(head) == _HEADER and 0 < _declared(head) * _FACE.itemsize <= size - _HEADER


def look(path: Path) -> dae.Look:
    """Up axis and colour of a COLLADA file; other kinds have neither."""
    if path.suffix.lower() != ".dae":
        return dae.Look(False, None)
    try:
        with path.open("rb") as file:
            return dae.look(file.read(_LOOK))
    except OSError:
        return dae.Look(False, None)


def points(path: Path, *, heed_up_axis: bool = False) -> Floats:
    """(n, 3) vertices of a mesh file, thinned where there are very many; `heed_up_axis` is about COLLADA files."""
    if path.suffix.lower() == ".obj":
        found = _sane(_listed(_OBJ_VERTEX, markup.read_bytes(path, MAX_MESH_BYTES)))
    else:
        found = triangles(path, heed_up_axis=heed_up_axis).reshape(-1, 3)
    few = len(found) < 100 and len(np.unique(found, axis=0)) < 4
    if few or np.ptp(found, axis=0).max() < _SMALLEST:
        raise RobotError("has no extent")
    return found[:: max(1, len(found) // _MANY)]


def triangles(path: Path, *, heed_up_axis: bool = False) -> Floats:
    """(n, 3, 3) corners of all triangles of an STL or COLLADA file."""
    content, kind = markup.read_bytes(path, MAX_MESH_BYTES), path.suffix.lower()
    if kind not in (".stl", ".dae"):
        raise RobotError(f"meshes of kind '{path.suffix}' are not read; {', '.join(SUFFIXES)} are")
    corners = _stl(content) if kind == ".stl" else dae.triangles(content, heed_up_axis=heed_up_axis)
    if not len(corners):
        raise RobotError("holds no triangles")
    return _sane(corners)


def to_stl(corners: Floats) -> bytes:
    """Triangles `(n, 3, 3)` as a binary STL file."""
    faces = np.zeros(len(corners), _FACE)
    faces["corners"] = corners
    return b"\0" * 80 + len(corners).to_bytes(4, "little") + faces.tobytes()


def for_mujoco(path: Path, *, heed_up_axis: bool = False) -> bytes:
    """A mesh file as MuJoCo reads it: OBJ, and STL within its limits, as they are; everything else as such an STL."""
    if path.suffix.lower() == ".obj":
        return markup.read_bytes(path, MAX_MESH_BYTES)
    if path.suffix.lower() == ".stl":
        content = markup.read_bytes(path, MAX_MESH_BYTES)
        if len(content) >= _HEADER:
            count = _declared(content[:_HEADER])
            if 0 < count <= _MUJOCO_FACES and len(content) == _HEADER + count * _FACE.itemsize:
                return content
    corners = triangles(path, heed_up_axis=heed_up_axis)
    return to_stl(corners if len(corners) <= _MUJOCO_FACES else _largest(corners, _MUJOCO_FACES))


@dataclass(frozen=True)
class AssetFiles(Mapping[str, bytes]):
    """The files that a robot's XML names, read when they are asked for."""

    meshes: Mapping[str, Path]
    textures: Mapping[str, Path]
    heed_up_axis: bool = False

    def __getitem__(self, name: str) -> bytes:
        path = self.meshes[name] if name in self.meshes else self.textures[name]
        try:
            if name in self.meshes:
                return for_mujoco(path, heed_up_axis=self.heed_up_axis)
            return markup.read_bytes(path, MAX_MESH_BYTES)
        except RobotError as error:
            raise RobotError(f"{path}: {error}") from error

    def __iter__(self) -> Iterator[str]:
        yield from self.meshes
        yield from self.textures

    def __len__(self) -> int:
        return len(self.meshes) + len(self.textures)


def _declared(head: bytes) -> int:
    return int.from_bytes(head[80:84], "little")


def _stl(content: bytes) -> Floats:
    count = _declared(content[:_HEADER]) if len(content) >= _HEADER else 0
    if 0 < count * _FACE.itemsize <= len(content) - _HEADER:
        return np.frombuffer(content, _FACE, count, _HEADER)["corners"].copy()
    if content[:5].lower() != b"solid":
        raise RobotError("an STL file that is shorter than it says")
    corners = _listed(_STL_VERTEX, content)
    if len(corners) % 3:
        raise RobotError("a text STL file whose facets are not triangles")
    return corners.reshape(-1, 3, 3)


def _listed(pattern: re.Pattern[bytes], content: bytes) -> Floats:
    """(n, 3) the numbers in the lines that match, taken piece by piece to stay small in memory."""
    parts, start = [np.zeros(0, np.float32)], 0
    while start < len(content):
        end = content.find(b"\n", start + _PIECE)
        end = len(content) if end < 0 else end
        parts.append(markup.floats(b" ".join(pattern.findall(content, start, end)), np.float32))
        start = end
    found = np.concatenate(parts)
    if len(found) % 3:
        raise RobotError("has vertices that are not three numbers")
    return found.reshape(-1, 3)


def _sane(values: Floats) -> Floats:
    # NaN fails this comparison too.
    if values.size and not np.abs(values).max() <= markup.MAX_NUMBER:
        raise RobotError("holds numbers that are not to compute with")
    return values


def _largest(corners: Floats, count: int) -> Floats:
    """The largest triangles: a picture loses nothing that an eye would miss."""
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return corners[np.sort(np.argsort(area)[-count:])]
