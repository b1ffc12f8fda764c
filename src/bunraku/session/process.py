"""The loop's process: opens everything, turns at its deadlines, and releases the robot however it ends."""

from __future__ import annotations

import gc
import json
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from bunraku.errors import BunrakuError
from bunraku.outputs.output import Output
from bunraku.recording.records import pose_bytes
from bunraku.retarget import WholeBodyMapper
from bunraku.retarget.apart import keep_apart
from bunraku.safety.guard import Guard, GuardSettings
from bunraku.safety.machine import State
from bunraku.session.auto import AutoPilot
from bunraku.session.intake import Intake
from bunraku.session.live import Lines, Plan
from bunraku.session.loop import Loop, Record
from bunraku.session.operator import Operator
from bunraku.session.pace import Deadlines, Waiting
from bunraku.session.person import Person
from bunraku.session.recorder import DROPPED, FAILED, RecorderLink
from bunraku.session.robot_side import LAST_WORDS, RobotSide
from bunraku.session.status import status, summary
from bunraku.session.watchdog import raise_priority
from bunraku.sources.live import open_source, priorities_of

STATUS_NS = 100_000_000
RELEASE_LONGEST_S = 8.0
"""an end that was asked for takes no longer; then the outputs are released as they are"""
_PRIORITY = -15
TAKES_OVER = frozenset({"stop", "release", "estop"})
"""keys after which nothing engages by itself any more: a person is there"""
_CALM = frozenset({State.STANDBY, State.OFFLINE, State.FAULT, State.ESTOP})


class RecordByLink(Record):
    """Frames go to the recorder's process."""

    def __init__(self, link: RecorderLink) -> None:
        self._link = link
        self._dropped = 0

    def put(self, kind: int, payload: bytes) -> None:
        """Hand it over, or drop it."""
        self._link.put(kind, payload)

    @property
    def gap(self) -> bool:
        """Whether frames were dropped since the last look, or the recorder gave up."""
        counts = self._link.counts.array
        before, self._dropped = self._dropped, int(counts[DROPPED])
        return self._dropped > before or bool(counts[FAILED])


def run_loop(plan: Plan, outputs: Sequence[Output], lines: Lines, line: socket.socket) -> None:
    """The process. A known error is told in words; anything else shows its traceback, after the robot was released."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked: list[str] = []
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda which, _: asked.append(signal.Signals(which).name))
    robot_side = RobotSide(plan.robot, outputs)
    intakes: list[Intake] = []
    try:
        loop = _prepare(plan, robot_side, intakes, lines)
        raise_priority(_PRIORITY)
        gc.collect()
        gc.freeze()
        Turning(plan, loop, lines, line, asked).run()
        lines.ending.put(json.dumps(loop_summary(loop, lines, asked)).encode())
    except BunrakuError as error:
        lines.ending.put(json.dumps({"error": str(error)}).encode())
    finally:
        for _ in range(LAST_WORDS):
            robot_side.release()
        for intake in intakes:
            intake.source.close()
        with suppress(BunrakuError):
            robot_side.close()
        lines.pulse.end()
        if lines.recorder is not None:
            lines.recorder.close()


def loop_summary(loop: Loop, lines: Lines, asked: Sequence[str]) -> dict[str, object]:
    """What remains, and why it ended."""
    dropped = int(lines.recorder.counts.array[DROPPED]) if lines.recorder else 0
    ended = asked[0] if asked else "the operator" if loop.operator.quitting else "its time was over"
    return summary(loop, time.monotonic_ns(), ended=ended, dropped=dropped)


def _prepare(plan: Plan, robot_side: RobotSide, intakes: list[Intake], lines: Lines) -> Loop:
    """Everything that takes long: robots, kernels, sources. The first tick is run for nobody."""
    mapper = WholeBodyMapper(plan.robot)
    warm_up(plan, mapper)
    robot_side.open()
    now = time.monotonic_ns()
    for name, uri in plan.named_sources:
        intakes.append(Intake(name, open_source(uri), priorities_of(uri)))
        intakes[-1].source.open(now)
    return Loop(
        person=Person(intakes),
        mapper=mapper,
        guard=make_guard(plan),
        robot_side=robot_side,
        operator=Operator(),
        period_s=1 / plan.rate_hz,
        clock=time.monotonic_ns,
        trace=lines.trace,
        record=RecordByLink(lines.recorder) if lines.recorder is not None else None,
        filters=plan.filters,
    )


def make_guard(plan: Plan) -> Guard:
    """As the plan says."""
    settings = GuardSettings(
        period_s=1 / plan.rate_hz, relative=plan.engage == "relative", anywhere=plan.engage == "meet"
    )
    return Guard(plan.robot, settings, keep_apart(plan.robot))


def warm_up(plan: Plan, mapper: WholeBodyMapper) -> None:
    """Compile, or load what was compiled, before anything counts: a few ticks of a session without a robot."""
    from bunraku.outputs.null import NullOutput

    intake = Intake("warm-up", open_source("synth:wave?seconds=1"))
    intake.source.open(0)
    side = RobotSide(plan.robot, [NullOutput(plan.robot)])
    side.open()
    operator, period_s = Operator(), 1 / plan.rate_hz
    loop = Loop(
        person=Person([intake]), mapper=mapper, guard=make_guard(plan), robot_side=side, operator=operator,
        period_s=period_s, clock=time.monotonic_ns,
    )  # fmt: skip
    pilot = AutoPilot(operator)
    for number in range(1, round(2.5 * plan.rate_hz)):
        now = round(number * period_s * 1e9)
        pilot.look(loop, now)
        loop.tick(now)


class Turning:
    """The loop as it turns: what it waits for, when it ticks, and when it is over."""

    def __init__(self, plan: Plan, loop: Loop, lines: Lines, line: socket.socket, asked: list[str]) -> None:
        self._plan, self._loop, self._lines, self._line, self._asked = plan, loop, lines, line, asked
        self._pilot = AutoPilot(loop.operator) if plan.auto else None
        self._begun_ns = time.monotonic_ns()
        self._deadlines = Deadlines(round(1e9 / plan.rate_hz), self._begun_ns)
        self._waiting = Waiting()
        self._ending_ns = self._told_ns = 0
        self._urgent = False
        line.setblocking(False)

    def run(self) -> None:
        """Until its time is over, or somebody asked for the end, and the robot is released."""
        while not self._over():
            self._watch()
            self._waiting.wait(0.0 if self._urgent else self._deadlines.left_s(time.monotonic_ns()))
            now = time.monotonic_ns()
            if now >= self._deadlines.due_ns or self._urgent:
                late = 0 if self._urgent else self._deadlines.pass_by(now)
                self._urgent = False
                self._tick(now, late)
        self._waiting.close()

    def _tick(self, now: int, late_ns: int) -> None:
        loop, lines, plan = self._loop, self._lines, self._plan
        if plan.seconds is not None and now - self._begun_ns > plan.seconds * 1e9 and not self._asked:
            self._asked.append("its time was over")
        if (loop.operator.quitting or self._asked) and not self._ending_ns:
            self._ending_ns = now
        if self._ending_ns and loop.state is not State.RELEASING:
            loop.operator.press("release", now)
        elif self._pilot is not None and not self._ending_ns:
            self._pilot.look(loop, now)
        loop.tripped = bool(lines.pulse.tripped_ns)
        told = loop.tick(now, late_ns=late_ns)
        lines.pulse.beat(now, watching=told.weight > 0)
        if loop.pose is not None and told.sends:
            lines.sample.put(b"".join((told.qpos.tobytes(), pose_bytes(0, loop.pose))))
        if now - self._told_ns >= STATUS_NS:
            self._told_ns = now
            lines.status.put(json.dumps(status(loop, now)).encode())

    def _over(self) -> bool:
        if not self._ending_ns:
            return False
        return self._loop.state in _CALM or time.monotonic_ns() - self._ending_ns > RELEASE_LONGEST_S * 1e9

    def _watch(self) -> None:
        """The line, and whatever the sources wait for now."""
        ready = [(fd, _receiver(intake)) for intake in self._loop.person.intakes for fd in intake.source.waits_on()]
        if self._loop.operator.linked:
            ready.append((self._line.fileno(), self._hear))
        self._waiting.watch(ready)

    def _hear(self) -> None:
        """Keys; a stop does not wait for the next deadline, and after it nothing engages by itself any more."""
        operator = self._loop.operator
        try:
            data = self._line.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._asked.append("the terminal is gone")
            operator.linked = False
            return
        self._urgent |= operator.hear(data, time.monotonic_ns())
        if operator.fresh & TAKES_OVER:
            self._pilot = None


def _receiver(intake: Intake) -> Callable[[], None]:
    """What is done when its bytes are there: they arrive now, not at the next tick."""
    return lambda: intake.source.receive(time.monotonic_ns())
