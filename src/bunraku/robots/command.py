"""What a robot is told and what it says of itself: the two values that cross the seam to every output."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Command:
    """Where a robot shall be."""

    qpos: Array
    """(nq,) as in `Robot`"""
    stamp_ns: int
    """the sender's monotonic clock"""
    weight: float = 1.0
    """authority over the robot's own controller: 0 none … 1 all"""
    arming: int = 0
    """rises each time the robot is armed, from where it then is; what was stopped before may go on"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Measured:
    """Where a robot is, and what its servos did since the measurement before."""

    qpos: Array
    """(nq,) as in `Robot`"""
    qvel: Array
    """(nv,) base linear and angular in world axes where the base is free, then the joints; rad/s or m/s"""
    effort: Array
    """(n,) N·m or N at the end; 0 for joints that follow another"""
    error: Array
    """(n,) commanded minus measured joint values"""
    saturated: NDArray[np.bool_]
    """(n,) the servo gave all the effort it has"""
    rate_limited: NDArray[np.bool_]
    """(n,) the command asked for more than the velocity limit"""
    stamp_ns: int
    """the robot's clock"""
