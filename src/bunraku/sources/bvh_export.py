"""Human motion as a BVH of the canonical skeleton: a T at zero rotations, cm, y up, ZYX, bones from the data."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import OutputError
from bunraku.human.pose import HumanMotion
from bunraku.human.skeleton import ADULT_BONES, BODY_COUNT, INDEX, JOINT_COUNT, JOINTS, PARENTS
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh_file import BvhFile
from bunraku.sources.measure import WORLD_FROM_FILE

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_ORDER = "ZYX"
_DECIMALS = 6
_PER_METRE = 100.0
_TRUNK_NAMES = MappingProxyType({"hips": "Hips", "spine": "Spine", "chest": "Chest", "neck": "Neck", "head": "Head"})
_LIMB_NAMES = MappingProxyType(
    {"clavicle": "Shoulder", "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand",
     "thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toe": "ToeBase"}
)  # fmt: skip
# Bones whose direction in the canonical pose is fixed: their length alone comes from the data.
_STRAIGHT = frozenset(("forearm", "hand", "shin", "foot"))
_TIPS = np.array([joint.endswith("_tip") for joint in JOINTS])
# A bone is drawn where the data have it if that is within 70° of an adult's.
_FORESEEN = np.cos(np.radians(70.0))
# Where a chain ends without the data saying so, m.
_ENDS = MappingProxyType(
    {"head": (0.0, 0.0, 0.18), "left_hand": (0.0, 0.09, 0.0), "right_hand": (0.0, -0.09, 0.0),
     "left_toe": (0.06, 0.0, 0.0), "right_toe": (0.06, 0.0, 0.0)}
)  # fmt: skip


def bvh_from_motion(motion: HumanMotion) -> BvhFile:
    """The joints whose rotations are known in some frame become joints; those of which only the place is known, ends.

    A joint that drops out for some frames holds still for them.
    """
    turning: Flags = (
        ~_TIPS & np.any(motion.rotation_valid, axis=0) if len(motion) else np.arange(JOINT_COUNT) < BODY_COUNT
    )
    placed: Flags = np.any(motion.position_valid, axis=0)
    if not turning[0] or (len(motion) and not placed[0]):
        raise OutputError("a BVH needs the position and rotation of the hips, this motion does not have them")
    joints = [int(j) for j in np.flatnonzero(turning)]
    above = [_joint_above(j, turning) for j in range(JOINT_COUNT)]
    rotations = np.stack([_held(motion.rotations[:, j], motion.rotation_valid[:, j]) for j in joints], axis=1)
    turns = dict(zip(joints, np.moveaxis(rotations, 1, 0), strict=True))
    offsets = [_bone(motion, j, above[j], turns) if j else np.zeros(3) for j in joints]
    ends = [(above[j], _bone(motion, j, above[j], turns)) for j in np.flatnonzero(placed & ~turning).tolist()]
    leaves = set(joints) - {above[j] for j in joints} - {j for j, _ in ends}
    ends += [(j, np.array(_ENDS.get(JOINTS[j], (0.0, 0.0, 0.0)))) for j in sorted(leaves)]
    row = {j: i for i, j in enumerate(joints)}
    return BvhFile(
        names=tuple(bvh_name(JOINTS[j]) for j in joints),
        parents=np.array([row.get(above[j], -1) for j in joints], np.int32),
        offsets=_in_file(np.array(offsets)),
        channels=tuple(
            (*(f"{axis}position" for axis in "XYZ" if j == 0), *(f"{axis}rotation" for axis in _ORDER)) for j in joints
        ),
        end_parents=np.array([row[j] for j, _ in ends], np.int32),
        end_offsets=_in_file(np.array([offset for _, offset in ends])),
        frame_time=1.0 / motion.fps,
        values=_values(motion, joints, above, turns),
    )


def bvh_name(joint: str) -> str:
    """The name that most programs know a canonical joint by: Hips, LeftUpLeg, RightHandIndex1 …"""
    if joint in _TRUNK_NAMES:
        return _TRUNK_NAMES[joint]
    side, part = joint.split("_", 1)
    if part in _LIMB_NAMES:
        return side.capitalize() + _LIMB_NAMES[part]
    finger, number = part.split("_")
    return f"{side.capitalize()}Hand{'Pinky' if finger == 'little' else finger.capitalize()}{number}"


def _joint_above(joint: int, turning: Flags) -> int:
    """The nearest ancestor that turns, -1 above the hips."""
    parent = int(PARENTS[joint])
    while parent >= 0 and not turning[parent]:
        parent = int(PARENTS[parent])
    return parent


def _held(values: Array, valid: Flags) -> Array:
    """Each invalid row takes the last valid one's place, those before the first valid one the first one's."""
    known = np.flatnonzero(valid)
    if not len(known):
        return values
    return values[known[np.maximum(np.searchsorted(known, np.arange(len(values)), side="right") - 1, 0)]]


def _bone(motion: HumanMotion, joint: int, parent: int, turns: dict[int, Array]) -> Array:
    """(3,) offset of a joint from the one above in the canonical pose, m: the data's mean, or an adult's."""
    adult, at = np.zeros(3), joint
    while at != parent:
        adult, at = adult + ADULT_BONES[at], int(PARENTS[at])
    both = motion.position_valid[:, joint] & motion.position_valid[:, parent]
    if not both.any():
        return adult
    line = motion.positions[both, joint] - motion.positions[both, parent]
    mean = rot.rotate(rot.inverse(turns[parent][both]), line).mean(0)
    name = JOINTS[joint]
    part = name.split("_", 1)[-1]
    fixed = part in _STRAIGHT or part == "middle_1" or part[-1] in "23p"
    if fixed and at == int(PARENTS[joint]) and joint > INDEX["head"]:
        return np.asarray(adult / np.linalg.norm(adult) * np.linalg.norm(line, axis=-1).mean())
    length = float(np.linalg.norm(adult))
    if mean @ adult < _FORESEEN * np.linalg.norm(mean) * length:
        return np.asarray(adult / length * np.linalg.norm(line, axis=-1).mean())
    if part == "toe":
        return np.array([np.hypot(mean[0], mean[1]), 0.0, mean[2]])
    return np.asarray(mean)


def _in_file(points: Array) -> Array:
    """Canonical world in metres to the file's axes and unit."""
    return np.round(rot.rotate(rot.inverse(WORLD_FROM_FILE["y"]), points) * _PER_METRE, _DECIMALS)


def _values(motion: HumanMotion, joints: list[int], above: list[int], turns: dict[int, Array]) -> Array:
    """(T, C) root position, then Euler angles of every joint against the one above, unwrapped."""
    to_file = rot.inverse(WORLD_FROM_FILE["y"])
    columns = [_in_file(_held(motion.positions[:, 0], motion.position_valid[:, 0]))]
    for j in joints:
        local = turns[j] if above[j] < 0 else rot.multiply(rot.inverse(turns[above[j]]), turns[j])
        turned = rot.multiply(rot.multiply(to_file, local), rot.inverse(to_file))
        angles = np.degrees(rot.to_euler(_ORDER, turned))
        columns.append(np.asarray(np.round(np.unwrap(angles, period=360.0, axis=0), _DECIMALS), float))
    return np.ascontiguousarray(np.concatenate(columns, axis=1))
