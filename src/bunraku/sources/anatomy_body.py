"""A skeleton by its canonical names: where its joints are, how they turn, and when the person stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.posed import PosedSkeleton
from bunraku.sources.skeletons import SkeletonMap

Array = NDArray[np.float64]

TRUNK = ("hips", "spine", "chest", "neck", "head")
UP = np.array([0.0, 0.0, 1.0])
UP.setflags(write=False)
# Trunk and legs of a person who stands are this upright, and a leg is this straight, part of its length.
_UPRIGHT, _STRETCHED = np.cos(np.radians(20.0)), 0.93
# Where nobody stands, the most upright poses have to do: this part of all.
_BEST_SHARE = 0.1
# Feet stand where ankle and toe are lowest: this part of the poses.
_FLAT_SHARE = 0.1


@dataclass
class Body:
    """The skeleton by canonical names, and the turns found so far."""

    skeleton: PosedSkeleton
    mapping: SkeletonMap
    world: Array
    """world_from_file"""
    local: dict[str, Array] = field(default_factory=dict)

    def node(self, name: str) -> int:
        """Node of a canonical joint, -1 if there is none."""
        return self.mapping.node(name)

    def set(self, name: str, turn: Array) -> None:
        """Keep the turn of a joint, if there is such a joint with axes."""
        if self.has_axes(name):
            self.local[name] = turn

    def has_axes(self, name: str) -> bool:
        """Whether the canonical joint is a joint of the skeleton, not missing and not an end."""
        return 0 <= self.node(name) < self.skeleton.joint_count

    def at(self, node: int) -> Array:
        """(S, 3) positions of a node in world axes, the file's unit."""
        return rot.rotate(self.world, self.skeleton.positions[:, node])

    def turns(self, name: str) -> Array:
        """(S, 4) world rotations of a joint."""
        return rot.multiply(self.world, self.skeleton.rotations[:, self.node(name)])

    def bone(self, name: str, end: int) -> Array | None:
        """Mean unit direction from a joint to a node in the joint's own axes; None without extent."""
        node = self.node(name)
        if not self.has_axes(name) or end < 0:
            return None
        vector = self.skeleton.positions[:, end] - self.skeleton.positions[:, node]
        mean = rot.rotate(rot.inverse(self.skeleton.rotations[:, node]), vector).mean(0)
        return unit(mean) if np.linalg.norm(mean) > self.skeleton.tiny else None

    def continue_limb(self, name: str, parent: str, canonical: Array, end: int) -> None:
        """A joint's turn is its parent's, swung the short way until the canonical direction lies along its own bone."""
        turn = self.local.get(parent)
        if turn is None:
            return
        bone = self.bone(name, end)
        if bone is not None:
            turn = rot.multiply(rot.between(rot.rotate(turn, canonical), bone), turn)
        self.set(name, turn)

    def following(self, name: str, leader: str, poses: NDArray[np.intp]) -> Array:
        """The turn of a joint that stands, on average over these poses, as its leader does."""
        led = rot.multiply(self.turns(leader), self.local[leader])
        return rot.mean(rot.multiply(rot.inverse(self.turns(name)), led)[poses])


def across(body: Body, part: str) -> Array | None:
    """(S, 3) from the right to the left joint of a pair."""
    left, right = body.node(f"left_{part}"), body.node(f"right_{part}")
    return body.at(left) - body.at(right) if left >= 0 and right >= 0 else None


def heading_of(left: Array) -> Array:
    """(S, 4) upright frames that face where the line to the left says."""
    angle = np.arctan2(-left[:, 0], left[:, 1])
    return rot.from_axis_angle(UP, angle)


def trunk_line(body: Body) -> Array:
    """(S, 3) unit direction from the hips to the neck, or as far up as the trunk is known; up where it is not."""
    known = [node for node in map(body.node, TRUNK[:4]) if node >= 0]
    if not known or not body.skeleton.apart(known[0], known[-1]):
        return np.tile(UP, (len(body.skeleton.positions), 1))
    return unit(body.at(known[-1]) - body.at(known[0]))


def standing_poses(body: Body) -> tuple[NDArray[np.intp], bool]:
    """The more upright half of the poses in which the person stands, and True; or the best there are, and False."""
    rise = trunk_line(body)[:, 2]
    legs = [[body.node(f"{side}_{part}") for part in ("thigh", "shin", "foot")] for side in SIDES]
    legs = [leg for leg in legs if min(leg) >= 0]
    stretched = np.ones(len(rise), bool)
    if legs:
        lines = [body.at(thigh) - body.at(foot) for thigh, _, foot in legs]
        full = [sum(body.skeleton.distance(a, b) for a, b in pairwise(leg)) for leg in legs]
        reach = [np.linalg.norm(line, axis=-1) / max(length, 1e-12) for line, length in zip(lines, full, strict=True)]
        rise = np.minimum(rise, unit(np.sum(lines, axis=0))[:, 2])
        stretched = np.max(reach, axis=0) > _STRETCHED
    standing = np.flatnonzero((rise > _UPRIGHT) & stretched)
    if len(standing) >= max(1, _BEST_SHARE * len(rise)):
        return standing[rise[standing] >= np.median(rise[standing])], True
    return np.argsort(-rise, kind="stable")[: max(1, int(_BEST_SHARE * len(rise)))], False


def flat_poses(body: Body, side: str) -> NDArray[np.intp]:
    """The poses in which ankle and toe both are nearest to their lowest."""
    above = [np.zeros(len(body.skeleton.positions))]
    for node in (body.node(f"{side}_foot"), body.node(f"{side}_toe")):
        if node >= 0:
            height = body.at(node)[:, 2]
            above.append(height - np.percentile(height, 5))
    return np.argsort(np.max(np.abs(above), axis=0), kind="stable")[: max(1, int(_FLAT_SHARE * len(above[0])))]


def unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))


def nearest_axis(v: Array) -> Array:
    """The axis, with its sign, that a vector (3,) is nearest to."""
    axis, k = np.zeros(3), int(np.argmax(np.abs(v)))
    axis[k] = np.sign(v[k])
    return axis
