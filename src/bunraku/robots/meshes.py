"""Mesh files: STL (binary and text), OBJ and COLLADA, as triangles for fitting and as bytes for MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.robots import dae, markup

Array = NDArray[np.float64]

MAX_MESH_BYTES = 64 << 20
SUFFIXES = (".stl", ".obj", ".dae")
_HEADER = 84
_LOOK = 1 << 16
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


def triangles(path: Path, *, heed_up_axis: bool = False) -> Array:
    """(n, 3, 3) corners of all triangles of a mesh file; `heed_up_axis` is about COLLADA files."""
    content, kind = markup.read_bytes(path, MAX_MESH_BYTES), path.suffix.lower()
    if kind == ".dae":
        out = dae.triangles(content, heed_up_axis=heed_up_axis)
    elif kind in SUFFIXES:
        out = _stl(content) if kind == ".stl" else _obj(content)
    else:
        raise RobotError(f"meshes of kind '{path.suffix}' are not read; {', '.join(SUFFIXES)} are")
    if not len(out):
        raise RobotError("holds no triangles")
    if not np.isfinite(out).all() or np.abs(out).max() > markup.MAX_NUMBER:
        raise RobotError("holds numbers that are not finite")
    return out


def to_stl(corners: Array) -> bytes:
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


def _stl(content: bytes) -> Array:
    count = _declared(content[:_HEADER]) if len(content) >= _HEADER else 0
    if 0 < count * _FACE.itemsize <= len(content) - _HEADER:
        return np.frombuffer(content, _FACE, count, _HEADER)["corners"].astype(float)
    if content[:5].lower() != b"solid":
        raise RobotError("an STL file that is shorter than it says")
    words = content.split()
    at = [i for i, word in enumerate(words) if word == b"vertex"]
    values = _floats([words[i + k] for i in at for k in (1, 2, 3) if i + k < len(words)])
    if len(at) % 3 or len(values) != 3 * len(at):
        raise RobotError("a text STL file whose facets are not triangles")
    return values.reshape(-1, 3, 3)


def _obj(content: bytes) -> Array:
    lines = [line.split() for line in content.splitlines()]
    vertices = _floats([word for line in lines if line[:1] == [b"v"] for word in line[1:4]])
    if len(vertices) % 3:
        raise RobotError("an OBJ file with vertices that are not triples")
    vertices = vertices.reshape(-1, 3)
    fans: list[tuple[bytes, bytes, bytes]] = []
    for line in lines:
        if line[:1] == [b"f"]:
            corners = [word.partition(b"/")[0] for word in line[1:]]
            fans += [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
    index = _floats([word for fan in fans for word in fan]).astype(np.int64).reshape(-1, 3)
    index = np.where(index > 0, index - 1, index + len(vertices))
    if index.size and (index.min() < 0 or index.max() >= len(vertices)):
        raise RobotError("an OBJ file with a face that names a vertex that does not exist")
    return vertices[index] if len(index) else np.zeros((0, 3, 3))


def _floats(words: list[bytes]) -> Array:
    try:
        values = np.array(words, dtype="S32").astype(float) if words else np.zeros(0)
    except ValueError:
        raise RobotError("holds words where numbers should stand") from None
    if not np.isfinite(values).all() or (values.size and np.abs(values).max() > markup.MAX_NUMBER):
        raise RobotError("holds numbers that are not finite")
    return values


def _largest(corners: Array, count: int) -> Array:
    """The largest triangles: a picture loses nothing that an eye would miss."""
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return corners[np.sort(np.argsort(area)[-count:])]
