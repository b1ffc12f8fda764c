"""MVNX: recordings that Xsens MVN exports as XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any
from xml.etree.ElementTree import ParseError

import numpy as np
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import FINGERS, INDEX, JOINT_COUNT
from bunraku.sources.source import Recording

Array = NDArray[np.float64]

MAX_BYTES = 4 << 30
MAX_FRAMES = 2_000_000
_LABELS = MappingProxyType(
    {
        "Pelvis": "hips", "L5": "spine", "T8": "chest", "Neck": "neck", "Head": "head",
        **{
            f"{name}{label}": f"{side}_{joint}"
            for name, side in (("Left", "left"), ("Right", "right"))
            for label, joint in {
                "Shoulder": "clavicle", "UpperArm": "upper_arm", "ForeArm": "forearm", "Hand": "hand",
                "UpperLeg": "thigh", "LowerLeg": "shin", "Foot": "foot", "Toe": "toe",
            }.items()
        },
    }
)  # fmt: skip
"""segment → canonical joint"""
_FINGER_SEGMENTS = 20


def read_mvnx(path: str | Path) -> HumanMotion:
    """A recording as human motion; turns and places of the segments, those of the hands too where they are there."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: {path.stat().st_size} bytes; at most {MAX_BYTES} are read")
        with path.open("rb") as file:
            return _read(file, path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise InputError(f"{path}: it is no MVNX file: {error}") from None


def _read(file: IO[bytes], path: Path) -> HumanMotion:
    labels: list[str] = []
    fps = 0.0
    rows: list[tuple[Array, ...]] = []
    for tag, element in _elements(file):
        if tag == "subject":
            fps = float(element.get("frameRate", "0"))
        elif tag == "segment":
            labels.append(element.get("label", ""))
        elif tag == "frame" and element.get("type") == "normal":
            if len(rows) >= MAX_FRAMES:
                raise InputError(f"{path}: at most {MAX_FRAMES} frames are read")
            rows.append(_row(element, len(labels), len(rows)))
    if not rows:
        raise InputError(f"{path}: it holds no frames of type 'normal'")
    if not 0 < fps <= 10_000:
        raise InputError(f"{path}: frameRate is {fps:g}; frames per second belong there")
    return _motion(labels, rows, fps, path.stem)


def _elements(file: IO[bytes]) -> Iterator[tuple[str, Any]]:
    """Subjects as they begin, segments and frames as they end; what was read is forgotten."""
    root = None
    for event, element in iterparse(file, events=("start", "end")):
        tag = element.tag.rpartition("}")[2]
        root = element if root is None else root
        if (event == "start") == (tag == "subject"):
            yield tag, element
        if event == "end" and tag == "frame":
            element.clear()


def _row(frame: Any, count: int, number: int) -> tuple[Array, ...]:
    """Turns and places of the segments, then those of left and right fingers where they are there."""
    found = {}
    for element in frame:
        tag = element.tag.rpartition("}")[2]
        if tag.startswith(("orientation", "position")) and element.text:
            found[tag] = np.array(element.text.split(), float)
    out = []
    for suffix, segments in (("", count), ("FingersLeft", _FINGER_SEGMENTS), ("FingersRight", _FINGER_SEGMENTS)):
        for tag, width in (("orientation", 4), ("position", 3)):
            values = found.get(tag + suffix)
            if values is None and suffix:
                out.append(np.full((segments, width), np.nan))
            elif values is None or len(values) != segments * width:
                size = 0 if values is None else len(values)
                raise InputError(f"frame {number}: {tag}{suffix} holds {size} numbers, not {segments * width}")
            else:
                out.append(values.reshape(segments, width))
    return tuple(out)


def _motion(labels: list[str], rows: list[tuple[Array, ...]], fps: float, name: str) -> HumanMotion:
    T = len(rows)
    positions, rotations = np.full((T, JOINT_COUNT, 3), np.nan), np.full((T, JOINT_COUNT, 4), np.nan)
    body = [(index, _LABELS[label]) for index, label in enumerate(labels) if label in _LABELS]
    if not body:
        raise InputError(f"{name}: none of its segments is one of {', '.join(list(_LABELS)[:5])} …")
    columns = [(0, index, joint) for index, joint in body]
    for place, side in ((2, "left"), (4, "right")):
        columns += [(place, index, joint) for index, joint in _finger_joints(side)]
    for first, index, joint in columns:
        rotations[:, INDEX[joint]] = [row[first][index] for row in rows]
        positions[:, INDEX[joint]] = [row[first + 1][index] for row in rows]
    return HumanMotion(
        positions=positions,
        rotations=rotations,
        position_valid=np.isfinite(positions).all(-1),
        rotation_valid=np.isfinite(rotations).all(-1),
        fps=fps,
        name=name,
    )


def _finger_joints(side: str) -> list[tuple[int, str]]:
    """Rows of a hand's segments: the carpus, three of the thumb, then a metacarpal and three phalanges a finger."""
    out = [(part, f"{side}_thumb_{part}") for part in (1, 2, 3)]
    for number, finger in enumerate(FINGERS[1:]):
        out += [(4 + 4 * number + part, f"{side}_{finger}_{part}") for part in (1, 2, 3)]
    return out


def _read_uri(rest: str, options: Mapping[str, str]) -> HumanMotion:
    if not rest:
        raise InputError("mvnx: names no file, for instance: mvnx:take.mvnx")
    return read_mvnx(rest)


SOURCE = Recording(
    scheme="mvnx",
    summary="a recording of Xsens MVN, exported as MVNX",
    example="mvnx:take.mvnx",
    options=MappingProxyType({}),
    read=_read_uri,
    suffixes=(".mvnx",),
)
