"""The seam between people and robots: what every mapper offers, and the mappers by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import UnknownNameError
from bunraku.human import HumanMotion, HumanPose
from bunraku.human.body import Body
from bunraku.robots import Robot, RobotMotion

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Target:
    """What the robot should do for one pose."""

    qpos: Array
    """(nq,)"""
    cost: float
    """what is left of the weighted squared errors, rad²; 0 where nothing is minimised"""
    steps: int


@runtime_checkable
class Mapper(Protocol):
    """Human poses to one robot. It holds no history: all of that is in the state that `start` makes."""

    robot: Robot

    def prepare_for(self, body: Body) -> None:
        """Fit to an operator's build; an average one is assumed otherwise."""

    def start(self) -> Any:
        """A fresh state: the next pose is met at once."""

    def solve(self, pose: HumanPose, state: Any, *, dt_s: float = np.inf) -> Target:
        """One pose; no joint moves faster than its limit over `dt_s`."""

    def solve_clip(self, motion: HumanMotion) -> RobotMotion:
        """A whole recording."""


@dataclass(frozen=True)
class Entry:
    """A mapper that can be chosen by name."""

    maker: str
    """`module:name` of what makes it from a robot; imported when it is chosen"""
    summary: str


_ROOM = "bunraku.retarget"
MAPPERS: Mapping[str, Entry] = MappingProxyType(
    {
        "whole-body": Entry(f"{_ROOM}.whole_body:WholeBodyMapper", "all of the body in one problem, for any robot"),
        "girard": Entry(f"{_ROOM}.girard:make", "orientation of the upper arm, angles of the forearm (P1)"),
        "hirschmanner": Entry(f"{_ROOM}.hirschmanner:make", "directions of upper arm, forearm and hand (P2)"),
        "gong": Entry(f"{_ROOM}.gong:make", "Euler angles carried over, angles between segments (P3)"),
        "angles": Entry(f"{_ROOM}.angles:make", "angles of a forearm and its wrist, for a desk light (P5)"),
        "dls": Entry(f"{_ROOM}.dls:make", "place and orientation of the hand by damped least squares (P5)"),
    }
)
"""name → how it is made"""


def make_mapper(name: str, robot: Robot) -> Mapper:
    """The mapper of that name for a robot; refused in one line where the robot lacks what it needs."""
    if name not in MAPPERS:
        raise UnknownNameError("mapper", name, MAPPERS)
    module, _, maker = MAPPERS[name].maker.partition(":")
    mapper: Mapper = getattr(import_module(module), maker)(robot)
    return mapper
