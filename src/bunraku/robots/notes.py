"""Everything that was found of a robot, written as the YAML that overrides it: to be edited and passed back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bunraku.kinematics.tree import SLIDE
from bunraku.robots.overrides import HAND_MODES, POINTS, SIDES
from bunraku.robots.robot import Robot

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
_HEAD = """\
# What was found of {name}, to be corrected. Every entry overrides what is found; a line that you take out is found
# again. Use it as the robot itself:  --robot THIS_FILE
"""


def notes_text(robot: Robot, described: str) -> str:
    """The YAML's text; `described` names the robot's description, a path as seen from where the text will be."""
    lines = [_HEAD.format(name=robot.name), f"robot: {_text(described)}", f"name: {_text(robot.name)}"]
    if robot.overrides.get("description"):
        lines.append(f"description: {_text(robot.overrides['description'])}")
    lines.append(f"base: {robot.base_kind}  # free, fixed, or planar: on wheels")
    joints = robot.neutral[robot.first_joint :]
    for key, unit, values in (
        ("neutral", "how it stands at rest; rad, m for sliding joints", joints),
        ("lower", "rad or m", robot.lower),
        ("upper", "rad or m", robot.upper),
        ("velocity", "rad/s or m/s", robot.velocity),
        ("effort", "N·m, N for sliding joints", robot.effort),
    ):
        lines += [f"{key}:  # {unit}", *_table(robot, values)]
    lines += ["semantics:  # which part of it is what", *_semantics(robot)]
    hands = [side for side in SIDES if f"{side}_fingers" in robot.semantics.joints]
    if hands:
        modes: Mapping[str, str] = robot.overrides.get("hands", {})
        lines.append(f"hands:  # {' or '.join(HAND_MODES)}")
        lines += [f"  {side}: {modes.get(side, HAND_MODES[0])}" for side in hands]
    return "\n".join(lines) + "\n"


def _table(robot: Robot, values: Sequence[float] | np.ndarray) -> Iterator[str]:
    for joint, (name, value) in enumerate(zip(robot.joint_names, values, strict=True)):
        if np.isfinite(value):
            slides = "  # m" if robot.tree.joint_type[joint + 1] == SLIDE else ""
            yield f"  {_text(name)}: {_number(value)}{slides}"


def _semantics(robot: Robot) -> Iterator[str]:
    parts, links = robot.semantics, robot.links.names
    yield f"  forward: {_vector(parts.world_from_body[:, 0])}  # where it faces, in the world of its description"
    yield "  links:  # whose orientation stands for a segment"
    for part, link in parts.links.items():
        yield f"    {part}: {_text(links[link])}"
    yield "  joints:  # that move a part, root first; [] leaves the part out"
    for part, joints in parts.joints.items():
        yield f"    {part}: [{', '.join(_text(robot.joint_names[joint]) for joint in joints)}]"
    points = [part for part in POINTS if part in parts.points and part not in parts.links]
    if points:
        yield "  points:  # joint centres, m from the link's origin; wrists and ankles go with the links above"
    for part in points:
        point = parts.points[part]
        yield f"    {part}: {{link: {_text(links[point.link])}, at: {_vector(point.position)}}}"


def _vector(values: np.ndarray) -> str:
    return f"[{', '.join(map(_number, values))}]"


def _number(value: float) -> str:
    """A number that YAML reads back as the very same one."""
    text = repr(float(value))
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{power}" if exponent else text


def _text(name: str) -> str:
    return name if _PLAIN.fullmatch(name) and name.lower() not in _RESERVED else json.dumps(name, ensure_ascii=False)
