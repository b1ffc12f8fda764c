"""The limiter: whatever the target, what comes out keeps to every position, velocity and acceleration limit."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from bunraku.safety.bounds import Bounds
from bunraku.safety.limiter_kernels import GOAL, PLACE, RATE, limit_body

Array = NDArray[np.float64]
Flags = NDArray[np.uint8]

LEAST_DT_S = 1e-4
"""a clock that stands still, goes back or is no number moves the robot on by this much, never by a whole period"""
LONGEST_PERIODS = 3.0
"""the longest step, in periods of the loop: what was missed is not made up for"""
SCALE_BLEND_S = 0.5
"""in which the speed scale goes from 0 to 1"""


class Limiter:
    """Moves a configuration towards targets within its bounds. A target of NaN, for one joint or all, is a stop."""

    def __init__(self, bounds: Bounds, *, period_s: float = 1 / 120) -> None:
        self.bounds, self.period_s = bounds, period_s
        n, base = bounds.joint_count, bounds.base
        columns = ("lower", "upper", "velocity", "acceleration", "stop_acceleration", "slow")
        self._limits = np.column_stack([getattr(bounds, name) for name in columns]).astype(float)
        self._state = np.full((n, 3), np.nan)
        self._follows = np.column_stack([bounds.leader, bounds.ratio, bounds.offset]).astype(float)
        self._base_limits = np.zeros((2, 6))
        if base is not None:
            self._base_limits[0, 2:] = (
                base.linear_velocity, base.linear_acceleration, base.linear_acceleration, base.slow_linear
            )  # fmt: skip
            self._base_limits[1, 2:] = (
                base.angular_velocity, base.angular_acceleration, base.angular_acceleration, base.slow_angular
            )  # fmt: skip
        self._base_state, self._scratch = np.zeros((2, 3, 4)), np.zeros((3, 4))
        self._nothing = np.full(n + bounds.first_joint, np.nan)
        self.position = np.zeros(n + bounds.first_joint)
        """(nq,) where the last step, or `reset`, left it"""
        self._flags, self._never = np.zeros(n + 2, np.uint8), np.zeros(n + 2, np.uint8)
        self._kept = np.zeros((n, 3)), np.zeros((2, 3, 4)), np.zeros(n + bounds.first_joint)
        self._scale, self._wanted_scale = np.nan, 1.0
        self.position[3 : bounds.first_joint : 7] = 1.0
        self.reset(self.position)

    def reset(self, position: Array) -> None:
        """At rest at a configuration (nq,), which may lie outside of the limits."""
        first = self.bounds.first_joint
        self.position[:] = position
        self._state[:] = np.nan
        self._state[:, PLACE], self._state[:, RATE] = position[first:], 0.0
        self._base_state[:] = 0.0
        self._base_state[:, GOAL] = np.nan
        if first:
            self._base_state[0, PLACE, :3] = position[:3]
            self._base_state[1, PLACE] = position[3:7] / np.linalg.norm(position[3:7])
        self._scale = np.nan

    def step(
        self, target: Array, dt_s: float, scale: float = 1.0, out: Array | None = None, *, slow: Flags | None = None
    ) -> Flags:
        """Go on by `dt_s` towards a target (nq,), into `out` (nq,) where given; `position` holds the same.

        `scale` 0 … 1 multiplies every speed limit and is blended over half a second; 0 freezes, one that is negative or
        no number is refused: the last one stays. `slow` (n + 2,) keeps the joints, the base's place and the base's turn
        to the pace of coming to meet a target, where it is not zero. Returns flags (n + 2,), bits of POSITION,
        VELOCITY, ACCELERATION, GARBAGE, in the same order; they are the limiter's own, good until the next step.
        """
        dt = self.authorised(dt_s)
        if scale >= 0.0:
            self._wanted_scale = min(scale, 1.0)
        if np.isnan(self._scale):
            self._scale = self._wanted_scale
        most = dt / SCALE_BLEND_S
        self._scale += min(max(self._wanted_scale - self._scale, -most), most)
        limit_body(
            self._limits, self._state, self.bounds.independent, self._follows, self._base_limits, self._base_state,
            self._scratch, target, dt, self._scale, self._never if slow is None else slow, self._flags, self.position,
        )  # fmt: skip
        if out is not None:
            out[:] = self.position
        return self._flags

    def stop(self, dt_s: float, out: Array | None = None) -> Flags:
        """The same for no target at all: every joint and the base brake as hard as they may and then rest."""
        return self.step(self._nothing, dt_s, self._wanted_scale, out)

    def preview(self, target: Array, dt_s: float, scale: float, out: Array, *, slow: Flags | None = None) -> None:
        """Where `step` would go, into `out` (nq,); nothing is changed."""
        live, scales = (self._state, self._base_state, self.position), (self._scale, self._wanted_scale)
        for kept, values in zip(self._kept, live, strict=True):
            kept[:] = values
        self.step(target, dt_s, scale, out, slow=slow)
        for kept, values in zip(self._kept, live, strict=True):
            values[:] = kept
        self._scale, self._wanted_scale = scales

    def aim_from_here(self, joints: NDArray[np.int32]) -> None:
        """Take the next target of these joints as a way from where they are, not as a jump from the target before."""
        self._state[joints, GOAL] = self._state[joints, PLACE]

    def authorised(self, dt_s: float) -> float:
        """The time step that is used for one that the clock says: never none, never more than three periods."""
        if not dt_s > LEAST_DT_S:
            return LEAST_DT_S
        return min(dt_s, LONGEST_PERIODS * self.period_s)

    @property
    def joint_rate(self) -> Array:
        """(n,) speed of each joint, its followers' included."""
        return cast(Array, self.bounds.ratio * self._state[self.bounds.leader, RATE])

    @property
    def base_rate(self) -> Array:
        """(6,) linear and angular velocity of the base, world axes; zeros for a fixed one."""
        return self._base_state[:, RATE, :3].reshape(6)

    @property
    def scale(self) -> float:
        """The speed scale as it is blended now."""
        return self._wanted_scale if np.isnan(self._scale) else self._scale

    def at_rest(self) -> bool:
        """Whether nothing moves."""
        return not (self._state[:, RATE].any() or self._base_state[:, RATE].any())
