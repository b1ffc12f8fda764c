"""Commands as rows of a CSV file: time, authority, configuration."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from bunraku.errors import InputError, OutputError
from bunraku.files import need_writable
from bunraku.outputs.null import NullOutput
from bunraku.outputs.output import OutputKind, RobotInfo, Sent
from bunraku.robots import Robot
from bunraku.robots.command import Command

BASE = ("x", "y", "z", "qw", "qx", "qy", "qz")


class CsvOutput(NullOutput):
    """A perfect robot whose commands are written down. A file that is there already is replaced."""

    def __init__(self, robot: Robot, path: Path) -> None:
        super().__init__(robot)
        self._path = path
        self._file: io.TextIOWrapper | None = None
        self._names = (*BASE[: robot.first_joint], *robot.joint_names)

    def open(self) -> RobotInfo:
        """Begin the file."""
        try:
            self._file = self._path.open("w", newline="")
            self._writer = csv.writer(self._file)
            self._writer.writerow(["time_s", "weight", *self._names])
        except OSError as error:
            raise OutputError(f"csv: cannot write {self._path}: {error.strerror or error}") from error
        return super().open()

    def send(self, command: Command) -> Sent:
        """One row."""
        sent = super().send(command)
        assert self._file is not None
        try:
            self._writer.writerow([f"{command.stamp_ns / 1e9:.6f}", f"{command.weight:g}", *command.qpos.tolist()])
        except OSError as error:
            raise OutputError(f"csv: cannot write {self._path}: {error.strerror or error}") from error
        return sent

    def close(self) -> None:
        """The file is whole."""
        super().close()
        if self._file is not None and not self._file.closed:
            try:
                self._file.close()
            except OSError as error:
                raise OutputError(f"csv: cannot write {self._path}: {error.strerror or error}") from error


def _make(rest: str, options: Mapping[str, str], robot: Robot) -> CsvOutput:
    if not rest:
        raise InputError("csv: name the file, for instance csv:commands.csv")
    path = Path(rest)
    need_writable(path)
    return CsvOutput(robot, path)


OUTPUT = OutputKind(
    scheme="csv",
    summary="a file of commands: time, authority and configuration, one row each",
    example="csv:commands.csv",
    options=MappingProxyType({}),
    simulated=True,
    make=_make,
)
