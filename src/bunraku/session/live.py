"""A live session: its plan, its processes, and the handle on it.

    this process ── line ──► the loop ── shared memory ──► outputs' own processes (the simulator)
         ▲                     │  │                              ▲
         └── newest status ────┘  └── bounded queue ─► recorder  └── the last word ── watchdog ◄── heartbeat

Whatever happens to the loop, the others find out by themselves: the watchdog by the heart that stops, the recorder and
this process by the line that is closed. Where this process dies, the loop sees its line closed and releases the robot.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from bunraku.errors import BunrakuError, InputError, UnknownNameError
from bunraku.mailbox import Mailbox, processes
from bunraku.outputs.output import Output, is_simulated, make_output
from bunraku.recording.records import VERSION
from bunraku.robots import Robot
from bunraku.safety.filters import FilterSettings, TargetFilter
from bunraku.session.operator import WORDS
from bunraku.session.recorder import RecorderLink, begin_recording
from bunraku.session.trace import STAGES, Trace
from bunraku.session.watchdog import Pulse, begin_watching
from bunraku.sources.live import open_source

RATES = (50.0, 500.0)
ENGAGE = {
    "meet": "the robot goes slowly to meet the person, from wherever it is",
    "match": "the person stands as the robot does first",
    "relative": "the robot's joints move as the person's do from then on, from where they are",
}
"""how a robot comes to follow"""
STATUS_BYTES, SAMPLE_BYTES, ENDING_BYTES = 1 << 18, 1 << 14, 1 << 20
_END_S = 15.0
"""in which a session that was told to end must have ended: authority fades, files are closed"""
_POLL_S = 0.02


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a session is made of."""

    sources: Sequence[str]
    """URIs, each with a name in front where there are several: `suit=axis-neuron://…`"""
    outputs: Sequence[str]
    robot: Robot
    rate_hz: float = 120.0
    record: Path | None = None
    seconds: float | None = None
    """ends by itself after so long, from the first tick on"""
    auto: bool = False
    """arms and engages by itself, again after every HOLD; only where nothing in the world moves"""

    engage: str = "meet"
    """one of ENGAGE"""
    filters: FilterSettings = field(default_factory=FilterSettings)
    """of targets; none by default"""

    def __post_init__(self) -> None:
        if not RATES[0] <= self.rate_hz <= RATES[1]:
            raise InputError(f"a rate of {self.rate_hz:g} Hz: it must be from {RATES[0]:g} to {RATES[1]:g}")
        if self.seconds is not None and not 0 < self.seconds <= 31 * 86_400:
            raise InputError(f"{self.seconds:g} seconds: it must be above 0 and at most a month")
        if self.engage not in ENGAGE:
            raise UnknownNameError("way to engage", self.engage, ENGAGE)
        TargetFilter(self.robot, self.filters)
        if not self.sources:
            raise InputError("a session needs a source, for instance synth:walk")
        real = [uri for uri in self.outputs if not is_simulated(uri)]
        if self.auto and real:
            raise InputError(f"{real[0]}: a robot that moves in the world is armed by a person at the keys only")
        names = [name for name, _ in self.named_sources]
        if len(set(names)) < len(names):
            raise InputError(f"two sources are called {max(names, key=names.count)}: NAME=URI names them")

    @property
    def named_sources(self) -> list[tuple[str, str]]:
        """(name, URI)"""
        out = []
        for number, text in enumerate(self.sources):
            name, mark, uri = text.partition("=")
            named = bool(mark) and name.replace("-", "").replace("_", "").isalnum() and ":" not in name
            out.append((name, uri) if named else (_short(text, number), text))
        return out


def _short(uri: str, number: int) -> str:
    """A name for a source that has none."""
    scheme = uri.partition(":")[0].removeprefix("faulty+")
    return scheme if not number else f"{scheme}-{number + 1}"


@dataclass(eq=False, kw_only=True)
class Lines:
    """What the loop's process is given: all of it travels there."""

    pulse: Pulse = field(default_factory=Pulse)
    trace: Trace = field(default_factory=Trace)
    status: Mailbox = field(default_factory=lambda: Mailbox(STATUS_BYTES))
    sample: Mailbox = field(default_factory=lambda: Mailbox(SAMPLE_BYTES))
    """the newest pose of the person and configuration sent, for whoever judges or draws them"""
    ending: Mailbox = field(default_factory=lambda: Mailbox(ENDING_BYTES))
    """the summary, or why there is none"""
    recorder: RecorderLink | None = None


class LiveSession:
    """A session that runs. Use it as a context: leaving it ends the session, with the robot released."""

    def __init__(self, plan: Plan) -> None:
        from bunraku.session.process import run_loop

        self.plan, self.lines = plan, Lines()
        for _, uri in plan.named_sources:
            open_source(uri)
        self.outputs: list[Output] = [make_output(uri, plan.robot) for uri in plan.outputs]
        self._helpers: list[BaseProcess] = []
        if plan.record is not None:
            self.lines.recorder, recorder = begin_recording(plan.record, header(plan))
            self._helpers.append(recorder)
        for output in self.outputs:
            begin_hosts(output)
        guardians = [guardian for output in self.outputs if (guardian := output.guardian()) is not None]
        self._watchdog = begin_watching(self.lines.pulse, guardians)
        self._line, theirs = socket.socketpair()
        self._loop = processes.Process(
            target=run_loop, args=(plan, self.outputs, self.lines, theirs), name="bunraku-loop", daemon=True
        )
        self._loop.start()
        theirs.close()
        if self.lines.recorder is not None:
            self.lines.recorder.close()

    def __enter__(self) -> LiveSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def pid(self) -> int:
        """Of the loop's process."""
        return self._loop.pid or 0

    @property
    def line(self) -> socket.socket:
        """To the loop: readable when it has closed it, which is when it is over."""
        return self._line

    def say(self, word: str) -> None:
        """A key of the operator: stop, engage, release, arm, acknowledge, estop, quit."""
        with suppress(OSError):
            self._line.send(WORDS[word])

    def running(self) -> bool:
        """Whether the loop lives."""
        return self._loop.is_alive()

    def status(self) -> dict[str, Any] | None:
        """The newest one; None before the first."""
        data = self.lines.status.get()
        return None if data is None else dict(json.loads(data))

    def wait(self, seconds: float | None = None) -> bool:
        """Until the session is over, or so long; whether it is over."""
        self._loop.join(seconds)
        return not self._loop.is_alive()

    def end(self) -> None:
        """Ask the session to end, wait until it has, end what remains."""
        self.say("quit")
        if not self.wait(_END_S):
            self._loop.kill()
            self._loop.join()
        deadline = time.monotonic() + 2.0
        while not self.lines.pulse.ended and not self.lines.pulse.tripped_ns and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        self._line.close()
        self.lines.pulse.end()
        for output in self.outputs:
            with suppress(BunrakuError):
                output.release()
                output.close()
        for process in (*self._helpers, self._watchdog):
            process.join(5.0)

    def result(self) -> dict[str, Any]:
        """The summary of a session that is over; an error that ended it is raised."""
        data = self.lines.ending.get()
        told = {} if data is None else json.loads(data)
        if "error" in told:
            raise BunrakuError(told["error"])
        if not told:
            raise BunrakuError(
                f"the loop's process ended without a word (exit code {self._loop.exitcode}); the watchdog "
                + ("stopped the robot" if self.lines.pulse.tripped_ns else "had nothing to stop")
            )
        return dict(told)


def begin_hosts(output: Output) -> None:
    """Start the processes of an output that must outlive the loop."""
    while not hasattr(output, "host") and hasattr(output, "inner"):
        output = output.inner
    host = getattr(output, "host", None)
    if host is not None:
        host()


def header(plan: Plan) -> dict[str, object]:
    """What a recording begins with."""
    from bunraku import __version__
    from bunraku.session.loop import STATES

    return {
        "version": VERSION,
        "program": __version__,
        "robot": plan.robot.name,
        "joint_names": list(plan.robot.joint_names),
        "base": plan.robot.base,
        "rate_hz": plan.rate_hz,
        "sources": [{"name": name, "uri": uri} for name, uri in plan.named_sources],
        "outputs": list(plan.outputs),
        "states": [state.value for state in STATES],
        "stages": list(STAGES),
        "wall_clock_s": time.time(),
        "monotonic_ns": time.monotonic_ns(),
        "host": os.uname().machine,
    }
