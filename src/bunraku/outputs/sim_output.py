"""The simulator as a robot: stepped in real time by a process of its own, told and asked through shared memory.

It behaves like a robot with a controller on board (`on_board`): silence, the loop's `stop` or the watchdog's word
freeze its goal where it is.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, OutputError
from bunraku.mailbox import Mailbox, Shared, processes, shared_array
from bunraku.outputs.on_board import RELEASE_S, OnBoard
from bunraku.outputs.output import Guardian, OutputKind, RobotInfo, Sent
from bunraku.robots import Robot
from bunraku.robots.command import Command, Measured

Array = NDArray[np.float64]

RATE_HZ = 200.0
"""of the simulator's steps and of its measurements"""
_READY_S = 60.0
_PRIORITY = -10  # of its process, where the system allows: a robot's own board is not kept waiting either
_LONGEST_S = 0.1  # of one step; what a busy machine misses beyond is left out
READY, STOP, RELEASE, CLOSE, WATCHDOG = range(5)
"""rows of the orders: set to 1 by whoever gives them, READY by the simulator"""


@dataclass(frozen=True, eq=False)
class Lines:
    """What the two processes share."""

    commands: Mailbox
    """sequence, arming, weight, qpos"""
    reports: Mailbox
    orders: Shared
    """(5,)"""

    @classmethod
    def for_robot(cls, robot: Robot) -> Lines:
        """Of the sizes that this robot needs."""
        n, nq, nv = len(robot.joint_names), len(robot.neutral), robot.tree.velocity_size
        return cls(Mailbox(8 * (3 + nq)), Mailbox(8 * (4 + nq + nv + 4 * n)), shared_array(5, np.int64))


@dataclass(frozen=True, eq=False)
class SimGuardian:
    """The watchdog's word to the simulator."""

    lines: Lines

    def act(self) -> None:
        """Freeze the goal, whatever the loop says from now on."""
        self.lines.orders.array[WATCHDOG] = 1


class SimOutput:
    """The loop's side."""

    def __init__(self, robot: Robot, *, touch: bool = False) -> None:
        self._robot, self._touch = robot, touch
        self.lines = Lines.for_robot(robot)
        self._process: object | None = None
        self._sequence = 0
        self._seen = 0
        self._report: _Report | None = None

    def host(self) -> None:
        """Begin the simulator's process, if it is not there yet. Whoever outlives the loop does this before it."""
        if self._process is None:
            self._process = processes.Process(
                target=simulate, args=(self._robot, self.lines, self._touch), name="bunraku-sim", daemon=True
            )
            self._process.start()

    def __getstate__(self) -> dict[str, object]:
        hosted = self._process is not None
        return {**self.__dict__, "_process": hosted or None}

    def open(self) -> RobotInfo:
        """Wait until the simulator stands."""
        self.host()
        until = time.monotonic() + _READY_S
        while not self.lines.orders.array[READY]:
            if time.monotonic() > until:
                raise OutputError(f"sim: the simulator of '{self._robot.name}' did not begin within {_READY_S:g} s")
            time.sleep(0.01)
        return RobotInfo(robot=self._robot.name, joint_names=self._robot.joint_names, simulated=True)

    def send(self, command: Command) -> Sent:
        """Put it where the simulator looks."""
        self._sequence += 1
        head = np.array([self._sequence, command.arming, 0], np.int64).view(np.float64)
        head[2] = command.weight
        self.lines.commands.put(np.concatenate([head, command.qpos]))
        report = self._newest()
        return Sent(
            qpos=command.qpos,
            sequence=self._sequence,
            acknowledged=report.acknowledged if report else -1,
            acknowledged_ns=report.acknowledged_ns if report else 0,
        )

    def measured(self) -> Measured | None:
        """The simulator's newest report."""
        report = self._newest()
        return report.measured if report else None

    def stop(self) -> None:
        """Freeze the goal."""
        self.lines.orders.array[STOP] = 1

    def release(self) -> None:
        """Authority ramps down in the simulator."""
        self.lines.orders.array[RELEASE] = 1

    def close(self) -> None:
        """The simulator ends."""
        self.lines.orders.array[CLOSE] = 1
        process, self._process = self._process, None
        if isinstance(process, processes.Process):
            process.join(RELEASE_S + 3.0)

    def guardian(self) -> Guardian | None:
        """A flag that the simulator obeys above all."""
        return SimGuardian(self.lines)

    def _newest(self) -> _Report | None:
        count = self.lines.reports.count
        if count != self._seen:
            data = self.lines.reports.get()
            if data is not None:
                self._report, self._seen = _Report.unpack(data, self._robot), count
        return self._report


@dataclass(frozen=True, eq=False)
class _Report:
    acknowledged: int
    acknowledged_ns: int
    measured: Measured

    def pack(self) -> bytes:
        m = self.measured
        head = np.array([self.acknowledged, self.acknowledged_ns, m.stamp_ns, 0], np.int64).view(np.float64)
        return np.concatenate([head, m.qpos, m.qvel, m.effort, m.error, m.saturated, m.rate_limited]).tobytes()

    @classmethod
    def unpack(cls, data: bytes, robot: Robot) -> _Report:
        values = np.frombuffer(data, float)
        head = values[:4].view(np.int64)
        n, nq, nv = len(robot.joint_names), len(robot.neutral), robot.tree.velocity_size
        qpos, qvel, *rest = np.split(values[4:], np.cumsum([nq, nv, n, n, n]))
        effort, error, saturated, limited = rest
        return cls(
            int(head[0]),
            int(head[1]),
            Measured(
                qpos=qpos,
                qvel=qvel,
                effort=effort,
                error=error,
                saturated=saturated > 0,
                rate_limited=limited > 0,
                stamp_ns=int(head[2]),
            ),
        )


def spare_own_parts(model: Any) -> None:
    """The robot touches the floor but not itself: its fitted shapes are thicker than it is."""
    import mujoco

    model.geom_conaffinity[model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE] = 0


def simulate(robot: Robot, lines: Lines, touch: bool = False) -> None:
    """The simulator's process: until it is told to close, or whoever began it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _PRIORITY)
    from bunraku.outputs.sim import Simulation

    simulation, board, parent = Simulation(robot), OnBoard(robot), os.getppid()
    if not touch:
        spare_own_parts(simulation.model)
    orders, dt = lines.orders.array, 1 / RATE_HZ
    due = before = time.monotonic()
    orders[READY] = 1
    while True:
        now = time.monotonic()
        data = lines.commands.get()
        if data is not None:
            board.told(data, now)
        if orders[STOP] or orders[WATCHDOG]:
            board.freeze(forever=bool(orders[WATCHDOG]))
            orders[STOP] = 0
        orphaned = os.getppid() != parent
        if orders[RELEASE] or orders[CLOSE] or orphaned:
            board.release()
        if (orders[CLOSE] or orphaned) and board.weight <= 0:
            return
        passed = min(max(now - before, dt), _LONGEST_S)
        before = now
        report = _Report(board.sequence, board.acknowledged_ns, simulation.step(board.advance(now, passed), passed))
        lines.reports.put(report.pack())
        due = max(due + dt, now)
        time.sleep(max(due - time.monotonic(), 0.0))


def _make(rest: str, options: Mapping[str, str], robot: Robot) -> SimOutput:
    if rest:
        raise InputError(f"sim:{rest}: nothing comes after 'sim:'")
    touch = options.get("touch", "no")
    if touch not in ("yes", "no"):
        raise InputError(f"sim: touch={touch}: yes or no")
    return SimOutput(robot, touch=touch == "yes")


OUTPUT = OutputKind(
    scheme="sim",
    summary="a simulated robot in real time, with its speeds and efforts",
    example="sim:",
    options=MappingProxyType(
        {"touch": "yes: its parts collide, in shapes that are thicker than they are (default no)"}
    ),
    simulated=True,
    make=_make,
)
