"""The outputs as one robot: the first one is asked where it is, all are told where to be."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import BunrakuError, OutputError
from bunraku.outputs.output import Output, RobotInfo
from bunraku.robots import Robot
from bunraku.robots.command import Command, Measured
from bunraku.safety.observed import RobotSeen

Array = NDArray[np.float64]

LAST_WORDS = 5
"""stops and releases are sent so many times when a session ends badly"""
_MOST_OPEN = 1024


class RobotSide:
    """Instants are monotonic nanoseconds."""

    def __init__(self, robot: Robot, outputs: Sequence[Output]) -> None:
        if not outputs:
            raise OutputError("a session needs an output, for instance null:")
        self.robot, self.outputs = robot, outputs
        self.measured: Measured | None = None
        self.sent: Array | None = None
        """(nq,) what went out last"""
        self.acknowledged_ns = -1
        """between the newest known pair of sending and having it; -1 before the first"""
        self._told_ns = self._arming = 0
        self._wrong = ""
        self._error = ""
        self._write_failed = False
        self._connected = False
        self._open: deque[tuple[int, int]] = deque(maxlen=_MOST_OPEN)

    def open(self) -> None:
        """Connect all; a robot that is another one than was loaded is noted, not refused."""
        for output in self.outputs:
            info = output.open()
            self._wrong = self._wrong or _difference(self.robot, info)
        self._connected = True

    def look(self, now_ns: int) -> Measured | None:
        """The newest measurement; what cannot be one is as good as none."""
        try:
            told = self.outputs[0].measured()
        except OutputError as error:
            self._error = str(error)
            return self.measured
        if told is not None and told is not self.measured and np.isfinite(told.qpos).all():
            self.measured, self._told_ns = told, now_ns
        return self.measured

    def arm(self) -> None:
        """The robot is armed anew, from where it is."""
        self._arming += 1

    def send(self, qpos: Array, weight: float, now_ns: int) -> None:
        """Tell all; what cannot be sent is a fault, not an exception."""
        command = Command(qpos=qpos, weight=weight, stamp_ns=now_ns, arming=self._arming)
        for number, output in enumerate(self.outputs):
            try:
                sent = output.send(command)
            except OutputError as error:
                self._write_failed, self._error = True, str(error)
                continue
            if number == 0:
                self.sent = sent.qpos
                self._open.append((sent.sequence, now_ns))
                self._match(sent.acknowledged, sent.acknowledged_ns)

    def seen(self, now_ns: int) -> RobotSeen:
        """For the machine of states."""
        measured = self.measured
        if measured is None:
            return RobotSeen(connected=self._connected, wrong=self._wrong, error=self._error)
        joints = measured.qpos[self.robot.first_joint :]
        outside = np.maximum(self.robot.lower - joints, joints - self.robot.upper)
        worst = int(np.abs(measured.error).argmax())
        return RobotSeen(
            connected=self._connected,
            age_s=max(now_ns - self._told_ns, 0) / 1e9,
            wrong=self._wrong,
            outside_rad=max(float(outside.max(initial=0.0)), 0.0),
            tracking_rad=float(np.abs(measured.error[worst])),
            joint=self.robot.joint_names[worst],
            error=self._error,
            write_failed=self._write_failed,
        )

    def acknowledge(self) -> None:
        """The operator has read what went wrong: try again."""
        self._write_failed, self._error = False, ""

    def stop(self) -> None:
        """The safest standstill of each."""
        for output in self.outputs:
            with suppress(BunrakuError):
                output.stop()

    def release(self) -> None:
        """Give up authority."""
        for output in self.outputs:
            with suppress(BunrakuError):
                output.release()

    def close(self) -> None:
        """End all, even where one of them fails."""
        failed: list[BunrakuError] = []
        for output in self.outputs:
            try:
                output.close()
            except BunrakuError as error:
                failed.append(error)
        if failed:
            raise failed[0]

    def _match(self, acknowledged: int, acknowledged_ns: int) -> None:
        """How long the newest command that the robot is known to have took to get there."""
        while self._open and self._open[0][0] < acknowledged:
            self._open.popleft()
        if self._open and self._open[0][0] == acknowledged:
            self.acknowledged_ns = max(acknowledged_ns - self._open.popleft()[1], 0)


def _difference(robot: Robot, info: RobotInfo) -> str:
    """How the robot that answered differs from the one that was loaded, in words."""
    if info.robot != robot.name:
        return f"'{info.robot}' answered, '{robot.name}' was loaded"
    if info.joint_names != robot.joint_names:
        return f"{len(info.joint_names)} joints answered in another order or number than {len(robot.joint_names)}"
    return ""
