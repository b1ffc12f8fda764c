"""Where the time goes: each stage's durations in histograms, in memory that another process may read.

Bins are a sixteenth of an octave wide from 1 µs up, so a percentile is right to 5 %.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bunraku.mailbox import Shared, shared_array

STAGES = ("sensor", "wait", "receive", "merge", "retarget", "limit", "send", "acknowledge", "path", "late", "gap")
"""sensor: device's stamp to arrival, less the smallest ever; wait: arrival to tick; receive … send: work of the tick;
acknowledge: sent to had by the robot; path: arrival to sent; late: the tick began after its deadline; gap: between two
commands"""
NONE = -1
"""ns, of a stage that did not happen"""
_PER_OCTAVE, _OCTAVES = 16, 25
_BINS = _PER_OCTAVE * _OCTAVES
_UNIT_NS = 1000.0

Counts = NDArray[np.int64]


class Trace:
    """Counts of S stages."""

    def __init__(self) -> None:
        self._counts: Shared = shared_array((len(STAGES), _BINS), np.int64)
        self._worst: Shared = shared_array(len(STAGES), np.int64)

    def note(self, stages_ns: list[int]) -> None:
        """One tick: (S,) durations, `NONE` where there was none."""
        counts, worst = self._counts.array, self._worst.array
        for row, duration in enumerate(stages_ns):
            if duration >= 0:
                counts[row, bin_of(duration)] += 1
                if duration > worst[row]:
                    worst[row] = duration

    def counts(self) -> Counts:
        """(S, B) a copy; the difference of two is what happened between."""
        return np.asarray(self._counts.array.copy())

    def worst_ms(self) -> dict[str, float]:
        """The longest of each stage."""
        return {name: float(ns) / 1e6 for name, ns in zip(STAGES, self._worst.array, strict=True)}


def bin_of(duration_ns: int) -> int:
    """The bin that a duration falls into."""
    if duration_ns <= _UNIT_NS:
        return 0
    return min(int(math.log2(duration_ns / _UNIT_NS) * _PER_OCTAVE), _BINS - 1)


def percentiles(counts: Counts, percents: tuple[float, ...] = (50, 95, 99)) -> dict[str, dict[str, float]]:
    """Stage → {"p50": ms, …, "n": how many}; stages that never happened are left out."""
    upper_ms = _UNIT_NS / 1e6 * 2.0 ** (np.arange(1, _BINS + 1) / _PER_OCTAVE)
    out: dict[str, dict[str, float]] = {}
    for name, row in zip(STAGES, counts, strict=True):
        total = int(row.sum())
        if total:
            ranks = np.searchsorted(np.cumsum(row), [max(math.ceil(p / 100 * total), 1) for p in percents])
            out[name] = {f"p{p:g}": float(upper_ms[rank]) for p, rank in zip(percents, ranks, strict=True)}
            out[name]["n"] = total
    return out
