"""How late one path runs behind another (P2, after Viola and Walker).

Cubic splines through the reference are shifted in time until the other path is nearest on average.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import InputError

Array = NDArray[np.float64]

_COARSE = 60
"""shifts tried before the best one is made finer"""
_FINE_S = 1e-5
_GOLDEN = (np.sqrt(5.0) - 1) / 2


@dataclass(frozen=True)
class Delay:
    """Distances in the unit of the paths, before and after the delay is taken out."""

    delay_s: float
    mean: float
    sd: float
    mean_shifted: float
    sd_shifted: float


class Spline:
    """A natural cubic spline through values (T, k) at rising times (T,); outside them it holds the ends."""

    def __init__(self, times: ArrayLike, values: ArrayLike) -> None:
        self.times, self.values = np.asarray(times, float), np.asarray(values, float)
        if self.values.ndim != 2 or len(self.times) != len(self.values) or len(self.times) < 3:
            raise InputError("a spline needs three values (T, k) at least, and a time for each")
        if np.any(np.diff(self.times) <= 0) or not np.isfinite(self.values).all():
            raise InputError("a spline needs rising times and finite values")
        self._curvature = _curvatures(self.times, self.values)

    def __call__(self, at: ArrayLike) -> Array:
        """(S, k) at times (S,)."""
        t = np.clip(np.asarray(at, float), self.times[0], self.times[-1])
        i = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        h = (self.times[i + 1] - self.times[i])[:, None]
        b = (t[:, None] - self.times[i][:, None]) / h
        a = 1 - b
        bend = ((a**3 - a) * self._curvature[i] + (b**3 - b) * self._curvature[i + 1]) * h**2 / 6
        return np.asarray(a * self.values[i] + b * self.values[i + 1] + bend)


def delay_between(reference: Spline, times: ArrayLike, path: ArrayLike, longest_s: float = 0.5) -> Delay:
    """How far `path` (T, k) at `times` (T,) runs behind the reference, and their distance with and without that."""
    times, path = np.asarray(times, float), np.asarray(path, float)

    def distances(shift: float) -> Array:
        return np.asarray(np.linalg.norm(path - reference(times - shift), axis=-1))

    shifts = np.linspace(0.0, longest_s, _COARSE + 1)
    best = int(np.argmin([distances(shift).mean() for shift in shifts]))
    low, high = shifts[max(best - 1, 0)], shifts[min(best + 1, _COARSE)]
    while high - low > _FINE_S:
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if distances(left).mean() < distances(right).mean():
            high = right
        else:
            low = left
    delay = float(low + high) / 2
    before, after = distances(0.0), distances(delay)
    if before.mean() <= after.mean():
        delay, after = 0.0, before
    return Delay(delay, float(before.mean()), float(before.std()), float(after.mean()), float(after.std()))


def _curvatures(times: Array, values: Array) -> Array:
    """(T, k) second derivatives at the times, zero at both ends: Thomas' elimination."""
    h = np.diff(times)
    slope = np.diff(values, axis=0) / h[:, None]
    out = np.zeros_like(values)
    right = 6 * np.diff(slope, axis=0)
    diagonal = 2 * (h[:-1] + h[1:])
    for k in range(1, len(right)):
        share = h[k] / diagonal[k - 1]
        diagonal[k] -= share * h[k]
        right[k] -= share * right[k - 1]
    for k in range(len(right) - 1, -1, -1):
        out[k + 1] = (right[k] - h[k + 1] * out[k + 2]) / diagonal[k] if k + 2 < len(values) else right[k] / diagonal[k]
    return out
