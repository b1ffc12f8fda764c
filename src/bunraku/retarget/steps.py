"""Where a robot's feet will stand: its own legs under the person's directions, led over the ground by what stands.

The way of the hips is the one that leaves standing soles in place; with none it is the person's, scaled by leg length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.human.contacts import FEET, PATCH_JOINTS
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations
from bunraku.retarget.correspondence import on_node
from bunraku.robots import Robot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def patch_paths(robot: Robot, motion: HumanMotion, standing: Flags, scale: float) -> Array:
    """(T, 8, 2, 2) horizontal ways of the robot's patches, two points each, when what is `standing` (T, 8) stays."""
    relative = np.repeat(scale * (motion.positions[:, PATCH_JOINTS] - motion.positions[:, :1])[:, :, None], 2, axis=2)
    for side in range(len(SIDES)):
        sole = _sole_paths(robot, motion, SIDES[side])
        if sole is not None:
            relative[:, 2 * side : 2 * side + 2] = sole
    relative = relative[..., :2]
    hips = scale * np.diff(motion.positions[:, 0, :2], axis=0)
    holds = standing[1:, :FEET] & standing[:-1, :FEET]
    count = holds.sum(axis=1)[:, None]
    steps = np.diff(relative[:, :FEET].mean(axis=2), axis=0)
    back = -(steps * holds[..., None]).sum(axis=1) / np.maximum(count, 1)
    way = np.cumsum(np.concatenate([np.zeros((1, 2)), np.where(count > 0, back, hips)]), axis=0)
    return np.asarray(way[:, None, None] + relative)


def _sole_paths(robot: Robot, motion: HumanMotion, side: str) -> Array | None:
    """(T, 2, 2, 3) points of a sole, front before back, seen from the hips; None where either body lacks the leg."""
    parts = robot.semantics
    names = [f"{side}_{part}" for part in ("thigh", "shin", "foot")]
    soles = parts.soles.get(names[2])
    if soles is None or any(name not in parts.points for name in names) or not motion.has(*names):
        return None
    position, rotation = robot.tree.forward(robot.neutral)
    hip, knee, ankle = (
        position[node] + rotation[node] @ at for node, at in (on_node(robot, parts.points[name]) for name in names)
    )
    links, turns = robot.link_poses(robot.neutral)
    sole = links[parts.links[names[2]]] + soles @ turns[parts.links[names[2]]].T
    body = parts.world_from_body
    ends = sole[np.argsort(-(sole @ body[:, 0]))]
    thigh, shin, foot = (motion.position(name) for name in names)
    turned = motion.rotation_valid[:, INDEX[names[2]], None]
    foot_turn = np.where(turned, motion.rotation(names[2]), motion.rotations[:, 0])
    leg = (
        rotations.rotate(motion.rotations[:, 0], (hip - links[parts.links["hips"]]) @ body)
        + np.linalg.norm(knee - hip) * _unit(shin - thigh)
        + np.linalg.norm(ankle - knee) * _unit(foot - shin)
    )
    offsets = (ends - ankle) @ body
    points = leg[:, None] + np.stack([rotations.rotate(foot_turn, offset) for offset in offsets], axis=1)
    return np.asarray(points.reshape(len(motion), 2, 2, 3))


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))
