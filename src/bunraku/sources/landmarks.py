"""What cameras see of a person: named points on the body and 21 of each hand, and what they say of the skeleton.

Detectors name shoulders, hips and ears, not the neck and the base of the skull; those follow from the points around
them, in an adult's proportions. World: x forward, y left, z up, metres. The person faces the camera where the camera
is the only reference: its x is to the right of the picture, its y down, its z away from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.hand_frame import POINTS, point_joints
from bunraku.human.skeleton import ADULT_BONES, INDEX, SIDES
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_PAIRED = ("eye", "ear", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "heel", "toe")
BODY = ("nose", *(f"{side}_{part}" for side in SIDES for part in _PAIRED))
LANDMARKS: tuple[str, ...] = (*BODY, *(f"{side}_hand_{k}" for side in SIDES for k in range(POINTS)))
"""nose, then by side eye … toe (the tip of the big toe), then the points of both hands, wrist first"""
ROW = MappingProxyType({name: row for row, name in enumerate(LANDMARKS)})
COUNT = len(LANDMARKS)
HANDS = MappingProxyType({side: slice(ROW[f"{side}_hand_0"], ROW[f"{side}_hand_0"] + POINTS) for side in SIDES})
"""side → rows of its hand"""

WORLD_FROM_CAMERA: Array = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""(3, 3) of a level camera that the person faces"""
WORLD_FROM_CAMERA.setflags(write=False)

_LIMBS = {"shoulder": "upper_arm", "elbow": "forearm", "wrist": "hand", "hip": "thigh", "knee": "shin",
          "ankle": "foot"}  # fmt: skip
_PLAIN = tuple((ROW[f"{side}_{part}"], INDEX[f"{side}_{joint}"]) for side in SIDES for part, joint in _LIMBS.items())
_PLAIN_ROWS, _PLAIN_JOINTS = (np.array(column) for column in zip(*_PLAIN, strict=True))
_HAND_JOINTS = {side: np.array([INDEX[name] for name in point_joints(side)]) for side in SIDES}

_ABOVE_HIPS = -ADULT_BONES[INDEX["left_thigh"], 2]
_NECK_ABOVE = (ADULT_BONES[INDEX["neck"]] - ADULT_BONES[INDEX["left_clavicle"]] - ADULT_BONES[INDEX["left_upper_arm"]])[
    2
]
_TRUNK = (
    ADULT_BONES[[INDEX["spine"], INDEX["chest"], INDEX["left_clavicle"], INDEX["left_upper_arm"]], 2].sum()
    + _ABOVE_HIPS
)
"""m, from the middle of an adult's hip joints to the middle of the shoulders"""
_BALL = 0.72
"""of the way from the heel to the tip of the toes"""
_FACE = MappingProxyType(
    {
        "nose": np.array([0.10, 0.0, -0.01]),
        **{f"{side}_eye": np.array([0.07, s * 0.032, 0.04]) for side, s in zip(SIDES, (1, -1), strict=True)},
        **{f"{side}_ear": np.array([-0.01, s * 0.072, 0.02]) for side, s in zip(SIDES, (1, -1), strict=True)},
    }
)
"""landmark → its place from the joint that carries the head, in the head's axes, m"""
_FACE_NAMES = tuple(_FACE)
_FACE_ROWS = np.array([ROW[name] for name in _FACE_NAMES])
_FACE_PLACES = np.array([_FACE[name] for name in _FACE_NAMES])
_TOES = {side: np.array([0.075, 0.0, 0.0]) for side in SIDES}
"""from the ball of the foot to the tip of the toes, in the foot's axes, m"""
_HEEL = np.array([-0.05, 0.0, -0.06])
"""from the ankle, m"""


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Points of one person: in pixels (K, 2), or in space (K, 3) m; a point that is not known has no meaning."""

    points: Array
    known: Flags
    """(K,)"""
    weights: Array
    """(K,) the detector's confidence, 0 … 1"""

    @classmethod
    def none(cls, width: int) -> Landmarks:
        """Nothing seen, in so many dimensions."""
        return cls(np.zeros((COUNT, width)), np.zeros(COUNT, bool), np.zeros(COUNT))


def pose_of(points: Array, known: Flags, *, now_ns: int = 0, stamp_ns: int = 0) -> HumanPose:
    """Landmarks (K, 3) in the world to the skeleton's joints. Only the head and, where the hips are hidden, the chest
    have turns; `human.orient.oriented` tells the others from the joints."""
    pose = HumanPose.empty(stamp_ns=stamp_ns, received_ns=now_ns)
    positions, valid = pose.positions, pose.position_valid
    for side, joints in _HAND_JOINTS.items():
        rows = HANDS[side]
        positions[joints], valid[joints] = points[rows], known[rows]
    # The body's own wrist, where it is seen, is steadier than the hand's.
    seen = known[_PLAIN_ROWS]
    positions[_PLAIN_JOINTS[seen]], valid[_PLAIN_JOINTS[seen]] = points[_PLAIN_ROWS[seen]], True
    _trunk(points, known, pose)
    for side in SIDES:
        _toe(side, points, known, pose)
    _head(points, known, pose)
    return pose


def _trunk(points: Array, known: Flags, pose: HumanPose) -> None:
    """Hips and neck, from the middles of the hip joints and the shoulders."""
    hip, shoulder = ([ROW[f"{side}_{part}"] for side in SIDES] for part in ("hip", "shoulder"))
    has_hips, has_shoulders = known[hip].all(), known[shoulder].all()
    up = np.array([0.0, 0.0, 1.0])
    if has_hips and has_shoulders:
        up = (points[shoulder].mean(axis=0) - points[hip].mean(axis=0)) / _TRUNK
    if has_hips:
        pose.positions[INDEX["hips"]] = points[hip].mean(axis=0) + _ABOVE_HIPS * up
        pose.position_valid[INDEX["hips"]] = True
    if not has_shoulders:
        return
    pose.positions[INDEX["neck"]] = points[shoulder].mean(axis=0) + _NECK_ABOVE * up
    pose.position_valid[INDEX["neck"]] = True
    if not has_hips:
        # Somebody at a desk: shoulders tell the chest's turn, taken to be upright.
        left = points[shoulder[0]] - points[shoulder[1]]
        ahead = np.cross(left, up)
        size = float(np.linalg.norm(ahead))
        if size > 1e-6:
            turn = np.column_stack([ahead / size, np.cross(up, ahead / size), up])
            pose.rotations[INDEX["chest"]] = rot.from_matrix(turn)
            pose.rotation_valid[INDEX["chest"]] = True


def _toe(side: str, points: Array, known: Flags, pose: HumanPose) -> None:
    """The ball of the foot, between heel, or ankle, and the tip of the toes."""
    toe, heel, ankle = (ROW[f"{side}_{part}"] for part in ("toe", "heel", "ankle"))
    if not known[toe] or not (known[heel] or known[ankle]):
        return
    if known[heel]:
        place = points[heel] + _BALL * (points[toe] - points[heel])
    else:
        place = points[ankle] + _BALL * (points[toe] - points[ankle])
    pose.positions[INDEX[f"{side}_toe"]], pose.position_valid[INDEX[f"{side}_toe"]] = place, True


def _head(points: Array, known: Flags, pose: HumanPose) -> None:
    """Turn and place of the head, by the best fit of a face to nose, eyes and ears."""
    seen = known[_FACE_ROWS]
    if seen.sum() < 3:
        return
    found, model = points[_FACE_ROWS[seen]], _FACE_PLACES[seen]
    U, spread, Vt = np.linalg.svd((found - found.mean(axis=0)).T @ (model - model.mean(axis=0)))
    if not spread[1] > 1e-9:
        return
    matrix = U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt
    head = INDEX["head"]
    pose.rotations[head], pose.rotation_valid[head] = rot.from_matrix(matrix), True
    pose.positions[head] = found.mean(axis=0) - matrix @ model.mean(axis=0)
    pose.position_valid[head] = True


def landmarks_of(pose: HumanPose) -> tuple[Array, Flags]:
    """(K, 3) and (K,): where a detector would see the landmarks of a person whose joints are known."""
    points, known = np.zeros((COUNT, 3)), np.zeros(COUNT, bool)
    points[_PLAIN_ROWS], known[_PLAIN_ROWS] = pose.positions[_PLAIN_JOINTS], pose.position_valid[_PLAIN_JOINTS]
    for side, joints in _HAND_JOINTS.items():
        points[HANDS[side]], known[HANDS[side]] = pose.positions[joints], pose.position_valid[joints]
        for name, joint, place in (("toe", "toe", _TOES[side]), ("heel", "foot", _HEEL)):
            row, at = ROW[f"{side}_{name}"], INDEX[f"{side}_{joint}"]
            points[row] = pose.positions[at] + rot.rotate(pose.rotations[INDEX[f"{side}_foot"]], place)
            known[row] = pose.position_valid[at] and pose.rotation_valid[INDEX[f"{side}_foot"]]
    head = INDEX["head"]
    points[_FACE_ROWS] = pose.positions[head] + rot.rotate(pose.rotations[head], _FACE_PLACES)
    known[_FACE_ROWS] = pose.position_valid[head] and pose.rotation_valid[head]
    return points, known
