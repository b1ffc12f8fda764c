"""A scripted operator before the camera: hands that move as told, the body still, as keypoints in the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.human.body import ADULT
from bunraku.human.hand_frame import point_joints
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]
Way: TypeAlias = Sequence[tuple[float, ArrayLike]]
"""way points: time, s, and a vector (3,)"""

HOME = {"left": np.array([0.35, 0.22, 1.05]), "right": np.array([0.35, -0.22, 1.05])}
"""(3,) wrists at the start, m, in the operator's world"""
RAISED = {
    "left": rot.from_matrix(np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])),
    "right": rot.from_matrix(np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])),
}
"""a hand held up, its palm towards the camera"""
_HANDS = {side: ADULT.joints[[INDEX[name] for name in point_joints(side)]] for side in SIDES}
_BODY = ADULT.joints[[INDEX[n] for n in ("hips", "left_upper_arm", "right_upper_arm", "left_forearm", "right_forearm")]]


@dataclass(frozen=True, eq=False)
class Script:
    """Way points of each hand: (time s, displacement from the start (3,) m); in between, quintic and at rest."""

    ways: Mapping[str, Way]
    turns: Mapping[str, Way]
    """way points of each hand's rotation vector away from its first turn, world axes, rad"""
    seconds: float

    def displacement(self, side: str, t: float) -> Array:
        """(3,) of a hand at a time."""
        return _at(self.ways.get(side, ()), t)

    def turn(self, side: str, t: float) -> Array:
        """(4,) of a hand away from its first turn."""
        return rot.exp(_at(self.turns.get(side, ()), t))


def keypoints(script: Script, t: float) -> Array:
    """(KEYPOINTS, 3) of the operator in the world."""
    parts = [_elbows(script, t)]
    for side in SIDES:
        local = rot.rotate(RAISED[side], _HANDS[side] - _HANDS[side][0])
        parts.append(HOME[side] + script.displacement(side, t) + rot.rotate(script.turn(side, t), local))
    return np.concatenate(parts)


def _elbows(script: Script, t: float) -> Array:
    body = _BODY.copy()
    for k, side in enumerate(SIDES):
        wrist = HOME[side] + script.displacement(side, t)
        body[3 + k] = (body[1 + k] + wrist) / 2 + np.array([-0.05, 0.08 if side == "left" else -0.08, -0.12])
    return body


def _at(points: Way, t: float) -> Array:
    if not points:
        return np.zeros(3)
    times = [point[0] for point in points]
    if t <= times[0]:
        return np.array(points[0][1], float)
    if t >= times[-1]:
        return np.array(points[-1][1], float)
    k = int(np.searchsorted(times, t, side="right")) - 1
    s = (t - times[k]) / (times[k + 1] - times[k])
    share = s**3 * (10 - 15 * s + 6 * s * s)
    a, b = np.array(points[k][1], float), np.array(points[k + 1][1], float)
    return np.asarray(a + share * (b - a))
