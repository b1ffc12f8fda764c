"""The last two seconds, tick by tick: what a log of a fault begins with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.safety.machine import State

Array = NDArray[np.float64]

LENGTH_S = 2.0
_STATES = tuple(State)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """T ticks, the oldest first; NaN stands for what was not there."""

    now_ns: NDArray[np.int64]
    states: tuple[State, ...]
    target: Array
    """(T, nq) what was asked for"""
    command: Array
    """(T, nq) what was allowed"""
    measured: Array
    """(T, nq)"""
    weight: Array
    """(T,)"""


class History:
    """A ring of ticks in memory that is set aside once."""

    def __init__(self, width: int, period_s: float) -> None:
        length = max(2, int(np.ceil(LENGTH_S / period_s)))
        self._now, self._state = np.zeros(length, np.int64), np.zeros(length, np.int8)
        self._rows, self._weight = np.full((3, length, width), np.nan), np.zeros(length)
        self._next, self._count = 0, 0

    def add(
        self, now_ns: int, state: State, weight: float, target: Array | None, command: Array, measured: Array | None
    ) -> None:
        """One tick; beyond two seconds it takes the place of the oldest."""
        k = self._next
        self._now[k], self._state[k], self._weight[k] = now_ns, _STATES.index(state), weight
        for row, values in zip(self._rows, (target, command, measured), strict=True):
            row[k] = np.nan if values is None else values
        self._next = (k + 1) % len(self._now)
        self._count = min(self._count + 1, len(self._now))

    def snapshot(self) -> Snapshot:
        """A copy of what there is."""
        order = (np.arange(self._count) + self._next - self._count) % len(self._now)
        target, command, measured = self._rows[:, order]
        states = tuple(_STATES[k] for k in self._state[order])
        return Snapshot(self._now[order], states, target, command, measured, self._weight[order])
