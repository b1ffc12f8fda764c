"""The papers' mappers for arms, neck and trunk: exact, instantaneous, without a solver.

`girard.py` (the first paper) follows the orientation of the upper arm, `hirschmanner.py` (the second) the directions of
upper arm, forearm and hand, `gong.py` (the third) the angles between the person's segments. Hands and face follow as they do with
the whole-body mapper. Bases and legs stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.body import Body
from bunraku.human.opening import without_calibration
from bunraku.retarget.closed_kernels import (
    MISSING,
    SINGULAR,
    ChainMemory,
    closed_frames,
)
from bunraku.retarget.closed_model import CHAINS, build_chains, make_memory
from bunraku.retarget.extremities import Extremities, ExtremityState
from bunraku.retarget.first_pose import pose_arrays
from bunraku.retarget.mapper import Target
from bunraku.robots import Robot, RobotMotion

Array = NDArray[np.float64]

FITTING = ("inmoov", "leonardo", "pepper", "puppet", "romeo")
"""robots by name whose arms the closed forms fit"""


@dataclass(eq=False)
class ClosedFormState:
    """All that is remembered from one frame to the next."""

    chains: ChainMemory
    extremities: ExtremityState

    @property
    def held(self) -> dict[str, int]:
        """Frames in which a part held an angle, by part and reason: not known to the pose, or not determined by it."""
        counts = self.chains.held
        return {
            f"{name}_{reason}": int(counts[chain, row])
            for chain, name in enumerate(CHAINS)
            for row, reason in ((MISSING, "missing"), (SINGULAR, "undetermined"))
            if counts[chain, row]
        }


class ClosedFormMapper:
    """Maps arms, neck and trunk of one robot. It holds no history: that is in the state made by `start`."""

    def __init__(self, robot: Robot, name: str, method: int, *, torso: bool = False) -> None:
        self.robot, self.name = robot, name
        self.chains = build_chains(robot, name, method, torso=torso, fitting=FITTING)
        self.extremities = Extremities(robot, self.chains.reference if robot.base == "fixed" else -1)

    def prepare_for(self, body: Body) -> None:
        """Directions and angles have no size: nothing is to be fitted."""

    def start(self) -> ClosedFormState:
        """A fresh state: the next pose is met at once."""
        return ClosedFormState(make_memory(), self.extremities.start())

    def solve(self, pose: HumanPose, state: ClosedFormState, *, dt_s: float = np.inf) -> Target:
        """One pose; no joint moves faster than its limit over `dt_s`."""
        clip = pose_arrays(pose)
        out = np.empty((1, self.robot.tree.qpos_size))
        self.frames(state, dt_s, clip, out)
        self.extremities.follow(state.extremities, dt_s, clip, pose.jaw, pose.eyes, out)
        return Target(out[0], 0.0, 1)

    def frames(self, state: ClosedFormState, dt_s: float, clip: tuple[Array, ...], out: Array) -> None:
        """Arms, neck and trunk for frames `dt_s` apart, into `out` (T, nq): the compiled part."""
        closed_frames(self.chains, state.chains, self.robot.neutral, dt_s, clip, out)

    def solve_clip(self, motion: HumanMotion) -> RobotMotion:
        """A whole recording, frame after frame."""
        motion = without_calibration(motion)
        state, dt_s = self.start(), 1.0 / motion.fps
        clip = motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid
        out = np.empty((len(motion), self.robot.tree.qpos_size))
        self.frames(state, dt_s, clip, out)
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
