"""The loop in simulated time: what each fault of a source, a clock, a robot or an operator leads to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from bunraku.errors import OutputError
from bunraku.human import HumanPose
from bunraku.human.skeleton import GROUPS, INDEX, MIRROR
from bunraku.outputs.null import NullOutput
from bunraku.outputs.output import RobotInfo, Sent
from bunraku.recording.frames import POSE, TICK
from bunraku.recording.records import Tick, pose_from
from bunraku.robots import Robot, load_robot
from bunraku.robots.command import Command, Measured
from bunraku.safety.filters import FilterSettings
from bunraku.safety.guard import Authorised, GuardSettings
from bunraku.safety.machine import State
from bunraku.session.intake import AGAIN, OLDER, SIZE, SWAPPED, WORDS
from bunraku.session.loop import Record
from session.sources import Change, HandPlayed, moved, unknown
from session.stage import S, Stage, stage

LEFT_ARM = [INDEX[name] for group in ("left_arm", "left_hand") for name in GROUPS[group]]


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load_robot("puppet")


def following(robot: Robot, source: HandPlayed | None = None, **more: object) -> tuple[Stage, HandPlayed]:
    """A session whose robot follows a person, at rest when it began."""
    source = source or HandPlayed()
    source.moving = False
    made = stage(robot, source, **more)  # type: ignore[arg-type]
    made.until(State.ACTIVE)
    source.moving = True
    made.pilot = None
    made.run(0.5)
    assert made.loop.state is State.ACTIVE
    return made, source


def reasons(told: Authorised) -> str:
    return "; ".join(told.decision.reasons)


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


# ---------------------------------------------------------------------------------------------------- the person
def test_silence_stops_the_robot(robot: Robot) -> None:
    """From the last frame, the speed is zero within 0.1 s and the time that braking takes (I9)."""
    made, source = following(robot)
    made.run(0.5)
    braking = float((made.loop.guard.limiter.bounds.velocity / made.loop.guard.limiter.bounds.stop_acceleration).max())
    source.silent = True
    begun = made.now_ns
    while made.now_ns < begun + 5 * S:
        told = made.tick()
        if made.speed() == 0.0 and told.decision.state is State.HOLD:
            break
    assert (made.now_ns - begun) / S <= 0.1 + 3 / 120 + braking
    assert "100 ms" in reasons(told)


def test_one_limb_lost_holds_that_limb(robot: Robot) -> None:
    """The left arm stands, all else goes on; found again, it comes back slowly."""
    made, source = following(robot)
    source.change = unknown(LEFT_ARM)
    made.run(0.5)
    before = made.sent[-1][1].copy()
    told = made.run(1.0)
    after = made.sent[-1][1]
    arm = robot.first_joint + np.array(robot.semantics.joints["left_arm"])
    other = robot.first_joint + np.array(robot.semantics.joints["right_arm"])
    assert told.decision.state is State.ACTIVE
    assert "left arm" in reasons(told)
    assert np.abs(after[arm] - before[arm]).max() < 1e-6
    assert np.abs(after[other] - before[other]).max() > 0.05


def test_the_reference_lost_holds_all(robot: Robot) -> None:
    """Without hips there is nothing that the rest is relative to."""
    made, source = following(robot)
    source.change = unknown([INDEX["hips"]])
    told = made.until(State.HOLD, 1.0)
    assert "hips" in reasons(told)


def test_a_frozen_limb_is_not_tracked(robot: Robot) -> None:
    """An arm that says the same to the last bit while the rest moves is held, and named."""
    made, source = following(robot)
    still = source.motion.pose(0)  # type: ignore[attr-defined]

    def freeze(pose: HumanPose) -> HumanPose:
        positions, rotations = pose.positions.copy(), pose.rotations.copy()
        positions[LEFT_ARM], rotations[LEFT_ARM] = still.positions[LEFT_ARM], still.rotations[LEFT_ARM]
        return replace(pose, positions=positions, rotations=rotations)

    source.change = freeze
    told = made.run(1.0)
    assert "left arm" in told.decision.held.__str__().replace("_", " ")


def spoiled(value: float) -> Change:
    def change(pose: HumanPose) -> HumanPose:
        positions, rotations = pose.positions.copy(), pose.rotations.copy()
        positions[3, 1], rotations[7, 2] = value, value
        return replace(pose, positions=positions, rotations=rotations)

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (spoiled(np.nan), WORDS["garbage"]),
        (spoiled(np.inf), None),
        (spoiled(1e308), None),
        (lambda pose: replace(pose, positions=100 * pose.positions), SIZE),
        (lambda pose: replace(pose, rotations=3 * pose.rotations), WORDS["garbage"]),
        (lambda pose: replace(pose, rotations=0 * pose.rotations), None),
        (moved([INDEX["left_hand"]], (1.2, 0, 0)), "a jump"),
        (lambda pose: replace(pose, positions=pose.positions[MIRROR]), SWAPPED),
        (lambda pose: replace(pose, stamp_ns=7), AGAIN),
        (lambda pose: replace(pose, stamp_ns=10 * S - pose.stamp_ns // 10), OLDER),
    ],
    ids=["nan", "inf", "huge", "centimetres", "not-unit", "zero", "jump", "swapped", "duplicate", "backwards"],
)
def test_poses_that_cannot_be_are_turned_away(robot: Robot, change: Change, reason: str | None) -> None:
    """Counted by reason, shown to the operator, and the robot stops: it never follows one of them."""
    made, source = following(robot)
    source.change = change
    made.run(0.1)
    shown = made.sent[-1][1].copy()
    told = made.until(State.HOLD, 1.0)
    view = made.loop.person.intakes[0].view(made.now_ns)
    assert sum(view.rejected.values()) >= 4
    assert reason is None or view.rejected.get(reason, 0) >= 4
    assert view.reason
    assert told.decision.reasons
    first = robot.first_joint
    assert np.abs(made.sent[-1][1][first:] - shown[first:]).max() < 0.5


def test_one_bad_frame_is_passed_over(robot: Robot) -> None:
    """A single NaN, or a single jump, does not stop anything."""
    for change in (spoiled(np.nan), moved([INDEX["left_hand"]], (1.2, 0, 0))):
        made, source = following(robot)
        source.change = change
        made.run(1 / 60)
        source.change = None
        made.run(0.5)
        assert made.loop.state is State.ACTIVE
        assert sum(made.loop.person.intakes[0].rejected.values()) == 1


def test_a_jump_that_stays_is_not_believed_by_itself(robot: Robot) -> None:
    """After a second elsewhere the robot still holds; engaging anew accepts the place."""
    made, source = following(robot)
    source.change = moved(range(61), (3.0, 0, 0))
    made.until(State.HOLD, 1.0)
    made.run(2.0)
    assert made.loop.state is State.HOLD
    assert "jumped" in made.loop.person.intakes[0].view(made.now_ns).reason
    made.press("engage")
    made.until(State.ACTIVE)


def test_recentring_disengages(robot: Robot) -> None:
    """A source that moved its origin: HOLD until released and armed anew."""
    made, source = following(robot)
    source.tally.jump()
    made.until(State.HOLD, 0.5)
    made.press("engage")
    made.run(1.0)
    assert made.loop.state is State.HOLD
    made.press("release")
    made.until(State.STANDBY, 5.0)
    made.press("arm")
    made.until(State.ARMED, 1.0)


def test_signs_of_quaternions_do_not_matter(robot: Robot) -> None:
    """q and -q give the same commands, bit for bit (I15)."""
    commands = []
    for flip in (False, True):
        random = np.random.default_rng(1)
        made, source = following(robot)
        if flip:
            source.change = lambda pose, random=random: replace(
                pose, rotations=pose.rotations * random.choice([-1.0, 1.0], (61, 1))
            )
        made.run(2.0)
        commands.append(np.array([qpos for _, qpos in made.sent]))
    assert np.array_equal(*commands)


def test_only_the_newest_frame_counts(robot: Robot) -> None:
    """After a stall of two seconds, nothing of what was queued is replayed (I14)."""
    made, source = following(robot)
    source.silent = True
    made.run(2.0)
    source.silent = False
    made.run(0.2)
    assert made.loop.state is State.HOLD
    assert made.speed() == 0.0


@pytest.mark.parametrize("offset_s", [-10.0, 10.0, 3600.0])
def test_the_senders_clock_does_not_matter(robot: Robot, offset_s: float) -> None:
    """Commands are the same whatever the sender's clock says, and when it is set anew nothing happens (I13)."""
    plain, _ = following(robot)
    plain.run(1.0)
    source = HandPlayed()
    source.clock_offset_ns = round(offset_s * S)
    skewed, _ = following(robot, source)
    skewed.run(1.0)
    assert np.array_equal([q for _, q in plain.sent], [q for _, q in skewed.sent])
    source.clock_offset_ns = 0
    skewed.run(1.0)
    assert skewed.loop.state is State.ACTIVE


@pytest.mark.parametrize("way", ["silent", "garbage"])
def test_two_sources_and_the_loss_of_one(way: str, robot: Robot) -> None:
    """The arm that a second source supplies holds when that one goes silent, or mad; the rest follows on."""
    body, hands = HandPlayed(), HandPlayed()
    body.change = unknown(LEFT_ARM)
    hands.change = unknown([row for row in range(61) if row not in LEFT_ARM])
    for source in (body, hands):
        source.moving = False
    made = stage(robot, body, hands)
    made.until(State.ACTIVE)
    body.moving = hands.moving = True
    made.run(0.5)
    hands.silent = way == "silent"
    if way == "garbage":
        hands.change = lambda pose: replace(pose, positions=np.full_like(pose.positions, np.nan))
    told = made.run(0.5)
    assert told.decision.state is State.ACTIVE
    assert "left_arm" in told.decision.held
    assert ("silent" if way == "silent" else WORDS["garbage"]) in made.loop.person.intakes[1].view(made.now_ns).reason


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
