"""A session for hours with a fault every few seconds: what grows, what drifts, and whether a promise was ever broken.

Time is simulated unless the plan says otherwise: the loop turns as fast as it can, and the same seed gives the same
hours. The faults are those of `faulty+`, on the source and on the robot's reports, and those of the clock and the keys.
In real time the robot is the simulator in its own process.
"""

from __future__ import annotations

import json
import resource
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bunraku.faults import MODES, Faults
from bunraku.human import HumanMotion, on_ground
from bunraku.outputs.faulty import FaultyOutput
from bunraku.outputs.null import NullOutput
from bunraku.outputs.sim_output import SimOutput
from bunraku.retarget import WholeBodyMapper
from bunraku.robots import Robot
from bunraku.safety.guard import Authorised, Guard, GuardSettings
from bunraku.safety.machine import COMMANDING, Order, State
from bunraku.session.auto import AutoPilot
from bunraku.session.intake import Intake
from bunraku.session.loop import Loop
from bunraku.session.operator import Operator
from bunraku.session.person import Person
from bunraku.session.robot_side import RobotSide
from bunraku.sources.faulty import FaultySource
from bunraku.sources.played import PlayedSource

Array = NDArray[np.float64]

APART_S = (1.0, 30.0)
"""from one fault to the next"""
LASTING_S = (0.05, 3.0)
KEYS = ("stop", "release", "estop")
SAMPLE_S = 10.0
"""of simulated or real time between two looks at memory, descriptors, threads"""
_WARM_SHARE = 0.1
_MIB = 2.0**20
_SLACK = 1e-6


@dataclass(frozen=True, kw_only=True)
class SoakPlan:
    """How long, how fast, with what."""

    robot: Robot
    motion: HumanMotion
    hours: float
    seed: int = 0
    rate_hz: float = 120.0
    real: bool = False
    """in real time, on the simulator"""


@dataclass(kw_only=True)
class SoakReport:
    """What came of it. Samples are rows of time (h), resident MiB, descriptors, threads, median tick (µs)."""

    hours: float
    seed: int
    ticks: int = 0
    commands: int = 0
    engagements: int = 0
    wall_s: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    breaches: list[str] = field(default_factory=list)
    samples: list[tuple[float, float, float, float, float]] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Slopes after warm-up, and counts."""
        rows = np.array(self.samples[max(int(len(self.samples) * _WARM_SHARE), 1) :] or self.samples)
        slope = [0.0] * 4
        if len(rows) > 2 and np.ptp(rows[:, 0]) > 0:
            slope = [float(np.polyfit(rows[:, 0], rows[:, k], 1)[0]) for k in range(1, 5)]
        middle = float(np.median(rows[:, 4])) if len(rows) else 0.0
        drift = 100 * slope[3] * float(np.ptp(rows[:, 0])) / middle if len(rows) and middle > 0 else 0.0
        return {
            "hours": self.hours,
            "ticks": self.ticks,
            "commands": self.commands,
            "faults": sum(self.faults.values()),
            "engagements": self.engagements,
            "breaches": len(self.breaches),
            "rss_mib_per_hour": round(slope[0], 3),
            "descriptors_per_hour": round(slope[1], 3),
            "threads_per_hour": round(slope[2], 3),
            "tick_us": round(middle, 1),
            "tick_drift_pct": round(drift, 2),
            "wall_s": round(self.wall_s, 1),
        }

    def save(self, path: Path) -> Path:
        """All of it, as JSON."""
        value = {**vars(self), "figures": self.figures()}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=1))
        return path


class Invariants:
    """The promises, looked at from outside after each tick, with nothing of the guard's own arithmetic."""

    def __init__(self, robot: Robot, guard: Guard, period_s: float) -> None:
        self._robot, self._bounds, self._period_s = robot, guard.limiter.bounds, period_s
        self._last: Array | None = None
        self._rate: Array | None = None
        self._weight = 0.0
        self._state = State.OFFLINE

    def look(self, told: Authorised, dt_s: float, measured: Array | None) -> list[str]:
        """What was broken in this tick, in words."""
        out, state = [], told.decision.state
        if not 0.0 <= told.weight <= 1.0:
            out.append("I21 authority outside of 0 … 1")
        if state is State.RELEASING and told.weight > self._weight + _SLACK and self._state is State.RELEASING:
            out.append("I21 authority rose while releasing")
        if state is State.ACTIVE and self._state not in (State.ACTIVE, State.DEGRADED, State.ENGAGING):
            out.append(f"I10 {self._state.value} → active")
        if told.sends != (state in COMMANDING):
            out.append(f"commands in {state.value}")
        self._weight, self._state = told.weight, state
        if not told.sends:
            self._last = self._rate = None
            return out
        return out + self._path(told, max(min(dt_s, 3 * self._period_s), 1e-4), measured)

    def _path(self, told: Authorised, dt: float, measured: Array | None) -> list[str]:
        bounds, q, out = self._bounds, told.qpos[self._robot.first_joint :], []
        if not np.isfinite(told.qpos).all():
            return ["I4 a number that is none"]
        lead = bounds.independent
        if told.decision.latch and told.decision.state is State.ARMED and measured is not None:
            away = np.abs(q - measured[self._robot.first_joint :])[lead].max(initial=0.0)
            if away > 1e-3:
                out.append(f"I6 armed {away:.4f} rad from the measured pose")
        if told.decision.latch:
            self._last = self._rate = None
        if self._last is not None:
            rate = (q - self._last) / dt
            inward = ((q > bounds.upper + _SLACK) & (rate > _SLACK)) | ((q < bounds.lower - _SLACK) & (rate < -_SLACK))
            if inward[lead].any():
                out.append("I1 outward beyond a limit")
            if (np.abs(rate) > bounds.velocity * (1 + 1e-6) + 1e-6)[lead].any():
                out.append("I2 faster than a limit")
            if self._rate is not None:
                hard = (np.abs(rate - self._rate) / dt)[lead] / bounds.stop_acceleration[lead]
                if hard.max(initial=0.0) > 1.001:
                    out.append(f"I3 {hard.max():.3f} of the acceleration limit in {told.decision.state.value}")
            if told.order is Order.REST and self._rate is not None:
                faster = (np.abs(rate) > np.abs(self._rate) + 1e-6)[lead]
                if faster.any():
                    out.append("speeds up at rest")
            self._rate = rate
        self._last = q.copy()
        return out


class Soak:
    """One run."""

    def __init__(self, plan: SoakPlan) -> None:
        self.plan = plan
        self._random = np.random.default_rng(plan.seed)
        self.report = SoakReport(hours=plan.hours, seed=plan.seed)
        self._period_s = 1 / plan.rate_hz
        self._played = PlayedSource(on_ground(plan.motion), loop="swing")
        self._source = FaultySource(self._played, Faults(mode="off"))
        inner = SimOutput(plan.robot) if plan.real else NullOutput(plan.robot)
        self._output = FaultyOutput(inner, Faults(mode="off"), plan.robot)
        self._source.switch(None)
        self._output.switch(None)
        guard = Guard(plan.robot, GuardSettings(period_s=self._period_s, anywhere=True))
        side, operator = RobotSide(plan.robot, [self._output]), Operator()
        side.open()
        self._played.open(1)
        self._source.open(1)
        self.loop = Loop(
            person=Person([Intake("soak", self._source)]),
            mapper=WholeBodyMapper(plan.robot),
            guard=guard,
            robot_side=side,
            operator=operator,
            period_s=self._period_s,
            clock=time.monotonic_ns,
        )
        self._pilot = AutoPilot(operator)
        self._invariants = Invariants(plan.robot, guard, self._period_s)
        self._until_s = 0.0
        self._next_s = 5.0
        self._slow_s = 0.0

    def run(self, tell: Callable[[SoakReport], None] = lambda _: None) -> SoakReport:
        """All hours; `tell` is called with each sample."""
        begun, now_s, last_ns, sampled_s = time.monotonic(), 1.0, 1_000_000_000, 0.0
        origin_ns = time.monotonic_ns() - last_ns if self.plan.real else 0
        spent: list[float] = []
        try:
            while now_s < self.plan.hours * 3600:
                self._inject(now_s)
                step_s = self._period_s + self._slow_s
                self._slow_s = 0.0
                now_s += step_s
                now_ns = round(now_s * 1e9)
                if self.plan.real:
                    time.sleep(max((origin_ns + now_ns - time.monotonic_ns()) / 1e9, 0.0))
                    now_ns = max(time.monotonic_ns() - origin_ns, now_ns)
                    now_s = now_ns / 1e9
                self._pilot.look(self.loop, now_ns)
                started = time.perf_counter()
                told = self.loop.tick(now_ns, late_ns=now_ns - last_ns - round(1e9 * self._period_s))
                spent.append(time.perf_counter() - started)
                self._note(told, (now_ns - last_ns) / 1e9, now_s)
                last_ns = now_ns
                if now_s - sampled_s >= SAMPLE_S:
                    sampled_s = now_s
                    self.report.wall_s = time.monotonic() - begun
                    self.report.samples.append((now_s / 3600, *_resources(), 1e6 * float(np.median(spent))))
                    spent.clear()
                    tell(self.report)
        finally:
            self.loop.robot_side.release()
            self.loop.robot_side.close()
        self.report.wall_s = time.monotonic() - begun
        return self.report

    def _note(self, told: Authorised, dt_s: float, now_s: float) -> None:
        report, state = self.report, told.decision.state
        report.ticks += 1
        report.commands += told.sends
        report.states[state.value] += 1
        report.engagements += state is State.ENGAGING and told.decision.before is not State.ENGAGING
        measured = self.loop.robot_side.measured
        for breach in self._invariants.look(told, dt_s, None if measured is None else measured.qpos):
            if len(report.breaches) < 1000:
                report.breaches.append(f"{now_s:.3f} s: {breach}")

    def _inject(self, now_s: float) -> None:
        """Faults begin and end."""
        if self._until_s and now_s >= self._until_s:
            self._until_s = 0.0
            self._source.switch(None)
            self._output.switch(None)
        if now_s < self._next_s:
            return
        self._next_s = now_s + float(self._random.uniform(*APART_S))
        self._until_s = now_s + float(np.exp(self._random.uniform(*np.log(LASTING_S))))
        where = self._random.choice(["source", "source", "robot", "clock", "key"])
        if where == "clock":
            self._slow_s, name = float(np.exp(self._random.uniform(np.log(0.005), np.log(2.0)))), "clock"
        elif where == "key":
            name = str(self._random.choice(KEYS))
            self.loop.operator.press(name, round(now_s * 1e9))
        else:
            name = str(self._random.choice(list(MODES)))
            (self._source if where == "source" else self._output).switch(name)
        self.report.faults[f"{where} {name}"] += 1


def _resources() -> tuple[float, float, float]:
    """Resident MiB, descriptors, threads of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    threads = sum(1 for _ in Path("/proc/self/task").iterdir())
    return pages * resource.getpagesize() / _MIB, float(len(list(Path("/proc/self/fd").iterdir()))), float(threads)
