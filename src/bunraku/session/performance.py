"""A recorded motion performed from end to end: retargeted, played in the simulator, and judged."""

from __future__ import annotations

import time
from dataclasses import dataclass

from bunraku.evaluate import Evaluation, evaluate
from bunraku.human import HumanMotion
from bunraku.human.ground import on_ground
from bunraku.outputs.sim import Simulation
from bunraku.retarget import retarget
from bunraku.robots import Robot, RobotMotion


@dataclass(frozen=True, eq=False)
class Performance:
    """What the person did, what the robot was told, what it did, and how alike the two are."""

    human: HumanMotion
    """on the ground"""
    robot: Robot
    planned: RobotMotion
    played: RobotMotion
    quality: Evaluation
    """of the plan"""
    retarget_s: float
    """time that retargeting took"""

    def summary(self) -> dict[str, float]:
        """The figures that a person wants first."""
        out = {
            "frames": float(len(self.human)),
            "fps": self.human.fps,
            "retarget_frames_per_s": len(self.human) / max(self.retarget_s, 1e-9),
            "tracking_mean_rad": self.played.quality["tracking_mean_rad"],
            "tracking_max_rad": self.played.quality["tracking_max_rad"],
        }
        wanted = (
            "limb_deg_world",
            "limb_deg",
            "self_collision_pct",
            "slide_cm_s",
            "penetration_max_cm",
            "limit_violations",
        )
        return out | {name: float(self.quality[name]) for name in wanted if name in self.quality}


def perform(motion: HumanMotion, robot: Robot) -> Performance:
    """Run the whole way. Kernels that are compiled at first use are compiled before the clock starts."""
    grounded = on_ground(motion)
    retarget(grounded.frames(slice(0, 2)), robot)
    started = time.perf_counter()
    planned = retarget(grounded, robot)
    spent = time.perf_counter() - started
    played = Simulation(robot).play(planned)
    return Performance(grounded, robot, planned, played, evaluate(grounded, planned, robot), spent)
