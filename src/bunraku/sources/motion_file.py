"""Human motion as it is, in an NPZ file: what any source gave, to keep and to read in other programs. Robot motions
are NPZ files too: these have no ending of their own, and are read as `npz:FILE`.

Arrays: `positions` (T, J, 3) m, `rotations` (T, J, 4) wxyz away from the T-pose, `position_valid` and `rotation_valid`
(T, J), `fps`, `joints` (J,) their names, and, where they are known, `jaw` (T,) and `eyes` (T, 2).
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.files import whole_file
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, JOINT_COUNT
from bunraku.sources.source import Recording

MAX_BYTES = 1 << 30
"""of all arrays, as they are in memory"""
MAX_RATIO = 1000
"""of an array to its compressed self"""
_NEEDED = ("positions", "rotations", "position_valid", "rotation_valid", "fps", "joints")
_KINDS = {"fps": "f", "joints": "U", "position_valid": "b", "rotation_valid": "b"}
_SHAPES = {"positions": (3,), "rotations": (4,)}


def write_motion(path: str | Path, motion: HumanMotion) -> Path:
    """Write a motion; the file appears whole or not at all."""
    arrays: dict[str, Any] = {
        "positions": motion.positions, "rotations": motion.rotations, "position_valid": motion.position_valid,
        "rotation_valid": motion.rotation_valid, "fps": np.float64(motion.fps), "joints": np.array(list(INDEX)),
    }  # fmt: skip
    arrays |= {name: value for name, value in (("jaw", motion.jaw), ("eyes", motion.eyes)) if value is not None}
    with whole_file(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)
    return Path(path)


def read_motion_file(path: str | Path) -> HumanMotion:
    """Read one; joints that this skeleton does not have are left out, those that the file does not have are unknown."""
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as packed:
            arrays = _arrays(packed)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, ValueError, EOFError, RuntimeError, zlib.error) as error:
        raise InputError(f"{path}: it is no file of human motion: {' '.join(str(error).split())[:160]}") from None
    try:
        return _motion(arrays, path.stem)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _arrays(packed: zipfile.ZipFile) -> dict[str, NDArray[Any]]:
    listed = {info.filename.removesuffix(".npy"): info for info in packed.infolist()}
    missing = [name for name in _NEEDED if name not in listed]
    if missing:
        raise ValueError(f"there is no '{missing[0]}' in it; there are: {', '.join(sorted(listed))[:80]}")
    wanted = {name: listed[name] for name in (*_NEEDED, "jaw", "eyes") if name in listed}
    if sum(info.file_size for info in wanted.values()) > MAX_BYTES:
        raise ValueError(f"more than {MAX_BYTES >> 20} MiB of arrays")
    for name, info in wanted.items():
        if info.file_size > MAX_RATIO * max(info.compress_size, 1) and info.file_size > 1 << 20:
            raise ValueError(f"'{name}' is packed more tightly than numbers can be")
    out = {}
    for name, info in wanted.items():
        with packed.open(info) as file:
            out[name] = _array(file, name, info.file_size)
    return out


def _array(file: IO[bytes], name: str, size: int) -> NDArray[Any]:
    """One whose heading says as much as there is."""
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"'{name}' is of a version that is not known")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, kind = read(file)
    wanted = _KINDS.get(name, "f")
    if kind.kind != wanted or kind.hasobject or fortran:
        raise ValueError(f"'{name}' holds {kind}, not what belongs there")
    count = int(np.prod(shape, dtype=object))
    if count < 0 or count * kind.itemsize > size:
        raise ValueError(f"'{name}' ends too early")
    return np.frombuffer(file.read(count * kind.itemsize), kind).reshape(shape)


def _motion(arrays: Mapping[str, NDArray[Any]], name: str) -> HumanMotion:
    joints = [str(joint) for joint in arrays["joints"].reshape(-1)]
    T, J = len(np.atleast_1d(arrays["positions"])), len(joints)
    expected = {key: (T, J, *_SHAPES.get(key, ())) for key in _NEEDED[:4]}
    expected |= {"fps": (), "jaw": (T,), "eyes": (T, 2)}
    for key, shape in expected.items():
        if key in arrays and arrays[key].shape != shape:
            raise ValueError(f"'{key}' is of shape {arrays[key].shape}, not {shape}")
    rows = [(INDEX[joint], k) for k, joint in enumerate(joints) if joint in INDEX]
    if not T or not rows:
        raise ValueError("it holds no frames" if not T else "none of its joints is known here")
    to, of = (list(column) for column in zip(*rows, strict=True))
    whole: dict[str, Any] = {key: np.zeros((T, JOINT_COUNT, *shape)) for key, shape in _SHAPES.items()}
    whole |= {key: np.zeros((T, JOINT_COUNT), bool) for key in ("position_valid", "rotation_valid")}
    for key, array in whole.items():
        array[:, to] = arrays[key][:, of]
    extra: dict[str, Any] = {key: arrays[key].astype(float) for key in ("jaw", "eyes") if key in arrays}
    return HumanMotion(**whole, **extra, fps=float(arrays["fps"]), name=name)


def _read_uri(rest: str, options: Mapping[str, str]) -> HumanMotion:
    if not rest:
        raise InputError("name a file of human motion, for instance: npz:wave.npz")
    return read_motion_file(rest)


SOURCE = Recording(
    scheme="npz", summary="human motion as this program keeps it: bunraku sources save", example="npz:wave.npz",
    options=MappingProxyType({}), read=_read_uri,
)  # fmt: skip
