"""Hands and face: what moves beside the body. Fingers curl and grasp, the jaw opens, eyes take what the neck leaves.

The whole-body solver holds these joints still; they follow the person here, within their limits and speeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.human.skeleton import FINGERS, INDEX, SIDES
from bunraku.kinematics.problem import NO_BODIES, Limits, tree_arrays
from bunraku.retarget.face import FaceJoint, find_face_joints
from bunraku.retarget.finger_curl import PERSON
from bunraku.retarget.finger_joints import FingerJoint, find_hands
from bunraku.retarget.follow_kernels import JAW, SIGNALS, Followers, FollowMemory, Gaze, follow_frames
from bunraku.retarget.grasp import RELAXED, GraspProblem, GraspState, build_grasp, is_dexterous, start_grasp
from bunraku.retarget.grasp_kernels import grasp_frames
from bunraku.retarget.joint_group import JointGroup
from bunraku.robots import Robot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ExtremityState:
    """What hands and face remember from one frame to the next."""

    follow: FollowMemory
    grasp: GraspState | None


class Extremities:
    """Sets the joints of a robot's hands and face. It holds no history: that is in the state made by `start`."""

    def __init__(self, robot: Robot, reference: int = -1) -> None:
        """`reference`: the human joint whose frame stands for a fixed base, -1 for the world."""
        self.robot = robot
        modes = robot.overrides.get("hands", {})
        hands = find_hands(robot)
        switched = {hand.side for hand in hands if modes.get(SIDES[hand.side]) == "on-off"}
        able = tuple(hand for hand in hands if hand.side not in switched and is_dexterous(robot, hand))
        self.grasp: GraspProblem | None = build_grasp(robot, able) if able else None
        """the hands whose fingertips are led"""
        self.fingers = tuple(joint for hand in hands if hand not in able for joint in hand.joints)
        """joints of the other hands, which follow the curls"""
        self.face = find_face_joints(robot)
        groups = robot.semantics.joints
        joints = [j for part in (*(f"{side}_fingers" for side in SIDES), "face") for j in groups.get(part, ())]
        leader = robot.tree.leader
        self.joints = np.array([j for j in joints if leader[j] == j], np.int32)
        """all independent joints of hands and face, moved or not"""
        self._tree = tree_arrays(robot.tree)
        copies = np.array([j for j in joints if leader[j] != j], np.int32)
        self._followers = self._make_followers(switched, copies)
        self._gaze = self._make_gaze(reference)
        self._relaxed = self._followers.rest + self._followers.gain * self._followers.relaxed

    @property
    def variables(self) -> NDArray[np.intp]:
        """Rows of `joints` among the variables of the whole-body problem."""
        return np.asarray(self._tree.variable[self.joints], np.intp)

    @property
    def moved(self) -> tuple[int, ...]:
        """The joints of hands and face that follow the person."""
        led = () if self.grasp is None else self.grasp.grasp.column - self.robot.first_joint
        own: tuple[FingerJoint | FaceJoint, ...] = (*self.fingers, *self.face)
        return (*map(int, led), *(joint.joint for joint in own))

    @property
    def unmatched(self) -> tuple[str, ...]:
        """What of a person's hands and face nothing on the robot follows."""
        groups, moved = self.robot.semantics.joints, set(self.moved)
        hands = [f"{side}_fingers" for side in SIDES if not moved & set(groups.get(f"{side}_fingers", ()))]
        signals = {joint.signal for joint in self.face}
        return (*hands, *(["jaw"] if JAW not in signals else []), *(["eyes"] if signals <= {JAW} else []))

    def held(self, limits: Limits) -> Limits:
        """The whole-body problem's limits (nv,) with hands and face as in the neutral configuration."""
        lower, upper = limits.lower.copy(), limits.upper.copy()
        rest = self.robot.neutral[self.robot.first_joint + self.joints]
        lower[self.variables] = upper[self.variables] = np.clip(rest, lower[self.variables], upper[self.variables])
        return Limits(lower, upper)

    def start(self) -> ExtremityState:
        """A fresh state: hands relaxed, jaw closed, eyes ahead."""
        m = len(self._relaxed)
        follow = FollowMemory(
            self._relaxed.copy() if m else np.zeros(0), np.zeros(2, bool), np.zeros(SIGNALS), np.zeros(SIGNALS, bool),
            np.zeros(1, bool), np.zeros((4, 3, 3)),
        )  # fmt: skip
        return ExtremityState(follow, None if self.grasp is None else start_grasp(self.grasp))

    def follow(
        self,
        state: ExtremityState,
        dt_s: float,
        clip: tuple[Array, Array, Flags, Flags],
        jaw: ArrayLike | None,
        eyes: ArrayLike | None,
        qpos: Array,
    ) -> None:
        """Set hands and face in configurations `qpos` (T, nq), in place, frames `dt_s` apart.

        `clip`: positions (T, J, 3), rotations (T, J, 4), and whether they are known (T, J) each. `jaw` (T,) and `eyes`
        (T, 2) as a `HumanMotion` has them, or those of the one frame. What is not known stays as it last was, relaxed
        at first. The first frame of a state is met at once.
        """
        if not len(self.joints):
            return
        face = np.full((len(qpos), SIGNALS - JAW), np.nan)
        if jaw is not None:
            face[:, 0] = jaw
        if eyes is not None:
            face[:, 1:] = eyes
        head = (self._tree, PERSON, self._followers, self._gaze, state.follow)
        if self.grasp is None or state.grasp is None:
            follow_frames(*head, dt_s, *clip, face, qpos)
            return
        problem, own = self.grasp, state.grasp
        grasp_frames(
            *head, problem.arrays, problem.tasks, own.targets, NO_BODIES, problem.limits, own.bounds, own.work,
            problem.grasp, own.memory, dt_s, *clip, face, qpos,
        )  # fmt: skip

    def _make_followers(self, switched: set[int], copies: NDArray[np.int32]) -> Followers:
        joints: list[FingerJoint | FaceJoint] = [*self.fingers, *self.face]
        group = JointGroup(self.robot, [joint.joint for joint in joints])
        drives = np.zeros((len(joints), SIGNALS))
        rest, gain, relaxed = np.zeros(len(joints)), np.zeros(len(joints)), np.zeros(len(joints))
        switch = np.full(len(joints), -1, np.int32)
        for row, joint in enumerate(joints):
            if isinstance(joint, FingerJoint):
                drives[row, joint.side * len(FINGERS) + np.array(joint.fingers)] = 1.0
                rest[row], gain[row] = joint.open, joint.closed - joint.open
                if joint.side in switched:
                    drives[row, joint.side * len(FINGERS) + 1 : (joint.side + 1) * len(FINGERS)] = 1.0
                    switch[row] = joint.side
                else:
                    relaxed[row] = np.mean([RELAXED[finger] for finger in joint.fingers])
            else:
                drives[row, joint.signal] = 1.0
                rest[row], gain[row] = joint.rest, joint.gain
        columns = group.columns.astype(np.int32)
        return Followers(columns, drives, rest, gain, relaxed, switch, group.lower, group.upper, group.speed, copies)

    def _make_gaze(self, reference: int) -> Gaze:
        """The eyes' carrier; in the neutral configuration it looks ahead."""
        robot, frame = self.robot, np.ascontiguousarray(self.robot.semantics.world_from_body)
        eyes = [joint.joint + 1 for joint in self.face if joint.signal > JAW]
        if not eyes:
            return Gaze(np.zeros(0, np.int32), np.eye(3), -1, reference, frame)
        node = int(robot.tree.parent[min(eyes)])
        _, rotation = robot.tree.forward(robot.neutral)
        path, here = [], node
        while here > 0:
            path.append(here)
            here = int(robot.tree.parent[here])
        node_from_canonical = np.ascontiguousarray(rotation[node].T @ frame)
        return Gaze(np.array(path[::-1], np.int32), node_from_canonical, INDEX["head"], reference, frame)
