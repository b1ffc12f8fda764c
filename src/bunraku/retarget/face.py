"""The face: a robot's jaw opens as the person's does, and its eyes look where the person's look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.tree import HINGE
from bunraku.retarget.follow_kernels import JAW, PITCH, YAW
from bunraku.retarget.joint_group import joint_ranges, straight_value
from bunraku.robots import Robot
from bunraku.robots.names import words
from bunraku.robots.skeleton import Skeleton

Array = NDArray[np.float64]

_JAW_WORDS = {"jaw", "mouth", "chin", "mandible"}
_EYE_WORDS = {"eye", "eyes", "eyeball"}
_NOT_GAZE = {"lid", "lids", "eyelid", "eyelids", "brow", "brows", "eyebrow", "eyebrows", "vergence"}
_ALONG = 0.7  # cosine of a joint's axis with the body's
_FALLS = 0.3  # share of a chin's way that is up or down; lips that move sideways are no jaw
_CHIN_M = 0.05  # where a jaw has its chin whose mass lies on its hinge: this far in front
_LEAST_ARM_M = 0.003
_MOST_RAD = 0.3  # how far a jaw without limits opens


@dataclass(frozen=True)
class FaceJoint:
    """A joint at `rest` + `gain` · what it follows."""

    joint: int
    signal: int
    """JAW, YAW or PITCH"""
    rest: float
    gain: float


def find_face_joints(robot: Robot) -> tuple[FaceJoint, ...]:
    """Jaw and eye joints by name, their directions by geometry: a jaw opens down, eyes turn about the body's axes."""
    body = Skeleton(robot)
    found = (_face_joint(body, joint) for joint in robot.semantics.joints.get("face", ()))
    return tuple(joint for joint in found if joint is not None)


def _face_joint(body: Skeleton, joint: int) -> FaceJoint | None:
    robot, node = body.robot, joint + 1
    if body.is_follower(node):
        return None
    for names in ([robot.joint_names[joint]], body.names[node]):
        said = {word for name in names for word in words(name)}
        if said & _JAW_WORDS:
            return _jaw(body, joint)
        if said & _EYE_WORDS:
            return None if said & _NOT_GAZE else _eye(body, joint)
    return None


def _jaw(body: Skeleton, joint: int) -> FaceJoint | None:
    """The jaw from closed to the end of its range at which its chin is lower."""
    robot, column = body.robot, body.robot.first_joint + joint
    lower, upper = joint_ranges(robot, [joint], _MOST_RAD)
    ends = (float(lower[0]), float(upper[0]))
    qpos = np.tile(robot.neutral, (2, 1))
    qpos[:, column] = ends
    position, rotation = robot.tree.forward(qpos)
    chin = position[:, joint + 1] + rotation[:, joint + 1] @ _chin(body, joint + 1)
    way = chin[1] - chin[0]
    drop = float(way @ robot.semantics.world_from_body[:, 2])
    if abs(drop) < _FALLS * float(np.linalg.norm(way)):
        return None
    open_, far = (ends[0], ends[1]) if drop > 0 else (ends[1], ends[0])
    closed = straight_value(far, open_)
    return FaceJoint(joint, JAW, closed, open_ - closed)


def _chin(body: Skeleton, node: int) -> Array:
    """(3,) a point of the jaw in its node's frame: its centre of mass, else a point in front of its hinge."""
    robot, links = body.robot, body.robot.links
    at, rotation = robot.link_poses(robot.neutral)
    jaw = np.isin(links.node, body.subtree(node)) & (links.mass > 0)
    if jaw.any():
        middles = at[jaw] + np.einsum("lij,lj->li", rotation[jaw], links.centre_of_mass[jaw])
        arm = np.average(middles, axis=0, weights=links.mass[jaw]) - body.position[node]
        if np.linalg.norm(np.cross(body.axis[node], arm)) > _LEAST_ARM_M:
            return np.asarray(arm @ body.rotation[node])
    return np.asarray(_CHIN_M * robot.semantics.world_from_body[:, 0] @ body.rotation[node])


def _eye(body: Skeleton, joint: int) -> FaceJoint | None:
    """An eye, or both: a hinge about the body's vertical looks left, one about its left side looks down."""
    if body.robot.tree.joint_type[joint + 1] != HINGE:
        return None
    left, up = body.robot.semantics.world_from_body[:, 1:].T
    rest = float(body.robot.neutral[body.robot.first_joint + joint])
    for signal, axis in ((YAW, up), (PITCH, left)):
        along = float(body.axis[joint + 1] @ axis)
        if abs(along) > _ALONG:
            return FaceJoint(joint, signal, rest, float(np.sign(along)))
    return None
