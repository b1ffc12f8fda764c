"""Recordings of optical markers, C3D and TRC, as human motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.orient import oriented
from bunraku.human.skeleton import INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources import c3d_file
from bunraku.sources.marker_bodies import bodies_motion, read_bodies, world_turn
from bunraku.sources.marker_sets import SETS, Markers, find_set, joint_places
from bunraku.sources.measure import WORLD_FROM_FILE, UpAxis, unit_metres
from bunraku.sources.source import Recording

Array = NDArray[np.float64]

MAX_BYTES = 1 << 30
MAX_VALUES = 400_000_000
_FARTHEST_M = 1000.0


def read_c3d(path: str | Path) -> tuple[Markers, float, str]:
    """Markers in the file's own axes (m), frames per second, and the unit that the file names."""
    path = _checked(path, b"")
    try:
        file = c3d_file.read(path.read_bytes())
    except c3d_file.C3DError as error:
        raise InputError(f"{path}: it is no C3D that can be read: {error}") from None
    return _markers(path, file.labels, file.places, file.units), file.rate, file.units


def read_trc(path: str | Path) -> tuple[Markers, float, str]:
    """The same of a TRC file, with tabs or commas between its columns; NumFrames is not trusted."""
    path = _checked(path, b"PathFileType")
    text = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if len(text) < 5:
        raise InputError(f"{path}: a TRC begins with five lines of heading, this ends before")
    between = "\t" if "\t" in text[3] else ","
    keys, values = (line.split(between) for line in text[1:3])
    heading = dict(zip(keys, values, strict=False))
    names = [name for name in text[3].rstrip("\r\n").split(between)[2:] if name.strip()]
    try:
        rate, units = float(heading["DataRate"]), heading.get("Units", "mm").strip()
        rows = [line for line in text[5:] if line.strip(" \t,\r\n")]
        width = 2 + 3 * len(names)
        if len(rows) * width > MAX_VALUES:
            raise InputError(f"{path}: {len(rows)} rows of {width} numbers are too many")
        cells = np.full((len(rows), width), np.nan)
        for number, line in enumerate(rows):
            found = [word.strip() for word in line.split(between)][:width]
            cells[number, : len(found)] = [float(word) if word else np.nan for word in found]
    except (KeyError, ValueError) as error:
        raise InputError(f"{path}: it is no TRC that can be read: {error}") from None
    return _markers(path, names, cells[:, 2:].reshape(len(rows), len(names), 3), units), rate, units


def _checked(path: str | Path, begin: bytes) -> Path:
    """A file of reasonable size that begins as it should."""
    path = Path(path)
    try:
        if not path.is_file():
            raise InputError(f"{path}: {'not a regular file' if path.exists() else 'no such file'}")
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: {path.stat().st_size} bytes; at most {MAX_BYTES} are read")
        with path.open("rb") as file:
            head = file.read(len(begin))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if head != begin:
        raise InputError(f"{path}: it does not begin as a {path.suffix[1:].upper()} file does")
    return path


def _markers(path: Path, labels: Sequence[str], places: Array, units: str) -> Markers:
    try:
        metres = unit_metres(units or "mm")
    except UnknownNameError as error:
        raise InputError(f"{path}: {error}") from None
    with np.errstate(invalid="ignore"):
        places = np.where(np.abs(places) < _FARTHEST_M / metres, places, np.nan) * metres
    # Markers that are not seen are NaN, or lie at the origin.
    hidden = ~np.isfinite(places).all(axis=-1) | (places == 0).all(axis=-1)
    places[hidden] = np.nan
    return Markers(tuple(label.rpartition(":")[2].strip() for label in labels), places)


def motion_of(markers: Markers, fps: float, name: str, up: UpAxis | None = None) -> HumanMotion:
    """The person in the markers, turns told by places."""
    if not 0 < fps <= 100_000:
        raise InputError(f"{name}: {fps:g} frames per second")
    if not len(markers.places):
        raise InputError(f"{name}: it holds no frames")
    kind = find_set(markers.names)
    if kind is None:
        known = ", ".join(f"{kind.name} ({', '.join(kind.telling[:4])} …)" for kind in SETS)
        raise InputError(f"{name}: its markers are of no set that is known: {known}")
    notes = [f"markers: {kind.name}"]
    if up is None:
        up = _find_up(joint_places(kind, markers)[0], joint_places(kind, markers)[1])
        notes.append(f"up axis {up}: along it the neck is above the hips")
    turned = Markers(markers.names, rot.rotate(WORLD_FROM_FILE[up], markers.places))
    places, known_joints = joint_places(kind, turned)
    _steady_bones(places, known_joints)
    T = len(places)
    seen = float(known_joints[:, known_joints.any(axis=0)].mean())
    if seen < 1:
        notes.append(f"joints are hidden in {100 * (1 - seen):.1f} % of all places")
    motion = HumanMotion(
        positions=places, rotations=np.tile(rot.IDENTITY, (T, JOINT_COUNT, 1)), position_valid=known_joints,
        rotation_valid=np.zeros((T, JOINT_COUNT), bool), fps=fps, name=name, notes=tuple(notes),
    )  # fmt: skip
    return oriented(motion)


def _steady_bones(places: Array, known: NDArray[np.bool_]) -> None:
    """Skin slides over bones: an end of each limb's bone is moved along it to where its usual length puts it."""
    for side in SIDES:
        for moved, fixed in (("upper_arm", "forearm"), ("hand", "forearm"), ("shin", "thigh"), ("foot", "shin")):
            a, b = INDEX[f"{side}_{moved}"], INDEX[f"{side}_{fixed}"]
            both = known[:, a] & known[:, b]
            if both.any():
                bone = places[both, a] - places[both, b]
                length = np.linalg.norm(bone, axis=1, keepdims=True)
                places[both, a] = places[both, b] + bone * np.median(length) / np.maximum(length, 1e-6)


def _find_up(places: Array, known: NDArray[np.bool_]) -> UpAxis:
    """The axis nearest to the way from the hips to the neck."""
    both = known[:, INDEX["hips"]] & known[:, INDEX["neck"]]
    if not both.any():
        return "z"
    way = np.median(places[both][:, INDEX["neck"]] - places[both][:, INDEX["hips"]], axis=0)
    return cast(UpAxis, "xyz"[int(np.argmax(way))])


def _read_uri(rest: str, options: Mapping[str, str]) -> HumanMotion:
    if not rest:
        raise InputError("name a file of markers, for instance: c3d:trial.c3d")
    up = options.get("up")
    if up is not None and up not in WORLD_FROM_FILE:
        raise UnknownNameError("up axis", up, WORLD_FROM_FILE)
    read = read_trc if Path(rest).suffix.lower() == ".trc" else read_c3d
    markers, fps, _ = read(rest)
    if "bodies" in options:
        return bodies_motion(markers, read_bodies(options["bodies"]), fps, Path(rest).stem, world_turn(options))
    return motion_of(markers, fps, Path(rest).stem, cast("UpAxis | None", up))


_OPTIONS = MappingProxyType(
    {
        "up": "x, y or z; found if not given",
        "bodies": "file that describes rigid bodies by their markers; each is the joint that it is named like",
        "facing": "with bodies: where a person in T-pose faces",
    }
)
C3D = Recording(
    scheme="c3d", summary="markers of an optical system, by the usual marker sets", example="c3d:trial.c3d",
    options=_OPTIONS, read=_read_uri, suffixes=(".c3d",),
)  # fmt: skip
TRC = Recording(
    scheme="trc", summary="the same as text, also of programs that work without markers", example="trc:trial.trc",
    options=_OPTIONS, read=_read_uri, suffixes=(".trc",),
)  # fmt: skip
