"""A source that a test plays by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from bunraku.human import HumanPose, on_ground
from bunraku.sources import read_motion
from bunraku.sources.health import Health, Tally

Change = Callable[[HumanPose], HumanPose]
_WALK = "synth:conduct?seconds=20&fps=60"
_motions: dict[str, object] = {}


class HandPlayed:
    """A person who conducts, 60 times a second, until the test meddles with it."""

    def __init__(self, uri: str = _WALK) -> None:
        if uri not in _motions:
            _motions[uri] = on_ground(read_motion(uri))
        self.motion = _motions[uri]
        self.change: Change | None = None
        """done to every frame"""
        self.silent = False
        self.moving = True
        self.connected = True
        self.clock_offset_ns = 0
        """of the sender's clock"""
        self.tally = Tally()
        self._frame = 0
        self._next_ns = 0
        self._newest: HumanPose | None = None

    def open(self, now_ns: int) -> None:
        self._next_ns = now_ns

    def waits_on(self) -> Sequence[int]:
        return ()

    def receive(self, now_ns: int) -> None:
        if self.silent or now_ns < self._next_ns:
            return
        self._next_ns += (1 + (now_ns - self._next_ns) * 60 // 1_000_000_000) * 1_000_000_000 // 60
        self._frame += self.moving
        pose = replace(
            self.motion.pose(self._frame % len(self.motion)),  # type: ignore[attr-defined]
            stamp_ns=now_ns + self.clock_offset_ns,
            received_ns=now_ns,
        )
        self._newest = self.change(pose) if self.change else pose
        self.tally.accept(now_ns)

    def latest(self, now_ns: int) -> HumanPose | None:
        return self._newest

    def health(self, now_ns: int) -> Health:
        return self.tally.health(now_ns, connected=self.connected, reason="" if self.connected else "gone")

    def close(self) -> None:
        self.connected = False


def moved(rows: Sequence[int], way: tuple[float, float, float]) -> Change:
    """Joints that are elsewhere."""

    def change(pose: HumanPose) -> HumanPose:
        positions = pose.positions.copy()
        positions[list(rows)] += way
        return replace(pose, positions=positions)

    return change


def unknown(rows: Sequence[int]) -> Change:
    """Joints that are not tracked."""

    def change(pose: HumanPose) -> HumanPose:
        known = ~np.isin(np.arange(len(pose.positions)), rows)
        return replace(pose, position_valid=pose.position_valid & known, rotation_valid=pose.rotation_valid & known)

    return change
