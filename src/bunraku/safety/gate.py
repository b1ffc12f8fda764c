"""The gate in front of the mapper: poses that cannot be true are rejected, counted, and named.

Poses are arrays of J joints: positions (J, 3), rotations (J, 4), and which of both are valid.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_SPEED = 10.0
"""m/s, of any joint: faster is a jump"""
NOISE_M, MOST_GAP_S = 0.02, 0.05
"""a jump is more than this, whatever the time; a longer gap does not allow for more way"""
BOX_M = 50.0
"""no joint is further from the origin"""
MOST_REJECTED = 30
"""jumps in a row; after that nothing is accepted before a reset"""
UNIT = 1e-2
"""a quaternion whose length is further from 1 is none"""
FROZEN_S, MOVING_M = 0.25, 1e-4
"""a limb that has not changed by a bit for so long, while another moved, is not tracked"""
RECENT_S = 1.0
ACCEPTED, JUMP, GARBAGE, COLLAPSED = "accepted", "jump", "garbage", "collapsed"
"""COLLAPSED: several joints are at the origin itself, where devices put what they have lost"""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What the gate says of one pose."""

    reason: str
    """ACCEPTED, or why it is not"""
    rotations: Array
    """(J, 4) unit, in the hemisphere of the last accepted ones"""
    frozen: frozenset[str]
    """limbs that are said to be tracked but stand still to the bit"""

    @property
    def accepted(self) -> bool:
        """Whether the pose may be used."""
        return self.reason is ACCEPTED


class PoseGate:
    """Looks at every pose that arrives. `limbs` name the joints that are watched for freezing."""

    def __init__(self, limbs: Mapping[str, Sequence[int]]) -> None:
        self._limbs = {name: np.array(joints, int) for name, joints in limbs.items()}
        self.counts = {ACCEPTED: 0, JUMP: 0, GARBAGE: 0, COLLAPSED: 0}
        """of all poses since the beginning"""
        self.reset()

    def reset(self) -> None:
        """The next pose is compared with none; the counts stay."""
        self.jumps = self.garbage = 0
        """rejected in a row, as jumps and for their numbers"""
        self._recent: deque[tuple[float, bool]] = deque()
        self._clock_s, self._gap_s = 0.0, 0.0
        self._positions: Array | None = None
        self._rotations: Array | None = None
        self._valid: Flags | None = None
        self._still_s = dict.fromkeys(self._limbs, 0.0)

    @property
    def garbage_share(self) -> float:
        """Of the poses of the last second, those that were garbage."""
        return sum(bad for _, bad in self._recent) / max(len(self._recent), 1)

    def step(
        self, positions: Array, rotations: Array, position_valid: Flags, rotation_valid: Flags, dt_s: float
    ) -> Verdict:
        """One pose, `dt_s` after the one before."""
        self._clock_s += dt_s
        self._gap_s += dt_s
        reason = self._reason(positions, rotations, position_valid, rotation_valid)
        self.counts[reason] += 1
        self.jumps = self.jumps + 1 if reason is JUMP else self.jumps * (reason is not ACCEPTED)
        self.garbage = self.garbage + 1 if reason in (GARBAGE, COLLAPSED) else self.garbage * (reason is not ACCEPTED)
        self._recent.append((self._clock_s, reason in (GARBAGE, COLLAPSED)))
        while self._recent[0][0] < self._clock_s - RECENT_S:
            self._recent.popleft()
        if reason is not ACCEPTED:
            return Verdict(reason, rotations, frozenset())
        aligned = self._align(rotations, rotation_valid)
        frozen = self._frozen(positions, aligned, position_valid, dt_s)
        self._positions, self._rotations, self._valid = positions.copy(), aligned, position_valid.copy()
        self._gap_s = 0.0
        return Verdict(reason, aligned, frozen)

    def _reason(self, positions: Array, rotations: Array, placed: Flags, turned: Flags) -> str:
        known = positions[placed]
        lengths = np.linalg.norm(rotations[turned], axis=-1)
        if not ((np.abs(known) <= BOX_M).all() and (np.abs(lengths - 1.0) <= UNIT).all()):
            return GARBAGE
        if np.sum(~known.any(axis=1)) > 1:
            return COLLAPSED
        if self._positions is None or self._valid is None:
            return ACCEPTED
        both = placed & self._valid
        way = np.linalg.norm(positions[both] - self._positions[both], axis=-1)
        far = NOISE_M + MOST_SPEED * min(self._gap_s, MOST_GAP_S)
        return JUMP if self.jumps > MOST_REJECTED or np.any(way > far) else ACCEPTED

    def _align(self, rotations: Array, turned: Flags) -> Array:
        out = rotations.copy()
        out[turned] /= np.linalg.norm(out[turned], axis=-1, keepdims=True)
        if self._rotations is not None:
            out[np.sum(out * self._rotations, axis=-1) < 0.0] *= -1.0
        return out

    def _frozen(self, positions: Array, rotations: Array, placed: Flags, dt_s: float) -> frozenset[str]:
        """Limbs none of whose joints has changed for long, while some other joint moves."""
        if self._positions is None or self._rotations is None:
            return frozenset()
        way = np.linalg.norm((positions - self._positions)[placed], axis=-1)
        same = np.all(positions == self._positions, axis=-1) & np.all(rotations == self._rotations, axis=-1)
        for name, joints in self._limbs.items():
            if not same[joints].all() or not placed[joints].any():
                self._still_s[name] = 0.0
            elif way.max(initial=0.0) > MOVING_M:
                self._still_s[name] += dt_s
        return frozenset(name for name, still in self._still_s.items() if still > FROZEN_S)
