"""How far, how fast and how hard each joint and the base may be moved."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.kinematics.problem import tree_arrays, variable_limits
from bunraku.kinematics.tree import HINGE
from bunraku.robots import Robot

Array = NDArray[np.float64]

FULL_SPEED_S = 0.08
"""in which a joint may come to its full speed, and from it to rest"""
SLOW_HINGE, SLOW_SLIDE = 0.5, 0.05
"""rad/s and m/s: the pace while a robot comes to meet its target"""
_LEAST_SPEED = 1e-6


@dataclass(frozen=True, kw_only=True)
class BaseBounds:
    """Norms of the velocity of a free base and of its change; SI units. A planar base has a flat target."""

    linear_velocity: float = 3.0
    linear_acceleration: float = 30.0
    angular_velocity: float = 6.0
    angular_acceleration: float = 60.0
    slow_linear: float = 0.3
    """while the robot comes to meet its target"""
    slow_angular: float = 0.5

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (np.isfinite(value) and value > 0):
                raise RobotError(f"base bound '{name}' must be positive, not {value}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Bounds:
    """Bounds of n joints in SI units, in the order of qpos; hands and face are joints like any other."""

    lower: Array
    """(n,) -inf where unlimited"""
    upper: Array
    velocity: Array
    acceleration: Array
    stop_acceleration: Array
    """(n,) what a stop may brake with, at least `acceleration`"""
    slow: Array
    """(n,) speed while the robot comes to meet its target"""
    leader: NDArray[np.int32]
    """(n,) the joint that each follows; its own index where it is independent"""
    ratio: Array
    """(n,) q = ratio · q[leader] + offset"""
    offset: Array
    base: BaseBounds | None = None
    """None for a fixed base"""
    independent: NDArray[np.int32] = field(init=False)
    """(m,) joints that are their own leaders"""

    def __post_init__(self) -> None:
        n = len(self.leader)
        object.__setattr__(self, "independent", np.flatnonzero(self.leader == np.arange(n)).astype(np.int32))
        for name in ("lower", "upper", "velocity", "acceleration", "stop_acceleration", "slow", "ratio", "offset"):
            if np.shape(getattr(self, name)) != (n,):
                raise RobotError(f"bounds: '{name}' has shape {np.shape(getattr(self, name))}, expected ({n},)")
        if not np.all(self.lower <= self.upper):
            raise RobotError("bounds: 'lower' must not be above 'upper'")
        for name in ("velocity", "acceleration", "stop_acceleration", "slow"):
            values = getattr(self, name)
            if not np.all(np.isfinite(values) & (values > 0)):
                raise RobotError(f"bounds: '{name}' must be positive and finite for every joint")
        if np.any(self.stop_acceleration < self.acceleration):
            raise RobotError("bounds: a stop must be allowed to brake at least as hard as 'acceleration'")

    @property
    def joint_count(self) -> int:
        """n"""
        return len(self.leader)

    @property
    def first_joint(self) -> int:
        """Column of qpos where the joints begin."""
        return 0 if self.base is None else 7


def bounds_of_joints(
    lower: Array, upper: Array, velocity: Array, acceleration: Array, stop_acceleration: Array | None = None
) -> Bounds:
    """Bounds of n independent joints (n,) without a base."""
    n = len(lower)
    stop = acceleration if stop_acceleration is None else stop_acceleration
    return Bounds(
        lower=lower, upper=upper, velocity=velocity, acceleration=acceleration, stop_acceleration=stop,
        slow=np.minimum(velocity, SLOW_HINGE), leader=np.arange(n, dtype=np.int32), ratio=np.ones(n),
        offset=np.zeros(n),
    )  # fmt: skip


def bounds_of(
    robot: Robot, *, full_speed_s: float = FULL_SPEED_S, stop_s: float | None = None, base: BaseBounds | None = None
) -> Bounds:
    """A robot's bounds: full speed is reached in `full_speed_s` and braked within `stop_s` (as fast where not given).

    A joint that others follow is bounded so that they keep to their own limits too.
    """
    tree, lead = robot.tree, robot.tree.independent
    lower, upper, velocity = robot.lower.copy(), robot.upper.copy(), robot.velocity.copy()
    limits, variable = variable_limits(tree, lower, upper), tree_arrays(tree).variable
    lower[lead], upper[lead] = limits.lower[variable[lead]], limits.upper[variable[lead]]
    for joint in np.flatnonzero((tree.leader != np.arange(tree.joint_count)) & (tree.ratio != 0.0)):
        leader = tree.leader[joint]
        velocity[leader] = min(velocity[leader], robot.velocity[joint] / abs(tree.ratio[joint]))
    velocity = np.maximum(velocity, _LEAST_SPEED)
    slow = np.where(tree.joint_type[1:] == HINGE, SLOW_HINGE, SLOW_SLIDE)
    return Bounds(
        lower=lower,
        upper=upper,
        velocity=velocity,
        acceleration=velocity / full_speed_s,
        stop_acceleration=velocity / min(full_speed_s, stop_s or full_speed_s),
        slow=np.minimum(velocity, slow),
        leader=tree.leader,
        ratio=tree.ratio,
        offset=tree.offset,
        base=(base or BaseBounds()) if tree.free_base else None,
    )
