"""Whole sessions in their own processes: what happens when one of them goes away, or is told to."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from bunraku.errors import BunrakuError
from bunraku.outputs.on_board import OnBoard
from bunraku.outputs.sim_output import WATCHDOG, SimOutput
from bunraku.recording.records import RawRecording
from bunraku.robots import Robot, load_robot
from bunraku.session.live import LiveSession, Plan
from bunraku.session.watchdog import SILENCE_S

FOLLOWING = ("active", "degraded")
"""slow is as good: a busy machine's ticks come late"""
PATIENCE_S = 120.0
"""for what takes a moment on a machine that is not busy"""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load_robot("puppet")


def until(holds, what: str) -> None:
    """Wait for something that must come."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.005)


def state(session: LiveSession) -> str:
    status = session.status()
    return "" if status is None else str(status["state"])


@contextmanager
def active(robot: Robot, **more: object) -> Iterator[LiveSession]:
    """A session whose robot follows."""
    plan = Plan(
        **{"sources": ["synth:wave"], "outputs": ["sim:"], "robot": robot, "auto": True, "rate_hz": 50.0, **more}  # type: ignore[arg-type]
    )
    with LiveSession(plan) as session:
        until(lambda: state(session) in FOLLOWING or not session.running(), "following")
        assert session.running()
        yield session


def test_the_watchdog_has_the_last_word(robot: Robot) -> None:
    """`kill -9` of the loop: within a moment the watchdog has told the simulator to freeze, and it stands still."""
    with active(robot) as session:
        output = session.outputs[0]
        assert isinstance(output, SimOutput)
        killed = time.monotonic_ns()
        os.kill(session.pid, signal.SIGKILL)
        until(lambda: session.lines.pulse.tripped_ns, "the watchdog's word")
        waited_s = (session.lines.pulse.tripped_ns - killed) / 1e9
        assert SILENCE_S * 0.8 < waited_s < 2.0
        assert output.lines.orders.array[WATCHDOG] == 1
        time.sleep(0.5)
        before = output.measured()
        time.sleep(0.3)
        after = output.measured()
        assert before is not None and after is not None
        assert after.stamp_ns > before.stamp_ns, "the simulator lives on"
        assert np.abs(after.qpos - before.qpos).max() < 1e-3
    with pytest.raises(BunrakuError, match="watchdog stopped the robot"):
        session.result()


def test_a_session_ends_with_the_robot_released_and_its_files_whole(robot: Robot, tmp_path: Path) -> None:
    """Told to quit, authority fades to nothing before the outputs are closed; summary and recording are there."""
    path = tmp_path / "s.braw"
    with active(robot, record=path) as session:
        session.say("quit")
        assert session.wait(PATIENCE_S)
    result = session.result()
    assert result["ended"] == "the operator"
    assert result["recording_dropped"] == 0
    assert {"receive", "retarget", "limit", "send", "acknowledge", "path"} <= set(result["stages_ms"])
    assert [change["after"] for change in result["changes"]][:3] == ["standby", "armed", "engaging"]
    recording = RawRecording.load(path)
    weights = [tick.weight for tick in recording.ticks]
    assert weights[-1] < 0.02 and max(weights) == 1.0
    assert recording.header["robot"] == "puppet"
    assert len(recording.poses[0]) > 10
    assert [event["after"] for event in recording.events if event["what"] == "change"][-2:] == ["releasing", "standby"]


def test_the_loop_releases_when_its_terminal_dies(robot: Robot) -> None:
    """The line is closed at the other end: the loop fades out and ends by itself."""
    with active(robot) as session:
        session.line.close()
        assert session.wait(PATIENCE_S)
    assert session.result()["ended"] == "the terminal is gone"


def test_a_person_at_the_keys_takes_over(robot: Robot) -> None:
    """A session that engages by itself does not after a stop: that was a person."""
    with active(robot, outputs=["null:"]) as session:
        session.say("stop")
        until(lambda: state(session) == "hold", "hold")
        time.sleep(2.0)
        assert state(session) == "hold"
        session.say("engage")
        until(lambda: state(session) in FOLLOWING, "following")


def test_sigterm_ends_it_well(robot: Robot) -> None:
    """The loop's process releases the robot and tells why it ended."""
    with active(robot, outputs=["null:"]) as session:
        os.kill(session.pid, signal.SIGTERM)
        assert session.wait(PATIENCE_S)
    assert session.result()["ended"] == "SIGTERM"


def test_what_cannot_begin_is_one_line(robot: Robot, tmp_path: Path) -> None:
    """Wrong names, rates, files and robots that nobody guards are refused before any process begins."""
    for more in (
        {"sources": []},
        {"sources": ["synth:nothing"]},
        {"outputs": ["nil:"]},
        {"outputs": ["sim:?speed=2"]},
        {"rate_hz": 20.0},
        {"rate_hz": float("nan")},
        {"seconds": 0.0},
        {"engage": "never"},
        {"sources": ["a=synth:wave", "a=synth:walk"]},
        {"record": tmp_path},
    ):
        with pytest.raises(BunrakuError):
            LiveSession(
                Plan(**{"sources": ["synth:wave"], "outputs": ["null:"], "robot": robot, **more})  # type: ignore[arg-type]
            )


def test_on_board() -> None:
    """The simulated board: reached in one period, nothing moves by arming, stopping, releasing or silence."""
    robot = load_robot("lamp")
    board = OnBoard(robot)
    goal = robot.neutral + 0.2

    def tell(sequence: int, arming: int, weight: float, now_s: float) -> None:
        head = np.array([sequence, arming, 0], np.int64).view(np.float64)
        head[2] = weight
        board.told(np.concatenate([head, goal]).tobytes(), now_s)

    tell(1, 1, 0.5, 1.00)
    assert np.allclose(board.advance(1.005, 0.005), robot.neutral + 0.5 * 0.5 * 0.2)
    assert np.allclose(board.advance(1.010, 0.005), robot.neutral + 0.5 * 0.2)
    tell(2, 1, 1.0, 1.01)
    assert np.allclose(board.advance(1.03, 0.005), goal)
    board.freeze()
    goal = robot.neutral - 0.2
    tell(3, 1, 1.0, 1.04)
    stood = board.advance(1.2, 0.005).copy()
    assert np.allclose(stood, robot.neutral + 0.2), "stopped: what is commanded does not count"
    tell(4, 2, 0.0, 1.21)
    assert np.allclose(board.advance(1.25, 0.005), stood), "armed anew: its own pose is where it stands"
    board.release()
    assert np.allclose(board.advance(1.3, 0.005), stood)
    board.freeze(forever=True)
    tell(5, 3, 1.0, 1.4)
    assert np.allclose(board.advance(2.0, 0.005), stood), "after the watchdog's word nothing counts"
