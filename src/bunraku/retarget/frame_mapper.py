"""What the mappers without a solver share: frame after frame, hands and face as ever, holds counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.body import Body
from bunraku.human.opening import without_calibration
from bunraku.human.skeleton import JOINT_COUNT
from bunraku.retarget.extremities import Extremities, ExtremityState
from bunraku.retarget.mapper import Target
from bunraku.retarget.turn_kernels import sound
from bunraku.robots import Robot, RobotMotion

Array = NDArray[np.float64]
Clip = tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_]]
"""positions (T, J, 3), rotations (T, J, 4), and whether they are known (T, J) each"""

REASONS = ("missing", "undetermined")
"""why a part held an angle: the pose did not know it, or did not determine it"""


class Memory(Protocol):
    """What a mapper's compiled code remembers."""

    @property
    def held(self) -> NDArray[np.int64]:
        """(C, 2) frames in which each part held something, by reason."""


@dataclass(eq=False)
class FrameState:
    """All that is remembered from one frame to the next."""

    memory: Any
    extremities: ExtremityState
    parts: tuple[str, ...]

    @property
    def held(self) -> dict[str, int]:
        """Frames in which a part held an angle, by part and reason, where there were any."""
        counts = self.memory.held
        return {
            f"{part}_{reason}": int(counts[row, column])
            for row, part in enumerate(self.parts)
            for column, reason in enumerate(REASONS)
            if counts[row, column]
        }


class FrameMapper(ABC):
    """Maps poses one by one. It holds no history: that is in the state made by `start`."""

    parts: tuple[str, ...]
    """what holds are counted for"""

    def __init__(self, robot: Robot, reference: int = -1) -> None:
        """`reference`: the human joint whose frame stands for a fixed base, -1 for the world."""
        self.robot = robot
        self.extremities = Extremities(robot, reference)

    @abstractmethod
    def make_memory(self) -> Memory:
        """Nothing seen yet."""

    @abstractmethod
    def frames(self, memory: Any, dt_s: float, clip: Clip, out: Array) -> None:
        """The compiled part: frames `dt_s` apart into `out` (T, nq)."""

    def prepare_for(self, body: Body) -> None:  # noqa: B027
        """Fit to an operator's build; directions and angles have no size."""

    def start(self) -> FrameState:
        """A fresh state: the next pose is met at once."""
        return FrameState(self.make_memory(), self.extremities.start(), self.parts)

    def solve(self, pose: HumanPose, state: FrameState, *, dt_s: float = np.inf) -> Target:
        """One pose; no joint moves faster than its limit over `dt_s`."""
        known = np.empty((2, 1, JOINT_COUNT), bool)
        sound(pose.positions, pose.rotations, pose.position_valid, pose.rotation_valid, known[0], known[1])
        clip = pose.positions[None], pose.rotations[None], known[0], known[1]
        out = np.empty((1, self.robot.tree.qpos_size))
        self.frames(state.memory, dt_s, clip, out)
        self.extremities.follow(state.extremities, dt_s, clip, pose.jaw, pose.eyes, out)
        return Target(out[0], 0.0, 1)

    def solve_clip(self, motion: HumanMotion) -> RobotMotion:
        """A whole recording, frame after frame."""
        motion = without_calibration(motion)
        self.measure(motion)
        state, dt_s = self.start(), 1.0 / motion.fps
        clip = motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid
        out = np.empty((len(motion), self.robot.tree.qpos_size))
        self.frames(state.memory, dt_s, clip, out)
        if len(motion):
            self.extremities.follow(state.extremities, dt_s, clip, motion.jaw, motion.eyes, out)
        return RobotMotion(
            qpos=out,
            joint_names=self.robot.joint_names,
            fps=motion.fps,
            robot=self.robot.name,
            root=self.robot.base,
            quality={"frames": float(len(motion)), **{f"held_{k}": float(v) for k, v in state.held.items()}},
        )

    def measure(self, motion: HumanMotion) -> None:  # noqa: B027
        """Fit to the person of a recording; directions and angles have no size."""


def is_single_chain(robot: Robot) -> bool:
    """Whether the robot is one chain of joints on a fixed base, as a desk light is."""
    tree = robot.tree
    return not tree.free_base and np.array_equal(tree.parent[1:], np.arange(tree.joint_count))
