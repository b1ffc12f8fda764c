"""What a headset's page says each frame: head, hands or controllers, and a tracked body, to a pose.

WebXR: x to the right, y up, -z forward, metres, quaternions xyzw. Joints of hands and controllers have axes of their
own; constant turns bring them to the canonical ones. A message is an object (JSON or msgpack):

    {"seq": 7, "t": 1234.5, "epoch": 0, "head": POSE, "left": HAND, "right": HAND, "body": {NAME: POSE}}
    POSE: [x, y, z, qx, qy, qz, qw];  HAND: {"joints": [POSE × 25]} or {"grip": POSE, "trigger": 0…1, "squeeze": 0…1}

Whatever is not tracked is left out, or null. `epoch` grows when the person recentred the view.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.orient import oriented
from bunraku.human.skeleton import INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.headset_kernels import curl_hand, set_hand, set_joint, set_place, steady

Array = NDArray[np.float64]

HAND_JOINTS = 25
_FARTHEST_M = 1000.0
HEAD_FROM_EYES = np.array([-0.10, 0.0, -0.08])
"""the joint that carries the head, seen from between the eyes, m"""
_PALM_M = 0.08
"""from the wrist to the middle of a closed hand"""
_FIST_RAD = np.array([1.4, 1.6, 1.0])
"""how far a finger's joints bend when a controller is gripped fully"""
SEGMENTS = np.array([1, 2, 3, 4, *(5 * finger + 1 + part for finger in range(1, 5) for part in range(4))])
"""(20,) of the headset's joints those of the canonical hand, in its order; bones within the palm are left out"""
_BODY = {
    "hips": "hips", "spine-lower": "spine", "chest": "chest", "neck": "neck", "head": "head",
    **{
        f"{side}-{name}": f"{side}_{joint}"
        for side in SIDES
        for name, joint in {
            "shoulder": "clavicle", "arm-upper": "upper_arm", "arm-lower": "forearm", "hand-wrist": "hand",
            "upper-leg": "thigh", "lower-leg": "shin", "foot-ankle": "foot", "foot-ball": "toe",
        }.items()
    },
}  # fmt: skip
"""name in WebXR's body tracking → canonical joint"""


def _axes(x: tuple[float, ...], y: tuple[float, ...], z: tuple[float, ...]) -> Array:
    """(4,) turn whose matrix has these columns."""
    return rot.from_matrix(np.array([x, y, z], float).T)


JOINT_AT_REST = {"left": _axes((0, -1, 0), (1, 0, 0), (0, 0, 1)), "right": _axes((0, 1, 0), (-1, 0, 0), (0, 0, 1))}
"""how a hand has turned whose joints' axes are the headset's: fingers ahead, its back up"""
GRIP_AT_REST = {"left": _axes((1, 0, 0), (0, 0, -1), (0, 1, 0)), "right": _axes((1, 0, 0), (0, 0, 1), (0, -1, 0))}
"""the same for a controller: fingers down, its back to the outer side"""


class XrFrames:
    """Messages of one session to poses."""

    def __init__(self) -> None:
        self._before, self._known = np.zeros((JOINT_COUNT, 4)), np.zeros(JOINT_COUNT, bool)

    def pose(self, message: dict[str, Any], now_ns: int) -> HumanPose | str:
        """The pose, or why there is none."""
        positions, rotations = np.zeros((JOINT_COUNT, 3)), np.zeros((JOINT_COUNT, 4))
        rotations[:, 0] = 1.0
        placed, turned = np.zeros(JOINT_COUNT, bool), np.zeros(JOINT_COUNT, bool)
        arrays = positions, rotations, placed, turned
        try:
            good = True
            if (head := message.get("head")) is not None:
                good = set_joint(_joint(head), rot.IDENTITY, HEAD_FROM_EYES, INDEX["head"], *arrays)
            for side in SIDES:
                hand = message.get(side)
                if hand is not None:
                    good = good and _hand(hand, side, *arrays)
            body = message.get("body")
            for name, values in (body or {}).items():
                if name in _BODY and values is not None:
                    set_place(_joint(values), positions[INDEX[_BODY[name]]])
                    placed[INDEX[_BODY[name]]] = True
            stamp = round(float(message.get("t", 0.0)) * 1e6)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            return "message that is no frame of a headset"
        if not good:
            return "turns that are no quaternions"
        if not (np.abs(positions) < _FARTHEST_M).all():
            return "places beyond any room, or no numbers"
        steady(rotations, turned, self._before, self._known)
        pose = HumanPose(
            positions=positions, rotations=rotations, position_valid=placed, rotation_valid=turned,
            stamp_ns=stamp, received_ns=now_ns,
        )  # fmt: skip
        return oriented(pose) if body else pose


def _joint(values: Any) -> Array:
    """(7,) of a message."""
    joint = np.array(values, float)
    if joint.shape != (7,):
        raise ValueError("a joint has seven numbers")
    return joint


def _hand(hand: dict[str, Any], side: str, positions: Array, rotations: Array, placed: Any, turned: Any) -> bool:
    """A tracked hand, or one that holds a controller; False where a turn is none."""
    wrist, first = INDEX[f"{side}_hand"], INDEX[f"{side}_thumb_1"]
    sign = 1.0 if side == "left" else -1.0
    if hand.get("joints") is not None:
        joints = np.array(hand["joints"], float)
        if joints.shape != (HAND_JOINTS, 7):
            raise ValueError("a hand has 25 joints of seven numbers")
        return bool(set_hand(joints, JOINT_AT_REST[side], wrist, first, SEGMENTS, positions, rotations, placed, turned))
    if hand.get("grip") is None:
        return True
    shift = np.array([0.0, -sign * _PALM_M, 0.0])
    if not set_joint(_joint(hand["grip"]), GRIP_AT_REST[side], shift, wrist, positions, rotations, placed, turned):
        return False
    trigger, squeeze = (min(max(float(hand.get(name, 0.0)), 0.0), 1.0) for name in ("trigger", "squeeze"))
    curl_hand(wrist, first, sign, trigger, squeeze, _FIST_RAD, rotations, turned)
    return True
