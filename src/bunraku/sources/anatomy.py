"""From a skeleton's own joint axes to the canonical ones: a constant turn for each joint, from geometry and motion.

A skeleton whose pose at zero rotations is a person standing, arms wherever, gives the turns by itself: trunk and
clavicles as they stand, limbs swung the short way from a T. Where that pose is rather a drawing's than a person's, hips
and a chest that lean whenever the person stands upright are set straight. Where the zero pose is none (all bones along
one axis, say), the trunk is taken as straight when the person stands upright, elbows and knees tell the twist of the
limbs by the axis they bend about, feet are level when they stand, and hands, toes and fingers continue their limb.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import ADULT_BONES, FINGERS, INDEX, JOINT_COUNT, JOINTS, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.anatomy_body import (
    TRUNK,
    UP,
    Body,
    across,
    flat_poses,
    heading_of,
    nearest_axis,
    standing_poses,
    trunk_line,
    unit,
)
from bunraku.sources.posed import PosedSkeleton
from bunraku.sources.skeletons import SkeletonMap

Array = NDArray[np.float64]

# A limb bent further than this in the zero pose tells its twist by its own hinge.
_STRAIGHT = np.cos(np.radians(60.0))
# Joint axes within this of the bone, and of the hinge, are what the skeleton's maker meant.
_MEANT_BONE, _MEANT_HINGE, _MEANT_HIPS, _MEANT_LEFT = np.cos(np.radians((5.0, 40.0, 10.0, 35.0)))
# Least part of bending that is about one axis, and least mean sine of it, for a hinge to count.
_HINGE_STEADY, _HINGE_BENT = 0.7, 0.05
# A clavicle is at rest where its arm hangs lowest: this part of the poses.
_HANGING_SHARE = 0.25
# A clavicle steeper than 45° in the zero pose is raised there.
_RAISED = np.cos(np.radians(45.0))
# Hips and chests that lean more than this while the person stands lean by their maker's doing.
_LEAN = MappingProxyType({"hips": np.radians(10.0), "chest": np.radians(15.0)})
# A zero pose with limbs as close to the canonical directions as this is meant exactly.
_EXACT = np.cos(np.radians(0.5))


class JointFrames(NamedTuple):
    """The constant turns, and how they were found."""

    local: Array
    """(J, 4) the source joint's axes from the canonical ones; identity where there is no joint"""
    notes: tuple[str, ...]
    """what had to be decided, in words"""


def joint_frames(skeleton: PosedSkeleton, mapping: SkeletonMap, world_from_file: Array) -> JointFrames:
    """For every mapped joint, `local` so that world_from_joint · local is its turn away from the canonical pose."""
    body = Body(skeleton, mapping, world_from_file)
    base = standing_frame(skeleton, mapping)
    notes: tuple[str, ...] = ()
    if base is None:
        _trunk_from_motion(body)
        notes = ("the pose at zero rotations is no standing person: joint axes were told from the motion",)
    else:
        notes = tuple(
            f"the {part} lean{'s' if part == 'chest' else ''} {np.degrees(lean):+.0f}° whenever the person stands: "
            "set straight"
            for part, lean in _trunk_from_zero(body, base).items()
        )
    for side in SIDES:
        _arm(body, side, base)
        _leg(body, side, base)
        _fingers(body, side)
    local = np.tile(rot.IDENTITY, (JOINT_COUNT, 1))
    for name, turn in body.local.items():
        local[INDEX[name]] = turn
    return JointFrames(local, notes)


def standing_frame(skeleton: PosedSkeleton, mapping: SkeletonMap) -> Array | None:
    """Canonical axes in the zero pose's, as a quaternion, if that pose is a person standing; None if it is not."""
    at = {name: skeleton.zero[node] for name, node in zip(JOINTS, mapping.nodes, strict=True) if node >= 0}
    sides = [(f"left_{part}", f"right_{part}") for part in ("thigh", "upper_arm")]
    across = [at[left] - at[right] for left, right in sides if left in at and right in at]
    trunk = [at[name] for name in TRUNK if name in at]
    if not across or len(trunk) < 2:
        return None
    legs = [unit(at[f"{s}_foot"] - at[f"{s}_thigh"]) for s in SIDES if {f"{s}_foot", f"{s}_thigh"} <= set(at)]
    left = unit(across[0])
    up = unit(unit(trunk[-1] - trunk[0]) - sum(legs, np.zeros(3)))
    forward = unit(np.cross(left, up))
    feet = [at[f"{s}_toe"] - at[f"{s}_foot"] for s in SIDES if {f"{s}_foot", f"{s}_toe"} <= set(at)]
    steps = [unit(b - a) for a, b in pairwise(trunk) if np.linalg.norm(b - a) > skeleton.tiny]
    upright = (
        abs(left @ up) < 0.3
        and all(unit(line) @ left > 0.8 for line in across)
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


def _trunk_from_zero(body: Body, base: Array) -> Mapping[str, float]:
    """As in the zero pose; but hips and a chest that lean when the person stands are set straight, unless it is an
    exact T.

    Returns by how much they leaned forward, rad, those that did.
    """
    for name in TRUNK:
        body.set(name, base)
    leaned: dict[str, float] = {}
    poses, standing = standing_poses(body)
    for part in _LEAN if standing and not _is_exact(body, base) else ():
        if part not in body.local:
            continue
        up = rot.rotate(rot.inverse(rot.multiply(body.turns(part), base)), UP)[poses].mean(0)
        lean = float(np.arctan2(up[0], up[2]))
        if abs(lean) > _LEAN[part]:
            leaned[part] = -lean
            body.set(part, rot.multiply(base, rot.from_axis_angle([0.0, 1.0, 0.0], lean)))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn, bone = base, body.bone(f"{side}_clavicle", body.node(f"{side}_upper_arm"))
        outward = rot.rotate(base, np.array([0.0, sign, 0.0]))
        if bone is not None and bone @ outward < _RAISED:
            turn = rot.multiply(rot.between(outward, bone), base)
        body.set(f"{side}_clavicle", turn)
    return leaned


def _is_exact(body: Body, base: Array) -> bool:
    """Whether all long bones of the zero pose lie exactly as in the canonical pose."""
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for names, along in (
            (("upper_arm", "forearm", "hand"), [0.0, sign, 0.0]),
            (("thigh", "shin", "foot"), [0.0, 0.0, -1.0]),
        ):
            for first, second in pairwise(names):
                bone = body.bone(f"{side}_{first}", body.node(f"{side}_{second}"))
                if bone is not None and bone @ rot.rotate(base, along) < _EXACT:
                    return False
    return True


def _trunk_from_motion(body: Body) -> None:
    """Upright and facing forward, on average, in the poses in which the person stands most upright.

    Of a person who never stands, along the line of the trunk; the head is level all the same.
    """
    poses, standing = standing_poses(body)
    hips, chest = across(body, "thigh"), across(body, "upper_arm")
    hips, chest = (chest if hips is None else hips), (hips if chest is None else chest)
    if hips is None or chest is None:
        return
    turns = {}
    for name in filter(body.has_axes, TRUNK):
        frame = heading_of(hips if name in ("hips", "spine") else chest)
        if not standing and name != "head":
            frame = rot.multiply(rot.between(UP, trunk_line(body)), frame)
        turns[name] = rot.mean(rot.multiply(rot.inverse(body.turns(name)), frame)[poses])
    for name, turn in _even(turns).items():
        body.set(name, turn)
    for side in SIDES:
        name, arm = f"{side}_clavicle", body.node(f"{side}_upper_arm")
        if body.has_axes(name) and "chest" in body.local:
            raised = unit(body.at(body.node(f"{side}_forearm")) - body.at(arm))[:, 2]
            hanging = np.argsort(raised, kind="stable")[: max(1, int(_HANGING_SHARE * len(raised)))]
            body.set(name, body.following(name, "chest", hanging))


def _even(turns: Mapping[str, Array]) -> Mapping[str, Array]:
    """The left of a trunk's parts is the joint axis that it nearly is, the same one above the hips: bones are even."""
    lefts = {name: rot.rotate(turn, np.array([0.0, 1.0, 0.0])) for name, turn in turns.items()}
    axes = {name: nearest_axis(left) for name, left in lefts.items()}
    upper = [name for name in turns if name != "hips"]
    # Hips have their left from the hip joints: it is nearly exact. The rest may look about.
    meant = {name for name in turns if name == "hips" and lefts[name] @ axes[name] > _MEANT_HIPS}
    if all(lefts[name] @ axes[name] > _MEANT_LEFT and axes[name] @ axes[upper[0]] > 0.5 for name in upper):
        meant |= set(upper)
    return {
        name: rot.multiply(rot.between(lefts[name], axes[name]), turn) if name in meant else turn
        for name, turn in turns.items()
    }


def _arm(body: Body, side: str, base: Array | None) -> None:
    """Upper arm, forearm, hand. In the canonical pose the elbow bends forward, about the vertical."""
    sign = 1.0 if side == "left" else -1.0
    along, hinge = np.array([0.0, sign, 0.0]), np.array([0.0, 0.0, -sign])
    names = [f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")]
    _limb(body, names, along, hinge, base)
    hand, forearm = names[2], names[1]
    canonical, end = _hand_direction(body, side, along)
    bone = body.bone(hand, end)
    leader = body.local.get(forearm)
    if base is None and leader is not None and bone is not None and rot.rotate(leader, canonical) @ bone < _STRAIGHT:
        turn = body.following(hand, forearm, np.arange(len(body.skeleton.positions)))
        body.set(hand, rot.multiply(rot.between(rot.rotate(turn, canonical), bone), turn))
    else:
        body.continue_limb(hand, forearm, canonical, end)


def _hand_direction(body: Body, side: str, along: Array) -> tuple[Array, int]:
    """Canonical direction of the hand, and the node that shows the real one: middle knuckle, or the hand's end."""
    knuckle = body.node(f"{side}_middle_1")
    if knuckle >= 0:
        return unit(ADULT_BONES[INDEX[f"{side}_middle_1"]]), knuckle
    other = any(body.node(f"{side}_{finger}_1") >= 0 for finger in FINGERS[1:])
    return along, -1 if other else body.mapping.hand_ends[side]


def _leg(body: Body, side: str, base: Array | None) -> None:
    """Thigh, shin, foot, toe. Knees bend backward, about the axis to the left; feet stand level and point forward."""
    names = [f"{side}_{part}" for part in ("thigh", "shin", "foot")]
    _limb(body, names, -UP, np.array([0.0, 1.0, 0.0]), base)
    foot, toe = f"{side}_foot", f"{side}_toe"
    if not body.has_axes(foot):
        return
    standing = flat_poses(body, side)
    turn = _level_foot(body, side, base, standing)
    if turn is None:
        return
    ahead = body.bone(foot, body.node(toe))
    if ahead is not None:
        ahead = rot.rotate(rot.inverse(turn), ahead)
        turn = rot.multiply(turn, rot.from_axis_angle(UP, np.arctan2(ahead[1], ahead[0])))
    body.set(foot, turn)
    if body.has_axes(toe) and base is None:
        turn = body.following(toe, foot, standing)
    body.set(toe, turn)


def _level_foot(body: Body, side: str, base: Array | None, standing: NDArray[np.intp]) -> Array | None:
    """The foot's turn up to its heading: level in the zero pose, but tilted with a splayed leg; or when standing."""
    foot = f"{side}_foot"
    if base is not None:
        down = body.bone(f"{side}_shin", body.node(foot))
        if down is None:
            return base
        down = rot.rotate(rot.inverse(base), down)
        return rot.multiply(base, rot.from_axis_angle([1.0, 0.0, 0.0], np.arctan2(down[1], -down[2])))
    hips = across(body, "thigh")
    if hips is None:
        return None
    return rot.mean(rot.multiply(rot.inverse(body.turns(foot)), heading_of(hips))[standing])


def _limb(body: Body, names: list[str], along: Array, hinge: Array, base: Array | None) -> None:
    """The two long bones of a limb: `along` them and `hinge` between them in the canonical pose."""
    first, second, end = names
    for name, parent, after in ((first, "", second), (second, first, end)):
        bone = body.bone(name, body.node(after))
        turn = base if name == first else body.local.get(parent)
        if bone is None:
            continue
        bend = _bending(body, name, names) if base is None else None
        if turn is not None and (name == first or rot.rotate(turn, along) @ bone > _STRAIGHT):
            turn = rot.multiply(rot.between(rot.rotate(turn, along), bone), turn)
            # Axes along the bones were meant so, with the limb straight at zero; any others say nothing of its twist.
            meant = bone @ nearest_axis(bone) > _MEANT_BONE
            if bend is None or (meant and rot.rotate(turn, hinge) @ bend > _MEANT_HINGE):
                body.set(name, turn)
                continue
        bend = _bending(body, name, names) if bend is None else bend
        body.set(name, _twisted(bone, bend, along, hinge) if bend is not None else _short_way(body, name, bone, along))


def _bending(body: Body, name: str, names: list[str]) -> Array | None:
    """Axis about which the limb bends, in one of its joints' axes; None if it hardly bends, or about no one axis."""
    first, second, end = (body.at(body.node(joint)) for joint in names)
    axis = np.cross(unit(second - first), unit(end - second))
    own = rot.rotate(rot.inverse(body.turns(name)), axis)
    total, mean = np.linalg.norm(axis, axis=-1).mean(), own.mean(0)
    steady = float(np.linalg.norm(mean))
    return mean / steady if total > _HINGE_BENT and steady > _HINGE_STEADY * total else None


def _twisted(bone: Array, bend: Array, along: Array, hinge: Array) -> Array:
    """The turn of `along` to the bone and `hinge` to the bending axis, on the joint's own axes where they are near."""
    bend = unit(bend - (bend @ bone) * bone)
    own, principal = nearest_axis(bone), nearest_axis(bend)
    if bone @ own > _MEANT_BONE and principal @ bend > _MEANT_HINGE and abs(principal @ own) < 0.5:
        # The bone lies along one of the joint's axes; so then does the hinge that its maker had in mind.
        bend = unit(principal - (principal @ bone) * bone)
    target = np.column_stack([bone, bend, np.cross(bone, bend)])
    canonical = np.column_stack([along, hinge, np.cross(along, hinge)])
    return rot.from_matrix(target @ canonical.T)


def _short_way(body: Body, name: str, bone: Array, along: Array) -> Array:
    """Without bending to go by: on average turned the short way from where the trunk would have it."""
    trunk = "chest" if "arm" in name else "hips"
    if trunk not in body.local:
        return rot.between(along, bone)
    frame = rot.multiply(body.turns(trunk), body.local[trunk])
    turns = body.turns(name)
    swing = rot.between(rot.rotate(frame, along), rot.rotate(turns, bone))
    turn = rot.mean(rot.multiply(rot.inverse(turns), rot.multiply(swing, frame)))
    return rot.multiply(rot.between(rot.rotate(turn, along), bone), turn)


def _fingers(body: Body, side: str) -> None:
    for finger in FINGERS:
        parent = f"{side}_hand"
        for part, after in (("1", "2"), ("2", "3"), ("3", "tip")):
            name, end = f"{side}_{finger}_{part}", body.node(f"{side}_{finger}_{after}")
            if end < 0:
                end = body.node(f"{side}_{finger}_tip")
            body.continue_limb(name, parent, unit(ADULT_BONES[INDEX[f"{side}_{finger}_{after}"]]), end)
            parent = name
