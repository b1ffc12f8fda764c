"""The VMC protocol's bones: Unity's humanoid, each turned and placed against its parent, to the canonical skeleton.

Unity: x to the right, y up, z forward, left-handed, metres. In a VRM model's T-pose no bone has turned.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import INDEX

Array = NDArray[np.float64]

PORT = 39539
BONE, ROOT, TIME, STATE, BLEND = (
    "/VMC/Ext/Bone/Pos", "/VMC/Ext/Root/Pos", "/VMC/Ext/T", "/VMC/Ext/OK", "/VMC/Ext/Blend/Val",
)  # fmt: skip
JAW = ("A", "a", "aa", "JawOpen", "jawOpen")
"""names of the face's shape that opens the mouth"""


def _bones() -> dict[str, tuple[str, str]]:
    """Bone → the one that it hangs on, and the canonical joint; parents before children."""
    out = {
        "Hips": ("", "hips"), "Spine": ("Hips", "spine"), "Chest": ("Spine", "chest"), "UpperChest": ("Chest", ""),
        "Neck": ("UpperChest", "neck"), "Head": ("Neck", "head"), "Jaw": ("Head", ""),
        "LeftEye": ("Head", ""), "RightEye": ("Head", ""),
    }  # fmt: skip
    for side in ("Left", "Right"):
        arm = {"Shoulder": "clavicle", "UpperArm": "upper_arm", "LowerArm": "forearm", "Hand": "hand"}
        leg = {"UpperLeg": "thigh", "LowerLeg": "shin", "Foot": "foot", "Toes": "toe"}
        for above, limb in (("UpperChest", arm), ("Hips", leg)):
            for bone, joint in limb.items():
                out[f"{side}{bone}"] = (above, f"{side.lower()}_{joint}")
                above = f"{side}{bone}"
        for finger in ("Thumb", "Index", "Middle", "Ring", "Little"):
            above = f"{side}Hand"
            for number, part in enumerate(("Proximal", "Intermediate", "Distal"), 1):
                out[f"{side}{finger}{part}"] = (above, f"{side.lower()}_{finger.lower()}_{number}")
                above = f"{side}{finger}{part}"
    return out


BONES = _bones()
NAMES = tuple(BONES)
ROW = {name: row for row, name in enumerate(NAMES)}
PARENT = np.array([ROW.get(parent, -1) for parent, _ in BONES.values()])
"""(B,) row of the bone above, -1 for the root"""
JOINT = np.array([INDEX[joint] if joint else -1 for _, joint in BONES.values()])
"""(B,) canonical joint, -1 where there is none"""
# The chest that carries neck and arms is the upper one, where a model has it.
UPPER_CHEST, CHEST = ROW["UpperChest"], ROW["Chest"]


def place_from_unity(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Right, up, forward to forward, left, up."""
    return z, -x, y


def turn_from_unity(x: float, y: float, z: float, w: float) -> tuple[float, float, float, float]:
    """xyzw of a left-handed world to wxyz of ours."""
    return w, -z, x, -y


def unity_from_place(place: Array) -> tuple[float, float, float]:
    """The reverse of `place_from_unity`."""
    return -float(place[1]), float(place[2]), float(place[0])


def unity_from_turn(turn: Array) -> tuple[float, float, float, float]:
    """The reverse of `turn_from_unity`."""
    return float(turn[2]), -float(turn[3]), -float(turn[1]), float(turn[0])
