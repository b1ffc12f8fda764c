"""From a skeleton's own joint axes to the canonical ones: the constant turn of each joint, found from its geometry and motion.

A skeleton whose pose at zero rotations is a person standing, arms wherever, gives the turns by itself: trunk and
clavicles as they stand, limbs swung the short way from a T. Where that pose is rather a drawing's than a person's, parts
of the trunk that lean whenever the person stands upright are set straight. Where the zero pose is none (all bones along
one axis, say), the trunk is taken as straight when the person stands upright, elbows and knees tell the twist of the
limbs by the axis they bend about, feet are level when they stand, and hands, toes and fingers continue their limb.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import ADULT_BONES, FINGERS, INDEX, JOINT_COUNT, JOINTS, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.skeletons import PosedSkeleton, SkeletonMap

Array = NDArray[np.float64]

_TRUNK = ("hips", "spine", "chest", "neck", "head")
_UP = np.array([0.0, 0.0, 1.0])
# A limb bent further than this in the zero pose tells its twist by its own hinge.
_STRAIGHT = np.cos(np.radians(60.0))
# Joint axes within this of the bone, and of the hinge, are what the skeleton's maker meant.
_MEANT_BONE, _MEANT_HINGE = np.cos(np.radians(5.0)), np.cos(np.radians(40.0))
# Least part of bending that is about one axis, and least mean sine of it, for a hinge to count.
_HINGE_STEADY, _HINGE_BENT = 0.7, 0.05
# A clavicle steeper than 45° in the zero pose is raised there.
_RAISED = np.cos(np.radians(45.0))
# The most upright poses: this part of all, and not this much less upright (as a cosine) than the best one.
_STANDING_SHARE, _STANDING_SPAN = 0.1, 0.05
# A person stands in a pose at all if trunk and legs are within 25° of upright.
_STANDING = np.cos(np.radians(25.0))
# A part of the trunk that leans more than this while standing leans by its maker's doing.
_LEAN = np.radians(10.0)
# A zero pose with limbs as close to the canonical directions as this is meant exactly.
_EXACT = np.cos(np.radians(0.5))
# Feet stand where ankle and toe are lowest: this part of the poses.
_FLAT_SHARE = 0.1


class JointFrames(NamedTuple):
    """The constant turns, and how they were found."""

    local: Array
    """(J, 4) the source joint's axes from the canonical ones; identity where there is no joint"""
    standing: bool
    """whether the skeleton's zero pose is a person standing"""


def joint_frames(skeleton: PosedSkeleton, mapping: SkeletonMap, world_from_file: Array) -> JointFrames:
    """Find, for every mapped joint, `local` such that world_from_joint · local is its turn away from the canonical pose."""
    body = _Body(skeleton, mapping, world_from_file)
    base = standing_frame(skeleton, mapping)
    if base is None:
        _trunk_from_motion(body)
    else:
        _trunk_from_zero(body, base)
    for side in SIDES:
        _arm(body, side, base)
        _leg(body, side, base)
        _fingers(body, side)
    local = np.tile(rot.IDENTITY, (JOINT_COUNT, 1))
    for name, turn in body.local.items():
        local[INDEX[name]] = turn
    return JointFrames(local, base is not None)


def standing_frame(skeleton: PosedSkeleton, mapping: SkeletonMap) -> Array | None:
    """Canonical axes in the zero pose's, as a quaternion, if that pose is a person standing; None if it is not."""
    at = {name: skeleton.zero[node] for name, node in zip(JOINTS, mapping.nodes, strict=True) if node >= 0}
    pairs = [(f"left_{part}", f"right_{part}") for part in ("thigh", "upper_arm")]
    across = [at[left] - at[right] for left, right in pairs if left in at and right in at]
    trunk = [at[name] for name in _TRUNK if name in at]
    if not across or len(trunk) < 2:
        return None
    left, up = _unit(across[0]), _unit(trunk[-1] - trunk[0])
    forward = _unit(np.cross(left, up))
    legs = [_unit(at[f"{s}_foot"] - at[f"{s}_thigh"]) for s in SIDES if {f"{s}_foot", f"{s}_thigh"} <= set(at)]
    feet = [at[f"{s}_toe"] - at[f"{s}_foot"] for s in SIDES if {f"{s}_foot", f"{s}_toe"} <= set(at)]
    steps = [_unit(b - a) for a, b in pairwise(trunk) if np.linalg.norm(b - a) > skeleton.tiny]
    upright = (
        abs(left @ up) < 0.3
        and all(_unit(line) @ left > 0.8 for line in across)
        and all(leg @ up < -0.7 for leg in legs)
        and all(foot @ forward > 0 for foot in feet)
        and all(step @ up > 0.5 for step in steps)
    )
    return _axis_aligned(np.column_stack([forward, left, np.cross(forward, left)])) if upright else None


def _axis_aligned(frame: Array) -> Array:
    """The frame as a quaternion, brought to the file's axes where each of its axes is within 30° of one."""
    nearest = np.round(frame)
    near = np.all(np.sum(frame * nearest, axis=0) > np.cos(np.radians(30.0))) and np.all(np.abs(nearest).sum(0) == 1)
    return rot.from_matrix(nearest if near else frame)


@dataclass
class _Body:
    """The skeleton by canonical names, and the turns found so far."""

    skeleton: PosedSkeleton
    mapping: SkeletonMap
    world: Array
    local: dict[str, Array] = field(default_factory=dict)

    def node(self, name: str) -> int:
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
        """Unit direction from a joint to a node in the joint's own axes, its mean over the poses; None without extent."""
        node = self.node(name)
        if not self.has_axes(name) or end < 0:
            return None
        vector = self.skeleton.positions[:, end] - self.skeleton.positions[:, node]
        mean = rot.rotate(rot.inverse(self.skeleton.rotations[:, node]), vector).mean(0)
        return _unit(mean) if np.linalg.norm(mean) > self.skeleton.tiny else None

    def continue_limb(self, name: str, parent: str, canonical: Array, end: int) -> None:
        """A joint's turn is its parent's, swung the short way until the canonical direction lies along its own bone."""
        turn = self.local.get(parent)
        if turn is None:
            return
        bone = self.bone(name, end)
        if bone is not None:
            turn = rot.multiply(rot.between(rot.rotate(turn, canonical), bone), turn)
        self.set(name, turn)


def _trunk_from_zero(body: _Body, base: Array) -> None:
    """As in the zero pose; but set straight what leans whenever the person stands, unless the zero pose is an exact T."""
    for name in _TRUNK:
        body.set(name, base)
    if not _is_exact(body, base):
        standing = _standing_poses(body, at_least=_STANDING)
        for name in body.local if len(standing) else ():
            up = rot.rotate(rot.inverse(rot.multiply(body.turns(name), base)), _UP)[standing].mean(0)
            if np.arccos(np.clip(_unit(up)[2], -1.0, 1.0)) > _LEAN:
                body.set(name, rot.multiply(base, rot.between(_UP, up)))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn, bone = base, body.bone(f"{side}_clavicle", body.node(f"{side}_upper_arm"))
        outward = rot.rotate(base, np.array([0.0, sign, 0.0]))
        if bone is not None and bone @ outward < _RAISED:
            turn = rot.multiply(rot.between(outward, bone), base)
        body.set(f"{side}_clavicle", turn)


def _is_exact(body: _Body, base: Array) -> bool:
    """Whether all long bones of the zero pose lie exactly as in the canonical pose."""
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for names, along in ((("upper_arm", "forearm", "hand"), [0.0, sign, 0.0]), (("thigh", "shin", "foot"), [0.0, 0.0, -1.0])):
            for first, second in pairwise(names):
                bone = body.bone(f"{side}_{first}", body.node(f"{side}_{second}"))
                if bone is not None and bone @ rot.rotate(base, along) < _EXACT:
                    return False
    return True


def _trunk_from_motion(body: _Body) -> None:
    """Upright and facing forward, on average, in the poses in which the person stands most upright."""
    poses = _standing_poses(body)
    hips, chest = _across(body, "thigh"), _across(body, "upper_arm")
    hips, chest = (chest if hips is None else hips), (hips if chest is None else chest)
    if hips is None or chest is None:
        return
    for name in _TRUNK:
        if body.has_axes(name):
            heading = _heading(hips if name in ("hips", "spine") else chest)
            body.set(name, rot.mean(rot.multiply(rot.inverse(body.turns(name)), heading)[poses]))
    for name in (f"{side}_clavicle" for side in SIDES):
        if body.has_axes(name) and "chest" in body.local:
            chest_turns = rot.multiply(body.turns("chest"), body.local["chest"])
            body.set(name, rot.mean(rot.multiply(rot.inverse(body.turns(name)), chest_turns)[poses]))


def _across(body: _Body, part: str) -> Array | None:
    """(S, 3) from the right to the left joint of a pair."""
    left, right = body.node(f"left_{part}"), body.node(f"right_{part}")
    return body.at(left) - body.at(right) if left >= 0 and right >= 0 else None


def _heading(left: Array) -> Array:
    """(S, 4) upright frames that face where the line to the left says."""
    angle = np.arctan2(-left[:, 0], left[:, 1])
    return rot.from_axis_angle(_UP, angle)


def _standing_poses(body: _Body, at_least: float = -1.0) -> NDArray[np.intp]:
    """The poses in which trunk and legs are most upright, a tenth of all at most; only those within `at_least` (a cosine)."""
    # Necks lean in most people; the trunk is upright from the hips to where the arms hang.
    trunk = [node for node in map(body.node, _TRUNK[:4]) if node >= 0]
    lines = [(trunk[0], trunk[-1])] if trunk else []
    for side in SIDES:
        leg = [node for node in (body.node(f"{side}_{part}") for part in ("foot", "shin", "thigh")) if node >= 0]
        lines += pairwise(leg)
    rises = [_unit(body.at(high) - body.at(low))[:, 2] for low, high in lines if body.skeleton.apart(low, high)]
    if not rises:
        return np.arange(len(body.skeleton.positions))
    worst = np.min(rises, axis=0)
    best = np.argsort(-worst, kind="stable")[: max(1, int(_STANDING_SHARE * len(worst)))]
    return best[(worst[best] >= worst[best[0]] - _STANDING_SPAN) & (worst[best] >= at_least)]


def _arm(body: _Body, side: str, base: Array | None) -> None:
    """Upper arm, forearm, hand. In the canonical pose the elbow bends forward, about the vertical."""
    sign = 1.0 if side == "left" else -1.0
    along, hinge = np.array([0.0, sign, 0.0]), np.array([0.0, 0.0, -sign])
    names = [f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")]
    _limb(body, names, along, hinge, base)
    body.continue_limb(names[2], names[1], *_hand_direction(body, side, along))


def _hand_direction(body: _Body, side: str, along: Array) -> tuple[Array, int]:
    """Canonical direction of the hand and the node that shows the real one: the middle knuckle, or what the hand ends in."""
    knuckle = body.node(f"{side}_middle_1")
    if knuckle >= 0:
        return _unit(ADULT_BONES[INDEX[f"{side}_middle_1"]]), knuckle
    return along, body.mapping.hand_ends[side]


def _leg(body: _Body, side: str, base: Array | None) -> None:
    """Thigh, shin, foot, toe. Knees bend backward, about the axis to the left; feet stand level and point forward."""
    names = [f"{side}_{part}" for part in ("thigh", "shin", "foot")]
    _limb(body, names, -_UP, np.array([0.0, 1.0, 0.0]), base)
    foot, toe = f"{side}_foot", f"{side}_toe"
    if not body.has_axes(foot):
        return
    standing = _flat_poses(body, side)
    turn = _level_foot(body, side, base, standing)
    if turn is None:
        return
    ahead = body.bone(foot, body.node(toe))
    if ahead is not None:
        ahead = rot.rotate(rot.inverse(turn), ahead)
        turn = rot.multiply(turn, rot.from_axis_angle(_UP, np.arctan2(ahead[1], ahead[0])))
    body.set(foot, turn)
    if body.has_axes(toe) and base is None:
        with_foot = rot.multiply(rot.inverse(body.turns(toe)), rot.multiply(body.turns(foot), turn))
        turn = rot.mean(with_foot[standing])
    body.set(toe, turn)


def _flat_poses(body: _Body, side: str) -> NDArray[np.intp]:
    """The poses in which ankle and toe both are nearest to their lowest."""
    above = [np.zeros(len(body.skeleton.positions))]
    for node in (body.node(f"{side}_foot"), body.node(f"{side}_toe")):
        if node >= 0:
            height = body.at(node)[:, 2]
            above.append(height - np.percentile(height, 5))
    return np.argsort(np.max(np.abs(above), axis=0), kind="stable")[: max(1, int(_FLAT_SHARE * len(above[0])))]


def _level_foot(body: _Body, side: str, base: Array | None, standing: NDArray[np.intp]) -> Array | None:
    """The foot's turn up to its heading: level in the zero pose, but tilted sideways with a splayed leg; or when standing."""
    foot = f"{side}_foot"
    if base is not None:
        down = body.bone(f"{side}_shin", body.node(foot))
        if down is None:
            return base
        down = rot.rotate(rot.inverse(base), down)
        return rot.multiply(base, rot.from_axis_angle([1.0, 0.0, 0.0], np.arctan2(down[1], -down[2])))
    across = _across(body, "thigh")
    if across is None:
        return None
    return rot.mean(rot.multiply(rot.inverse(body.turns(foot)), _heading(across))[standing])


def _limb(body: _Body, names: list[str], along: Array, hinge: Array, base: Array | None) -> None:
    """The two long bones of a limb: `along` them and `hinge` between them in the canonical pose."""
    first, second, end = names
    bones = [body.bone(first, body.node(second)), body.bone(second, body.node(end))]
    for name, parent, bone in zip((first, second), ("", first), bones, strict=True):
        turn = base if name == first else body.local.get(parent)
        if bone is None:
            continue
        if turn is not None and (name == first or rot.rotate(turn, along) @ bone > _STRAIGHT):
            body.set(name, rot.multiply(rot.between(rot.rotate(turn, along), bone), turn))
            continue
        bend = _bending(body, name, names)
        body.set(name, _twisted(bone, bend, along, hinge) if bend is not None else _short_way(body, name, bone, along))


def _bending(body: _Body, name: str, names: list[str]) -> Array | None:
    """Axis about which the limb bends, in the axes of one of its joints; None if it hardly bends, or about no one axis."""
    first, second, end = (body.at(body.node(joint)) for joint in names)
    axis = np.cross(_unit(second - first), _unit(end - second))
    own = rot.rotate(rot.inverse(body.turns(name)), axis)
    total, mean = np.linalg.norm(axis, axis=-1).mean(), own.mean(0)
    steady = float(np.linalg.norm(mean))
    return mean / steady if total > _HINGE_BENT and steady > _HINGE_STEADY * total else None


def _twisted(bone: Array, bend: Array, along: Array, hinge: Array) -> Array:
    """The turn that takes `along` to the bone and `hinge` to the bending axis, on the joint's own axes where they are near."""
    own = np.round(bone)
    bend = _unit(bend - (bend @ bone) * bone)
    if np.abs(own).sum() == 1 and bone @ own > _MEANT_BONE:
        # The bone lies along one of the joint's axes; so then does the hinge that its maker had in mind.
        principal = np.zeros(3)
        principal[np.argmax(np.abs(bend))] = np.sign(bend[np.argmax(np.abs(bend))])
        if principal @ bend > _MEANT_HINGE and abs(principal @ own) < 0.5:
            bend = _unit(principal - (principal @ bone) * bone)
    target = np.column_stack([bone, bend, np.cross(bone, bend)])
    canonical = np.column_stack([along, hinge, np.cross(along, hinge)])
    return rot.from_matrix(target @ canonical.T)


def _short_way(body: _Body, name: str, bone: Array, along: Array) -> Array:
    """Without bending to go by: on average turned the short way from where the trunk would have it."""
    trunk = "chest" if "arm" in name else "hips"
    if trunk not in body.local:
        return rot.between(along, bone)
    frame = rot.multiply(body.turns(trunk), body.local[trunk])
    turns = body.turns(name)
    swing = rot.between(rot.rotate(frame, along), rot.rotate(turns, bone))
    turn = rot.mean(rot.multiply(rot.inverse(turns), rot.multiply(swing, frame)))
    return rot.multiply(rot.between(rot.rotate(turn, along), bone), turn)


def _fingers(body: _Body, side: str) -> None:
    for finger in FINGERS:
        parent = f"{side}_hand"
        for part, after in (("1", "2"), ("2", "3"), ("3", "tip")):
            name, end = f"{side}_{finger}_{part}", body.node(f"{side}_{finger}_{after}")
            if end < 0:
                end = body.node(f"{side}_{finger}_tip")
            body.continue_limb(name, parent, _unit(ADULT_BONES[INDEX[f"{side}_{finger}_{after}"]]), end)
            parent = name


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))
