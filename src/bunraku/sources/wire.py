"""A live source made of two halves: what brings bytes, and what reads poses from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bunraku.human import HumanPose
from bunraku.sources.health import Health, Tally
from bunraku.sources.network import Connection, Datagrams


class Decoder(Protocol):
    """Bytes of one protocol to poses. Any bytes whatever are read, counted or rejected; nothing is raised."""

    @property
    def advice(self) -> str:
        """What the user should do, where something is known to be set wrongly; else empty."""

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """The accepted poses that these bytes complete, oldest first, counted in the source's tally."""

    def reset(self) -> None:
        """A new connection: forget what was begun."""


class WireSource:
    """A `Source` for devices that send by themselves."""

    def __init__(self, link: Connection | Datagrams, decoder: Decoder, tally: Tally) -> None:
        self._link, self._decoder, self._tally = link, decoder, tally
        self._newest: HumanPose | None = None
        self._strangers = 0

    def open(self, now_ns: int) -> None:
        """Begin to listen, or to look for the other side."""
        self._link.open(now_ns)

    def waits_on(self) -> Sequence[int]:
        """The socket."""
        return self._link.descriptors()

    def receive(self, now_ns: int) -> None:
        """Read and decode what is there."""
        for data in self._link.receive(now_ns):
            for pose in self._decoder.feed(data, now_ns):
                self._newest = pose
        if isinstance(self._link, Datagrams) and self._link.strangers > self._strangers:
            self._tally.reject("from another sender", self._link.strangers - self._strangers)
            self._strangers = self._link.strangers

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest pose, of any age."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """Counts, and what is wrong in words."""
        reason = self._decoder.advice or self._link.reason
        return self._tally.health(now_ns, connected=self._link.connected, reason=reason)

    def close(self) -> None:
        """End."""
        self._link.close()
