"""OpenPose's JSON: one file a frame, everyone in the picture, BODY_25 or COCO_18 with or without hands.

A person's points are flat lists of x, y in pixels and a confidence; a point that was not found is three zeros. The
version that a file names is not asked: it never changed what stands in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.human.hand_frame import POINTS
from bunraku.human.skeleton import SIDES
from bunraku.sources.landmarks import HANDS, ROW, Landmarks

Array = NDArray[np.float64]

MAX_BYTES = 4 << 20
"""of a file; a crowd with faces and hands is far below"""
SURE = 0.2
"""least confidence of a point that is believed"""
_MOST_PEOPLE = 200
_FARTHEST_PX = 1e6
_LIMB = ("shoulder", "elbow", "wrist")
_LEG = ("hip", "knee", "ankle")


def _rows(right_arm: int, left_arm: int, right_leg: int, left_leg: int, face: int, feet: int | None) -> dict[int, int]:
    """Number in OpenPose's list → row of our landmarks."""
    out = {0: ROW["nose"]}
    for side, arm, leg in (("right", right_arm, right_leg), ("left", left_arm, left_leg)):
        out |= {arm + k: ROW[f"{side}_{part}"] for k, part in enumerate(_LIMB)}
        out |= {leg + k: ROW[f"{side}_{part}"] for k, part in enumerate(_LEG)}
    for k, name in enumerate(("right_eye", "left_eye", "right_ear", "left_ear")):
        out[face + k] = ROW[name]
    if feet is not None:
        out |= {feet: ROW["left_toe"], feet + 2: ROW["left_heel"]}
        out |= {feet + 3: ROW["right_toe"], feet + 5: ROW["right_heel"]}
    return out


MODELS = MappingProxyType({"BODY_25": (25, _rows(2, 5, 9, 12, 15, 19)), "COCO_18": (18, _rows(2, 5, 8, 11, 14, None))})
"""name → points, and which of them is which landmark"""
_BY_COUNT = dict(MODELS.values())


def people_of(data: bytes) -> list[Landmarks] | str:
    """Everyone in a frame, in pixels; or why the file is none of OpenPose's."""
    try:
        frame = json.loads(data)
    except (ValueError, RecursionError):
        return "file that is no JSON"
    people = frame.get("people") if isinstance(frame, dict) else None
    if not isinstance(people, list):
        return "file that is none of OpenPose's"
    out = []
    for person in people[:_MOST_PEOPLE]:
        landmarks = _person(person)
        if isinstance(landmarks, str):
            return landmarks
        out.append(landmarks)
    return out


def _person(person: Any) -> Landmarks | str:
    if not isinstance(person, dict):
        return "file that is none of OpenPose's"
    out = Landmarks.none(2)
    body = _triples(person.get("pose_keypoints_2d", []))
    if body is None:
        return "points that are no numbers"
    if len(body) and len(body) not in _BY_COUNT:
        return f"a body of {len(body)} points; {' and '.join(MODELS)} are read"
    if len(body):
        numbers = _BY_COUNT[len(body)]
        _set(out, np.array(list(numbers.values())), body[list(numbers)])
    for side in SIDES:
        hand = _triples(person.get(f"hand_{side}_keypoints_2d", []))
        if hand is None or len(hand) not in (0, POINTS):
            return "a hand that has not 21 points"
        if len(hand):
            _set(out, np.arange(HANDS[side].start, HANDS[side].stop), hand)
    if out.known.any() and np.abs(out.points[out.known]).max() <= 1.0:
        return "points that are shares of the picture: write them with --keypoint_scale 0"
    return out


def _triples(values: Any) -> Array | None:
    """(N, 3) of a flat list; None where it is none."""
    if not isinstance(values, list) or len(values) % 3:
        return None
    try:
        points = np.array(values, float).reshape(-1, 3)
    except (TypeError, ValueError, OverflowError):
        return None
    return points if np.isfinite(points).all() and (np.abs(points) < _FARTHEST_PX).all() else None


def _set(out: Landmarks, rows: NDArray[np.intp], found: Array) -> None:
    out.points[rows], out.weights[rows] = found[:, :2], np.clip(found[:, 2], 0.0, 1.0)
    out.known[rows] = (found[:, 2] >= SURE) & (found[:, :2] != 0).any(axis=1)


def number_of(path: Path) -> int | None:
    """The frame that a file's name tells: its last number."""
    found = re.findall(r"\d+", path.stem)
    return int(found[-1]) if found and len(found[-1]) <= 15 else None


def frame_files(folder: Path, endings: Sequence[str]) -> dict[int, Path]:
    """Frame → file of a folder, in order; files without a number are none of them."""
    try:
        found = [path for path in folder.iterdir() if path.name.lower().endswith(tuple(endings))]
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror}") from None
    numbered = {number: path for path in found if (number := number_of(path)) is not None}
    return dict(sorted(numbered.items()))
