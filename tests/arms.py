"""Poses of arms for the closed-form mappers, made from directions, rotations, or a robot's own configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.robots import Robot

Array = NDArray[np.float64]

ARMS = {
    "pepper": (("LBicep", "LElbow", "L_wrist"), ("RBicep", "RElbow", "R_wrist")),
    "leonardo": tuple(tuple(f"{s}_{n}_link" for n in ("upper_arm", "forearm", "hand")) for s in ("left", "right")),
    "inmoov": tuple(tuple(f"{s}_{n}_link" for n in ("bicep", "forearm", "hand")) for s in "lr"),
    "puppet": tuple(tuple(f"{s}_{n}" for n in ("upper_arm", "forearm", "hand")) for s in ("left", "right")),
}
"""robot → for each side the links at whose origins upper arm and forearm begin, and the forearm ends"""
SIDES = ("left", "right")
PAPER_AXES = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
"""columns: the first paper's x left, y up, z forward in our axes"""
HANGING = {side: rot.from_axis_angle([1.0, 0, 0], sign * -np.pi / 2) for side, sign in (("left", 1), ("right", -1))}
"""turn from the canonical T to an arm that hangs with its elbow's axis across"""


def pose(
    rotations: Mapping[str, ArrayLike] | None = None, positions: Mapping[str, ArrayLike] | None = None
) -> HumanPose:
    """A pose that knows these joints and no others."""
    out = HumanPose.empty()
    turn, turned = out.rotations.copy(), out.rotation_valid.copy()
    place, placed = out.positions.copy(), out.position_valid.copy()
    for name, q in (rotations or {}).items():
        turn[INDEX[name]], turned[INDEX[name]] = q, True
    for name, p in (positions or {}).items():
        place[INDEX[name]], placed[INDEX[name]] = p, True
    return replace(out, rotations=turn, rotation_valid=turned, positions=place, position_valid=placed)


def motion(poses: list[HumanPose], fps: float = 60.0) -> HumanMotion:
    """Poses as a recording."""
    return HumanMotion(
        positions=np.stack([p.positions for p in poses]),
        rotations=np.stack([p.rotations for p in poses]),
        position_valid=np.stack([p.position_valid for p in poses]),
        rotation_valid=np.stack([p.rotation_valid for p in poses]),
        fps=fps,
    )


def pointing(upper: ArrayLike, fore: ArrayLike, side: str = "left") -> HumanPose:
    """An arm of which the places of shoulder, elbow and wrist are known."""
    elbow = 0.3 * np.asarray(upper, float)
    wrist = elbow + 0.25 * np.asarray(fore, float)
    names = (f"{side}_upper_arm", f"{side}_forearm", f"{side}_hand")
    return pose(positions=dict(zip(names, (np.zeros(3), elbow, wrist), strict=True)))


def directions(robot: Robot, qpos: Array, side: str = "left") -> tuple[Array, Array]:
    """Where a robot's upper arm and forearm point, in the world."""
    at, _ = robot.link_poses(qpos)
    a, b, c = (at[robot.links.index(name)] for name in ARMS[robot.name][SIDES.index(side)])
    return (b - a) / np.linalg.norm(b - a), (c - b) / np.linalg.norm(c - b)


def arm_columns(robot: Robot, side: str = "left") -> NDArray[np.intp]:
    """Columns of qpos of the shoulder's three joints and the elbow."""
    joints = robot.semantics.joints[f"{side}_arm"]
    hinge = joints.index(robot.semantics.hinges[f"{side}_arm"])
    return np.array(joints[hinge - 3 : hinge + 1]) + robot.first_joint


def in_paper_axes(zyx: ArrayLike) -> Array:
    """A rotation that the first paper writes as ZYX in its own axes, in ours `(…, 4)`."""
    matrix = rot.to_matrix(rot.from_euler("ZYX", zyx))
    return rot.from_matrix(PAPER_AXES @ matrix @ PAPER_AXES.T)
