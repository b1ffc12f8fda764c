"""Every fault that can be injected, on the source and on the robot: no promise is broken, and the robot comes back."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.faults import MODES
from bunraku.outputs.output import make_output
from bunraku.robots import Robot, load_robot
from bunraku.safety.machine import State
from bunraku.session.soak import Invariants
from session.stage import stage

STOPPED = {"off", "garbage", "wrong", "slow", "nan", "swap", "teleport", "delayed"}
"""modes of a source that stop the robot, until the operator, here the patient one, engages anew"""
MAY_STOP = {"intermittent", "reorder"}
"""it depends on how many frames in a row are missing"""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load_robot("puppet")


def broken(robot: Robot, source: str, output: str) -> tuple[list[str], list[State]]:
    """Promises broken in two periods of a fault, and the states of all ticks."""
    made = stage(robot, source, output=make_output(output, robot))
    invariants = Invariants(robot, made.loop.guard, 1 / made.rate_hz)
    out, states = [], []

    def look(told) -> None:
        measured = made.loop.robot_side.measured
        out.extend(invariants.look(told, 1 / made.rate_hz, None if measured is None else measured.qpos))
        states.append(told.decision.state)

    made.watch = look
    made.run(14.0)
    return out, states


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_on_the_source(mode: str, robot: Robot) -> None:
    """The robot follows, holds or goes on as the fault asks, keeps every promise, and follows again after it."""
    source = f"faulty+synth:conduct?fps=60&mode={mode}&period=7&share=0.25&seed=1"
    out, states = broken(robot, source, "null:")
    assert not out
    assert State.ACTIVE in states[: 5 * 120]
    during = states[round(5.4 * 120) : 7 * 120]
    assert mode in MAY_STOP or (State.HOLD in during) == (mode in STOPPED), mode
    assert State.ACTIVE in states[7 * 120 : round(12.2 * 120)]


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_on_the_robot(mode: str, robot: Robot) -> None:
    """Whatever the reports say, what is sent keeps every promise, and after the fault the robot follows again."""
    out, states = broken(robot, "synth:conduct?fps=60", f"faulty+null:?mode={mode}&period=7&share=0.25&seed=1")
    assert not out
    assert State.ACTIVE in states[: 5 * 120]
    assert State.ACTIVE in states[7 * 120 :]


def test_the_inspector_sees_what_is_broken(robot: Robot) -> None:
    """It is no promise that nobody looks at: steps, jumps, limits and numbers that are none are found."""
    made = stage(robot, "synth:conduct")
    made.until(State.ACTIVE)
    told = made.run(0.2)
    first = robot.first_joint
    for change, word in ((0.3, "I2"), (np.nan, "I4"), (1e-3, "")):
        invariants = Invariants(robot, made.loop.guard, 1 / 120)
        invariants.look(told, 1 / 120, None)
        kept = told.qpos.copy()
        told.qpos[first + 3] += change
        found = invariants.look(told, 1 / 120, None)
        told.qpos[:] = kept
        assert [line[:2] for line in found] == ([word] if word else [])
