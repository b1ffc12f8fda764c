"""Position servos: a reference that keeps to velocity and acceleration, and a loop that follows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

POSITION_GAIN = 50.0
"""1/s, what speed an error of one radian asks for"""
VELOCITY_GAIN = 200.0
"""1/s, what acceleration an error of one radian per second asks for"""
_APPROACH = 100.0
"""1/s, how the reference comes to rest at its goal"""


@dataclass(frozen=True, eq=False)
class ServoLimits:
    """What m servos can do. All arrays are (m,)."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array


class Servos:
    """State and law of m position servos; time steps and measured values are arguments."""

    def __init__(self, limits: ServoLimits) -> None:
        self.limits = limits
        self.reference = np.zeros_like(limits.lower)
        self.rate = np.zeros_like(limits.lower)

    def reset(self, position: Array) -> None:
        """Rest at a position."""
        self.reference = position.copy()
        self.rate = np.zeros_like(position)

    def advance(self, goal: Array, goal_rate: Array, dt_s: float) -> None:
        """Bring the reference nearer to a moving goal, within velocity and acceleration, able to stop there."""
        lim = self.limits
        gap = goal - self.reference
        brake = np.sqrt(2 * lim.acceleration * np.abs(gap))
        wanted = goal_rate + np.sign(gap) * np.minimum(brake, _APPROACH * np.abs(gap))
        wanted = np.clip(wanted, -lim.velocity, lim.velocity)
        step = lim.acceleration * dt_s
        self.rate = self.rate + np.clip(wanted - self.rate, -step, step)
        moved = self.reference + self.rate * dt_s
        self.reference = np.clip(moved, lim.lower, lim.upper)
        self.rate = np.where(moved == self.reference, self.rate, 0.0)

    def acceleration(self, position: Array, velocity: Array) -> Array:
        """(m,) what each joint shall accelerate with, given where it is."""
        wanted = self.rate + POSITION_GAIN * (self.reference - position)
        wanted = np.clip(wanted, -self.limits.velocity, self.limits.velocity)
        return VELOCITY_GAIN * (wanted - velocity)
