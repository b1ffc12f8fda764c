"""Dynamic time warping of two trajectories; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel


@kernel
def warp(s, r, window, running, steps):
    """d(i, j) = |s_i - r_j| + min of the three before it; its diagonal into `running`, its path's length into `steps`.

    s (n, k), r (m, k); frames more than `window` apart are not compared. Returns d and the length at the far corner.
    """
    n, m, k = len(s), len(r), s.shape[1]
    before, now = np.full(m + 1, np.inf), np.full(m + 1, np.inf)
    length, longer = np.zeros(m + 1, np.int64), np.zeros(m + 1, np.int64)
    before[0] = 0.0
    for i in range(n):
        first, last = max(0, i - window), min(m, i + window + 1)
        if first >= m:
            return np.inf, length[m]
        now[first] = np.inf
        for j in range(first, last):
            distance = 0.0
            for c in range(k):
                distance += (s[i, c] - r[j, c]) ** 2
            least, path = before[j], length[j]
            if before[j + 1] < least:
                least, path = before[j + 1], length[j + 1]
            if now[j] < least:
                least, path = now[j], longer[j]
            now[j + 1], longer[j + 1] = np.sqrt(distance) + least, path + 1
        if i < len(running):
            running[i], steps[i] = now[i + 1], longer[i + 1]
        before, now = now, before
        length, longer = longer, length
    return before[m], length[m]
