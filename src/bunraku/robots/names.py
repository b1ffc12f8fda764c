"""What the names of links and joints tell: side and part of the body."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

Side = Literal["left", "right"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ODD = re.compile(r"[^\w.+()-]+")
_LONGEST = 80
_SIDES: dict[str, Side] = {
    **dict.fromkeys(("left", "l", "lft", "lt", "izq", "izquierda", "izquierdo"), "left"),
    **dict.fromkeys(("right", "r", "rgt", "rt", "der", "derecha", "derecho"), "right"),
}
_GLUED = re.compile(
    r"^(left|right|l|r)(?=(shoulder|upper|arm|elbow|fore|wrist|hand|hip|thigh|leg|knee|shin|ankle|foot|eye|finger|thumb"
    r"|clavicle|collar|humerus|radius|femur|tibia|toe))"
)
_AXIS = re.compile(r"^(.{3,}?)r?[xyz]$")
"""a part with the axis that it turns about behind it, as in "femurrz" """

PARTS: dict[str, frozenset[str]] = {
    part: frozenset(text.split())
    for part, text in {
        "leg": "hip thigh leg knee shin calf ankle foot feet toe toes sole tibia femur crotch",
        "arm": "shoulder arm upperarm elbow forearm wrist hand humerus radius palm gripper clavicle collar",
        "finger": "finger fingers thumb index middle ring pinky little gripper claw knuckle phalanx proximal distal",
        "digit": "finger fingers thumb index pinky little",
        "head": "neck head face skull cervical",
        "face": "eye eyes jaw mouth eyelid eyelids eyebrow lip camera lid",
        "wheel": "wheel wheels caster casters rotor propeller",
        "torso": "waist torso chest trunk spine abdomen stomach body back lumbar spine pelvis thorax",
        "elbow": "elbow forearm lowerarm radius",
        "knee": "knee shin calf tibia lowerleg",
    }.items()
}


def plain(name: str) -> str:
    """A robot's name as one word that may stand in a file's name: whatever else there is becomes a dash."""
    return _ODD.sub("-", name).strip(".-")[:_LONGEST] or "robot"


def words(name: str) -> list[str]:
    """Lower-case words of a name in any common style: "LShoulderPitch", "arm_left_1_joint", "left-elbow"."""
    out: list[str] = []
    for raw in _WORD.findall(name):
        word = raw.lower()
        glued = _GLUED.match(word)
        if len(raw) > 1 and raw[0] in "LR" and raw[1:].isupper() and glued is None and word[1:] in _all_parts():
            out += [word[0], word[1:]]
        elif glued:
            out += [glued.group(1), word[glued.end() :]]
        elif len(raw) > 2 and raw[:1] in "LR" and raw[1:2].isupper():
            out += [word[0], word[1:]]
        else:
            out.append(word)
    return [_without_axis(word) for word in out]


def _without_axis(word: str) -> str:
    found = _AXIS.match(word) if word not in _all_parts() else None
    return found.group(1) if found and found.group(1) in _all_parts() else word


@cache
def _all_parts() -> frozenset[str]:
    return frozenset().union(*PARTS.values())


def side_of(names: Iterable[str]) -> Side | None:
    """The side that most of the names speak of."""
    votes = [side for name in names for side in {_SIDES[w] for w in words(name) if w in _SIDES}]
    left, right = votes.count("left"), votes.count("right")
    if left == right:
        return None
    return "left" if left > right else "right"


def mentions(names: Iterable[str], part: str) -> bool:
    """Whether any of the names has a word of that part of the body."""
    return any(word in PARTS[part] for name in names for word in words(name))


def votes(names: Iterable[str], part: str) -> int:
    """How many of the names have a word of that part."""
    return sum(any(word in PARTS[part] for word in words(name)) for name in names)
