"""BVH files: any producer's, to and from human motion on the canonical skeleton.

The only thing done to a recording's world is that up becomes z: headings, the floor and the place stay as recorded.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, OutputError, UnknownNameError
from bunraku.human.pose import HumanMotion
from bunraku.kinematics import rotations as rot
from bunraku.sources.anatomy import joint_frames, standing_frame
from bunraku.sources.bvh_export import bvh_from_motion
from bunraku.sources.bvh_file import BvhFile as BvhFile
from bunraku.sources.bvh_header import BvhHeader, parse_header
from bunraku.sources.bvh_text import MAX_VALUES
from bunraku.sources.bvh_text import format_bvh as format_bvh
from bunraku.sources.bvh_text import parse_bvh as parse_bvh
from bunraku.sources.canonical_rows import CanonicalRows
from bunraku.sources.measure import UNITS, WORLD_FROM_FILE, UpAxis, find_unit, find_up, stature, unit_metres
from bunraku.sources.posed import PosedSkeleton
from bunraku.sources.skeletons import map_skeleton
from bunraku.sources.source import Recording

Array = NDArray[np.float64]

MAX_BYTES = 2 << 30
MAX_FRAMES = 2_000_000
RATES = (
    10.0, 12.0, 15.0, 20.0, 23.976, 24.0, 25.0, 29.97, 30.0, 40.0, 48.0, 50.0, 59.94, 60.0, 72.0, 75.0, 80.0, 90.0,
    100.0, 119.88, 120.0, 125.0, 144.0, 150.0, 180.0, 200.0, 239.76, 240.0, 250.0, 300.0, 360.0, 480.0, 500.0, 1000.0,
)  # fmt: skip
"""Frame rates that cameras and suits have; a file's is taken for the nearest one within 0.1 %."""

_HEAD_BYTES = 1 << 20
_LONGEST_NUMBER = 64
_SAMPLES = 300
_FAR = 1e9


def read_bvh(path: str | Path, *, unit: float | str | None = None, up: UpAxis | None = None) -> HumanMotion:
    """A BVH file as human motion. `unit` (metres, or a name of `measure.UNITS`) and `up` are found where not given."""
    path = Path(path)
    if up is not None and up not in WORLD_FROM_FILE:
        raise UnknownNameError("up axis", up, WORLD_FROM_FILE)
    metres = None if unit is None else unit_metres(unit)
    try:
        return motion_from_bvh(parse_bvh(_read_bytes(path)), name=path.stem, metres=metres, up=up)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _read_bytes(path: Path) -> bytes:
    """The file's bytes, once its beginning shows that they are worth reading."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError("not a regular file")
        if status.st_size > MAX_BYTES:
            raise InputError(f"{status.st_size} bytes; at most {MAX_BYTES} are read")
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
            if status.st_size > len(head):
                _check_size(parse_header(head), status.st_size)
            file.seek(0)
            length = _text_length(file)
            file.seek(0)
            return file.read(length)
    except FileNotFoundError:
        raise InputError("no such file") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"cannot be read: {error}") from None


def _text_length(file: BinaryIO) -> int:
    """Bytes up to the end, or to the end of the piece with the first zero byte: no text holds one, a hole in a file
    is gigabytes of them."""
    length = 0
    while length < MAX_BYTES and (piece := file.read(_HEAD_BYTES)):
        length += len(piece)
        if b"\0" in piece:
            break
    return length


def _check_size(header: BvhHeader, size: int) -> None:
    """Refuse a large file whose size cannot be that of the rows it declares."""
    numbers = header.frames * header.file.width
    if numbers > MAX_VALUES:
        raise InputError(f"{header.frames} frames of {header.file.width} channels are more than {MAX_VALUES} numbers")
    if not 2 * numbers - 1 <= size - header.rows_at <= _LONGEST_NUMBER * (numbers + header.frames + 1024):
        raise InputError(
            f"Frames declares {header.frames} rows of {header.file.width} numbers, {size - header.rows_at} bytes follow"
        )


def write_bvh(path: str | Path, motion: HumanMotion) -> Path:
    """Write a motion as a BVH of the canonical skeleton; the file appears whole or not at all."""
    path = Path(path)
    text = format_bvh(bvh_from_motion(motion))
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(text)
        part.replace(path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return path


def motion_from_bvh(
    file: BvhFile, *, name: str = "motion", metres: float | None = None, up: UpAxis | None = None
) -> HumanMotion:
    """Human motion of a BVH file's content; `metres` per unit and the `up` axis are found where not given."""
    if len(file.values) > MAX_FRAMES:
        raise InputError(f"{len(file.values)} frames; at most {MAX_FRAMES} are read")
    fps, notes = frame_rate(file)
    skeleton = posed_skeleton(file)
    mapping = map_skeleton(skeleton)
    height = 0.0 if mapping is None else stature(skeleton, mapping)
    if mapping is None or not height > 0:
        raise InputError("no person found: neither names nor the shape of the skeleton tell an arm or a leg")
    notes += mapping.notes
    if np.count_nonzero(file.parents < 0) > 1:
        first = skeleton.path(int(mapping.nodes[mapping.nodes >= 0][0]))[0]
        notes.append(f"several roots: the person read is the one on '{file.names[first]}'")
    stands = standing_frame(skeleton, mapping) is not None
    if metres is None:
        found, why = find_unit(height)
        metres = unit_metres(found)
        notes.append(why)
    if up is None:
        up = find_up(skeleton, mapping, stands)
        notes.append(f"up axis {up}: along it the head is above the feet")
    world = WORLD_FROM_FILE[up]
    frames = joint_frames(skeleton, mapping, world)
    notes += frames.notes
    rows = CanonicalRows(file, mapping.nodes, frames.local, world, metres)
    positions, rotations = rows.poses(file.values)
    T = len(positions)
    return HumanMotion(
        positions=positions,
        rotations=rotations,
        position_valid=np.tile(rows.placed, (T, 1)),
        rotation_valid=np.tile(rows.turning, (T, 1)),
        fps=fps,
        name=name,
        notes=tuple(notes),
    )


def frame_rate(file: BvhFile) -> tuple[float, list[str]]:
    """Frames per second, brought to a common rate, and what there is to say of it."""
    seconds = file.frame_time
    if seconds == 0 and len(file.values) <= 1:
        return 30.0, ["Frame Time is 0: taken for 30 frames per second"]
    if not 1e-5 <= seconds <= 100:
        raise InputError(f"Frame Time is {seconds:g}; seconds from 0.00001 to 100 belong there")
    exact = 1.0 / seconds
    near = min(RATES, key=lambda rate: abs(rate - exact))
    return (near, []) if abs(near - exact) <= 1e-3 * near else (exact, [])


def posed_skeleton(file: BvhFile) -> PosedSkeleton:
    """The file's skeleton in some hundred of its poses, evenly spread; in its zero pose where it has no frames."""
    T = len(file.values)
    # The first frame of a longer recording may be a calibration pose that was put before it.
    picked = np.linspace(min(1, T // 10), T - 1, min(T, _SAMPLES)).astype(int)
    rows = file.values[np.unique(picked)] if T else file.values
    zero_row = np.zeros((1, file.width))
    reach = np.abs(file.values).max(axis=0, initial=0.0)
    for joint, channels in enumerate(file.channels):
        for k, channel in enumerate(channels):
            column = file.layout[joint, 0] + k
            if reach[column] > _FAR:
                raise InputError(f"{channel} of joint '{file.names[joint]}' goes beyond {_FAR:g}")
            if channel.endswith("position"):
                # A bone's length may stand in the channels alone; a root's place says nothing.
                by_offset = file.offsets[joint, "XYZ".index(channel[0])]
                zero_row[0, column] = rows[:, column].mean() if T and file.parents[joint] >= 0 else by_offset
    if np.abs(file.offsets).max(initial=0.0) > _FAR or np.abs(file.end_offsets).max(initial=0.0) > _FAR:
        raise InputError(f"an OFFSET goes beyond {_FAR:g}")
    zero, upright = file.poses(zero_row)
    positions, rotations = file.poses(rows) if T else (zero, upright)
    ends = file.end_parents
    tips = positions[:, ends] + rot.rotate(rotations[:, ends], file.end_offsets)
    return PosedSkeleton(
        names=file.names,
        parents=np.concatenate([file.parents, ends]),
        positions=np.concatenate([positions, tips], axis=1),
        rotations=rotations,
        zero=np.concatenate([zero[0], zero[0, ends] + file.end_offsets]),
    )


def _read_uri(rest: str, options: Mapping[str, str]) -> HumanMotion:
    """`bvh:FILE?unit=cm&up=y`; a unit is a name or a number of metres."""
    if not rest:
        raise InputError("bvh: names no file, for instance: bvh:walk.bvh")
    unit: float | str | None = options.get("unit")
    if unit is not None:
        with suppress(ValueError):
            unit = float(unit)
    return read_bvh(rest, unit=unit, up=cast("UpAxis | None", options.get("up")))


SOURCE = Recording(
    scheme="bvh",
    summary="a BVH file of any producer",
    example="bvh:walk.bvh",
    options=MappingProxyType(
        {"unit": f"{', '.join(UNITS)}, or metres per unit; found if not given", "up": "x, y or z; found if not given"}
    ),
    read=_read_uri,
    suffixes=(".bvh",),
)
