"""Smooth curves in time that scripted motion is made of: all of them C2, and periodic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Value: TypeAlias = float | Sequence[float] | Array
Key: TypeAlias = tuple[float, Value]
"""time (s), value (a number or a vector)"""


def ease(x: Array | float) -> Array:
    """Quintic step from 0 at x <= 0 to 1 at x >= 1; speed and acceleration are zero at both ends."""
    s = np.clip(np.asarray(x, float), 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s * s))


def _between(s: Array, h: Array, p0: Array, p1: Array, v0: Array, v1: Array) -> Array:
    """From p0 to p1 over the time h, at shares s in [0, 1] of it, with speeds v0 and v1, unaccelerated at both ends."""
    s3, s4, s5 = s**3, s**4, s**5
    step = 10 * s3 - 15 * s4 + 6 * s5
    leave, arrive = s - 6 * s3 + 8 * s4 - 3 * s5, -4 * s3 + 7 * s4 - 3 * s5
    return np.asarray(p0 + (p1 - p0) * step + h * (leave * v0 + arrive * v1))


def curve(t: Array, keys: Sequence[Key], period: float | None = None) -> Array:
    """Through all keys without overshoot, `(T,)` or `(T, k)`: at rest at turning points, flowing elsewhere.

    With a period the keys lie within [0, period) and repeat; without, the first and last value hold outside.
    """
    times = np.array([key[0] for key in keys], float)
    values = np.array([np.atleast_1d(np.asarray(key[1], float)) for key in keys])
    if period is not None:
        times = np.concatenate([times[-1:] - period, times, times[:1] + period])
        values = np.concatenate([values[-1:], values, values[:1]])
        t = np.mod(t, period)
    slopes = _slopes(times, values, period is not None)
    at = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    h = times[at + 1] - times[at]
    s = np.clip((t - times[at]) / h, 0.0, 1.0)
    out = _between(s[:, None], h[:, None], values[at], values[at + 1], slopes[at], slopes[at + 1])
    return out[:, 0] if np.ndim(keys[0][1]) == 0 else out


def _slopes(times: Array, values: Array, periodic: bool) -> Array:
    """Speeds at the keys: the harmonic mean of both sides, zero at turning points (Fritsch and Carlson)."""
    h = np.diff(times)[:, None]
    d = np.diff(values, axis=0) / h
    left, right = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    same = d[:-1] * d[1:] > 0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inner = np.where(same, (left + right) / (left / d[:-1] + right / d[1:]), 0.0)
    slopes = np.zeros_like(values)
    slopes[1:-1] = inner
    if periodic:
        slopes[0], slopes[-1] = slopes[-2], slopes[1]
    return slopes


def loop(t: Array, period: float, values: Sequence[Value]) -> Array:
    """The smoothest periodic curve through evenly spaced values (trigonometric), `(T,)` or `(T, k)`."""
    samples = np.array([np.atleast_1d(np.asarray(value, float)) for value in values])
    n = len(samples)
    spectrum = np.fft.rfft(samples, axis=0) / n
    out = np.broadcast_to(spectrum[0].real, (len(t), samples.shape[1])).copy()
    for k in range(1, len(spectrum)):
        weight = 1.0 if 2 * k == n else 2.0
        out += weight * (spectrum[k] * np.exp(2j * np.pi * k * t / period)[:, None]).real
    return out[:, 0] if np.ndim(values[0]) == 0 else out


def waves(t: Array, period: float, rng: np.random.Generator, pace: float, count: int = 4) -> Array:
    """Aimless movement within (-1, 1): sines of whole numbers of cycles per period, about one cycle every `pace` s."""
    middle = max(period / pace, 1.0)
    cycles = np.maximum(1, np.round(middle * np.linspace(0.5, 1.5, count)))
    sizes = rng.uniform(0.6, 1.0, count) / cycles**0.5
    phases = rng.uniform(0, 2 * np.pi, count)
    sines = np.sin(2 * np.pi * cycles * t[:, None] / period + phases)
    return np.asarray(sines @ (sizes / sizes.sum()))
