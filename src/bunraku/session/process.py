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
        _turn(plan, loop, lines, line, asked)
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


def _turn(plan: Plan, loop: Loop, lines: Lines, line: socket.socket, asked: list[str]) -> None:
    """Until its time is over, or somebody asked for the end and the robot is released."""
    line.setblocking(False)
    raise_priority(_PRIORITY)
    gc.collect()
    gc.freeze()
    operator, pilot = loop.operator, AutoPilot(loop.operator) if plan.auto else None
    begun = time.monotonic_ns()
    deadlines, waiting = Deadlines(round(1e9 / plan.rate_hz), begun), Waiting()
    ending_ns, told_ns, urgent, taken_over = 0, 0, [False], [False]

    def hear() -> None:
        try:
            data = line.recv(4096)
        except BlockingIOError:
            return
        if not data:
            asked.append("the terminal is gone")
            operator.linked = False
            return
        urgent[0] |= operator.hear(data, time.monotonic_ns())
        taken_over[0] |= bool(operator.fresh & TAKES_OVER)

    while True:
        hearing = [(line.fileno(), hear)] if operator.linked else []
        waiting.watch([*hearing, *((fd, _receiver(i)) for i in loop.person.intakes for fd in i.source.waits_on())])
        now = time.monotonic_ns()
        if now < deadlines.due_ns and not urgent[0]:
            waiting.wait(deadlines.left_s(now))
            continue
        late = deadlines.pass_by(now) if not urgent[0] else 0
        urgent[0] = False
        if plan.seconds is not None and now - begun > plan.seconds * 1e9 and not asked:
            asked.append("its time was over")
        if (operator.quitting or asked) and not ending_ns:
            ending_ns = now
        if ending_ns and loop.state is not State.RELEASING:
            operator.press("release", now)
        elif pilot is not None and not ending_ns and not taken_over[0]:
            pilot.look(loop, now)
        loop.tripped = bool(lines.pulse.tripped_ns)
        guarded = loop.tick(now, late_ns=late)
        lines.pulse.beat(now, watching=guarded.weight > 0)
        if loop.pose is not None and guarded.sends:
            lines.sample.put(b"".join((guarded.qpos.tobytes(), pose_bytes(0, loop.pose))))
        if now - told_ns >= STATUS_NS:
            told_ns = now
            lines.status.put(json.dumps(status(loop, now)).encode())
        if ending_ns and (loop.state in _CALM or now - ending_ns > RELEASE_LONGEST_S * 1e9):
            waiting.close()
            return


def _receiver(intake: Intake) -> Callable[[], None]:
    """What is done when its bytes are there: they arrive now, not at the next tick."""
    return lambda: intake.source.receive(time.monotonic_ns())
