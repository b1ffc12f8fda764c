"""A simulated robot that gets its commands late: what NAOqi adds between a call and the joints' controllers."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from bunraku.outputs.sim import Simulation
from bunraku.robots import Robot

Array = NDArray[np.float64]

LAG_S = 0.040
"""two of NAOqi's motion cycles of 20 ms: one in which a command waits, one that hands it on to the joints"""


class LateRobot:
    """The simulator, `lag_s` behind its commands."""

    def __init__(self, robot: Robot, lag_s: float = LAG_S) -> None:
        self.simulation, self.lag_s = Simulation(robot), lag_s
        self._waiting: deque[tuple[float, Array]] = deque()
        self._target = robot.neutral

    def stand(self, qpos: Array) -> None:
        """At rest in a configuration."""
        self._target = self.simulation.reset(qpos).qpos
        self._waiting.clear()

    def step(self, sent_at: float, qpos: Array, now: float, dt_s: float) -> Array:
        """Send a command; the robot's measured configuration at `now` + `dt_s`."""
        self._waiting.append((sent_at, qpos))
        while self._waiting and self._waiting[0][0] + self.lag_s <= now:
            self._target = self._waiting.popleft()[1]
        return self.simulation.step(self._target, dt_s).qpos
