"""No robot at all: commands are taken, and the answer is a robot that is where it was told to be."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from bunraku.errors import InputError, OutputError
from bunraku.outputs.output import Guardian, OutputKind, RobotInfo, Sent
from bunraku.robots import Robot
from bunraku.robots.command import Command, Measured


class NullOutput:
    """A perfect robot, standing in its neutral configuration until it is told otherwise."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._qpos = robot.neutral.copy()
        self._open = False
        self._sequence = self._reports = 0

    def open(self) -> RobotInfo:
        """Always there."""
        self._open = True
        return RobotInfo(robot=self._robot.name, joint_names=self._robot.joint_names, simulated=True)

    def send(self, command: Command) -> Sent:
        """Be there at once."""
        if not self._open:
            raise OutputError("null: it is not open")
        self._sequence += 1
        if command.weight > 0:
            self._qpos = command.qpos.copy()
        return Sent(
            qpos=command.qpos,
            sequence=self._sequence,
            acknowledged=self._sequence,
            acknowledged_ns=command.stamp_ns,
        )

    def measured(self) -> Measured | None:
        """Where it was told to be, reported anew each time."""
        if not self._open:
            return None
        self._reports += 1
        n, still = len(self._robot.joint_names), np.zeros(len(self._robot.joint_names), bool)
        return Measured(
            qpos=self._qpos.copy(),
            qvel=np.zeros(self._robot.tree.velocity_size),
            effort=np.zeros(n),
            error=np.zeros(n),
            saturated=still,
            rate_limited=still,
            stamp_ns=self._reports,
        )

    def stop(self) -> None:
        """It never moves by itself."""

    def release(self) -> None:
        """There is no authority to give up."""

    def close(self) -> None:
        """Nothing is taken any more."""
        self._open = False

    def guardian(self) -> Guardian | None:
        """Nothing could move."""
        return None


def _make(rest: str, options: Mapping[str, str], robot: Robot) -> NullOutput:
    if rest:
        raise InputError(f"null:{rest}: nothing comes after 'null:'")
    return NullOutput(robot)


OUTPUT = OutputKind(
    scheme="null",
    summary="no robot: commands are taken and go nowhere",
    example="null:",
    options=MappingProxyType({}),
    simulated=True,
    make=_make,
)
