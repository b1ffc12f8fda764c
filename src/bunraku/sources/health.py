"""How a live source is doing, and the counting that every one of them needs. Instants are monotonic nanoseconds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

_SMOOTH = 1 / 16
"""share of the newest interval in the running rate and jitter"""
_MOST_REASONS = 32
"""kinds of rejection that are told apart; the rest is counted together"""
_OTHER = "other"
_MOST_LETTERS = 400


@dataclass(frozen=True, kw_only=True)
class Health:
    """What a person, and the conditions of safety, want to know of a source."""

    connected: bool
    age_s: float = math.inf
    """since the newest accepted frame; infinite before the first"""
    rate_hz: float = 0.0
    jitter_s: float = 0.0
    """mean departure of the intervals between frames from their mean"""
    received: int = 0
    """frames, the rejected ones included"""
    accepted: int = 0
    lost: int = 0
    """frames that were sent and never came, as far as the device counts them"""
    rejected: Mapping[str, int] = field(default_factory=dict)
    """reason → frames"""
    reason: str = ""
    """why there is nothing, in words; empty while all is well"""
    epoch: int = 0
    """rises when the source's world jumped: recentred, other person, new session"""


class Tally:
    """Counts of one source, bounded whatever arrives."""

    def __init__(self) -> None:
        self.received = self.accepted = self.lost = self.epoch = 0
        self.rejected: Counter[str] = Counter()
        self._newest_ns: int | None = None
        self._interval_s = self._departure_s = 0.0

    def accept(self, now_ns: int, frames: int = 1) -> None:
        """So many good frames arrived, the newest of them now."""
        self.received += frames
        self.accepted += frames
        if self._newest_ns is not None and now_ns > self._newest_ns:
            interval = (now_ns - self._newest_ns) / 1e9 / frames
            if self._interval_s == 0.0:
                self._interval_s = interval
            self._departure_s += _SMOOTH * (abs(interval - self._interval_s) - self._departure_s)
            self._interval_s += _SMOOTH * (interval - self._interval_s)
        self._newest_ns = now_ns

    def reject(self, reason: str, frames: int = 1) -> None:
        """So many frames arrived that are no use, for a reason in a few words."""
        self.received += frames
        known = reason in self.rejected or len(self.rejected) < _MOST_REASONS - 1
        self.rejected[reason if known else _OTHER] += frames

    def lose(self, frames: int = 1) -> None:
        """So many frames were sent and never came."""
        self.lost += frames

    def jump(self) -> None:
        """The source's world is another one from now on."""
        self.epoch += 1

    def age_s(self, now_ns: int) -> float:
        """Since the newest accepted frame, never negative."""
        return math.inf if self._newest_ns is None else max(now_ns - self._newest_ns, 0) / 1e9

    def health(self, now_ns: int, *, connected: bool, reason: str = "") -> Health:
        """All of it."""
        return Health(
            connected=connected,
            age_s=self.age_s(now_ns),
            rate_hz=1.0 / self._interval_s if self._interval_s > 0 else 0.0,
            jitter_s=self._departure_s,
            received=self.received,
            accepted=self.accepted,
            lost=self.lost,
            rejected=dict(self.rejected),
            reason=_one_line(reason),
            epoch=self.epoch,
        )


def _one_line(reason: str) -> str:
    """Devices' own words may be part of it: nothing that moves a terminal's cursor, and not much of it."""
    if len(reason) <= _MOST_LETTERS and reason.isprintable():
        return reason
    return "".join(letter if letter.isprintable() else " " for letter in reason[:_MOST_LETTERS])
