"""A measured figure, and how times are taken on a machine that others use too."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class Figure:
    """One number with what it should be. `at_most` and `at_least` name the target's direction."""

    id: str
    value: float
    unit: str
    target: float
    sense: Literal["at_most", "at_least"]
    how: str

    @property
    def ok(self) -> bool:
        """Whether the target is met."""
        return self.value <= self.target if self.sense == "at_most" else self.value >= self.target


def best_of(work: Callable[[], object], repeats: int) -> float:
    """Shortest of several runs, s: what the work costs when nothing else runs."""
    return min(_timed(work) for _ in range(repeats))


def median_of(work: Callable[[], object], repeats: int) -> float:
    """Median of several runs, s."""
    return statistics.median(_timed(work) for _ in range(repeats))


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def resident_mib() -> float:
    """What this process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20
