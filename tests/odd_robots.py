"""Robots of odd build for tests, written as MJCF in place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bunraku.robots import Robot, load_robot
from small_robots import write

SIDES = (("left", 1.0), ("right", -1.0))


def joint(name: str, axis: str, bounds: str = "-120 120", at: str = "0 0 0") -> str:
    return f'<joint name="{name}" axis="{axis}" range="{bounds}" pos="{at}"/>'


def body(name: str, pos: Sequence[float], inside: str, half: str = "", centre: str = "0 0 0") -> str:
    """A body of 1 kg, with a box where `half` gives its half sizes."""
    shape = f'<geom type="box" size="{half}" pos="{centre}"/>' if half else ""
    at = " ".join(f"{v:g}" for v in pos)
    return (
        f'<body name="{name}" pos="{at}"><inertial mass="1" pos="0 0 0" diaginertia="0.01 0.01 0.01"/>'
        f"{shape}{inside}</body>"
    )


def leg(side: str, sign: float, beside: float = 0.0, toe: bool = False) -> str:
    """Six joints, in three bodies of several; the thigh is built `beside` metres outside of where yaw and roll meet."""
    tip = body(f"{side}_toe", (0.13, 0, -0.05), joint(f"{side}_toe_pitch", "0 1 0"), "0.03 0.04 0.02")
    ankle = joint(f"{side}_ankle_pitch", "0 1 0") + joint(f"{side}_ankle_roll", "1 0 0")
    foot = body(f"{side}_foot", (0, 0, -0.4), ankle + (tip if toe else ""), "0.1 0.04 0.02", "0.03 0 -0.05")
    shin = body(
        f"{side}_shin", (0, 0, -0.4), joint(f"{side}_knee", "0 1 0", "-5 140") + foot, "0.04 0.04 0.15", "0 0 -0.2"
    )
    pitch = joint(f"{side}_hip_pitch", "0 1 0") + shin
    thigh = body(f"{side}_thigh", (0, sign * beside, 0), pitch, "0.05 0.05 0.12", "0 0 -0.2")
    hip = joint(f"{side}_hip_yaw", "0 0 1", "-60 60") + joint(f"{side}_hip_roll", "1 0 0", "-60 60")
    return body(f"{side}_hip", (0, sign * 0.1, -0.08), hip + thigh)


def arm(side: str, sign: float, fingers: bool = False) -> str:
    """Five joints; with `fingers` a thumb, an index finger and a lone joint named as a hand among them."""
    tips = "".join(
        body(f"{side}_{name}", (0.02 * k, 0, -0.08), joint(f"{side}_{name}_joint", "0 1 0", "0 90"), "0.005 0.005 0.02")
        for k, name in enumerate(("thumb", "index", "hand_rest"))
    )
    turn = joint(f"{side}_wrist_yaw", "0 0 1") + (tips if fingers else "")
    hand = body(f"{side}_hand", (0, 0, -0.25), turn, "0.02 0.04 0.04", "0 0 -0.05")
    forearm = joint(f"{side}_elbow", "0 -1 0", "-5 140") + hand
    lower = body(f"{side}_forearm", (0, 0, -0.3), forearm, "0.03 0.03 0.1", "0 0 -0.13")
    shoulder = joint(f"{side}_shoulder_pitch", "0 1 0", "-180 180") + joint(
        f"{side}_shoulder_roll", "1 0 0", "-170 170"
    )
    upper = shoulder + joint(f"{side}_shoulder_yaw", "0 0 1") + lower
    return body(f"{side}_upper_arm", (0, sign * 0.22, 0.45), upper, "0.04 0.04 0.12", "0 0 -0.15")


def head(height: float = 0.6) -> str:
    turns = joint("neck_yaw", "0 0 1", "-80 80") + joint("neck_pitch", "0 1 0", "-40 40")
    return body("head", (0, 0, height), turns, "0.07 0.07 0.1", "0 0 0.1")


def legs(beside: float = 0.0, toe: bool = False) -> str:
    return "".join(leg(side, sign, beside, toe) for side, sign in SIDES)


def arms(fingers: bool = False) -> str:
    return "".join(arm(side, sign, fingers) for side, sign in SIDES)


def trunk(inside: str) -> str:
    """A chest on two joints of one body."""
    turns = joint("waist_yaw", "0 0 1", "-60 60") + joint("waist_pitch", "0 1 0", "-45 45", "0 0 0.02")
    return body("chest", (0, 0, 0.1), turns + inside, "0.08 0.12 0.15", "0 0 0.3")


def humanoid(below: str | None = None, above: str | None = None, around: str = "", at: str = "0 0 0.95") -> str:
    """MJCF of a robot with everything; `around` turns its body in its base, `at` may lay it down."""
    inside = (legs() if below is None else below) + trunk(arms() + head() if above is None else above)
    frame = f'<frame euler="{around}">' if around else "<frame>"
    return (
        '<mujoco model="odd"><compiler angle="degree"/><worldbody>'
        f'<body name="pelvis" pos="{at}"><inertial mass="5" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>'
        f'{frame}<geom type="box" size="0.07 0.1 0.05"/>{inside}</frame></body></worldbody></mujoco>'
    )


def on_wheels(inside: str) -> str:
    """MJCF of a base with two wheels, and a lift that carries whatever there is."""
    wheels = "".join(
        body(f"{side}_wheel", (0, sign * 0.2, 0), joint(f"{side}_wheel_joint", "0 1 0"), "0.1 0.02 0.1")
        for side, sign in SIDES
    )
    lift = body("column", (0, 0, 0.3), '<joint name="lift" type="slide" axis="0 0 1" range="0 0.4"/>' + inside)
    return (
        '<mujoco model="odd"><compiler angle="degree"/><worldbody><body name="base" pos="0 0 0.1">'
        f'<inertial mass="9" pos="0 0 0" diaginertia="1 1 1"/>{wheels}{lift}</body></worldbody></mujoco>'
    )


def without_names(text: str) -> str:
    """The same robot, its bodies and joints named by numbers."""
    found = list(dict.fromkeys(re.findall(r'<(?:body|joint) name="([^"]+)"', text)))
    for k, name in enumerate(found):
        text = text.replace(f'name="{name}"', f'name="n{k:03d}"')
    return text


def loaded(folder: Path, text: str) -> Robot:
    return load_robot(write(folder, text, "odd.xml"))
