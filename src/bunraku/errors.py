"""The exceptions of the package.

BunrakuError                 anything a caller may want to catch; the command line prints it as one line, exit code 2
├── InputError               a file or stream that is not what it should be
├── UnknownNameError         a robot, motion, joint … that does not exist; carries the valid names
├── RobotError               a robot description that cannot be used
├── MissingPackageError      an optional package is needed; carries the install line
└── OutputError              a result that cannot be written
    └── GraphicsError        no picture can be drawn on this machine; carries what to install
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class BunrakuError(Exception):
    """Root of all errors that this package raises on purpose."""


class InputError(BunrakuError):
    """A file or stream that cannot be read as what it claims to be."""


class RobotError(BunrakuError):
    """A robot description that cannot be used."""


class OutputError(BunrakuError):
    """A result that cannot be written or sent."""


class GraphicsError(OutputError):
    """No picture can be drawn on this machine; the message says what to install."""


class UnknownNameError(BunrakuError):
    """A name that is not among the valid ones; the message lists those."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        self.kind, self.name, self.valid = kind, name, tuple(valid)
        near = get_close_matches(name, self.valid, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        super().__init__(f"unknown {kind} '{name}'.{hint} Valid: {', '.join(self.valid)}")


class MissingPackageError(BunrakuError):
    """An optional package is not installed; the message is the line that installs it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"{purpose} needs the package '{package}': pip install 'bunraku[{extra}]'")
