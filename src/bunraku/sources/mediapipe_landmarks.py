"""MediaPipe's points to the landmarks of `sources.landmarks`; arrays alone, no package of theirs.

A pose has 33 points, odd ones on the left; a hand 21, wrist first. World points are metres from the middle of the hips
(a hand's from the hand's own middle), x to the right of the picture, y down, z away from the camera. Picture points
are shares of its width and height.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.human.hand_frame import POINTS
from bunraku.human.skeleton import ADULT_BONES, INDEX, SIDES
from bunraku.sources.landmarks import COUNT, HANDS, ROW, WORLD_FROM_CAMERA, Landmarks

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

POSE_POINTS = 33
VISIBLE = 0.5
"""least visibility of a point that is believed"""
_FIRST = {"eye": 2, "ear": 7, "shoulder": 11, "elbow": 13, "wrist": 15, "hip": 23, "knee": 25, "ankle": 27,
          "heel": 29, "toe": 31}  # fmt: skip
"""the left one's number; the right one's is the next, but for the eyes"""
_NUMBERS = np.array([0, *(n + (3 if part == "eye" else 1) * k for k in range(2) for part, n in _FIRST.items())])
_ROWS = np.arange(len(_NUMBERS))
_PALM_M = float(np.linalg.norm(ADULT_BONES[INDEX["left_middle_1"]]))
_FOREARM_M = float(np.linalg.norm(ADULT_BONES[INDEX["left_hand"]]))


def picture_landmarks(
    pose: ArrayLike | None, hands: Mapping[str, ArrayLike | None], width: int, height: int
) -> Landmarks:
    """In pixels, of a pose (33, 3+) and hands (21, 2+); the pose's last column of four or more is visibility."""
    out = Landmarks.none(2)
    size = np.array([width, height], float)
    if (points := _checked(pose, POSE_POINTS)) is not None:
        seen = _visibility(points)[_NUMBERS]
        out.points[_ROWS], out.weights[_ROWS] = points[_NUMBERS, :2] * size, seen
        out.known[_ROWS] = seen >= VISIBLE
    for side in SIDES:
        if (points := _checked(hands.get(side), POINTS)) is not None:
            out.points[HANDS[side]], out.known[HANDS[side]] = points[:, :2] * size, True
            out.weights[HANDS[side]] = 1.0
    inside = (out.points >= 0).all(axis=1) & (out.points < size).all(axis=1)
    out.known[~inside] = False
    return out


def world_landmarks(
    pose: ArrayLike | None, pose_world: ArrayLike | None, hands: Mapping[str, ArrayLike | None]
) -> tuple[Array, Flags]:
    """(K, 3) and (K,) in our world, the hips' middle as origin: a person who faces the camera looks along x.

    `pose` gives visibility where `pose_world` has none. `hands` are in any unit, alike in all three directions (world
    points, or picture points times the picture's width and height): a hand is brought to the person's size and put
    onto the wrist.
    """
    points, known = np.zeros((COUNT, 3)), np.zeros(COUNT, bool)
    body = _checked(pose_world, POSE_POINTS)
    if body is None:
        return points, known
    picture = _checked(pose, POSE_POINTS)
    seen = _visibility(body if body.shape[1] > 3 or picture is None else picture)
    points[_ROWS], known[_ROWS] = body[_NUMBERS, :3] @ WORLD_FROM_CAMERA.T, seen[_NUMBERS] >= VISIBLE
    for side in SIDES:
        hand, wrist, elbow = _checked(hands.get(side), POINTS), ROW[f"{side}_wrist"], ROW[f"{side}_elbow"]
        if hand is None or not known[wrist]:
            continue
        inner = (hand[:, :3] - hand[0, :3]) @ WORLD_FROM_CAMERA.T
        palm = float(np.linalg.norm(inner[9]))
        forearm = float(np.linalg.norm(points[wrist] - points[elbow])) if known[elbow] else _FOREARM_M
        if palm > 1e-9:
            # The picture shortens a forearm as often as a palm; within these bounds people differ.
            scale = min(max(forearm / _FOREARM_M, 0.7), 1.2)
            points[HANDS[side]] = points[wrist] + inner * (scale * _PALM_M / palm)
            known[HANDS[side]] = True
    return points, known


def hands_by_side(hands: Sequence[Array], pose: ArrayLike | None, *, nearest: float = 0.15) -> dict[str, Array]:
    """Side → points, for hands as picture points (21, 3): each goes to the wrist of the pose that it is near to, at
    most `nearest` of the picture away. The detector's label is not asked: it takes every picture for a mirror's.
    Without a pose there are no hands."""
    body = _checked(pose, POSE_POINTS)
    out: dict[str, Array] = {}
    if body is None:
        return out
    wrists = {side: body[_FIRST["wrist"] + k, :2] for k, side in enumerate(SIDES)}
    offers = sorted(
        (float(np.linalg.norm(points[0, :2] - wrist)), side, number)
        for number, points in enumerate(hands) if _checked(points, POINTS) is not None
        for side, wrist in wrists.items()
    )  # fmt: skip
    taken: set[int] = set()
    for away, side, number in offers:
        if away <= nearest and side not in out and number not in taken:
            out[side] = hands[number]
            taken.add(number)
    return out


def _checked(points: ArrayLike | None, count: int) -> Array | None:
    """(count, 3+) finite numbers, or None."""
    if points is None:
        return None
    try:
        array = np.asarray(points, float)
    except (TypeError, ValueError):
        return None
    good = array.ndim == 2 and array.shape[0] == count and array.shape[1] >= 3
    return array if good and np.isfinite(array).all() and (np.abs(array) < 1e6).all() else None


def _visibility(points: Array) -> Array:
    return points[:, 3] if points.shape[1] > 3 else np.ones(len(points))
