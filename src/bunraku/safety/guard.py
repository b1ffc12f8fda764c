"""The guard: what one tick of the live loop asks before it tells a robot anything."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.self_distance import Bodies
from bunraku.robots import Robot
from bunraku.robots.command import Measured
from bunraku.safety.apart import Apart
from bunraku.safety.bounds import Bounds, bounds_of
from bunraku.safety.history import History
from bunraku.safety.limiter import Flags, Limiter
from bunraku.safety.machine import COMMANDING, Decision, Memory, Order, Policy, State, update
from bunraku.safety.match import Clutch, Matching
from bunraku.safety.observed import Observed
from bunraku.safety.promises import broken_promise
from bunraku.safety.senses import NO_MATCH, Senses

Array = NDArray[np.float64]

MEET_S = 1.5
"""in which the aim goes from the robot's pose to the person's"""
WAITING = frozenset({State.STANDBY, State.ARMED, State.HOLD})
"""states in which it matters how alike the poses are"""


@dataclass(frozen=True, kw_only=True)
class GuardSettings:
    """How a guard is set up."""

    period_s: float = 1 / 120
    relative: bool = False
    """the person need not stand as the robot does: the robot follows the person's way from where it is"""
    anywhere: bool = False
    """nobody need stand as anybody does: the robot comes slowly to meet the person, from wherever it is"""
    policy: Policy = field(default_factory=Policy)
    bounds: Bounds | None = None
    """None: those of the robot's description"""


@dataclass(frozen=True, slots=True, eq=False)
class Authorised:
    """What may be done in this tick. The arrays are the guard's own: good until its next tick."""

    order: Order
    """what the robot is told; REST, MEET, FOLLOW and GO_HOME send `qpos`, the others do not"""
    qpos: Array
    """(nq,)"""
    weight: float
    """authority over the robot, 0 … 1"""
    flags: Flags
    """(n + 2,) what the limiter held back: each joint, the base's place, the base's turn"""
    decision: Decision
    matching: Matching
    """how far the robot stands as the person does, as long as it does not follow"""

    @property
    def sends(self) -> bool:
        """Whether the robot is told where to be."""
        return self.decision.state in COMMANDING


class Guard:
    """Joins the state machine, the limiter and what slows parts that come together; holds all of the room's memory.

    `bodies` are the pairs of parts that are kept apart; without them none are.
    """

    def __init__(self, robot: Robot, settings: GuardSettings | None = None, bodies: Bodies | None = None) -> None:
        self.robot, self.settings = robot, settings or GuardSettings()
        period_s, nq, n = self.settings.period_s, robot.tree.qpos_size, robot.tree.joint_count
        self.memory = Memory()
        self.limiter = Limiter(self.settings.bounds or bounds_of(robot), period_s=period_s)
        self.history = History(nq, period_s)
        """the last two seconds"""
        self._senses = Senses(robot, period_s)
        self._clutch = Clutch(robot.first_joint, relative=self.settings.relative)
        self._apart = None if bodies is None or not len(bodies.pair) else Apart(robot, bodies, self.limiter)
        self._aligned, self._aim = robot.neutral.copy(), robot.neutral.copy()
        self._start, self._last = robot.neutral.copy(), robot.neutral.copy()
        self._everything, self._slow = np.ones(n + 2, np.uint8), np.zeros(n + 2, np.uint8)
        self._quiet = np.zeros(n + 2, np.uint8)
        self._now_ns: int | None = None
        self._near = False

    def tick(self, now_ns: int, observed: Observed, target: Array | None, measured: Measured | None) -> Authorised:
        """What may be done now.

        `target` (nq,) is the newest answer of the mapper, None where there is none; `measured` the newest that the
        robot said; an output that cannot measure says what it was told. What the guard sees for itself it adds to
        `observed`: late ticks, garbage, errors, the match.
        """
        before = now_ns - round(self.settings.period_s * 1e9) if self._now_ns is None else self._now_ns
        now_ns = self._now_ns = max(now_ns, before)
        elapsed_s, senses = (now_ns - before) * 1e-9, self._senses
        known = senses.take(target)
        if known:
            self._clutch.apply(senses.target, self._aligned)
        senses.measure(measured)
        matching = senses.compare() if known and self.memory.state in WAITING else NO_MATCH
        free = self.settings.relative or self.settings.anywhere
        led = self.memory.state in COMMANDING and self.memory.weight == 1.0
        observed = senses.complete(now_ns, elapsed_s, observed, self.limiter.position, self._aligned, led=led)
        observed = replace(
            observed,
            matched=matching.enough or (free and matching is not NO_MATCH),
            matching=matching.words,
        )
        if self._near:
            observed = replace(observed, robot=replace(observed.robot, near_self=True))
        decision = self._decide(now_ns, observed)
        self._last[:] = self.limiter.position
        flags = self._move(decision, elapsed_s)
        broken = broken_promise(
            self.limiter.bounds, self._last, self.limiter.position, self.limiter.authorised(elapsed_s)
        )
        if broken:
            decision = self._decide(now_ns, replace(observed, loop=replace(observed.loop, broken=broken)))
        senses.told(self.limiter.position)
        self.history.add(
            self._now_ns,
            decision.state,
            decision.weight,
            target if known else None,
            self.limiter.position,
            senses.place,
        )
        return Authorised(decision.order, self.limiter.position, decision.weight, flags, decision, matching)

    def _decide(self, now_ns: int, observed: Observed) -> Decision:
        self.memory, decision = update(now_ns, self.memory, observed, self.settings.policy)
        if decision.latch or decision.state not in COMMANDING:
            self._begin(decision)
        return decision

    def _begin(self, decision: Decision) -> None:
        """Nothing is remembered of what was told before: the robot is where it was last measured."""
        place = self._senses.place
        if place is None:
            return
        self.limiter.reset(place)
        self._senses.start(place)
        self._start[:] = place
        if decision.state is State.ENGAGING:
            self._clutch.latch(self._senses.target, place)
            self._clutch.apply(self._senses.target, self._aligned)

    def _move(self, decision: Decision, elapsed_s: float) -> Flags:
        """One step of the limiter by what was decided."""
        order, senses, slow = decision.order, self._senses, self._everything
        self._near = False
        if decision.state not in COMMANDING:
            return self._quiet
        if order is Order.REST:
            return self.limiter.stop(elapsed_s)
        if order is Order.GO_HOME:
            self._aim[:] = self.robot.neutral
            self._aim[: self.robot.first_joint] = np.nan
        elif order is Order.MEET:
            self._meet()
            self._aim[senses.held] = np.nan
        else:
            self._aim[:] = self._aligned
            self._aim[senses.held] = np.nan
            slow = self._slow
            slow[: self.robot.tree.joint_count] = senses.behind[self.robot.first_joint :]
        if self._apart is not None:
            self._near = self._apart.slow(self._aim, elapsed_s, decision.scale, slow)
        return self.limiter.step(self._aim, elapsed_s, decision.scale, slow=slow)

    def _meet(self) -> None:
        """Aim at a pose between where the robot was when it was engaged and where the person is."""
        spent_s = (self.memory.now_ns - self.memory.since_ns) * 1e-9
        share = min(spent_s / MEET_S, 1.0)
        share *= share * (3.0 - 2.0 * share)
        np.subtract(self._aligned, self._start, out=self._aim)
        if self.robot.first_joint and self._aligned[3:7] @ self._start[3:7] < 0.0:
            self._aim[3:7] = -self._aligned[3:7] - self._start[3:7]
        self._aim *= share
        self._aim += self._start
        if self.robot.first_joint:
            self._aim[3:7] /= np.linalg.norm(self._aim[3:7])
