"""An output with faults on purpose: see `bunraku.faults`.

Its clock are the stamps of the commands; while there are none, each question for a measurement is a period.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bunraku.faults import Faults
from bunraku.outputs.output import Guardian, Output, RobotInfo, Sent
from bunraku.robots import Robot
from bunraku.robots.command import Command, Measured

Array = NDArray[np.float64]

SLOW_S = DELAY_S = 0.2
_OFFSET_RAD, _JUMP_RAD = 0.3, 1.5
_MOST_KEPT = 256


class FaultyOutput:
    """Another output, whose commands or reports come to harm on their way while the fault is on."""

    def __init__(self, inner: Output, faults: Faults, robot: Robot) -> None:
        self._inner, self._faults, self._robot = inner, faults, robot
        self._random = np.random.default_rng(faults.seed)
        self._begun_ns: int | None = None
        self._now_ns = self._passed_ns = self._period_ns = self._asked = 0
        self._is_on = self._by_hand = False
        self._late: deque[Command] = deque(maxlen=_MOST_KEPT)
        self._sent: Sent | None = None
        self._told: Measured | None = None
        self._shown: Measured | None = None
        self._before: deque[Measured] = deque(maxlen=3)

    def open(self) -> RobotInfo:
        """The other's."""
        return self._inner.open()

    def send(self, command: Command) -> Sent:
        """Pass on what the fault lets through; what the robot gets is what it would get over such a line."""
        if self._asked == 1:
            self._period_ns = max(command.stamp_ns - self._now_ns, 0)
        self._asked = 0
        self._turn(command.stamp_ns)
        self._late.append(command)
        passed = self._passed(command) if self._is_on else command
        if passed is not None:
            self._sent, self._passed_ns = self._inner.send(passed), command.stamp_ns
            if self._is_on and self._faults.mode == "duplicate":
                self._sent = self._inner.send(passed)
        return self._sent or Sent(qpos=command.qpos, sequence=0)

    def switch(self, mode: str | None) -> None:
        """Turn a fault on by hand, from now on; None: all is well. The period does not count any more."""
        self._by_hand = True
        self._is_on = mode is not None
        if mode is not None:
            self._faults = replace(self._faults, mode=mode)

    def measured(self) -> Measured | None:
        """The robot's report, or what arrives of it."""
        self._asked += 1
        if self._asked > 1 and self._begun_ns is not None:
            self._turn(self._now_ns + self._period_ns)
        told = self._inner.measured()
        new, self._told = told is not self._told, told
        if told is None or not self._is_on:
            self._shown = told
        elif new:
            self._before.append(told)
            self._shown = self._harmed(told)
        return self._shown

    def stop(self) -> None:
        """The other's."""
        self._inner.stop()

    def release(self) -> None:
        """The other's."""
        self._inner.release()

    def close(self) -> None:
        """The other's."""
        self._inner.close()

    def guardian(self) -> Guardian | None:
        """The other's: the last word comes through."""
        return self._inner.guardian()

    @property
    def inner(self) -> Output:
        """The sound one."""
        return self._inner

    def _turn(self, now_ns: int) -> None:
        """The clock goes on."""
        self._now_ns = now_ns
        if self._begun_ns is None:
            self._begun_ns = now_ns
        if not self._by_hand:
            self._is_on = self._faults.on((now_ns - self._begun_ns) / 1e9)

    def _passed(self, command: Command) -> Command | None:
        """What is sent in place of a command; None for nothing."""
        mode = self._faults.mode
        if mode == "delayed":
            due = [c for c in self._late if self._now_ns - c.stamp_ns >= DELAY_S * 1e9]
            return due[-1] if due else None
        if mode == "off" or (mode == "slow" and self._now_ns - self._passed_ns < SLOW_S * 1e9):
            return None
        if mode == "intermittent" and self._random.random() < 0.5:
            return None
        return command

    def _harmed(self, told: Measured) -> Measured | None:
        """What is shown in place of a report."""
        mode, shown, n = self._faults.mode, self._shown, len(self._robot.joint_names)
        qpos, first = told.qpos.copy(), self._robot.first_joint
        joints = qpos[first:]
        if mode == "off" or (mode == "intermittent" and self._random.random() < 0.5):
            return shown
        if mode == "stuck":
            return replace(shown or told, stamp_ns=told.stamp_ns)
        if mode == "reorder" and self._random.random() < 0.5:
            return self._before[0]
        if mode == "garbage":
            joints[:] = self._random.uniform(-1e3, 1e3, n)
        elif mode == "wrong":
            joints += _OFFSET_RAD
        elif mode == "nan":
            joints[self._random.integers(n)] = self._random.choice([np.nan, np.inf, 1e308])
        elif mode == "flip" and first:
            qpos[3:7] *= -1
        elif mode == "swap":
            joints[:] = joints[::-1].copy()
        elif mode == "teleport":
            joints[self._random.integers(n)] += _JUMP_RAD
        return replace(told, qpos=qpos)
