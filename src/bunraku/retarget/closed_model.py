"""A robot's arms, neck and trunk as the closed forms of the papers see them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.retarget.chain_kernels import LEFT, NECK, TORSO, ChainMemory, Chains
from bunraku.retarget.correspondence import forearm_frame
from bunraku.robots import Robot

Array = NDArray[np.float64]

CHAINS = ("left_arm", "right_arm", "neck", "torso")
JOINTS = 7
"""most joints of a chain"""
PARALLEL = 1e-3
ROOM_RAD = 0.1
"""a wrist that has less room than this on one side of its neutral angle turns one way"""


class _Builder:
    """Fills the arrays of `Chains`, in the neutral configuration and the body's canonical axes."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        position, rotation = robot.tree.forward(robot.neutral)
        body = robot.semantics.world_from_body
        self.position = position @ body
        self.axes = np.einsum("nij,nj->ni", rotation, robot.tree.axis) @ body
        self.column = np.full((len(CHAINS), JOINTS), -1, np.int32)
        self.spare = np.full((len(CHAINS), JOINTS), -1, np.int32)
        self.axis = np.zeros((len(CHAINS), JOINTS, 3))
        self.limits, self.own = np.zeros((len(CHAINS), JOINTS, 3)), np.zeros((len(CHAINS), JOINTS, 2))
        self.bone, self.palm, self.elbow = np.zeros((2, 4, 3)), np.zeros((2, 3)), np.zeros((2, 4))

    def put(self, chain: int, place: int, joint: int, spare: int | None = None) -> None:
        """A joint into a chain; its limits count from the neutral configuration."""
        robot, first = self.robot, self.robot.first_joint
        rest = robot.neutral[first + joint]
        own = np.array([robot.lower[joint], robot.upper[joint]]) - rest
        speed = robot.velocity[joint]
        self.column[chain, place], self.axis[chain, place] = first + joint, self.axes[joint + 1]
        self.own[chain, place], whole = own, own.copy()
        if spare is not None:
            self.spare[chain, place] = first + spare
            more = np.array([robot.lower[spare], robot.upper[spare]]) - robot.neutral[first + spare]
            whole = whole + more
            speed = min(speed, robot.velocity[spare])
        self.limits[chain, place] = *whole, speed

    def turns(self, chain: int, joints: Sequence[int]) -> None:
        """Neck or trunk: up to three axes; of two joints about one axis the last leads and the other takes the rest."""
        groups: list[list[int]] = []
        for joint in joints:
            if groups and np.linalg.norm(np.cross(self.axes[groups[-1][-1] + 1], self.axes[joint + 1])) < PARALLEL:
                groups[-1].append(joint)
            else:
                groups.append([joint])
        for place, group in enumerate(groups[:3]):
            same = len(group) > 1 and float(self.axes[group[-1] + 1] @ self.axes[group[-2] + 1]) > 0
            self.put(chain, place, group[-1], group[-2] if same else None)
        axes = self.axis[chain]
        if len(groups) == 1:
            forward, up = np.eye(3)[0], np.eye(3)[2]
            axes[2] = forward if abs(axes[0] @ forward) < 0.9 else up
        elif len(groups) == 2:
            third = np.cross(axes[0], axes[1])
            axes[2] = third / np.linalg.norm(third)

    def arm(self, chain: int, joints: Sequence[int]) -> None:
        """Shoulder of two axes, turn of the upper arm, elbow, and a wrist whose first joint turns the forearm."""
        robot, side = self.robot, SIDES[chain]
        parts, where = robot.semantics, self.position
        hinge = joints.index(parts.hinges[CHAINS[chain]])
        joints = joints[hinge - 3 :]
        elbow = where[joints[3] + 1]
        wrist = self._wrist(chain, joints)
        fore = wrist - elbow
        after = self._wrist_joints(joints[4:], fore)
        for place, joint in enumerate([*joints[:4], *after]):
            self.put(chain, place, joint)
        second, third = where[joints[1] + 1], where[joints[2] + 1]
        near, far = np.linalg.norm(elbow - third), np.linalg.norm(elbow - second)
        self.bone[chain, 0] = 0.0 if near >= 0.5 * far else third - second
        self.bone[chain, 1], self.bone[chain, 2] = elbow - third, fore / np.linalg.norm(fore)
        frame = forearm_frame(robot, side)
        frame = np.eye(3) if frame is None else parts.world_from_body.T @ frame
        sign = 1.0 if chain == LEFT else -1.0
        self.bone[chain, 3], self.palm[chain] = sign * frame[:, 1], -frame[:, 2]
        self.elbow[chain] = self._elbow(chain, frame, len(after))

    def _elbow(self, chain: int, frame: Array, wrists: int) -> Array:
        axis, bone = self.axis[chain], self.bone[chain]
        along = axis[2] * (1.0 if axis[2] @ (bone[0] + bone[1]) >= 0 else -1.0)
        sign = 1.0 if chain == LEFT else -1.0
        bends = 1.0 if axis[3] @ (-sign * frame[:, 2]) > 0 else -1.0
        flexion = bends * axis[3]
        straight = np.arctan2(
            flexion @ np.cross(along, bone[2]), along @ bone[2] - (flexion @ along) * (flexion @ bone[2])
        )
        turns, one_way = 0.0, 0.0
        if wrists:
            turns = 1.0 if axis[4] @ bone[2] > 0 else -1.0
            low, high = self.limits[chain, 4, :2]
            one_way = turns if low > -ROOM_RAD else -turns if high < ROOM_RAD else 0.0
        return np.array([straight, bends, turns, one_way])

    def _wrist(self, chain: int, joints: Sequence[int]) -> Array:
        """The first joint beyond the elbow that stands well away from it, else where the semantics put the wrist."""
        elbow = self.position[joints[3] + 1]
        point = self.robot.semantics.points[f"{SIDES[chain]}_hand"]
        at, rotation = self.robot.link_poses(self.robot.neutral)
        end = (at[point.link] + rotation[point.link] @ point.position) @ self.robot.semantics.world_from_body
        reach = float(np.linalg.norm(end - elbow))
        beyond = [self.position[joint + 1] for joint in joints[4:]]
        return next((p for p in beyond if np.linalg.norm(p - elbow) > 0.5 * reach), end)

    def _wrist_joints(self, joints: Sequence[int], fore: Array) -> list[int]:
        """A turn about the forearm, then up to two more; nothing where the wrist begins otherwise."""
        if not joints or abs(self.axes[joints[0] + 1] @ fore) < 0.8 * np.linalg.norm(fore):
            return []
        return list(joints[:3])


def arm_lacks(robot: Robot, side: str) -> str | None:
    """What keeps the closed forms from an arm, in words; None where they fit."""
    parts, name = robot.semantics, f"{side}_arm"
    joints = parts.joints.get(name, ())
    if not joints:
        return f"there is no {side} arm"
    if name not in parts.hinges or f"{side}_hand" not in parts.points:
        return f"the {side} arm has no elbow or no wrist"
    before = joints.index(parts.hinges[name])
    if before < 3:
        return f"the {side} arm has {before} joints before the elbow, not 3"
    return None


def build_chains(robot: Robot, mapper: str, method: int, *, torso: bool, fitting: Sequence[str]) -> Chains:
    """The chains of a robot; refused where an arm does not offer what the mapper needs. `fitting`: robots that do."""
    for side in SIDES:
        lack = arm_lacks(robot, side)
        if lack:
            raise RobotError(
                f"mapper '{mapper}' does not fit {robot.name}: {lack}. Robots that fit: {', '.join(fitting)}"
            )
    build, groups = _Builder(robot), robot.semantics.joints
    for chain, name in enumerate(CHAINS[:2]):
        build.arm(chain, groups[name])
    build.turns(NECK, groups.get("neck", ()))
    if torso:
        build.turns(TORSO, groups.get("torso", ()))
    reference = INDEX["hips"] if build.column[TORSO, 0] >= 0 else INDEX["chest"]
    return Chains(
        build.column, build.spare, build.axis, build.limits, build.own, build.bone, build.palm, build.elbow,
        np.array([[INDEX[f"{side}_{name}"] for name in ("upper_arm", "forearm", "hand")] for side in SIDES], np.int32),
        reference, np.array([INDEX["chest"], INDEX["head"]], np.int32), method,
    )  # fmt: skip


def make_memory() -> ChainMemory:
    """Nothing seen yet: elbows bend as in the canonical pose."""
    return ChainMemory(
        np.zeros((len(CHAINS), JOINTS)),
        np.zeros(len(CHAINS), bool),
        np.zeros((len(CHAINS), 2), np.int64),
        np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]),
        np.eye(3),
    )
