"""Of several people in a picture the one who was chosen first: places and sizes in pixels decide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bunraku.sources.landmarks import BODY, Landmarks

Array = NDArray[np.float64]

_NEAR = 0.6
"""of the person's size in the picture: a middle that moved farther between frames is somebody else's"""
_GROWS = 0.1
"""more of it for each frame in which the person was hidden"""
_LEAST_POINTS = 4
GONE_AFTER = 150
"""frames without the person after which another one is taken"""


class PictureLock:
    """Chooses at first who is largest and surest, then whoever is near to where the chosen one was."""

    def __init__(self, gone_after: int = GONE_AFTER) -> None:
        self._gone_after = gone_after
        self._middle: Array | None = None
        self._size = 0.0
        self._hidden = 0
        self.others = 0
        """people who were seen and are not the chosen one"""
        self.changes = 0
        """times that another person was taken"""

    def choose(self, people: Sequence[Landmarks]) -> Landmarks | None:
        """The person, or None where they are not to be seen."""
        seen = [(landmarks, *extent) for landmarks in people if (extent := _extent(landmarks)) is not None]
        chosen = self._largest(seen) if self._middle is None else self._nearest(seen, self._middle)
        if chosen is None:
            self.others += len(seen)
            self._hidden += 1
            if self._middle is not None and self._hidden > self._gone_after and seen:
                self._middle, self.changes = None, self.changes + 1
            return None
        self.others += len(seen) - 1
        landmarks, self._middle, size = chosen
        self._size = size if not self._size else 0.9 * self._size + 0.1 * size
        self._hidden = 0
        return landmarks

    def _largest(self, seen: list[tuple[Landmarks, Array, float]]) -> tuple[Landmarks, Array, float] | None:
        self._size = 0.0
        return max(seen, key=lambda one: one[2] * float(one[0].weights[one[0].known].mean()), default=None)

    def _nearest(
        self, seen: list[tuple[Landmarks, Array, float]], middle: Array
    ) -> tuple[Landmarks, Array, float] | None:
        best = min(seen, key=lambda one: float(np.linalg.norm(one[1] - middle)), default=None)
        if best is None:
            return None
        reach = self._size * (_NEAR + _GROWS * min(self._hidden, 10))
        alike = 0.4 * self._size < best[2] < 2.5 * self._size
        return best if alike and float(np.linalg.norm(best[1] - middle)) <= reach else None


def _extent(landmarks: Landmarks) -> tuple[Array, float] | None:
    """Middle (2,) and size of the body in pixels, without fingers, which come and go; None where too little is seen."""
    body = slice(len(BODY))
    points = landmarks.points[body][landmarks.known[body]]
    if len(points) < _LEAST_POINTS:
        return None
    low, high = np.percentile(points, (5, 95), axis=0)
    size = float(np.linalg.norm(high - low))
    return (np.median(points, axis=0), size) if size > 0 else None
