"""Reading a robot's motion from an NPZ of the contract: any bytes give a checked content, or an InputError."""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError

MAX_BYTES = 1 << 30
SLOWEST_FPS, FASTEST_FPS = 0.01, 100_000.0

_KEYS = ("qpos", "joint_names", "fps", "robot", "root")
_NEEDED = _KEYS[:3]
_FAR = 1e9
_UNIT = 0.01
"""how far from 1 a base quaternion's length may be"""
_NO_ARCHIVE = (
    ValueError, TypeError, KeyError, EOFError, RuntimeError, OverflowError, MemoryError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""what numpy and zipfile raise for bytes that are no archive of arrays, or for counts that no memory could hold"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Stored:
    """What such a file holds; the fields are those of `RobotMotion`."""

    qpos: NDArray[np.float64]
    joint_names: tuple[str, ...]
    fps: float
    robot: str
    root: Literal["free", "fixed"]


def read_npz(path: str | Path) -> Stored:
    """Nothing is unpickled, sizes are checked before anything is unpacked, and values before they are believed."""
    path = Path(path)
    try:
        return _checked(_arrays(path))
    except InputError as error:
        raise InputError(f"{path}: not a robot motion: {error}") from error.__cause__
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _arrays(path: Path) -> Mapping[str, NDArray[Any]]:
    """Those of the contract's arrays that the file holds."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MAX_BYTES:
                raise InputError("more than 1 GiB unpacked")
        with np.load(path, allow_pickle=False) as data:
            return {key: np.asarray(data[key]) for key in _KEYS if key in data.files}
    except _NO_ARCHIVE as error:
        raise InputError(f"an NPZ as bunraku retarget writes it belongs there ({error})") from error


def _checked(arrays: Mapping[str, NDArray[Any]]) -> Stored:
    missing = [key for key in _NEEDED if key not in arrays]
    if missing:
        raise InputError(f"it lacks {', '.join(missing)}")
    fps = _fps(arrays["fps"])
    names = _names(arrays["joint_names"])
    qpos = _numbers(arrays["qpos"])
    roots: tuple[Literal["free", "fixed"], ...] = ("free", "fixed")
    widths = {"free": len(names) + 7, "fixed": len(names)}
    root = _text(arrays, "root") or next((root for root in roots if qpos.shape[1] == widths[root]), "fixed")
    if root not in roots:
        raise InputError(f"root is '{root}'; {' or '.join(roots)} belongs there")
    if qpos.shape[1] != widths[root]:
        raise InputError(
            f"qpos has {qpos.shape[1]} numbers a frame; {len(names)} joints and a {root} base take {widths[root]}"
        )
    if root == "free":
        _check_base(qpos)
    return Stored(qpos=qpos, joint_names=names, fps=fps, robot=_text(arrays, "robot"), root=root)


def _numbers(qpos: NDArray[Any]) -> NDArray[np.float64]:
    """(T, nq) finite numbers that can be positions."""
    if qpos.dtype.kind not in "fiu" or qpos.ndim != 2:
        raise InputError(f"qpos is {_kind(qpos)}; frames of joint values belong there")
    values = qpos.astype(float)
    near = np.abs(values) <= _FAR  # false for NaN as well
    if not near.all():
        frame, column = np.argwhere(~near)[0]
        raise InputError(f"qpos holds {values[frame, column]:g} in frame {frame + 1}")
    return values


def _check_base(qpos: NDArray[np.float64]) -> None:
    off = np.abs(np.linalg.norm(qpos[:, 3:7], axis=1) - 1.0) > _UNIT
    if off.any():
        raise InputError(f"qpos 4 to 7 in frame {off.argmax() + 1} are no unit quaternion, which a free base has there")


def _fps(fps: NDArray[Any]) -> float:
    if fps.dtype.kind not in "fiu" or fps.ndim != 0 or not SLOWEST_FPS <= float(fps) <= FASTEST_FPS:
        given = f"{fps:g}" if fps.dtype.kind in "fiu" and fps.ndim == 0 else _kind(fps)
        raise InputError(f"fps is {given}; a number from {SLOWEST_FPS:g} to {FASTEST_FPS:g} belongs there")
    return float(fps)


def _names(names: NDArray[Any]) -> tuple[str, ...]:
    if names.dtype.kind != "U" or names.ndim != 1:
        raise InputError(f"joint_names is {_kind(names)}; a list of texts belongs there")
    texts = tuple(map(str, names))
    twice = [name for name, count in Counter(texts).items() if count > 1]
    if twice:
        raise InputError(f"joint_names has '{twice[0]}' more than once")
    return texts


def _text(arrays: Mapping[str, NDArray[Any]], key: str) -> str:
    """A text, empty where the file does not hold it."""
    if key not in arrays:
        return ""
    if arrays[key].dtype.kind != "U" or arrays[key].ndim != 0:
        raise InputError(f"{key} is {_kind(arrays[key])}; a text belongs there")
    return str(arrays[key])


def _kind(array: NDArray[Any]) -> str:
    return f"an array {array.shape} of {array.dtype}"
