"""People for the tests: a scripted motion on the canonical skeleton, and the same as BVH content of any make."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.human.skeleton import ADULT_BONES, BODY_COUNT, FINGERS, INDEX, JOINT_COUNT, JOINTS, PARENTS, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh_export import bvh_name
from bunraku.sources.bvh_file import BvhFile

Array = NDArray[np.float64]
WORLD_FROM_FILE = {"x": [0.5, -0.5, -0.5, -0.5], "y": [0.5, 0.5, 0.5, 0.5], "z": [1.0, 0.0, 0.0, 0.0]}


def walker(
    frames: int = 120, *, fps: float = 60.0, heading: float = 0.4, hands: bool = False, size: float = 1.0
) -> HumanMotion:
    """Somebody who walks on the spot, swings and bends arms and legs evenly, and stands upright meanwhile."""
    t = np.linspace(0, 4 * np.pi, frames)
    wave = np.sin(t)
    x, y, z = np.eye(3)

    def turn(axis: Array, angle: Array | float) -> Array:
        return rot.from_axis_angle(axis, np.broadcast_to(np.asarray(angle, float), t.shape))

    local = {name: turn(z, 0.0) for name in JOINTS}
    local["hips"] = turn(z, heading + 0.1 * wave)
    local["spine"] = turn(z, -0.1 * wave)
    local["head"] = turn(z, 0.2 * np.sin(0.5 * t))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        local[f"{side}_upper_arm"] = rot.multiply(turn(y, -0.5 * sign * wave), turn(x, -1.2 * sign))
        local[f"{side}_forearm"] = turn(-sign * z, 0.6 + 0.4 * wave)
        local[f"{side}_hand"] = turn(y, 0.2 * wave)
        hip, knee = 0.3 * sign * wave, 0.35 - 0.3 * sign * wave
        local[f"{side}_thigh"], local[f"{side}_shin"] = turn(y, hip), turn(y, knee)
        local[f"{side}_foot"] = turn(y, -hip - knee)
        for finger in FINGERS:
            local[f"{side}_{finger}_2"] = turn(sign * x, 0.3 + 0.3 * wave) if finger != "thumb" else turn(z, 0.0)
    rotations = np.empty((frames, JOINT_COUNT, 4))
    for j, name in enumerate(JOINTS):
        rotations[:, j] = local[name] if j == 0 else rot.multiply(rotations[:, PARENTS[j]], local[name])
    positions = placed(rotations, size)
    known = np.arange(JOINT_COUNT) < (JOINT_COUNT if hands else BODY_COUNT)
    turning = known & ~np.array([name.endswith("_tip") for name in JOINTS])
    return HumanMotion(
        positions=positions, rotations=rotations, fps=fps, name="walker",
        position_valid=np.tile(known, (frames, 1)), rotation_valid=np.tile(turning, (frames, 1)),
    )  # fmt: skip


def placed(rotations: Array, size: float = 1.0) -> Array:
    """(T, J, 3) where the joints of an adult with these world rotations are."""
    positions = np.empty((*rotations.shape[:2], 3))
    positions[:, 0] = [1.0, 2.0, 0.95 * size]
    for j in range(1, JOINT_COUNT):
        bone = rot.rotate(rotations[:, PARENTS[j]], ADULT_BONES[j] * size)
        positions[:, j] = positions[:, PARENTS[j]] + bone
    return positions


def as_bvh(
    motion: HumanMotion,
    *,
    axes: Callable[[str], Array] = lambda _: rot.IDENTITY,
    name: Callable[[str], str] = bvh_name,
    order: Callable[[int], str] = lambda _: "ZYX",
    up: str = "y",
    per_metre: float = 100.0,
    everywhere: bool = False,
    skip: frozenset[str] = frozenset(),
) -> BvhFile:
    """The motion on a skeleton whose joint axes are `axes(joint)` from the canonical ones.

    Rigid canonical bones are taken from the first frame. `everywhere`: six channels on every joint.
    """
    valid = motion.rotation_valid[0] & ~np.array([joint in skip for joint in JOINTS])
    joints = [j for j in range(JOINT_COUNT) if valid[j]]
    row = {j: i for i, j in enumerate(joints)}
    file_from_world = rot.inverse(WORLD_FROM_FILE[up])
    own = {j: rot.multiply(file_from_world, axes(JOINTS[j])) for j in joints}
    world = {
        j: rot.multiply(rot.multiply(file_from_world, motion.rotations[:, j]), rot.inverse(own[j])) for j in joints
    }
    above = {j: _above(j, valid) for j in range(JOINT_COUNT)}

    def offset(j: int) -> Array:
        p = above[j]
        bone = rot.rotate(rot.inverse(motion.rotations[0, p]), motion.positions[0, j] - motion.positions[0, p])
        return rot.rotate(own[p], bone) * per_metre

    columns, channels = [], []
    for i, j in enumerate(joints):
        local = world[j] if above[j] < 0 else rot.multiply(rot.inverse(world[above[j]]), world[j])
        names = [f"{axis}rotation" for axis in order(i)]
        part = [np.degrees(rot.to_euler(order(i), local))]
        if above[j] < 0 or everywhere:
            names = ["Xposition", "Yposition", "Zposition", *names]
            at = rot.rotate(file_from_world, motion.positions[:, j]) * per_metre
            part.insert(0, at if above[j] < 0 else np.tile(offset(j), (len(motion), 1)))
        channels.append(tuple(names))
        columns += part
    ends = [j for j in np.flatnonzero(motion.position_valid[0] & ~valid).tolist() if JOINTS[j] not in skip]
    return BvhFile(
        names=tuple(name(JOINTS[j]) for j in joints),
        parents=np.array([row.get(above[j], -1) for j in joints], np.int32),
        offsets=np.array([offset(j) if above[j] >= 0 else np.zeros(3) for j in joints]),
        channels=tuple(channels),
        end_parents=np.array([row[above[j]] for j in ends], np.int32),
        end_offsets=np.array([offset(j) for j in ends]).reshape(-1, 3),
        frame_time=1 / motion.fps,
        values=np.ascontiguousarray(np.concatenate(columns, axis=1)),
    )


def _above(joint: int, valid: NDArray[np.bool_]) -> int:
    p = int(PARENTS[joint])
    while p >= 0 and not valid[p]:
        p = int(PARENTS[p])
    return p


def along_x(joint: str) -> Array:
    """Joint axes of a studio rig: x along the bone, z to the left or about the hinge, in each joint alike."""
    side, sign = joint.split("_")[0], -1.0 if joint.startswith("right") else 1.0
    part = joint.removeprefix(f"{side}_")
    if side not in SIDES:
        return _frame([0, 0, 1], [0, 1, 0])
    if part in ("foot", "toe"):
        return _frame(ADULT_BONES[INDEX["left_toe"]] if part == "foot" else [1, 0, 0], [0, 1, 0])
    if part in ("thigh", "shin"):
        return _frame([0, 0, -1], [0, 1, 0])
    return _frame([0, sign, 0], [0, 0, sign])


def _frame(x: object, z: object) -> Array:
    """The joint's axes from the canonical ones, by where its x and z lie in those."""
    x, z = np.asarray(x, float), np.asarray(z, float)
    x = x / np.linalg.norm(x)
    return rot.inverse(rot.from_matrix(np.column_stack([x, np.cross(z, x), z])))


def swung(angles: Mapping[str, float]) -> Callable[[str], Array]:
    """Joint axes of a skeleton whose zero pose has limbs swung about the forward axis: arms down, legs apart, rad."""

    def axes(joint: str) -> Array:
        side, _, part = joint.partition("_")
        sign = 1.0 if side == "left" else -1.0
        arm = part in ("upper_arm", "forearm", "hand") or part.split("_")[0] in FINGERS
        leg = part in ("thigh", "shin", "foot", "toe")
        angle = -angles.get("arms", 0.0) if arm else angles.get("legs", 0.0) if leg else 0.0
        return (
            rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.asarray(sign * angle)) if side in SIDES else rot.IDENTITY
        )

    return axes


def apart_deg(a: HumanMotion, b: HumanMotion, joint: str) -> Array:
    """(T,) angle between two motions' rotations of a joint."""
    return np.degrees(rot.angle_between(a.rotation(joint), b.rotation(joint)))
