"""The loop in simulated time: what each fault of a source, a clock, a robot or an operator leads to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from bunraku.errors import OutputError
from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX
from bunraku.outputs.null import NullOutput
from bunraku.outputs.output import RobotInfo, Sent
from bunraku.recording.frames import POSE, TICK
from bunraku.recording.records import Tick, pose_from
from bunraku.robots import Robot, load_robot
from bunraku.robots.command import Command, Measured
from bunraku.safety.filters import FilterSettings
from bunraku.safety.guard import GuardSettings
from bunraku.safety.machine import State
from bunraku.session.loop import Record
from session.following import following, reasons
from session.sources import HandPlayed, moved
from session.stage import S, stage


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load_robot("puppet")


# ---------------------------------------------------------------------------------------------------- the way up
def test_nothing_is_sent_before_arming(robot: Robot) -> None:
    """STANDBY sends nothing; the first command is the measured pose; nothing follows without engaging."""
    made = stage(robot, HandPlayed(), auto=False)
    made.run(1.0)
    assert made.loop.state is State.STANDBY
    assert not made.sent
    made.press("arm")
    told = made.until(State.ARMED, 1.0)
    assert np.abs(made.sent[0][1] - robot.neutral).max() < 1e-3
    made.run(2.0)
    assert made.loop.state is State.ARMED
    assert np.abs(made.sent[-1][1] - robot.neutral).max() < 1e-6
    assert told.weight < 0.05
    made.press("engage")
    made.until(State.ACTIVE)


def test_no_source_no_arming(robot: Robot) -> None:
    """A source that never sends keeps the robot in STANDBY, in words."""
    source = HandPlayed()
    source.silent = True
    made = stage(robot, source)
    told = made.run(3.0)
    assert told.decision.state is State.STANDBY
    assert "no source has sent a pose yet" in reasons(told)
    assert not made.sent


def test_a_held_key_does_not_engage_again(robot: Robot) -> None:
    """After a HOLD nothing moves until engage is pressed anew."""
    made, source = following(robot)
    source.silent = True
    made.until(State.HOLD, 1.0)
    source.silent = False
    made.run(3.0)
    assert made.loop.state is State.HOLD
    made.press("engage")
    made.until(State.ACTIVE)


def test_the_operator_stops_and_releases(robot: Robot) -> None:
    """Stop is HOLD in the same tick; release fades authority out to STANDBY without moving the robot."""
    made, _ = following(robot)
    made.press("stop")
    assert made.tick().decision.state is State.HOLD
    made.run(0.5)
    assert made.speed() == 0.0
    made.press("release")
    weights = []
    made.watch = lambda told: weights.append(told.weight)
    made.until(State.STANDBY, 5.0)
    assert np.all(np.diff(weights) <= 0) and weights[-1] == 0.0
    assert np.abs(np.diff(weights)).max() < 0.02


def test_emergency_stop_is_latched(robot: Robot) -> None:
    """ESTOP ends all commands; only acknowledging leads back, and only to STANDBY."""
    made, _ = following(robot)
    made.press("estop")
    made.until(State.ESTOP, 0.5)
    count = len(made.sent)
    made.run(2.0)
    assert made.loop.state is State.ESTOP
    assert len(made.sent) == count
    made.press("acknowledge")
    made.until(State.STANDBY, 0.5)


# ---------------------------------------------------------------------------------------------------- the clock
def test_late_ticks(robot: Robot) -> None:
    """Five late ones in a second slow the robot; a stall of more than 50 ms holds it; neither makes up for time."""
    made, _ = following(robot)
    for _ in range(6):
        made.run(0.05)
        made.tick(0.02, late_ns=round(0.0117 * S))
    assert made.loop.state is State.DEGRADED
    made, _ = following(robot)
    made.run(0.2)
    before = made.sent[-1][1].copy()
    told = made.tick(2.0, late_ns=2 * S)
    assert told.decision.state is State.HOLD
    velocity = made.loop.guard.limiter.bounds.velocity
    assert np.all(np.abs(made.sent[-1][1] - before)[robot.first_joint :] <= velocity * 3 / 120 + 1e-9)


def test_a_slow_solver_holds(robot: Robot) -> None:
    """Three poses in a row whose targets took more than 8 ms: HOLD; the limiter goes on in time all the while."""
    made, _ = following(robot)
    ticking = [0]

    def clock() -> int:
        ticking[0] += 10_000_000
        return ticking[0]

    made.loop._clock = clock  # the stage's stands still
    told = made.until(State.HOLD, 0.5)
    assert "solved in time" in reasons(told)


def test_a_clock_that_stands_still_moves_nothing_far(robot: Robot) -> None:
    """Ticks at one instant move each joint by next to nothing."""
    made, _ = following(robot)
    before = made.sent[-1][1].copy()
    for _ in range(50):
        made.tick(0.0)
    assert np.abs(made.sent[-1][1] - before)[robot.first_joint :].max() < 0.05


# ---------------------------------------------------------------------------------------------------- the robot
class Puppeteered(NullOutput):
    """A robot that a test meddles with."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        self.change: Callable[[Measured], Measured | None] | None = None
        self.fails = False
        self.info: RobotInfo | None = None
        self.stops = 0

    def open(self) -> RobotInfo:
        return self.info or super().open()

    def send(self, command: Command) -> Sent:
        if self.fails:
            raise OutputError("the wire is cut")
        return super().send(command)

    def measured(self) -> Measured | None:
        told = super().measured()
        return self.change(told) if self.change and told else told

    def stop(self) -> None:
        self.stops += 1


def test_a_robot_that_goes_silent(robot: Robot) -> None:
    """100 ms without a word: HOLD; 500 ms: FAULT, its own stop is called, and nothing is sent."""
    output = Puppeteered(robot)
    made, _ = following(robot, output=output)
    kept = output.measured()
    output.change = lambda _: kept
    told = made.until(State.HOLD, 0.5)
    assert "the robot has said nothing" in reasons(told)
    made.until(State.FAULT, 1.0)
    assert output.stops >= 1
    made.run(0.5)
    count = len(made.sent)
    made.run(1.0)
    assert len(made.sent) == count


def test_a_robot_that_does_not_follow(robot: Robot) -> None:
    """A joint that stays 0.4 rad behind for a quarter of a second: HOLD, and the joint is named."""
    output = Puppeteered(robot)
    made, _ = following(robot, output=output)
    column = robot.first_joint + robot.joint_index("left_elbow_joint")

    def stuck(told: Measured) -> Measured:
        qpos = told.qpos.copy()
        qpos[column] -= 0.4
        return replace(told, qpos=qpos)

    output.change = stuck
    told = made.until(State.HOLD, 1.0)
    assert "left_elbow_joint" in reasons(told)


def test_measurements_of_garbage_are_as_good_as_none(robot: Robot) -> None:
    """NaN from the robot is not believed: it goes stale."""
    output = Puppeteered(robot)
    made, _ = following(robot, output=output)
    output.change = lambda told: replace(told, qpos=np.full_like(told.qpos, np.nan))
    made.until(State.HOLD, 0.5)
    assert np.isfinite(made.sent[-1][1]).all()
    made.until(State.FAULT, 1.0)


def test_a_command_that_cannot_be_sent_is_a_fault(robot: Robot) -> None:
    """The driver's error is told in its words; acknowledged, and well again, the way leads to STANDBY."""
    output = Puppeteered(robot)
    made, _ = following(robot, output=output)
    output.fails = True
    told = made.until(State.FAULT, 0.5)
    assert "the wire is cut" in reasons(told) or "could not be sent" in reasons(told)
    made.run(1.0)
    assert made.loop.state is State.FAULT
    output.fails = False
    made.press("acknowledge")
    made.until(State.STANDBY, 0.5)


def test_another_robot_than_was_loaded(robot: Robot) -> None:
    """Another name, or another order of joints, and arming is refused."""
    for info in (
        RobotInfo(robot="robby", joint_names=robot.joint_names, simulated=True),
        RobotInfo(robot=robot.name, joint_names=robot.joint_names[::-1], simulated=True),
    ):
        output = Puppeteered(robot)
        NullOutput.open(output)
        output.info = info
        made = stage(robot, HandPlayed(), output=output)
        made.run(2.0)
        assert made.loop.state in (State.OFFLINE, State.STANDBY)
        assert not made.sent


def test_matching_before_engaging(robot: Robot) -> None:
    """With `match` a robot far from the person is not engaged, and the operator reads how far; relatively it is."""
    for relative in (False, True):
        made = stage(robot, HandPlayed("synth:t-pose?fps=60"), settings=GuardSettings(relative=relative), auto=False)
        made.run(0.2)
        made.press("arm")
        made.run(1.0)
        made.press("engage")
        told = made.run(2.0)
        assert (told.decision.state in (State.ENGAGING, State.ACTIVE)) is relative
        assert relative or "alike" in told.decision.needs


def test_filters_have_an_effect_and_are_off_by_default(robot: Robot) -> None:
    """Smoothing makes the way to a target longer, prediction shorter; without settings there is neither."""
    ways = []
    for filters in (None, FilterSettings(), FilterSettings(cutoff_hz=1.0), FilterSettings(ahead_s=0.08)):
        made, _ = following(robot, filters=filters)
        made.run(1.5)
        ways.append(np.array([q for _, q in made.sent])[:, robot.first_joint + robot.joint_index("right_elbow_joint")])
    plain, off, smooth, ahead = ways
    assert np.array_equal(plain, off)
    assert np.ptp(smooth[-120:]) < 0.9 * np.ptp(plain[-120:])
    assert np.abs(ahead[-120:] - plain[-120:]).max() > 0.01


# ---------------------------------------------------------------------------------------------------- the same again
def test_the_same_inputs_give_the_same_commands(robot: Robot) -> None:
    """Two runs at the same instants are equal bit for bit, recorded or not (I22, I23)."""

    class Kept(Record):
        def __init__(self) -> None:
            self.frames = 0

        def put(self, kind: int, payload: bytes) -> None:
            self.frames += 1

    kept = Kept()
    first, _ = following(robot)
    second, _ = following(robot, record=kept)
    first.run(1.0)
    second.run(1.0)
    assert kept.frames > 100
    assert np.array_equal([q for _, q in first.sent], [q for _, q in second.sent])


def test_a_recording_gives_the_same_commands_again(robot: Robot) -> None:
    """What was recorded of the sources, at the recorded instants, gives the recorded commands bit for bit (I23)."""

    class Kept(Record):
        def __init__(self) -> None:
            self.poses: list[HumanPose] = []
            self.ticks: list[Tick] = []

        def put(self, kind: int, payload: bytes) -> None:
            if kind == POSE:
                self.poses.append(pose_from(payload)[1])
            elif kind == TICK:
                self.ticks.append(Tick.unpack(payload))

    class Again(HandPlayed):
        def receive(self, now_ns: int) -> None:
            due = [pose for pose in kept.poses if pose.received_ns <= now_ns]
            self._newest = due[-1] if due else None

    kept = Kept()
    made, _ = following(robot, record=kept)
    made.run(1.0)
    again, _ = following(robot, Again())
    again.run(1.0)
    recorded = [tick.qpos for tick in kept.ticks if np.isfinite(tick.qpos).all()]
    assert len(recorded) == len(again.sent) > 120
    assert np.array_equal(recorded, [q for _, q in again.sent])


def test_every_frame_is_counted(robot: Robot) -> None:
    """Accepted and rejected make up what arrived (I24)."""
    made, source = following(robot)
    source.change = moved([INDEX["left_hand"]], (1.2, 0, 0))
    made.run(0.3)
    intake = made.loop.person.intakes[0]
    assert intake.accepted + sum(intake.rejected.values()) == source.tally.received
