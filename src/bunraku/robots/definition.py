"""How many freedoms a person has in each part of the body, and how many the robot has to show them with.

After van Holland 2018, §2.2.3: a part is over-defined where the robot has more of them than the person, properly
defined where both have as many, under-defined where the robot has fewer and some movements cannot be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from bunraku.robots.overrides import SIDES
from bunraku.robots.robot import Robot

PERSON = MappingProxyType(
    {
        "base": 6, "torso": 3, "neck": 3, "face": 3,
        "shoulder": 3, "elbow": 1, "forearm and wrist": 3, "fingers": 20,
        "hip": 3, "knee": 1, "ankle": 2,
    }
)  # fmt: skip
"""a person's freedoms; the face is a jaw and two of the gaze, a finger has four"""
_BASES = MappingProxyType({"free": 6, "planar": 3, "fixed": 0})


@dataclass(frozen=True)
class Definition:
    """One part of the body on both sides of the mapping."""

    part: str
    person: int
    robot: int
    joints: tuple[str, ...] = ()
    """the robot's independent joints in it"""

    @property
    def verdict(self) -> str:
        """over-defined, properly defined, under-defined, or no counterpart."""
        if not self.robot:
            return "no counterpart"
        if self.robot == self.person:
            return "properly defined"
        return "over-defined" if self.robot > self.person else "under-defined"


def definitions(robot: Robot) -> tuple[Definition, ...]:
    """Every part of the body, from the base up, then arms, hands and legs, left before right."""
    groups = robot.semantics.joints
    out = [Definition("base", PERSON["base"], _BASES[robot.base_kind])]
    out += [_definition(robot, part, part, groups.get(part, ())) for part in ("torso", "neck", "face")]
    for limb, names in (("arm", ("shoulder", "elbow", "forearm and wrist")), ("leg", ("hip", "knee", "ankle"))):
        for side in SIDES:
            chain = groups.get(f"{side}_{limb}", ())
            bend = robot.semantics.hinges.get(f"{side}_{limb}")
            at = chain.index(bend) if bend in chain else 0
            runs = (chain[:at], chain[at : at + 1], chain[at + 1 :])
            out += [_definition(robot, name, f"{side} {name}", run) for name, run in zip(names, runs, strict=True)]
            if limb == "arm":
                out.append(_definition(robot, "fingers", f"{side} fingers", groups.get(f"{side}_fingers", ())))
    return tuple(out)


def _definition(robot: Robot, kind: str, part: str, joints: tuple[int, ...]) -> Definition:
    own = [joint for joint in joints if robot.tree.leader[joint] == joint]
    return Definition(part, PERSON[kind], len(own), tuple(robot.joint_names[joint] for joint in own))
