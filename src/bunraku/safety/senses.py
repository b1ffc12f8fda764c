"""What the guard sees for itself: targets that are none, late ticks, joints that do not follow, poses alike."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bunraku.robots import Robot
from bunraku.robots.command import Measured
from bunraku.safety.limiter_kernels import ABSURD
from bunraku.safety.machine import MET_RAD
from bunraku.safety.match import Matching, PoseMatch
from bunraku.safety.observed import LoopSeen, Observed, RobotSeen
from bunraku.safety.table import MOST_OVERRUNS, held_limbs

Array = NDArray[np.float64]

LATE = 1.5
"""of a period: a tick that comes later is late"""
ECHO_S = 0.1
"""a robot that is where it was told to be within this time follows its command"""
HOME_RAD = 0.02
NO_MATCH = Matching(0.0, {})


class Senses:
    """Completes what the loop observed. All arrays are (nq,)."""

    def __init__(self, robot: Robot, period_s: float) -> None:
        nq, first = robot.tree.qpos_size, robot.first_joint
        self._robot, self._period_s, self._match = robot, period_s, PoseMatch(robot)
        self._independent = first + robot.tree.independent
        self._limbs = {name: first + np.array(joints, int) for name, joints in robot.semantics.joints.items()}
        self._lower, self._upper = np.full(nq, -np.inf), np.full(nq, np.inf)
        self._lower[first:], self._upper[first:] = robot.lower, robot.upper
        self.target = robot.neutral.copy()
        """the last one that was one"""
        self.place: Array | None = None
        """where the robot was last seen"""
        self.held, self.behind = np.zeros(nq, bool), np.zeros(nq, bool)
        """joints of limbs that hold, and those that did and have not caught up yet"""
        self._echo, self._told = np.zeros((max(1, round(ECHO_S / period_s)), nq)), 0
        self._late: deque[int] = deque(maxlen=MOST_OVERRUNS)
        self._garbage = 0

    def take(self, target: Array | None) -> bool:
        """Keep a target that is one; otherwise the one before stands. Whether this tick has one."""
        if target is None:
            return False
        if not (np.abs(target) <= ABSURD).all():
            self._garbage += 1
            return False
        self._garbage = 0
        self.target[:] = target
        return True

    def measure(self, measured: Measured | None) -> None:
        """Keep where the robot is; a measurement of garbage is none."""
        if measured is not None and (np.abs(measured.qpos) <= ABSURD).all():
            self.place = measured.qpos.copy()

    def compare(self) -> Matching:
        """The robot's pose with the target's."""
        return NO_MATCH if self.place is None else self._match.of(self.target, self.place)

    def told(self, command: Array) -> None:
        """Remember a command for as long as the robot may take to follow it."""
        self._echo[self._told % len(self._echo)] = command
        self._told += 1

    def start(self, command: Array) -> None:
        """Nothing was told but this."""
        self._echo[:] = command
        self.behind[:] = False

    def complete(
        self, now_ns: int, elapsed_s: float, observed: Observed, command: Array, aim: Array, *, led: bool
    ) -> Observed:
        """`observed` with all that can be seen from the last command, what it aims at, and the clock.

        `led`: the robot has been told where to be with full authority.
        """
        self.held[:] = False
        for limb in held_limbs(observed):
            if limb in self._limbs:
                self.held[self._limbs[limb]] = True
        away = np.abs(command - np.clip(aim, self._lower, self._upper))
        away[self.held] = 0.0
        self.behind |= self.held
        self.behind &= self.held | (away > MET_RAD)
        home = np.abs(command - self._robot.neutral)[self._independent]
        return replace(
            observed,
            loop=self._loop(now_ns, elapsed_s, observed.loop),
            robot=self._seen(observed.robot, led),
            error_rad=float(np.max(away[self._independent])),
            home=bool(np.all(home <= HOME_RAD)),
        )

    def _loop(self, now_ns: int, elapsed_s: float, loop: LoopSeen) -> LoopSeen:
        if elapsed_s > LATE * self._period_s:
            self._late.append(now_ns)
        overruns = sum(now_ns - late < 1e9 for late in self._late)
        return replace(
            loop,
            overruns=max(loop.overruns, overruns),
            stall_s=max(loop.stall_s, elapsed_s),
            garbage_targets=max(loop.garbage_targets, self._garbage),
        )

    def _seen(self, robot: RobotSeen, led: bool) -> RobotSeen:
        """How far the robot is outside of its limits, and from all that it was told of late."""
        if self.place is None:
            return replace(robot, age_s=np.inf)
        joints = self._independent
        outside = np.maximum(self._lower - self.place, self.place - self._upper)
        beside = np.maximum(self._echo.min(axis=0) - self.place, self.place - self._echo.max(axis=0))[joints]
        worst = int(np.argmax(beside))
        error = float(beside[worst])
        if not led or error <= robot.tracking_rad:
            return replace(robot, outside_rad=max(robot.outside_rad, float(np.max(outside, initial=0.0))))
        return replace(
            robot,
            outside_rad=max(robot.outside_rad, float(np.max(outside, initial=0.0))),
            tracking_rad=error,
            joint=self._robot.joint_names[int(joints[worst]) - self._robot.first_joint],
        )
