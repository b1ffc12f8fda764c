"""The loop in simulated time: what a source may do to it, and what the robot does then."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.human import HumanPose
from bunraku.human.skeleton import GROUPS, INDEX, MIRROR
from bunraku.robots import Robot, load_robot
from bunraku.safety.machine import State
from bunraku.session.intake import AGAIN, OLDER, SIZE, SWAPPED, WORDS
from session.following import following, reasons
from session.sources import Change, HandPlayed, moved, unknown
from session.stage import S, stage

LEFT_ARM = [INDEX[name] for group in ("left_arm", "left_hand") for name in GROUPS[group]]


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load_robot("puppet")


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
