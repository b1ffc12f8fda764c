"""Filters between the mapper and the guard. All are off by default: they cost delay, or overshoot.

The 1€ filter (Casiez et al. 2012) smooths slow motion and lets fast motion pass; quaternions are smoothed along the
shorter way; prediction goes on with the present speed to cancel a delay that is known. Nothing here knows the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import BunrakuError
from bunraku.kinematics import rotations
from bunraku.robots import Robot

Array = NDArray[np.float64]

SPEED_CUTOFF_HZ = 1.0
"""of the speed that decides how much the 1€ filter smooths"""
PREDICTED_SPEED_S = 0.02
"""time constant of the speed that a prediction goes on with"""
MOST_AHEAD_S = 0.1
_LEAST_DT_S = 1e-4


def _blend(cutoff_hz: Array | float, dt_s: float) -> Array:
    """How much of a new sample a first-order low pass takes."""
    return np.asarray(1.0 / (1.0 + 1.0 / (2 * pi * np.asarray(cutoff_hz) * max(dt_s, _LEAST_DT_S))))


class OneEuro:
    """Smooths m values, each on its own: `cutoff_hz` at rest, higher by `beta` Hz for each unit per second."""

    def __init__(self, cutoff_hz: float, beta: float = 0.0) -> None:
        if not (cutoff_hz > 0 and beta >= 0 and np.isfinite(cutoff_hz + beta)):
            raise BunrakuError(f"1€ filter: cutoff_hz must be positive and beta not negative, not {cutoff_hz}, {beta}")
        self.cutoff_hz, self.beta = cutoff_hz, beta
        self._value: Array | None = None
        self._speed: Array | None = None

    def reset(self) -> None:
        """The next values pass as they are."""
        self._value = self._speed = None

    def step(self, values: Array, dt_s: float) -> Array:
        """(m,) the values, smoothed."""
        if self._value is None or self._speed is None:
            self._value, self._speed = values.copy(), np.zeros_like(values)
            return values.copy()
        speed = (values - self._value) / max(dt_s, _LEAST_DT_S)
        self._speed = self._speed + _blend(SPEED_CUTOFF_HZ, dt_s) * (speed - self._speed)
        blend = _blend(self.cutoff_hz + self.beta * np.abs(self._speed), dt_s)
        self._value = self._value + blend * (values - self._value)
        return self._value.copy()


class QuaternionSmoother:
    """Smooths (…, 4) unit quaternions along the shorter way; what comes out never jumps to the other hemisphere."""

    def __init__(self, cutoff_hz: float) -> None:
        if not (cutoff_hz > 0 and np.isfinite(cutoff_hz)):
            raise BunrakuError(f"quaternion smoothing: cutoff_hz must be positive, not {cutoff_hz}")
        self.cutoff_hz = cutoff_hz
        self._value: Array | None = None

    def reset(self) -> None:
        """The next quaternions pass as they are."""
        self._value = None

    def step(self, quaternions: Array, dt_s: float) -> Array:
        """(…, 4) the quaternions, smoothed, unit."""
        if self._value is None:
            self._value = quaternions.copy()
        else:
            sign = np.where(np.sum(quaternions * self._value, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
            self._value = rotations.normalize(
                rotations.slerp(self._value, sign * quaternions, _blend(self.cutoff_hz, dt_s))
            )
        return self._value.copy()


class Predictor:
    """Goes on with the present speed of m values for `ahead_s`, to cancel a delay that is known."""

    def __init__(self, ahead_s: float) -> None:
        if not 0.0 <= ahead_s <= MOST_AHEAD_S:
            raise BunrakuError(f"prediction: ahead_s must be 0 … {MOST_AHEAD_S:g}, not {ahead_s}")
        self.ahead_s = ahead_s
        self._before: Array | None = None
        self._speed: Array | None = None

    def reset(self) -> None:
        """The next values pass as they are."""
        self._before = self._speed = None

    def step(self, values: Array, dt_s: float) -> Array:
        """(m,) where the values will be."""
        if self._before is None or self._speed is None:
            self._speed = np.zeros_like(values)
        else:
            speed = (values - self._before) / max(dt_s, _LEAST_DT_S)
            self._speed = self._speed + _blend(1.0 / (2 * pi * PREDICTED_SPEED_S), dt_s) * (speed - self._speed)
        self._before = values.copy()
        return np.asarray(values + self.ahead_s * self._speed)


@dataclass(frozen=True, kw_only=True)
class FilterSettings:
    """What is done to targets; nothing by default."""

    cutoff_hz: float | None = None
    """of the 1€ filter at rest; None: no smoothing"""
    beta: float = 0.0
    """Hz per rad/s or m/s by which that rises with speed"""
    ahead_s: float = 0.0
    """how far joints are predicted"""


class TargetFilter:
    """Smooths and predicts the configurations that a mapper asks for. Begin anew when a robot is armed or engaged."""

    def __init__(self, robot: Robot, settings: FilterSettings) -> None:
        first, cutoff = robot.first_joint, settings.cutoff_hz
        self._first = first
        self._joints = OneEuro(cutoff, settings.beta) if cutoff is not None else None
        self._place = OneEuro(cutoff, settings.beta) if cutoff is not None and first else None
        self._turn = QuaternionSmoother(cutoff) if cutoff is not None and first else None
        self._ahead = Predictor(settings.ahead_s) if settings.ahead_s else None

    def reset(self) -> None:
        """Nothing is remembered."""
        for part in (self._joints, self._place, self._turn, self._ahead):
            if part is not None:
                part.reset()

    def step(self, target: Array, dt_s: float) -> Array:
        """(nq,) the target, filtered; one that holds a number that is none passes as it is, and is forgotten."""
        if not np.isfinite(target).all():
            self.reset()
            return target
        out, first = target.copy(), self._first
        if self._joints is not None:
            out[first:] = self._joints.step(out[first:], dt_s)
        if self._place is not None and self._turn is not None:
            out[:3], out[3:7] = self._place.step(out[:3], dt_s), self._turn.step(out[3:7], dt_s)
        if self._ahead is not None:
            out[first:] = self._ahead.step(out[first:], dt_s)
        return out
