"""A robot as flat arrays: its tree, limits, shapes, and which part of it is what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import UnknownNameError
from bunraku.kinematics.tree import KinematicTree

if TYPE_CHECKING:
    from bunraku.robots.semantics import Semantics

Array = NDArray[np.float64]
ShapeKind = Literal["sphere", "capsule", "box", "plane"]


@dataclass(frozen=True, eq=False)
class Shape:
    """A collision shape, fixed to a link. Sizes: sphere (r), capsule (r, half length along z), box (halves)."""

    kind: ShapeKind
    link: int
    size: tuple[float, ...]
    position: Array
    """(3,) in the link's frame"""
    rotation: Array
    """(3, 3) link_from_shape"""
    hull: Array | None = None
    """(k, 3) points in the shape's frame that span the convex hull of what it stands for, where that is no primitive"""


@dataclass(frozen=True, eq=False)
class Point:
    """A point fixed to a link."""

    link: int
    position: Array
    """(3,) in the link's frame"""


@dataclass(frozen=True, eq=False)
class Links:
    """Named frames, L of them, each welded to a node of the tree."""

    names: tuple[str, ...]
    node: NDArray[np.int32]
    """(L,) the node that carries the link"""
    position: Array
    """(L, 3) the link's origin in the node's frame"""
    rotation: Array
    """(L, 3, 3) node_from_link"""
    parent: NDArray[np.int32]
    """(L,) the parent link, -1 for the base"""
    mass: Array
    """(L,) kg"""
    centre_of_mass: Array
    """(L, 3) in the link's frame"""

    def index(self, name: str) -> int:
        """Row of a link."""
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownNameError("link", name, self.names) from None


@dataclass(frozen=True, eq=False, kw_only=True)
class Robot:
    """Everything about a robot that retargeting, safety and simulation need; made by `load_robot`."""

    name: str
    tree: KinematicTree
    joint_names: tuple[str, ...]
    """n names, in the order of qpos"""
    lower: Array
    """(n,) rad or m; -inf where unlimited"""
    upper: Array
    """(n,)"""
    velocity: Array
    """(n,) limit, rad/s or m/s; the loader fills in a default where the description gives none"""
    effort: Array
    """(n,) limit, N·m or N; the loader fills in a default where the description gives none"""
    links: Links
    shapes: tuple[Shape, ...]
    neutral: Array
    """(nq,) a natural rest configuration within the limits; the base of a legged robot so high that it touches z = 0"""
    xml: str
    """the description as MuJoCo reads it again: MJCF text"""
    assets: Mapping[str, bytes] = field(default_factory=dict)
    """mesh and texture files that `xml` names"""
    source: Path | None = None
    warnings: tuple[str, ...] = ()
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """what the robot's YAML says, where it has one; it only ever overrides what was found"""
    planar: bool = False
    """a free base on wheels: it keeps its height and stays upright"""

    @property
    def base(self) -> Literal["free", "fixed"]:
        """Whether the base moves through the world; that of a robot on wheels does too."""
        return "free" if self.tree.free_base else "fixed"

    @property
    def base_kind(self) -> Literal["free", "fixed", "planar"]:
        """How the base moves: freely, not at all, or over the floor on wheels."""
        return "planar" if self.planar else self.base

    @property
    def first_joint(self) -> int:
        """Column of qpos where the joints begin."""
        return 7 if self.tree.free_base else 0

    @cached_property
    def semantics(self) -> Semantics:
        """Which link is a left forearm …, found from names, topology and geometry."""
        from bunraku.robots.semantics import find_semantics

        return find_semantics(self)

    def joint_index(self, name: str) -> int:
        """Position of a joint among `joint_names`."""
        try:
            return self.joint_names.index(name)
        except ValueError:
            raise UnknownNameError("joint", name, self.joint_names) from None

    def link_poses(self, qpos: Array) -> tuple[Array, Array]:
        """World positions `(…, L, 3)` and rotations `(…, L, 3, 3)` of all links for configurations `(…, nq)`."""
        positions, rotations = self.tree.forward(qpos)
        node_rotation = rotations[..., self.links.node, :, :]
        at = positions[..., self.links.node, :] + np.einsum("...lij,lj->...li", node_rotation, self.links.position)
        return at, node_rotation @ self.links.rotation

    def clamp(self, qpos: Array) -> Array:
        """The same configuration(s) with followers in place and every joint within its limits."""
        out = qpos.copy()
        joints = out[..., self.first_joint :]
        np.clip(joints, self.lower, self.upper, out=joints)
        return np.asarray(self.tree.with_followers(out))
