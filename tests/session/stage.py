"""Sessions in simulated time: a clock that the test moves, and robots that need no process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bunraku.kinematics.self_distance import Bodies
from bunraku.outputs.null import NullOutput
from bunraku.outputs.output import Output, Sent
from bunraku.outputs.sim import Simulation
from bunraku.retarget import WholeBodyMapper
from bunraku.robots import Robot
from bunraku.robots.command import Command, Measured
from bunraku.safety.filters import FilterSettings
from bunraku.safety.guard import Authorised, Guard, GuardSettings
from bunraku.safety.machine import State
from bunraku.session.auto import AutoPilot
from bunraku.session.intake import Intake
from bunraku.session.loop import Loop, Record
from bunraku.session.operator import Operator
from bunraku.session.person import Person
from bunraku.session.robot_side import RobotSide
from bunraku.sources.live import Source, open_source

S = 1_000_000_000


class SteppedSim(NullOutput):
    """The simulator, moved on by the stamps of its commands; what it did is at hand at once."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        self.simulation = Simulation(robot)
        self._last_ns = 0
        self._measured: Measured | None = None

    def send(self, command: Command) -> Sent:
        sent = super().send(command)
        dt = min(max((command.stamp_ns - self._last_ns) / 1e9, 1e-3), 0.1)
        self._last_ns = command.stamp_ns
        self._measured = self.simulation.step(command.qpos, dt)
        return sent

    def measured(self) -> Measured | None:
        return self._measured or super().measured()


@dataclass
class Stage:
    """One session. `now_ns` is its clock."""

    loop: Loop
    rate_hz: float
    pilot: AutoPilot | None
    now_ns: int = 0
    sent: list[tuple[int, np.ndarray]] = field(default_factory=list)
    watch: Callable[[Authorised], None] | None = None

    def run(self, seconds: float) -> Authorised:
        """Move the clock; returns what the last tick gave."""
        for _ in range(round(seconds * self.rate_hz)):
            last = self.tick()
        return last

    def tick(self, dt_s: float | None = None, late_ns: int = 0) -> Authorised:
        """One tick, a period after the last."""
        self.now_ns += round(1e9 / self.rate_hz if dt_s is None else dt_s * 1e9)
        if self.pilot is not None:
            self.pilot.look(self.loop, self.now_ns)
        guarded = self.loop.tick(self.now_ns, late_ns=late_ns)
        if guarded.sends:
            self.sent.append((self.now_ns, guarded.qpos.copy()))
        if self.watch is not None:
            self.watch(guarded)
        return guarded

    def until(self, state: State, seconds: float = 20.0) -> Authorised:
        """Tick until the session is in a state; it must get there."""
        for _ in range(round(seconds * self.rate_hz)):
            guarded = self.tick()
            if guarded.decision.state is state:
                return guarded
        raise AssertionError(f"never {state.value}: {self.loop.changes} {guarded.decision}")

    def press(self, word: str) -> None:
        """A key of the operator."""
        self.loop.operator.press(word, self.now_ns)

    def speed(self) -> float:
        """The fastest joint between the last two commands, rad/s."""
        (before_ns, before), (after_ns, after) = self.sent[-2:]
        first = self.loop.robot_side.robot.first_joint
        return float(np.abs(after[first:] - before[first:]).max() / ((after_ns - before_ns) / 1e9))


_mappers: dict[str, WholeBodyMapper] = {}


def stage(
    robot: Robot,
    *sources: str | Source,
    output: Output | None = None,
    auto: bool = True,
    rate_hz: float = 120.0,
    settings: GuardSettings | None = None,
    bodies: Bodies | None = None,
    record: Record | None = None,
    filters: FilterSettings | None = None,
    start_ns: int = 5 * S,
) -> Stage:
    """A session with these sources, by URI or ready-made."""
    intakes = []
    for number, source in enumerate(sources):
        made = open_source(source) if isinstance(source, str) else source
        made.open(start_ns)
        intakes.append(Intake(f"source-{number + 1}", made))
    side = RobotSide(robot, [output or NullOutput(robot)])
    side.open()
    operator = Operator()
    if robot.name not in _mappers:
        _mappers[robot.name] = WholeBodyMapper(robot)
    clock = [start_ns]
    loop = Loop(
        person=Person(intakes),
        mapper=_mappers[robot.name],
        guard=Guard(robot, settings or GuardSettings(period_s=1 / rate_hz, anywhere=True), bodies),
        robot_side=side,
        operator=operator,
        period_s=1 / rate_hz,
        clock=lambda: clock[0],
        record=record,
        filters=filters,
    )
    return Stage(loop, rate_hz, AutoPilot(operator) if auto else None, start_ns)
