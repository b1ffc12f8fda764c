"""The last thing before the robot: the machine decides, the limiter moves, and what comes out is looked at again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics import rotations as rot
from bunraku.robots import Robot
from bunraku.safety.bounds import bounds_of
from bunraku.safety.limiter import Limiter
from bunraku.safety.machine import Decision, Memory, Order, Policy, update
from bunraku.safety.observed import Observed

Array = NDArray[np.float64]

MATCH_RAD = np.radians(25.0)
"""a joint that is nearer to the person's matches"""
MATCH_SHARE = 0.9
"""of each limb's joints that must match"""
HOME_RAD = 0.05
_SLACK = 1e-6


class Engage(Enum):
    """How the robot comes to follow."""

    MEET = "meet"
    """from wherever it is, slowly"""
    MATCH = "match"
    """the person stands as the robot does first"""
    RELATIVE = "relative"
    """its joints move as the person's do from then on, from where they are"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Guarded:
    """What follows from one tick."""

    decision: Decision
    qpos: Array | None
    """(nq,) to be sent; None for nothing"""
    flags: NDArray[np.uint8] | None
    """(n + 2,) which limits held what back; None where nothing was moved"""


class Guard:
    """One robot's. Its only clock are its arguments."""

    def __init__(
        self, robot: Robot, *, period_s: float, engage: Engage = Engage.MEET, policy: Policy | None = None
    ) -> None:
        self._robot, self._engage, self._policy = robot, engage, policy or Policy()
        self._bounds = bounds_of(robot)
        self.limiter = Limiter(self._bounds, period_s=period_s)
        self.memory = Memory()
        first = robot.first_joint
        self._limbs = {name: np.array(joints) + first for name, joints in robot.semantics.joints.items() if len(joints)}
        self._world_shift, self._world_turn = np.zeros(3), rot.IDENTITY.copy()
        self._offset = np.zeros(len(robot.joint_names))
        self._engaged = False
        self._broken = ""

    def step(
        self, now_ns: int, dt_s: float, observed: Observed, target: Array | None, measured: Array | None
    ) -> Guarded:
        """One tick: what may be sent towards `target` (nq,), from a robot that was last `measured` (nq,)."""
        if target is not None and not self._engaged and measured is not None:
            self._clutch(target, measured)
        wanted = None if target is None else self._clutched(target)
        observed = self._judged(observed, wanted, measured)
        self.memory, decision = update(now_ns, self.memory, observed, self._policy)
        if decision.acknowledged:
            self._broken = ""
        if decision.latch and measured is not None:
            self.limiter.reset(measured)
        self._engaged = decision.order is Order.FOLLOW or (decision.order is Order.MEET and not decision.latch)
        return self._moved(decision, wanted, dt_s)

    def _judged(self, observed: Observed, wanted: Array | None, measured: Array | None) -> Observed:
        """With what only the guard can tell: how far the robot is from the person."""
        first = self._robot.first_joint
        at = self.limiter.position if self._engaged else measured
        loop = replace(observed.loop, broken=self._broken) if self._broken else observed.loop
        if at is None:
            return replace(observed, loop=loop)
        home = bool(np.abs(at[first:] - self._robot.neutral[first:]).max(initial=0.0) < HOME_RAD)
        if wanted is None:
            return replace(observed, loop=loop, home=home)
        gaps = np.abs(wanted - at)
        shares = {
            name: float((gaps[columns] < MATCH_RAD).mean())
            for name, columns in self._limbs.items()
            if name not in observed.person.lost
        }
        matched = self._engage is not Engage.MATCH or all(share >= MATCH_SHARE for share in shares.values())
        for name in observed.person.lost | observed.person.frozen:
            gaps[self._limbs.get(name, [])] = 0.0
        words = ", ".join(f"{name.replace('_', ' ')} {share:.0%}" for name, share in shares.items() if share < 1.0)
        return replace(
            observed,
            loop=loop,
            matched=matched,
            matching=words,
            error_rad=float(gaps[first:].max(initial=0.0)),
            home=home,
        )

    def _moved(self, decision: Decision, wanted: Array | None, dt_s: float) -> Guarded:
        order = decision.order
        if order in (Order.NOTHING, Order.SAFE, Order.ESTOP):
            return Guarded(decision=decision, qpos=None, flags=None)
        before = self.limiter.position.copy()
        if order is Order.REST or (wanted is None and order is not Order.GO_HOME):
            flags = self.limiter.stop(dt_s)
        elif order is Order.GO_HOME:
            flags = self.limiter.step(self._home(), dt_s, decision.scale, slow=True)
        else:
            goal = np.array(wanted)
            for name in decision.held:
                goal[self._limbs.get(name, [])] = np.nan
            flags = self.limiter.step(goal, dt_s, decision.scale, slow=order is Order.MEET)
        after = self.limiter.position
        self._broken = self._promise(before, after, self.limiter.authorised(dt_s))
        if self._broken:
            return Guarded(decision=decision, qpos=None, flags=None)
        return Guarded(decision=decision, qpos=after.copy(), flags=None if order is Order.REST else flags)

    def _promise(self, before: Array, after: Array, dt_s: float) -> str:
        """Which promise the next command would break; empty where none."""
        if not np.isfinite(after).all():
            return "numbers that are none"
        first, bounds = self._robot.first_joint, self._bounds
        q, way = after[first:], after[first:] - before[first:]
        lead = bounds.independent
        outside = ((q > bounds.upper + _SLACK) & (way > _SLACK)) | ((q < bounds.lower - _SLACK) & (way < -_SLACK))
        if outside[lead].any():
            return f"the limits of {self._robot.joint_names[lead[int(outside[lead].argmax())]]}"
        fast = np.abs(way) > bounds.velocity * dt_s * (1 + _SLACK) + _SLACK
        if fast[lead].any():
            return f"the speed of {self._robot.joint_names[lead[int(fast[lead].argmax())]]}"
        return ""

    def _home(self) -> Array:
        """The rest pose, where the base is."""
        first = self._robot.first_joint
        return np.concatenate([self.limiter.position[:first], self._robot.neutral[first:]])

    def _clutch(self, target: Array, measured: Array) -> None:
        """The person's world laid over the robot's, so that its base need not move; height and tilt stay theirs."""
        first = self._robot.first_joint
        if first:
            turn = _heading(measured[3:7]) - _heading(target[3:7])
            self._world_turn = np.array([np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)])
            self._world_shift = measured[:3] - rot.rotate(self._world_turn, target[:3])
            self._world_shift[2] = 0.0
        if self._engage is Engage.RELATIVE:
            self._offset = measured[first:] - target[first:]

    def _clutched(self, target: Array) -> Array:
        """The target in the robot's world."""
        first = self._robot.first_joint
        out = target.copy()
        if first:
            out[:3] = rot.rotate(self._world_turn, target[:3]) + self._world_shift
            out[3:7] = rot.multiply(self._world_turn, target[3:7])
        out[first:] += self._offset
        return self._robot.clamp(out)


def _heading(quaternion: Array) -> float:
    """Turn about the vertical of what was forward, rad."""
    forward = rot.rotate(quaternion, np.array([1.0, 0.0, 0.0]))
    return float(np.arctan2(forward[1], forward[0]))
