"""A desk to try the state machine at, and a robot that does what the guard allows; time is simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bunraku.kinematics.self_distance import Bodies
from bunraku.robots import Robot
from bunraku.robots.command import Measured
from bunraku.safety.guard import Authorised, Guard, GuardSettings
from bunraku.safety.machine import Decision, Memory, Policy, State, update
from bunraku.safety.observed import LoopSeen, Observed, OperatorSeen, PersonSeen, RobotSeen

PERIOD_S = 1 / 120
TICK_NS = round(PERIOD_S * 1e9)
FINE = Observed(
    person=PersonSeen(age_s=0.01),
    loop=LoopSeen(ready=True),
    robot=RobotSeen(connected=True, age_s=0.005),
    operator=OperatorSeen(linked=True),
    matched=True,
    error_rad=0.0,
)
BUTTONS = ("arm", "engage", "release", "retreat", "acknowledge", "stop", "estop")


def seen(observed: Observed = FINE, **parts: dict[str, Any]) -> Observed:
    """`seen(person={"age_s": 1.0})`: everything is fine but that."""
    return replace(observed, **{name: replace(getattr(observed, name), **values) for name, values in parts.items()})


def pressed(*buttons: str, observed: Observed = FINE) -> Observed:
    return seen(observed, operator=dict.fromkeys(buttons, True))


class Desk:
    """The state machine alone."""

    def __init__(self, policy: Policy | None = None) -> None:
        self.memory, self.now_ns, self.policy = Memory(), 10**15, policy or Policy()
        self.decision: Decision | None = None
        self.path: list[State] = []

    def see(self, observed: Observed = FINE, seconds: float = 0.0, tick_s: float = PERIOD_S) -> Decision:
        """The same for so long, at least one tick."""
        for _ in range(max(1, round(seconds / tick_s))):
            self.now_ns += round(tick_s * 1e9)
            self.memory, self.decision = update(self.now_ns, self.memory, observed, self.policy)
            if not self.path or self.path[-1] is not self.decision.state:
                self.path.append(self.decision.state)
        return self.decision

    def press(self, *buttons: str, observed: Observed = FINE) -> Decision:
        """For one tick; what was held is let go before."""
        self.see(observed, 0.06)
        return self.see(pressed(*buttons, observed=observed))

    def bring(self, state: State) -> Desk:
        """To any state, the usual way."""
        self.see(seen(robot={"connected": False}))
        if state is State.OFFLINE:
            return self
        if state is State.ESTOP:
            self.press("estop")
            return self
        self.see(FINE)
        if state is State.STANDBY:
            return self
        if state is State.FAULT:
            self.see(seen(robot={"error": "overcurrent"}))
            return self
        self.press("arm")
        self.see(FINE, 1.2)
        if state is State.ARMED:
            return self
        self.press("engage", observed=FINE if state is not State.ENGAGING else replace(FINE, error_rad=1.0))
        if state is State.ENGAGING:
            return self
        self.see(FINE, 1.1)
        if state is State.DEGRADED:
            self.see(seen(loop={"singular": True}))
        elif state is State.HOLD:
            self.press("stop")
            self.see(FINE)
        elif state is State.RETREAT:
            self.policy = Policy(may_retreat=True)
            self.press("retreat")
        elif state is State.RELEASING:
            self.press("release")
        return self


class Stage:
    """A guard and a robot that is where it was told to be a tick later."""

    def __init__(self, robot: Robot, settings: GuardSettings | None = None, bodies: Bodies | None = None) -> None:
        self.robot, self.guard = robot, Guard(robot, settings or GuardSettings(), bodies)
        self.place, self.now_ns = robot.neutral.copy(), 10**15
        self.target: Callable[[int], np.ndarray | None] = lambda _: robot.neutral
        self.ticks = 0

    def measured(self) -> Measured:
        n, still = len(self.robot.joint_names), np.zeros(len(self.robot.joint_names), bool)
        return Measured(
            qpos=self.place.copy(), qvel=np.zeros(self.robot.tree.velocity_size), effort=np.zeros(n), error=np.zeros(n),
            saturated=still, rate_limited=still, stamp_ns=0,
        )  # fmt: skip

    def tick(self, observed: Observed = FINE, tick_s: float = PERIOD_S) -> Authorised:
        self.now_ns += round(tick_s * 1e9)
        self.ticks += 1
        out = self.guard.tick(self.now_ns, observed, self.target(self.ticks), self.measured())
        if out.sends:
            self.place = out.qpos.copy()
        return out

    def see(self, observed: Observed = FINE, seconds: float = 0.0) -> Authorised:
        for _ in range(max(1, round(seconds / PERIOD_S))):
            out = self.tick(observed)
        return out

    def engage(self) -> Authorised:
        """The usual way up, as far as ACTIVE where the target is near."""
        self.see(FINE, 0.1)
        self.see(pressed("arm"))
        self.see(FINE, 1.2)
        self.see(pressed("engage"))
        return self.see(FINE, 1.7)
