"""Which part of a robot is what, found from names, topology, geometry and symmetry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bunraku.robots.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Point:
    """A point fixed to a link."""

    link: int
    position: Array
    """(3,) in the link's frame"""


@dataclass(frozen=True, eq=False)
class Semantics:
    """The robot's body in human terms. Names are those of `human.skeleton`: "left_forearm", "hips", "left_index_1" …"""

    points: Mapping[str, Point] = field(default_factory=dict)
    """joint centres: points["left_forearm"] is the elbow, points["left_hand"] the wrist, points["left_foot"] the ankle …"""
    links: Mapping[str, int] = field(default_factory=dict)
    """links whose orientation stands for a segment: "hips", "chest", "head", "left_hand", "left_foot" …"""
    joints: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """joints that move a part, root first: "left_arm", "right_leg", "torso", "neck", "left_hand" (fingers), "jaw", "eyes" …"""
    soles: Mapping[str, Array] = field(default_factory=dict)
    """(k, 3) corner points of each sole in the frame of links["left_foot"], links["right_foot"]"""
    reasons: tuple[str, ...] = ()
    """what was found and why, a line each, for `bunraku robots check`"""


def find_semantics(robot: Robot) -> Semantics:
    """The first form of the automatic correspondence."""
    raise NotImplementedError
