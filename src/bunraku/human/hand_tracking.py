"""The operator's hands as references for a robot's (P4): one person, no jumps, and three ways to say where a hand is.

References: `start` (the default: the robot's hand moves as far as the person's has since the beginning), `hips` (the
person's hand from their hips, in proportion), `previous` (each step added to the last: what is missed is lost).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Reference = Literal["start", "hips", "previous"]
REFERENCES: tuple[Reference, ...] = ("start", "hips", "previous")

JUMP = 0.10
"""m between frames; more is not a hand's movement"""
_SETTLED = 5
"""frames that a hand must stay near to itself at a place too far from its last one, before it is believed"""


@dataclass(eq=False)
class HandGate:
    """Lets a hand's place through unless it is missing or jumps; then the last good one stands, with the reason.

    A hand that was hidden and comes back elsewhere is believed once it has stayed there for a few frames.
    """

    jump: float = JUMP
    place: Array | None = None
    """(3,) m, the last good one"""
    reason: str = "not seen yet"
    """why the place is held; empty where it is fresh"""
    dropped: dict[str, int] = field(default_factory=dict)
    """reason → frames"""
    _elsewhere: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.jump) and self.jump > 0):
            raise InputError(f"the jump that a hand is allowed must be positive, not {self.jump} m")

    def update(self, seen: Array | None) -> bool:
        """One more frame: `seen` (3,) or None. Whether the place is fresh."""
        if seen is None or not np.isfinite(seen).all():
            self._elsewhere.clear()
            return self._drop("not seen")
        if self.place is not None and np.linalg.norm(seen - self.place) > self.jump:
            if self._elsewhere and np.linalg.norm(seen - self._elsewhere[-1]) > self.jump:
                self._elsewhere.clear()
            self._elsewhere.append(np.array(seen, float))
            if len(self._elsewhere) < _SETTLED:
                return self._drop("jumped")
        self._elsewhere.clear()
        self.place, self.reason = np.array(seen, float), ""
        return True

    def _drop(self, reason: str) -> bool:
        self.reason = reason
        self.dropped[reason] = self.dropped.get(reason, 0) + 1
        return False


@dataclass(eq=False)
class HandReference:
    """Turns a hand's places into places for a robot's hand. Scales are for each axis, robot over person."""

    reference: Reference
    home: Array
    """(3,) where the robot's hand starts; for `hips` where the robot's hips are"""
    scale: Array = field(default_factory=lambda: np.ones(3))
    target: Array | None = None
    """(3,) the last one"""
    _origin: Array | None = None

    def __post_init__(self) -> None:
        if self.reference not in REFERENCES:
            raise UnknownNameError("hand reference", self.reference, REFERENCES)

    def update(self, hand: Array | None, hips: Array | None = None) -> Array | None:
        """(3,) where the robot's hand should be, for a hand and hips at (3,), or None where the frame was dropped.

        A frame that says nothing leaves the target where it was; None before the first one that does.
        """
        if self.reference == "hips":
            if hand is not None and hips is not None:
                self.target = self.home + self.scale * (hand - hips)
            return self.target
        if hand is not None:
            if self.target is None:
                self.target, self._origin = self.home.copy(), hand.copy()
            elif self.reference == "start" and self._origin is not None:
                self.target = self.home + self.scale * (hand - self._origin)
            elif self._origin is not None:
                self.target = self.target + self.scale * (hand - self._origin)
        if self.reference == "previous":
            self._origin = None if hand is None else hand.copy()
        return self.target


@dataclass(eq=False)
class PersonLock:
    """Of several people in the picture, the one that was chosen first, for as long as they are to be seen."""

    nearness: float = 0.5
    """m; a person whose middle is farther than this from where the chosen one's was is someone else"""
    middle: Array | None = None
    reason: str = "nobody seen yet"

    def choose(self, people: Sequence[tuple[Array, Flags]], camera: Array) -> int | None:
        """Which of `people`, (K, 3) points and which are known, is the operator; None where they are not there.

        At first it is the one nearest to the camera at (3,).
        """
        middles = [np.median(points[valid], axis=0) if valid.any() else None for points, valid in people]
        best, least = None, np.inf
        for number, middle in enumerate(middles):
            if middle is None:
                continue
            away = float(np.linalg.norm(middle - (camera if self.middle is None else self.middle)))
            if away < least and (self.middle is None or away <= self.nearness):
                best, least = number, away
        if best is None:
            self.reason = "the operator is not in the picture" if self.middle is not None else "nobody seen yet"
            return None
        self.middle, self.reason = middles[best], ""
        return best
