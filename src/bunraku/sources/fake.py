"""Stand-ins for devices: they speak the device's own protocol, so that everything behind the wire is the real thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Protocol

from bunraku.errors import UnknownNameError
from bunraku.human import HumanMotion


class FakeDevice(Protocol):
    """One stand-in, with all of its motion in hand. It has no clock."""

    def open(self) -> str:
        """Take its place; where that is, and how to listen to it, in words."""

    def waits_on(self) -> Sequence[int]:
        """Descriptors worth waiting for."""

    def receive(self) -> None:
        """Answer what was asked, without waiting."""

    def send(self, frame: int) -> None:
        """The so manieth frame since it opened, to whoever listens; the motion begins again at its end."""

    def close(self) -> None:
        """End."""


@dataclass(frozen=True, kw_only=True)
class Fake:
    """A kind of stand-in. A module offers one, named by an entry point of the group `bunraku.fakes`."""

    scheme: str
    """of the source that listens to it"""
    summary: str
    example: str
    rate_hz: float
    """of the real device"""
    port: int
    options: Mapping[str, str]
    make: Callable[[HumanMotion, str, int, Mapping[str, str]], FakeDevice]
    """from a motion at the device's rate, host, port, and the options"""


@cache
def fakes() -> Mapping[str, Fake]:
    """Every kind that is installed, by scheme."""
    return {entry.name: entry.load() for entry in sorted(entry_points(group="bunraku.fakes"), key=lambda e: e.name)}


def find_fake(name: str) -> Fake:
    """A kind by name."""
    if name not in fakes():
        raise UnknownNameError("device", name, fakes())
    return fakes()[name]
