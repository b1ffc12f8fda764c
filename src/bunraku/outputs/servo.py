"""Position servos: a reference that keeps to velocity and acceleration, and a loop that follows it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

POSITION_GAIN = 50.0
"""1/s, what speed an error of one radian asks for"""
VELOCITY_GAIN = 200.0
"""1/s, what acceleration an error of one radian per second asks for"""
_APPROACH = 100.0
"""1/s, how the reference comes to rest at its goal"""
_ROUNDS, _PATIENCE = 10, 4
"""of finding out which servos are at their limits; three are usual"""


class Servos:
    """State and law of m position servos; time steps and measured values are arguments. All arrays are (m,)."""

    def __init__(self, lower: Array, upper: Array, velocity: Array, acceleration: Array) -> None:
        self.lower, self.upper, self.velocity = lower, upper, velocity
        self.agility = acceleration
        """what each can speed up and slow down by as things are; whoever knows the load keeps it up to date"""
        self.reference = np.zeros_like(lower)
        self.rate = np.zeros_like(lower)

    def reset(self, position: Array) -> None:
        """Rest at a position."""
        self.reference = position.copy()
        self.rate = np.zeros_like(position)

    def advance(self, goal: Array, goal_rate: Array, dt_s: float) -> None:
        """Bring the reference nearer to a moving goal, within velocity and acceleration, able to stop there."""
        gap = goal - self.reference
        wanted = np.clip(goal_rate + self._approach(gap, _APPROACH), -self.velocity, self.velocity)
        step = self.agility * dt_s
        self.rate = self.rate + np.clip(wanted - self.rate, -step, step)
        moved = self.reference + self.rate * dt_s
        self.reference = np.clip(moved, self.lower, self.upper)
        self.rate = np.where(moved == self.reference, self.rate, 0.0)

    def acceleration(self, position: Array, velocity: Array) -> Array:
        """(m,) what each joint shall accelerate with, given where it is."""
        wanted = self.rate + self._approach(self.reference - position, POSITION_GAIN)
        wanted = np.clip(wanted, -self.velocity, self.velocity)
        return VELOCITY_GAIN * (wanted - velocity)

    def _approach(self, gap: Array, gain: float) -> Array:
        """(m,) the speed to close a gap with: in proportion, but never one that could not be braked within it."""
        size = np.abs(gap)
        return np.asarray(np.sign(gap) * np.minimum(gain * size, np.sqrt(2 * self.agility * size)))


def within_limits(inertia: Array, wanted: Array, load: Array, limit: Array) -> tuple[Array, NDArray[np.bool_]]:
    """(m,) efforts within the limits that bring m coupled joints nearest to the accelerations they want; which are cut.

    Nearest by Gauss's measure, which makes the answer unique: no servo is pushed beyond what it wants, and what one
    cannot give is no surprise to the others. Found by block principal pivoting, which turns over all servos that are on
    the wrong side at once, and one at a time where that does not help.
    """
    effort = inertia @ wanted + load
    side = np.sign(effort) * (np.abs(effort) > limit)
    fewest, patience = len(limit) + 1, _PATIENCE
    for _ in range(_ROUNDS * (1 + len(limit))):
        cut, given = side != 0, wanted.copy()
        rest = (side * limit - load)[cut] - inertia[np.ix_(cut, ~cut)] @ wanted[~cut]
        given[cut] = np.linalg.solve(inertia[np.ix_(cut, cut)], rest)
        effort = inertia @ given + load
        over = np.sign(effort) * (np.abs(effort) > limit * (1 + 1e-9))
        right = np.where(cut, side * (side * (given - wanted) <= 0), over)
        wrong = np.flatnonzero(right != side)
        if not len(wrong):
            break
        fewest, patience = (len(wrong), _PATIENCE) if len(wrong) < fewest else (fewest, patience - 1)
        turned = wrong if patience > 0 else wrong[-1:]
        side = side.copy()
        side[turned] = right[turned]
    return np.clip(effort, -limit, limit), side != 0
