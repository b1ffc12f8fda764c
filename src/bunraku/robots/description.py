"""What a robot file says, in one form for all formats: MJCF with every element named, and what MJCF cannot hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.robots.meshes import is_readable

MAX_BODIES = 1000
MAX_GEOMS = 5000

VISUAL_GROUP, COLLISION_GROUP = "2", "3"
"""of geoms; MuJoCo draws the groups 0 to 2"""
DENSITY = 500.0
"""kg/m³ of fitted shapes, where a description gives no masses"""

FITTED = "bunraku_fitted"
"""class of the shapes that stand for meshes: they touch where the meshes are taken out"""

COMPILER = {
    "angle": "radian",
    "autolimits": "true",
    "balanceinertia": "true",
    "boundmass": "1e-4",
    "boundinertia": "1e-7",
}
"""Massless and impossible links are given what little mass and inertia a simulator needs."""


@dataclass(kw_only=True)
class Description:
    """A robot file on its way to become a robot. `root` is MJCF: one body under worldbody, all of it named."""

    name: str
    root: Element
    meshes: dict[str, Path] = field(default_factory=dict)
    """file name in the XML → where that file is; only files that can be read at first sight"""
    missing: dict[str, str] = field(default_factory=dict)
    """file name in the XML → what the description calls it, for the others"""
    heed_up_axis: bool = False
    """whether the up axis of COLLADA meshes counts; see `geometry`"""
    textures: dict[str, Path] = field(default_factory=dict)
    base: Literal["free", "fixed"] | None = None
    """what the file says itself; None where it leaves that open"""
    velocity: dict[str, float] = field(default_factory=dict)
    """by joint, where the file has a limit"""
    effort: dict[str, float] = field(default_factory=dict)
    hulls: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """geom → (k, 3) points, in its frame, that span the convex hull of the mesh that it stands for"""
    warnings: list[str] = field(default_factory=list)

    @property
    def body(self) -> Element:
        """The base body."""
        found = self.root.find("worldbody//body")
        if found is None:
            raise RobotError("has no body")
        return found

    def add_mesh(self, name: str, path: Path | None, reference: str) -> str:
        """Note where a mesh's file is, or that it is missing; returns what to call it in the XML."""
        suffix = ".obj" if path is not None and path.suffix.lower() == ".obj" else ".stl"
        file = self.file_name(name, suffix)
        if path is not None and is_readable(path):
            self.meshes[file] = path
        else:
            self.missing[file] = reference
        return file

    def warn_swapped(self, joints: list[str]) -> None:
        """One warning for all joints whose limits were put right."""
        if joints:
            more = f" and {len(joints) - 1} more" if len(joints) > 1 else ""
            self.warnings.append(f"limits stand the wrong way round and were swapped: '{joints[0]}'{more}")

    def file_name(self, name: str, suffix: str) -> str:
        """A plain new name for a file in the XML: one that no system reads as a path."""
        taken = {*self.meshes, *self.missing, *self.textures}
        plain = re.sub(r"[^a-z0-9_-]", "_", name.lower())[:64]
        return next(f for k in count() if (f := f"{plain}{f'_{k}' if k else ''}{suffix}") not in taken)

    def section(self, tag: str) -> Element:
        """A top-level section, made where it is missing."""
        found = self.root.find(tag)
        return SubElement(self.root, tag) if found is None else found

    def bodies(self) -> Iterator[Element]:
        """Every body, parents first."""
        return self.root.iterfind("worldbody//body")


def own_joints(body: Element) -> list[tuple[Element, Element]]:
    """The joints of a body itself, each with the body or frame that it stands in."""
    out = []
    for child in body:
        if child.tag in ("joint", "freejoint"):
            out.append((body, child))
        elif child.tag == "frame":
            out += own_joints(child)
    return out


def is_free(joint: Element) -> bool:
    """Whether a joint leaves its body all freedom."""
    return joint.tag == "freejoint" or joint.get("type") == "free"


def unique(name: str, taken: set[str]) -> str:
    """The name, or the name with the first number that makes it new; it is taken from then on."""
    new, k = name, 1
    while new in taken:
        k += 1
        new = f"{name}_{k}"
    taken.add(new)
    return new
