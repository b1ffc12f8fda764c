"""What a joint's name says: its side and its part of the body, in the words of the programs that write skeletons."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import NamedTuple

_SIDES = MappingProxyType(
    {
        "left": "left",
        "lft": "left",
        "lt": "left",
        "l": "left",
        "right": "right",
        "rgt": "right",
        "rt": "right",
        "r": "right",
    }
)
_PREFIXES = frozenset(
    ("mixamorig", "bip", "j", "b", "c", "cc", "base", "def", "org", "bn", "bone", "jnt", "joint", "jt", "sk", "rp",
     "valve", "biped", "character", "skel", "avatar", "root", "g")
)  # fmt: skip
_SUFFIXES = frozenset(
    ("jnt", "joint", "jt", "bone", "bind")
)  # fmt: skip
_NOT_BODY = frozenset(
    ("end", "nub", "tip", "site", "effector", "top", "eff", "twist", "roll", "ik", "fk", "pole", "target", "helper",
     "prop", "weapon", "eye", "eyes", "jaw", "hair", "skirt", "breast", "bust", "pec", "tail", "ear", "tongue",
     "teeth", "lip", "brow", "cheek", "nose", "corrective", "ctrl", "share", "half", "dummy")
)  # fmt: skip
_END_WORDS = frozenset(
    ("end", "nub", "tip", "site", "effector", "eff")
)  # fmt: skip
_FINGERS = MappingProxyType(
    {"thumb": "thumb", "index": "index", "pointer": "index", "middle": "middle", "mid": "middle",
     "ring": "ring", "pinky": "little", "pinkie": "little", "little": "little", "small": "little"}
)  # fmt: skip
_BY_NUMBER = ("thumb", "index", "middle", "ring", "little")

# Parts that say what they are, and those that mean one thing in some schemes and another in others.
_PARTS = MappingProxyType(
    {
        **dict.fromkeys(("hips", "pelvis"), "hips"),
        "hip": "hip",
        **dict.fromkeys(("upleg", "upperleg", "thigh", "femur"), "thigh"),
        **dict.fromkeys(("lowleg", "lowerleg", "calf", "shin", "knee", "tibia"), "shin"),
        "leg": "leg",
        "ankle": "ankle",
        "foot": "foot",
        **dict.fromkeys(("toe", "toes", "toebase", "ball", "ballfoot", "forefoot"), "toe"),
        **dict.fromkeys(("clavicle", "collar", "clav", "collarbone"), "clavicle"),
        "shoulder": "shoulder",
        **dict.fromkeys(("upperarm", "uparm", "shldr", "humerus"), "upper_arm"),
        "arm": "arm",
        **dict.fromkeys(("forearm", "lowerarm", "lowarm", "elbow", "radius"), "forearm"),
        **dict.fromkeys(("wrist", "hand"), "hand"),
        **dict.fromkeys(("neck", "lowerneck", "upperneck", "necklower", "neckupper"), "neck"),
        "head": "head",
    }
)  # fmt: skip


class NamedJoint(NamedTuple):
    """The reading of one name."""

    side: str
    """left, right, or empty"""
    part: str
    """thigh, shin, hand …; `leg`, `arm`, `hip`, `shoulder` where the scheme decides; a finger; empty if unknown"""
    end: bool
    """whether the name says that this is the end of a chain, not a joint"""


def read_name(name: str) -> NamedJoint:
    """Take a name apart: `mixamorig:LeftUpLeg`, `Bip01 L Thigh`, `UpperLeg_L`, `rShldr`, `thigh.R`, `J_Bip_L_Hand` …"""
    words = _words(name)
    side = _take_side(words)
    while len(words) > 1 and words[0] in _PREFIXES:
        del words[0]
    end = any(word in _END_WORDS for word in words)
    finger = next((_FINGERS[word] for word in words if word in _FINGERS), "")
    if words in (["finger"], ["hand", "finger"]):
        finger = _biped_finger(name)
    if finger and "toe" not in words and "foot" not in words:
        return NamedJoint(side, finger, end)
    if not words or any(word in _NOT_BODY for word in words):
        return NamedJoint(side, "", end)
    part = _PARTS.get("".join(words), "")
    # A hip joint is a link between hips and thigh; other parts may call themselves joints or bones.
    if not part and words[-1] in _SUFFIXES and words != ["hip", "joint"]:
        part = _PARTS.get("".join(words[:-1]), "")
    return NamedJoint(side, part, end)


def _words(name: str) -> list[str]:
    """Lower-case words without numbers, after any namespace."""
    name = re.split(r"[:|]", name)[-1]
    name = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", name)
    return re.findall(r"[a-z]+", name.lower())


def _take_side(words: list[str]) -> str:
    """Remove the side from the words: a word of its own, or stuck to the part as in lhand or rightthigh."""
    for at, word in enumerate(words):
        if word in _SIDES and (len(word) > 1 or len(words) > 1):
            del words[at]
            return _SIDES[word]
    for at, word in enumerate(words):
        for mark in ("left", "right", "l", "r"):
            if word.startswith(mark) and word not in _PARTS and _has_side(word[len(mark) :]):
                words[at] = word[len(mark) :]
                return _SIDES[mark]
    return ""


def _has_side(word: str) -> bool:
    return _PARTS.get(word, "") not in ("", "hips", "neck", "head") or word in _FINGERS or word == "fingers"


def _biped_finger(name: str) -> str:
    """3ds Max Biped counts fingers from the thumb, then their segments: Finger0, Finger01, Finger02, Finger1 …"""
    digits = re.findall(r"\d+", name)
    number = int(digits[-1][0]) if digits else len(_BY_NUMBER)
    return _BY_NUMBER[number] if number < len(_BY_NUMBER) else ""
