"""What every command keeps to, looked at once more before it goes out: memory can be corrupted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics import rotations
from bunraku.safety.bounds import Bounds

Array = NDArray[np.float64]

SLACK = 1e-6
"""rad or m, and of a speed: what rounding may do"""


def broken_promise(bounds: Bounds, before: Array, command: Array, dt_s: float) -> str:
    """Which promise a step from one command (nq,) to the next would break; "" for none."""
    if not np.isfinite(command).all():
        return "a number that is none"
    first = bounds.first_joint
    was, now = before[first:], command[first:]
    beyond = np.maximum(bounds.lower - now, now - bounds.upper)
    if np.any(beyond > np.maximum(np.maximum(bounds.lower - was, was - bounds.upper), 0.0) + SLACK):
        return "a joint beyond its limit"
    if np.any(np.abs(now - was) > bounds.velocity * dt_s * (1 + SLACK) + SLACK):
        return "a joint faster than its limit"
    if bounds.base is not None:
        way, turn = np.linalg.norm(command[:3] - before[:3]), rotations.angle_between(before[3:7], command[3:7])
        if way > bounds.base.linear_velocity * dt_s * (1 + SLACK) + SLACK:
            return "the base faster than its limit"
        if turn > bounds.base.angular_velocity * dt_s * (1 + SLACK) + SLACK:
            return "the base turning faster than its limit"
    return ""
