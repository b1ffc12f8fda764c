"""What one frame of a Leap Motion says: its JSON to a pose of forearms, hands and fingers.

Millimetres; on the desk x is to the right, y up, z towards the person. On a headset the device looks out of the
forehead; its frame is turned and moved into the head's as P2 gives it. Fingers are told by their places.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.skeleton import ADULT_BONES, FINGERS, INDEX, JOINT_COUNT, PARENTS, SIDES
from bunraku.sources.limb_frames import arm_turn

Array = NDArray[np.float64]
Mode = Literal["desktop", "hmd"]

MODES: tuple[Mode, ...] = ("desktop", "hmd")
_MILLIMETRE = 0.001
_BODY_FROM_VIEW = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""x right, y up, z backwards to x forward, y left, z up"""
_VIEW_FROM_HEADSET = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])
_HEAD_TO_DEVICE_M = 0.21
"""from the middle of the head to the device on the headset: 8 cm to the eyes, 13 cm from there"""
_DESK_M = np.array([0.35, 0.0, 0.95])
"""where a device on the desk stands before a person whose hips are above the origin"""
_NECK_TO_MIDDLE_M = 0.1
"""from the joint below the head to its middle"""
_FARTHEST_MM = 3000.0
_JOINTS = ("mcpPosition", "pipPosition", "dipPosition")
_TIPS = ("btipPosition", "tipPosition")


def _head_place() -> Array:
    """(3,) the middle of the head of a person who stands upright, hips above the origin."""
    place: Array = np.array([0.0, 0.0, _NECK_TO_MIDDLE_M])
    joint = INDEX["head"]
    while joint >= 0:
        place, joint = place + ADULT_BONES[joint], int(PARENTS[joint])
    return place


class LeapFrames:
    """Frames of one device to poses. A pose knows what was seen, nothing else."""

    def __init__(self, mode: Mode = "desktop") -> None:
        turn, shift = _BODY_FROM_VIEW, _DESK_M
        if mode == "hmd":
            turn = _BODY_FROM_VIEW @ _VIEW_FROM_HEADSET
            shift = _BODY_FROM_VIEW @ np.array([0.0, 0.0, -_HEAD_TO_DEVICE_M]) + _head_place()
        self._turn = np.ascontiguousarray(turn.T)
        self._scaled, self._shift = np.ascontiguousarray(_MILLIMETRE * turn.T), shift
        self._before: dict[str, Array] = {}

    def places_of(self, points: Array) -> Array:
        """(…, 3) points of our world as the device gives them, mm."""
        return np.asarray((points - self._shift) @ self._turn.T / _MILLIMETRE)

    def directions_of(self, directions: Array) -> Array:
        """(…, 3) directions of our world as the device gives them."""
        return np.asarray(directions @ self._turn.T)

    def pose(self, frame: dict[str, Any], now_ns: int) -> HumanPose | str:
        """The pose, or why there is none."""
        hands, pointables = frame.get("hands"), frame.get("pointables", [])
        if not isinstance(hands, list) or not isinstance(pointables, list):
            return "frame without hands"
        positions, rotations = np.zeros((JOINT_COUNT, 3)), np.zeros((JOINT_COUNT, 4))
        rotations[:, 0] = 1.0
        placed, turned = np.zeros(JOINT_COUNT, bool), np.zeros(JOINT_COUNT, bool)
        rows: list[int] = []
        points: list[Any] = []
        try:
            sides: dict[Any, str] = {}
            for hand in hands[:8]:
                side = hand["type"]
                if side in SIDES and side not in sides.values():
                    sides[hand["id"]] = side
                    self._hand(hand, side, rows, points, rotations, turned)
            for pointable in pointables[:40]:
                if pointable.get("handId") in sides and not pointable.get("tool", False):
                    _finger(pointable, sides[pointable["handId"]], rows, points)
            if rows:
                seen = np.array(points, float)
                if not (np.abs(seen) < _FARTHEST_MM).all():
                    return "places out of reach, or no numbers"
                positions[rows] = seen @ self._scaled + self._shift
                placed[rows] = True
            stamp = int(frame.get("timestamp", 0)) * 1000
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
            return "frame that is no Leap's"
        return HumanPose(
            positions=positions, rotations=rotations, position_valid=placed, rotation_valid=turned,
            stamp_ns=stamp, received_ns=now_ns,
        )  # fmt: skip

    def _hand(
        self, hand: dict[str, Any], side: str, rows: list[int], points: list[Any], rotations: Array, turned: Any
    ) -> None:
        left = side == "left"
        forearm, wrist = INDEX[f"{side}_forearm"], INDEX[f"{side}_hand"]
        back = -np.array(hand["palmNormal"], float) @ self._turn
        self._set(wrist, arm_turn(np.array(hand["direction"], float) @ self._turn, back, left=left), rotations, turned)
        if "wrist" in hand:
            rows.append(wrist)
            points.append(hand["wrist"])
        if "elbow" in hand:
            rows.append(forearm)
            points.append(hand["elbow"])
        if "armBasis" in hand:
            # Rows: across, up from the back of the arm, towards the elbow.
            basis = np.array(hand["armBasis"], float)
            turn = arm_turn(-basis[2] @ self._turn, basis[1] @ self._turn, left=left)
            self._set(forearm, turn, rotations, turned)

    def _set(self, joint: int, turn: Array | None, rotations: Array, turned: Any) -> None:
        if turn is not None:
            before = self._before.get(str(joint))
            self._before[str(joint)] = -turn if before is not None and before @ turn < 0 else turn
            rotations[joint], turned[joint] = self._before[str(joint)], True


def _finger(pointable: dict[str, Any], side: str, rows: list[int], points: list[Any]) -> None:
    finger = FINGERS[int(pointable["type"])]
    for part, name in zip("123", _JOINTS, strict=True):
        if name in pointable:
            rows.append(INDEX[f"{side}_{finger}_{part}"])
            points.append(pointable[name])
    for name in _TIPS:
        if name in pointable:
            rows.append(INDEX[f"{side}_{finger}_tip"])
            points.append(pointable[name])
            break
