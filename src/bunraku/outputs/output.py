"""What an output is, and how one is opened by its URI: a robot's interface, a simulator, a file.

An output does what it is told: whoever calls it has limited the command already. `send` never blocks. What a robot can
do for itself when nobody tells it anything more belongs into its `Guardian`, which works from another process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qsl

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.faults import PREFIX, split_faults
from bunraku.robots import Robot
from bunraku.robots.command import Command, Measured

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RobotInfo:
    """Who answered when the output was opened."""

    robot: str
    joint_names: tuple[str, ...]
    """in the order of the commands' joints; the session refuses to arm where they are not the robot's own"""
    simulated: bool
    """nothing in the world moves"""
    version: str = ""
    """of the firmware or the program, for people"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sent:
    """What became of one command."""

    qpos: Array
    """(nq,) what really went out"""
    sequence: int
    """of this command, counted by the output"""
    acknowledged: int = -1
    """newest command that the robot is known to have"""
    acknowledged_ns: int = 0
    """when it had it, monotonic clock"""


class Guardian(Protocol):
    """The last word on an output, spoken by the watchdog's process; it travels there before the session begins."""

    def act(self) -> None:
        """The safe command, by a way that does not need the control loop. It is given several times."""


class Output(Protocol):
    """One robot, or what stands in for one."""

    def open(self) -> RobotInfo:
        """Connect, without moving anything."""

    def send(self, command: Command) -> Sent:
        """Pass a command on, at once; what cannot be sent is an OutputError."""

    def measured(self) -> Measured | None:
        """Where the robot is, the newest it said; another object only when it said something newer."""

    def stop(self) -> None:
        """The safest standstill that the robot has. Commands count again with the next `Command.arming`."""

    def release(self) -> None:
        """Give up authority: weight or stiffness ramp down by themselves from where they are."""

    def close(self) -> None:
        """End; a second time does nothing."""

    def guardian(self) -> Guardian | None:
        """The last word on it from outside; None where nothing could move. Asked for before `open`."""


@dataclass(frozen=True, kw_only=True)
class OutputKind:
    """A kind of output. A module offers one, named by an entry point of the group `bunraku.outputs`."""

    scheme: str
    summary: str
    example: str
    options: Mapping[str, str]
    """name → what it does"""
    simulated: bool
    """nothing in the world moves: it may be armed without a person at the keys"""
    make: Callable[[str, Mapping[str, str], Robot], Output]
    """from the part after the scheme's colon, the options and the robot; opens nothing yet"""


@cache
def outputs() -> Mapping[str, OutputKind]:
    """Every kind that is installed, by scheme."""
    return {entry.name: entry.load() for entry in sorted(entry_points(group="bunraku.outputs"), key=lambda e: e.name)}


def make_output(uri: str, robot: Robot) -> Output:
    """An output for this robot, not opened yet: `sim:`, `csv:FILE` …, or `faulty+URI?mode=…`."""
    if uri.startswith(PREFIX):
        from bunraku.outputs.faulty import FaultyOutput

        inner, which = split_faults(uri)
        return FaultyOutput(make_output(inner, robot), which, robot)
    kind, rest = _kind(uri)
    body, mark, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True)) if mark and not Path(rest).exists() else {}
    unknown = [name for name in options if name not in kind.options]
    if unknown and not kind.options:
        raise InputError(f"{uri}: '{kind.scheme}:' takes no options")
    if unknown:
        raise UnknownNameError(f"option of {kind.scheme}:", unknown[0], kind.options)
    return kind.make(rest if not options else body, options, robot)


def is_simulated(uri: str) -> bool:
    """Whether nothing in the world moves by this output."""
    return _kind(uri.removeprefix(PREFIX))[0].simulated


def _kind(uri: str) -> tuple[OutputKind, str]:
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme not in outputs():
        raise UnknownNameError("output", uri if not colon else scheme + ":", [f"{name}:" for name in outputs()])
    return outputs()[scheme], rest
