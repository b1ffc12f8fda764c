"""A robot tried on a few short gestures: how near its limbs come to the person's, and what holds them back."""

from __future__ import annotations

from dataclasses import dataclass

from bunraku.evaluate import evaluate
from bunraku.evaluate.reach import Shortfall
from bunraku.retarget import retarget
from bunraku.robots import Robot
from bunraku.sources import read_motion

GESTURES = ("wave", "conduct", "squat", "box")
"""which, between them, lift, bend, cross and stretch the arms, and bend the legs"""


@dataclass(frozen=True)
class Trial:
    """One gesture on one robot."""

    gesture: str
    limb_deg: float | None
    """mean angle between the person's limbs and the robot's; None where they have none in common"""
    shortfalls: tuple[Shortfall, ...]


def tried(robot: Robot) -> tuple[Trial, ...]:
    """The gestures, retargeted and judged."""
    out = []
    for gesture in GESTURES:
        person = read_motion(f"synth:{gesture}")
        result = evaluate(person, retarget(person, robot), robot)
        score = result.scores.get("limb_deg" if robot.base == "fixed" else "limb_deg_world")
        out.append(Trial(gesture, score.value if score else None, result.shortfalls))
    return tuple(out)
