"""An evaluation: every metric that can be computed, what could not be and why, as a table and as a dictionary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.errors import InputError, UnknownNameError
from bunraku.evaluate import collision, feet, limbs, limits, similarity
from bunraku.evaluate.ingredients import Ingredients
from bunraku.evaluate.metric import Metric, MissingError
from bunraku.human import HumanMotion
from bunraku.robots.motion import RobotMotion
from bunraku.robots.robot import Robot

GROUPS: Mapping[str, tuple[Metric, ...]] = {
    "likeness": limbs.METRICS + similarity.METRICS,
    "feet": feet.METRICS,
    "ground and self": collision.METRICS,
    "joints": limits.METRICS,
}
METRICS: Mapping[str, Metric] = {metric.name: metric for group in GROUPS.values() for metric in group}
_ARROWS = {"lower": "↓", "higher": "↑", "neither": " "}


@dataclass(frozen=True)
class Score:
    """A metric's value."""

    metric: Metric
    value: float

    def __str__(self) -> str:
        return str(self.value) if isinstance(self.value, int) else f"{self.value:.4g}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation:
    """The quality of a robot's motion against the human motion that it came from."""

    human: str
    robot: str
    frames: int
    fps: float
    scores: Mapping[str, Score]
    left_out: Mapping[str, str]
    """metric → why it could not be computed"""
    self_collision_pairs: Mapping[tuple[str, str], int]
    """links that touch and should not, and in how many frames, most frequent first"""
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        if name in self.left_out:
            raise MissingError(f"{name} is left out: {self.left_out[name]}")
        if name not in self.scores:
            raise UnknownNameError("metric", name, METRICS)
        return self.scores[name].value

    def __contains__(self, name: object) -> bool:
        return name in self.scores

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Everything as numbers and strings, ready for JSON."""
        return {
            "human": self.human,
            "robot": self.robot,
            "frames": self.frames,
            "fps": self.fps,
            "metrics": {
                name: {
                    "value": score.value,
                    "unit": score.metric.unit,
                    "better": score.metric.better,
                    "meaning": score.metric.meaning,
                }
                for name, score in self.scores.items()
            },
            "self_collision_pairs": {f"{a}|{b}": count for (a, b), count in self.self_collision_pairs.items()},
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        frames = f"{self.frames} frames at {self.fps:g} /s"
        lines = [f"{self.robot} after {self.human}: {frames}   (↓ lower is better, ↑ higher is better)"]
        for group, metrics in GROUPS.items():
            scores = [self.scores[metric.name] for metric in metrics if metric.name in self.scores]
            lines += ["", group] if scores else []
            for score in scores:
                m = score.metric
                lines.append(f"  {m.name:22s}{score!s:>10s} {m.unit:6s} {_ARROWS[m.better]} {m.meaning}")
            if group == "ground and self":
                for (a, b), count in list(self.self_collision_pairs.items())[:5]:
                    lines.append(f"    {a} on {b} in {count} frames")
        if self.left_out:
            lines += ["", "left out"]
            for reason in dict.fromkeys(self.left_out.values()):
                names = [name for name, why in self.left_out.items() if why == reason]
                lines.append(f"  {', '.join(names)}: {reason}")
        lines += ["", *(f"note: {note}" for note in self.notes)] if self.notes else []
        return "\n".join(lines)


def evaluate(human: HumanMotion, robot_motion: RobotMotion, robot: Robot | None = None, *, skip: int = 0) -> Evaluation:
    """Judge a robot motion against the human motion it came from.

    The person is sampled at the robot's frame times. Without `robot`, the one that the motion names is loaded.
    The first `skip` frames, a solver's start-up, are not judged.
    """
    if not 0 <= skip < len(robot_motion):
        raise InputError(f"skip is {skip}, and must be less than the motion's {len(robot_motion)} frames")
    ingredients = Ingredients(human, robot_motion, robot or _named_robot(robot_motion), skip)
    scores, left_out = {}, {}
    for name, metric in METRICS.items():
        try:
            with np.errstate(all="ignore"):
                value = metric.compute(**{need: ingredients[need] for need in metric.needs})
        except MissingError as reason:
            left_out[name] = str(reason)
            continue
        if math.isfinite(value):
            scores[name] = Score(metric, value)
        else:
            left_out[name] = "the motion's numbers are too large to compute with"
    return Evaluation(
        human=human.name,
        robot=ingredients.robot.name,
        frames=len(robot_motion) - skip,
        fps=float(robot_motion.fps),
        scores=scores,
        left_out=left_out,
        self_collision_pairs=ingredients.pairs(),
        notes=ingredients.notes(),
    )


def _named_robot(motion: RobotMotion) -> Robot:
    from bunraku.robots.load import load_robot

    if not motion.robot:
        raise InputError("the robot motion does not say which robot it is for: give the robot")
    return load_robot(motion.robot, base=motion.root)
