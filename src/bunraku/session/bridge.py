"""From target to target in even steps, where the loop is faster than the source.

The way to a new target takes as long as targets have lately been apart, so the robot is asked for one speed and not for
a step and a rest; a source as fast as the loop is followed without delay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LONGEST_S = 0.05
"""the way takes no longer, however slow the source is"""
_SMOOTH = 0.25


class Bridge:
    """Configurations (nq,); instants are arguments. A free base turns the short way."""

    def __init__(self, first_joint: int, period_s: float) -> None:
        self._first, self._period_s = first_joint, period_s
        self._interval_s = period_s
        self.reset()

    def reset(self) -> None:
        """There is no target."""
        self._end: Array | None = None
        self._start: Array | None = None
        self._came_ns = 0

    def aim(self, target: Array, now_ns: int) -> None:
        """A new target, known from now on."""
        if self._end is None:
            self._start = target
        else:
            interval = min((now_ns - self._came_ns) / 1e9, LONGEST_S)
            self._interval_s += _SMOOTH * (interval - self._interval_s)
            self._start = self.at(now_ns - round(self._period_s * 1e9))
        self._end, self._came_ns = target, now_ns

    def at(self, now_ns: int) -> Array:
        """Where to be at the end of the tick that begins now; all NaN without a target."""
        if self._end is None or self._start is None:
            return np.zeros(0)
        span_s = min(max(self._interval_s, self._period_s), LONGEST_S)
        share = ((now_ns - self._came_ns) / 1e9 + self._period_s) / span_s
        if share >= 1.0 - 1e-6:
            return self._end
        end = self._end
        if self._first and self._start[3:7] @ end[3:7] < 0:
            end = np.concatenate([end[:3], -end[3:7], end[7:]])
        out: Array = self._start + max(share, 0.0) * (end - self._start)
        if self._first:
            out[3:7] /= np.linalg.norm(out[3:7])
        return out
