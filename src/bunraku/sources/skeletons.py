"""Which node of a foreign skeleton is which canonical joint: by names as they tell, else by topology."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import FINGERS, INDEX, JOINT_COUNT, SIDES
from bunraku.sources.posed import PosedSkeleton
from bunraku.sources.skeleton_names import NamedJoint, read_name
from bunraku.sources.skeleton_topology import roles_by_topology

LIMBS = (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot"))
# What is nearer to wrist or ankle than this part of the bone before it does not show where hand or foot point.
_REACH = 0.15


@dataclass(frozen=True, eq=False, kw_only=True)
class SkeletonMap:
    """Canonical joints found in a skeleton."""

    nodes: NDArray[np.int32]
    """(J,) node of each canonical joint, -1 where there is none"""
    hand_ends: Mapping[str, int]
    """side → a node beyond the wrist that shows where the hand points; -1 where there is none"""
    notes: tuple[str, ...]

    def node(self, joint: str) -> int:
        """Node of a canonical joint, -1 if there is none."""
        return int(self.nodes[INDEX[joint]])


def map_skeleton(skeleton: PosedSkeleton) -> SkeletonMap | None:
    """Find the person in the skeleton; None where not even one whole arm or leg can be told."""
    readings = [read_name(name) for name in skeleton.names]
    roles = roles_by_name(skeleton, readings)
    named = set(roles)
    if not _is_body(roles):
        found = roles_by_topology(skeleton)
        if not _has_limb(roles):
            roles = found
        elif found:
            # A joint whose name says something is what it says.
            silent = {node for node, reading in enumerate(readings) if not reading.part}
            roles |= {role: node for role, node in found.items() if role not in roles and node in silent}
    if not _has_limb(roles):
        return None
    notes = []
    chosen = sorted(set(roles) - named, key=INDEX.__getitem__)
    if chosen:
        listed = ", ".join(f"{role} = {_label(skeleton, roles[role])}" for role in chosen)
        notes.append(f"joints told by topology and geometry, not by name: {listed}")
    _complete_trunk(skeleton, roles, readings)
    hand_ends = {}
    for side in SIDES:
        _complete_arm(skeleton, roles, side)
        _complete_foot(skeleton, roles, side)
        _find_fingers(skeleton, roles, readings, side)
        hand_ends[side] = _hand_end(skeleton, roles, side)
    nodes = np.full(JOINT_COUNT, -1, np.int32)
    for role, node in roles.items():
        nodes[INDEX[role]] = node
    return SkeletonMap(
        nodes=nodes,
        hand_ends=MappingProxyType(hand_ends),
        notes=tuple(notes),
    )


def roles_by_name(skeleton: PosedSkeleton, readings: list[NamedJoint]) -> dict[str, int]:
    """Limbs, hips and head as far as names tell; what does not hang together is left out."""
    roles: dict[str, int] = {}
    for side in SIDES:
        parts: dict[str, list[int]] = {}
        for joint, reading in enumerate(readings):
            if reading.side == side and not reading.end:
                parts.setdefault(reading.part, []).append(joint)
        for chain in (_name_leg(skeleton, parts), _name_arm(skeleton, parts)):
            roles |= {f"{side}_{part}": joint for part, joint in chain.items()}
    ends = [roles[f"{s}_{part}"] for s in SIDES for part in ("thigh", "upper_arm") if f"{s}_{part}" in roles]
    if not ends:
        return roles
    above = skeleton.common(ends)
    called = [joint for joint in above if not readings[joint].side and readings[joint].part in ("hips", "hip")]
    if called or (above and "left_thigh" in roles and "right_thigh" in roles):
        roles["hips"] = (called or above)[-1]
    heads = [joint for joint, reading in enumerate(readings) if reading.part == "head" and not reading.end]
    if heads:
        roles["head"] = heads[0]
    return roles


def _name_leg(skeleton: PosedSkeleton, parts: Mapping[str, list[int]]) -> dict[str, int]:
    """'leg' is the thigh where there is a 'shin' besides, else the shin; 'hip' is the thigh where none is called so."""
    thigh = parts.get("thigh") or parts.get("hip") or (parts.get("leg") if parts.get("shin") else None)
    shin = parts.get("shin") or parts.get("leg")
    foot = parts.get("ankle") or parts.get("foot")
    toe = parts.get("toe") or (parts.get("foot") if parts.get("ankle") else None)
    return _chain(skeleton, thigh=thigh, shin=shin, foot=foot, toe=toe)


def _name_arm(skeleton: PosedSkeleton, parts: Mapping[str, list[int]]) -> dict[str, int]:
    """'shoulder' is the clavicle where there is an upper arm besides, else the upper arm."""
    upper = parts.get("upper_arm") or parts.get("arm")
    clavicle = parts.get("clavicle") or (parts.get("shoulder") if upper else None)
    upper = upper or parts.get("shoulder")
    return _chain(skeleton, clavicle=clavicle, upper_arm=upper, forearm=parts.get("forearm"), hand=parts.get("hand"))


def _chain(skeleton: PosedSkeleton, **parts: list[int] | None) -> dict[str, int]:
    """The first joint of each part that hangs on the part before it."""
    out: dict[str, int] = {}
    above = -1
    for part, joints in parts.items():
        fitting = [joint for joint in joints or () if above < 0 or skeleton.below(joint, above)]
        if fitting:
            out[part] = above = fitting[0]
    return out


def _is_body(roles: Mapping[str, int]) -> bool:
    limbs = all(f"{side}_{part}" in roles for side in SIDES for limb in LIMBS for part in limb)
    return limbs and "hips" in roles and "head" in roles


def _has_limb(roles: Mapping[str, int]) -> bool:
    return any(all(f"{side}_{part}" in roles for part in limb) for side in SIDES for limb in LIMBS)


def _label(skeleton: PosedSkeleton, node: int) -> str:
    name = (
        skeleton.names[node]
        if node < skeleton.joint_count
        else f"end of {_label(skeleton, int(skeleton.parents[node]))}"
    )
    return name or f"joint {node}"


def _complete_trunk(skeleton: PosedSkeleton, roles: dict[str, int], readings: list[NamedJoint]) -> None:
    """Chest: what carries the arms. Spine: the first joint on the way to it. Neck: the first one above it."""
    arms = [roles[f"{side}_{part}"] for side in SIDES for part in ("upper_arm",) if f"{side}_{part}" in roles]
    shared = skeleton.common([*arms, *(roles[r] for r in ("head",) if r in roles)]) if arms else []
    shared = [joint for joint in shared if joint not in arms and readings[joint].part != "neck"]
    hips = roles.get("hips", -1)
    if shared and shared[-1] != hips:
        roles["chest"] = shared[-1]
    if "chest" in roles and hips >= 0 and skeleton.below(roles["chest"], hips):
        between = [j for j in skeleton.path(roles["chest"]) if skeleton.below(j, hips) and j != roles["chest"]]
        placed = [joint for joint in between if skeleton.lengths[joint] > skeleton.tiny]
        if placed:
            roles["spine"] = placed[0]
    if "head" in roles and shared:
        necks = [j for j in skeleton.path(roles["head"]) if skeleton.below(j, shared[-1]) and j != roles["head"]]
        named = [joint for joint in necks if readings[joint].part == "neck"] or necks
        placed = [joint for joint in named if skeleton.lengths[joint] > skeleton.tiny]
        if named:
            roles["neck"] = (placed or named)[0]


def _complete_arm(skeleton: PosedSkeleton, roles: dict[str, int], side: str) -> None:
    """A joint between chest and upper arm is the clavicle."""
    upper, chest = roles.get(f"{side}_upper_arm", -1), roles.get("chest", -1)
    if f"{side}_clavicle" in roles or upper < 0 or chest < 0:
        return
    between = [joint for joint in skeleton.path(upper) if skeleton.below(joint, chest) and joint != upper]
    if between:
        roles[f"{side}_clavicle"] = between[0]


def _complete_foot(skeleton: PosedSkeleton, roles: dict[str, int], side: str) -> None:
    """The toe is the next joint beyond the ankle, or the end of the foot; a joint below the ankle is none."""
    foot, shin = roles.get(f"{side}_foot", -1), roles.get(f"{side}_shin", -1)
    if foot < 0:
        return
    reach = _reach(skeleton, shin, foot)
    known = roles.pop(f"{side}_toe", -1)
    for node in ([known] if known >= 0 else []) + skeleton.longest_path(foot):
        if np.linalg.norm(skeleton.zero[node] - skeleton.zero[foot]) > reach:
            roles[f"{side}_toe"] = node
            return


def _hand_end(skeleton: PosedSkeleton, roles: Mapping[str, int], side: str) -> int:
    """The first node beyond the wrist, thumb aside, that stands apart from it."""
    hand = roles.get(f"{side}_hand", -1)
    if hand < 0:
        return -1
    thumb, reach = roles.get(f"{side}_thumb_1", -1), _reach(skeleton, roles.get(f"{side}_forearm", -1), hand)
    for node in skeleton.longest_path(hand):
        if node == thumb or (thumb >= 0 and skeleton.below(node, thumb)):
            return -1
        if np.linalg.norm(skeleton.zero[node] - skeleton.zero[hand]) > reach:
            return node
    return -1


def _reach(skeleton: PosedSkeleton, before: int, joint: int) -> float:
    """How far from wrist or ankle a node must be to show where hand or foot point."""
    return max(_REACH * skeleton.distance(before, joint) if before >= 0 else 0.0, skeleton.tiny)


def _find_fingers(skeleton: PosedSkeleton, roles: dict[str, int], readings: list[NamedJoint], side: str) -> None:
    """Fingers by name: the last three joints of each chain, and its end. A lone stub is a mitten, not a finger."""
    hand = roles.get(f"{side}_hand", -1)
    if hand < 0:
        return
    inside = skeleton.descendants(hand)
    found: dict[str, tuple[list[int], int]] = {}
    for finger in FINGERS:
        chain = [node for node in inside if node < skeleton.joint_count and readings[node].part == finger]
        while chain and skeleton.lengths[chain[0]] <= skeleton.tiny:
            chain.pop(0)
        if chain:
            found[finger] = _finger_joints(skeleton, readings, chain)
    long = [finger for finger in FINGERS[1:] if finger in found]
    if len(long) == 1 and len(found[long[0]][0]) == 1:
        del found[long[0]]
    for finger, (joints, tip) in found.items():
        roles |= {f"{side}_{finger}_{number}": joint for number, joint in enumerate(joints, 1)}
        if tip >= 0 and len(joints) > 1:
            roles[f"{side}_{finger}_tip"] = tip


def _finger_joints(skeleton: PosedSkeleton, readings: list[NamedJoint], chain: list[int]) -> tuple[list[int], int]:
    """Up to three joints that bend, and the tip or -1, of a finger's joints from the hand outwards."""
    joints = [joint for joint in chain if not readings[joint].end]
    ends = [joint for joint in chain if readings[joint].end]
    if not joints:
        return [], -1
    beyond = [node for node in skeleton.children[joints[-1]] if skeleton.lengths[node] > skeleton.tiny]
    tip = (ends or beyond or [-1])[0]
    if tip < 0 and len(joints) > 3:
        tip = joints.pop()
    return joints[-3:], tip
