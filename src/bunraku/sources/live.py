"""What a live source is, and how one is opened by its URI.

The session calls `receive` whenever a descriptor of `waits_on` is ready and once before each tick, then `latest`. A
source never blocks, never raises for what the wire says, and never keeps more than it needs. It has no clock: every
instant is an argument, nanoseconds of one monotonic clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import parse_qsl

from bunraku.errors import InputError, UnknownNameError
from bunraku.faults import PREFIX, split_faults
from bunraku.human import HumanPose
from bunraku.human.merge import Priorities
from bunraku.sources.health import Health
from bunraku.sources.source import recordings


class Source(Protocol):
    """One capture device, or a recording that is played like one."""

    def open(self, now_ns: int) -> None:
        """Begin. What cannot work at all, such as a port that is taken, is an InputError; a device that is not there
        yet is none: it is looked for again."""

    def waits_on(self) -> Sequence[int]:
        """File descriptors that are worth waiting for; they may change with every call."""

    def receive(self, now_ns: int) -> None:
        """Read what is there, a bounded number of bytes; frames that complete arrive at this instant."""

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest accepted pose, of any age; None before the first. The same object until there is a newer one."""

    def health(self, now_ns: int) -> Health:
        """How it is doing."""

    def close(self) -> None:
        """End; a second time does nothing."""


@runtime_checkable
class Pausable(Protocol):
    """What a recording can do beside."""

    def pause(self, waiting: bool) -> None:
        """Whether it stands still."""


@dataclass(frozen=True, kw_only=True)
class Device:
    """A kind of live source. A module offers one, named by an entry point of the group `bunraku.devices`."""

    scheme: str
    summary: str
    example: str
    options: Mapping[str, str]
    """name → what it does, for URIs such as `leap://127.0.0.1:6437?hmd=yes`"""
    open: Callable[[str, Mapping[str, str]], Source]
    """from the part after the scheme's colon, and the options; it checks them, and opens nothing yet"""
    priorities: Priorities = field(default_factory=dict)
    """joint group → how much it is to be trusted beside other sources; what is not named has 0"""


@cache
def devices() -> Mapping[str, Device]:
    """Every kind of live device that is installed, by scheme."""
    return {entry.name: entry.load() for entry in sorted(entry_points(group="bunraku.devices"), key=lambda e: e.name)}


def open_source(uri: str) -> Source:
    """A live device, a recording played as if live, or either with faults: `faulty+URI?mode=…`. Not opened yet."""
    if uri.startswith(PREFIX):
        from bunraku.sources.faulty import FaultySource

        inner, which = split_faults(uri)
        return FaultySource(open_source(inner), which)
    scheme, colon, rest = uri.partition(":")
    if colon and scheme in devices():
        kind = devices()[scheme]
        body, options = split_options(rest)
        unknown = [name for name in options if name not in kind.options]
        if unknown and kind.options:
            raise UnknownNameError(f"option of {scheme}:", unknown[0], kind.options)
        if unknown:
            raise InputError(f"{uri}: '{scheme}:' takes no options")
        return kind.open(body, options)
    if colon and scheme not in recordings() and not Path(uri).exists():
        raise UnknownNameError("source", scheme + ":", [f"{name}:" for name in (*devices(), *recordings())])
    from bunraku.sources.played import open_recording

    return open_recording(uri)


def pause(source: Source, waiting: bool) -> None:
    """A recording waits where it is, or goes on; a device cannot, and does not."""
    if isinstance(source, Pausable):
        source.pause(waiting)


def priorities_of(uri: str) -> Priorities:
    """What the kind of this source says of itself; recordings know everything alike."""
    scheme = uri.removeprefix(PREFIX).partition(":")[0]
    return devices()[scheme].priorities if scheme in devices() else {}


def split_options(rest: str) -> tuple[str, dict[str, str]]:
    """What stands before and after the question mark; a file whose own name holds one has no options."""
    body, mark, query = rest.partition("?")
    if not mark or Path(rest).exists():
        return rest, {}
    return body, dict(parse_qsl(query, keep_blank_values=True))
