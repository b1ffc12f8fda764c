"""A joint's way through a whole recording without its jitter and jumps, and without delay; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel


def smoothing(cutoff_hz: float, fps: float) -> float:
    """The weight on squared second differences for which `smooth_ways` halves what swings at `cutoff_hz`."""
    swing = 2.0 * np.sin(np.pi * min(cutoff_hz / fps, 0.5))
    return float(1.0 / swing**4)


@kernel
def hurry(ways, reach, calm, out):
    """How hurried each column of `ways` (T, n) is near each frame: its fastest step within `reach` frames, in `calm`s.

    `calm` (n,) is a step that is not remarkable.
    """
    T, n = ways.shape
    for t in range(T):
        for v in range(n):
            out[t, v] = 0.0
        for k in range(max(0, t - reach), min(T - 1, t + reach)):
            for v in range(n):
                out[t, v] = max(out[t, v], abs(ways[k + 1, v] - ways[k, v]) / calm[v])


@kernel
def smooth_ways(ways, trust, weight, out):
    """For each column of `ways` (T, n) the z with the least `trust` · |z - way|² + `weight` · |second differences|².

    Straight stretches stay as they are, also at the ends. The normal equations have five diagonals.
    """
    T, n = ways.shape
    if T < 3:
        out[:] = ways
        return
    pivot, first, second = np.empty(T), np.zeros(T), np.zeros(T)
    for v in range(n):
        for t in range(T):
            # Row t of diag(trust) + weight · D'D, where row k of D is 1, -2, 1 from column k on.
            ends = 1.0 if t == 0 or t == T - 1 else (5.0 if t == 1 or t == T - 2 else 6.0)
            if T == 3 and t == 1:
                ends = 4.0
            diagonal = trust[t, v] + weight * ends
            next_one = weight * (-2.0 if t == 0 or t == T - 2 else -4.0) if t + 1 < T else 0.0
            next_two = weight if t + 2 < T else 0.0
            x = trust[t, v] * ways[t, v]
            if t > 0:
                diagonal -= first[t - 1] * first[t - 1] * pivot[t - 1]
                next_one -= first[t - 1] * second[t - 1] * pivot[t - 1]
                x -= first[t - 1] * out[t - 1, v]
            if t > 1:
                diagonal -= second[t - 2] * second[t - 2] * pivot[t - 2]
                x -= second[t - 2] * out[t - 2, v]
            pivot[t] = diagonal
            first[t], second[t] = next_one / diagonal, next_two / diagonal
            out[t, v] = x
        for t in range(T - 1, -1, -1):
            x = out[t, v] / pivot[t]
            if t + 1 < T:
                x -= first[t] * out[t + 1, v]
            if t + 2 < T:
                x -= second[t] * out[t + 2, v]
            out[t, v] = x
