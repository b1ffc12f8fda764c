"""The rest configuration: as the robot was drawn, within its limits, standing on the ground."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bunraku.robots.extract import Extract
from bunraku.robots.overrides import apply
from bunraku.robots.robot import Shape

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]


def neutral_qpos(
    found: Extract, model: mujoco.MjModel, lower: Array, upper: Array, overrides: Mapping[str, Any]
) -> Array:
    """(nq,) every joint at its reference value or the limit next to it, then what the YAML says; a free base stands."""
    joints = apply(overrides, "neutral", found.joint_names, found.reference)
    joints = np.clip(joints, lower, upper)
    tree = found.tree
    joints = np.clip(tree.ratio * joints[tree.leader] + tree.offset, lower, upper)
    if not tree.free_base:
        return np.asarray(joints)
    height, turn = _standing(found, model, joints)
    return np.concatenate([[0.0, 0.0, height], turn, joints])


def lowest_point(shapes: tuple[Shape, ...], positions: Array, rotations: Array) -> float:
    """Height of the lowest point of the shapes, for links at world positions `(L, 3)` and rotations `(L, 3, 3)`."""
    lowest = np.inf
    for shape in shapes:
        turn = rotations[shape.link]
        at = positions[shape.link] + turn @ shape.position
        lowest = min(lowest, float(at[2]) - _below(shape, turn @ shape.rotation))
    return lowest


def _below(shape: Shape, turn: Array) -> float:
    """How far a shape reaches below its centre."""
    up = np.abs(turn[2])
    if shape.kind == "box":
        return float(up @ np.array(shape.size))
    return shape.size[0] + (float(up[2]) * shape.size[1] if shape.kind == "capsule" else 0.0)


def _standing(found: Extract, model: mujoco.MjModel, joints: Array) -> tuple[float, Array]:
    """Height and quaternion of a free base, turned as in the description, lowest shape on the ground."""
    import mujoco

    data = mujoco.MjData(model)
    for name, value in zip(found.joint_names, joints, strict=True):
        data.qpos[model.joint(name).qposadr[0]] = value
    mujoco.mj_kinematics(model, data)
    turned = data.xmat[1:].reshape(-1, 3, 3)
    lowest = lowest_point(found.shapes, data.xpos[1:], turned)
    base = float(data.xpos[1, 2])
    return (base - lowest if np.isfinite(lowest) else base), data.xquat[1].copy()
