"""A live session, measured from outside: latency, gaps, stopping, silence, the watchdog, the limiter.

Simulation, terminal view (its percentiles and similarity, drawn to nowhere) and raw recording run beside the loop.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from figure import Figure, best_of

ROBOT = "g1"
PATIENCE_S = 120.0
BURN = "while True: pass"
GARBAGE = (
    "import os, socket, time\n"
    "line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    "while True:\n"
    "    line.sendto(os.urandom(512), ('127.0.0.1', 9))\n"
    "    time.sleep(0.001)\n"
)


def figures(seconds: float = float(os.environ.get("BUNRAKU_LIVE_SECONDS", "60"))) -> Iterator[Figure]:
    """At 120 Hz, 60 s each by default; ten minutes with BUNRAKU_LIVE_SECONDS=600."""
    quiet = _stages(seconds)
    path = quiet["path"]
    yield Figure("live.path_p50", path["p50"], "ms", 1.0, "at_most", f"frame received to command sent, {ROBOT}, 120 Hz")
    yield Figure("live.path_p99", path["p99"], "ms", 4.0, "at_most", "the same, p99")
    yield Figure(
        "live.gap", quiet["gap"]["max"], "ms", 20.0, "at_most", f"longest between two commands in {seconds:g} s"
    )
    burdened = _stages(seconds, burdens=(BURN, *[GARBAGE] * 4))
    yield Figure(
        "live.path_p99_load", 100 * (burdened["path"]["p99"] / path["p99"] - 1), "%", 20.0, "at_most",
        "more p99 with one process on a whole core and 4 senders of garbage",
    )  # fmt: skip
    yield _stop_key()
    yield _silence()
    yield _watchdog()
    yield _limiter()


def _session(**more: Any) -> Any:
    from bunraku.robots import load_robot
    from bunraku.session.live import LiveSession, Plan

    plan = {"sources": ["synth:walk?fps=120"], "outputs": ["sim:"], "robot": load_robot(ROBOT), "auto": True, **more}
    return LiveSession(Plan(**plan))


def _follows(session: Any) -> None:
    """Wait until the robot follows."""
    until = time.monotonic() + PATIENCE_S
    while (session.status() or {}).get("state") not in ("active", "degraded"):
        if time.monotonic() > until or not session.running():
            raise RuntimeError(f"the robot never followed: {session.status()}")
        time.sleep(0.02)


def _stages(seconds: float, burdens: tuple[str, ...] = ()) -> dict[str, dict[str, float]]:
    """Stage → percentiles of a session that has followed for so long."""
    from bunraku.session.similarity import Similarity
    from bunraku.session.trace import percentiles

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        session = stack.enter_context(_session(record=Path(folder) / "s.braw"))
        _follows(session)
        for burden in burdens:
            process = subprocess.Popen([sys.executable, "-c", burden])
            stack.callback(process.kill)
        similarity, trace = Similarity(session.plan.robot), session.lines.trace
        before, until = trace.counts(), time.monotonic() + seconds
        while time.monotonic() < until and session.running():
            similarity.look(session.lines.sample.get())
            session.status()
            time.sleep(0.2)
        found = percentiles(trace.counts() - before, (50, 99, 100))
    return {name: {**row, "max": row["p100"]} for name, row in found.items()}


def _stop_key(presses: int = 10) -> Figure:
    """From the key to the first command that brakes, as the recording of the loop has it."""
    from bunraku.recording.records import RawRecording

    with tempfile.TemporaryDirectory() as folder:
        path, pressed = Path(folder) / "s.braw", []
        with _session(record=path) as session:
            for _ in range(presses):
                _follows(session)
                time.sleep(0.3)
                pressed.append(time.monotonic_ns())
                session.say("stop")
                time.sleep(0.5)
                session.say("engage")
                time.sleep(0.5)
        recording = RawRecording.load(path)
    hold = list(recording.header["states"]).index("hold")
    instants = np.array([tick.now_ns for tick in recording.ticks if tick.state == hold])
    waits = [float(instants[instants > at].min() - at) / 1e6 for at in pressed]
    return Figure(
        "live.stop_key", max(waits), "ms", 20.0, "at_most", f"stop key to the first braking command, worst of {presses}"
    )


def _silence() -> Figure:
    """Last frame to commanded speed 0; 0.1 s and the time of braking from full speed are allowed."""
    from bunraku.recording.records import RawRecording
    from bunraku.robots import load_robot
    from bunraku.safety.bounds import bounds_of

    robot = load_robot(ROBOT)
    bounds = bounds_of(robot)
    allowed_s = 0.1 + float((bounds.velocity / bounds.stop_acceleration).max())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.braw"
        source = "faulty+synth:walk?fps=120&mode=off&period=8&share=0.4"
        with _session(record=path, sources=[source], outputs=["null:"], seconds=14.0) as session:
            session.wait(PATIENCE_S)
        recording = RawRecording.load(path)
    arrivals = np.array([pose.received_ns for pose in recording.poses[0]])
    quiet = int(np.argmax(np.diff(arrivals)))
    ticks = [tick for tick in recording.ticks if arrivals[quiet] <= tick.now_ns < arrivals[quiet + 1]]
    joints = np.array([tick.qpos for tick in ticks])[:, robot.first_joint :]
    moving = np.flatnonzero(np.abs(np.diff(joints, axis=0)).max(axis=1) > 1e-9)
    stopped_s = (ticks[int(moving[-1]) + 1].now_ns - arrivals[quiet]) / 1e9 if len(moving) else 0.0
    return Figure(
        "live.silence", stopped_s, "s", allowed_s, "at_most", "last frame to commanded speed 0; 0.1 s + v/a allowed"
    )


def _watchdog(kills: int = 3) -> Figure:
    """`kill -9` of the loop to the watchdog's word."""
    waits = []
    for _ in range(kills):
        with _session() as session:
            _follows(session)
            killed = time.monotonic_ns()
            os.kill(session.pid, signal.SIGKILL)
            while not session.lines.pulse.tripped_ns:
                time.sleep(0.001)
            waits.append((session.lines.pulse.tripped_ns - killed) / 1e6)
    return Figure(
        "live.watchdog", max(waits), "ms", 150.0, "at_most", f"kill -9 of the loop to the last word, worst of {kills}"
    )


def _limiter(joints: int = 43, steps: int = 10_000) -> Figure:
    """One step of 43 joints, called from Python."""
    from bunraku.safety.bounds import bounds_of_joints
    from bunraku.safety.limiter import Limiter

    one = np.ones(joints)
    limiter = Limiter(bounds_of_joints(-3 * one, 3 * one, 6 * one, 75 * one))
    targets = np.random.default_rng(0).normal(size=(steps, joints))
    limiter.step(targets[0], 1 / 120)

    def work() -> None:
        for target in targets:
            limiter.step(target, 1 / 120)

    return Figure(
        "live.limiter", 1e6 * best_of(work, 5) / steps, "µs", 10.0, "at_most", f"{joints} joints, one step, best of 5"
    )
