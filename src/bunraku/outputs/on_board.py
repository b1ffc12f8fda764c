"""The controller of the simulated robot: what it does with commands, with silence, and when it is told to stop.

Each command is reached one command period after it came. The authority blends between the board's own pose and what is
commanded; when it is armed, stopped or released, its own pose is the one it then has, so none of these moves it. Time
is an argument; goals are (nq,).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.robots import Robot

Array = NDArray[np.float64]

TIMEOUT_S = 0.5
"""it stands still where nobody has told it anything for so long"""
RELEASE_S = 2.0
"""in which authority ramps down by itself"""


class OnBoard:
    """One robot's. Commands come as a row: sequence and arming (their bits), weight, qpos."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.goal = robot.neutral.copy()
        """what the servos are told"""
        self.weight = 0.0
        self.sequence = self._arming = 0
        self.acknowledged_ns = 0
        self._start = self._end = robot.neutral.copy()
        self._came_s = 0.0
        self._period_s = 0.01
        self._own = robot.neutral.copy()
        self._frozen = self._forever = False
        self._releasing = False

    def told(self, data: bytes, now_s: float) -> None:
        """A command came, or the one that was known already."""
        values = np.frombuffer(data, float)
        sequence, arming = (int(number) for number in values[:2].view(np.int64))
        if sequence == self.sequence:
            return
        reached = self._reached(now_s)
        if self.sequence:
            self._period_s = min(max((now_s - self._came_s) / (sequence - self.sequence), 1e-3), 0.1)
        self.sequence, self._came_s, self.acknowledged_ns = sequence, now_s, round(now_s * 1e9)
        if arming != self._arming:
            self._arming, self._frozen, self._own = arming, self._forever, self.goal.copy()
        if not (self._frozen or self._releasing):
            weight = float(np.clip(values[2], 0.0, 1.0))
            if weight < self.weight:
                self._own = self.goal.copy()
            self.weight = weight
            self._start, self._end = reached, values[3:].copy()

    def freeze(self, *, forever: bool = False) -> None:
        """The goal stays where it is and becomes the board's own; until the robot is armed anew, or for good."""
        self._frozen, self._forever = True, self._forever or forever
        self._own = self._start = self._end = self.goal.copy()

    def release(self) -> None:
        """The weight goes to zero from where it is; what is commanded does not count any more."""
        if not self._releasing:
            self._releasing, self._own = True, self.goal.copy()

    def advance(self, now_s: float, dt_s: float) -> Array:
        """The goal at this instant."""
        if now_s - self._came_s > TIMEOUT_S and self.weight > 0 and not self._releasing:
            self._start = self._end = self._reached(now_s)
        if self._releasing:
            self.weight = max(self.weight - dt_s / RELEASE_S, 0.0)
        self.goal = _blend(self._own, self._reached(now_s), self.weight, self._robot.first_joint)
        return self.goal

    def _reached(self, now_s: float) -> Array:
        """How far the way to the newest command has been gone."""
        share = min(max((now_s - self._came_s) / self._period_s, 0.0), 1.0)
        return _blend(self._start, self._end, share, self._robot.first_joint)


def _blend(start: Array, end: Array, share: float, first_joint: int) -> Array:
    """Between two configurations; a free base turns the short way."""
    if first_joint and start[3:7] @ end[3:7] < 0:
        end = np.concatenate([end[:3], -end[3:7], end[7:]])
    out: Array = start + share * (end - start)
    if first_joint:
        out[3:7] /= np.linalg.norm(out[3:7])
    return out
