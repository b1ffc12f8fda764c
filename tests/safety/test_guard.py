"""The guard: what a robot is told from tick to tick, with a limiter, a state machine and a robot behind it."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.kinematics import rotations
from bunraku.robots import Robot, load_robot
from bunraku.safety.bounds import BaseBounds, bounds_of
from bunraku.safety.guard import MEET_S, GuardSettings
from bunraku.safety.limiter_kernels import GARBAGE, VELOCITY
from bunraku.safety.machine import MET_RAD, Order, Policy, State
from bunraku.safety.senses import ECHO_S, HOME_RAD
from safety_stage import FINE, PERIOD_S, TICK_NS, Stage, pressed, seen

Array = np.ndarray
PUPPET = load_robot("puppet")
LAMP = load_robot("lamp")
ARM = 7 + np.array(PUPPET.semantics.joints["left_arm"])
STALE = seen(person={"age_s": 0.15})


def posed(robot: Robot = PUPPET, **joints: float) -> Array:
    """The neutral configuration with some joints changed by so much."""
    out = robot.neutral.copy()
    for name, value in joints.items():
        out[robot.first_joint + robot.joint_index(f"{name}_joint")] += value
    return robot.clamp(out)


def ready(robot: Robot = PUPPET, settings: GuardSettings | None = None) -> Stage:
    """ACTIVE, in the neutral pose."""
    stage = Stage(robot, settings)
    assert stage.engage().decision.state is State.ACTIVE
    return stage


def aim_at(stage: Stage, target: Array | None) -> None:
    stage.target = lambda _: target


def test_nothing_is_sent_before_arming() -> None:
    """OFFLINE and STANDBY: whatever the target, no order, no weight, and the command is where the robot is."""
    stage = Stage(PUPPET)
    aim_at(stage, posed(left_elbow=1.0))
    for observed in (seen(robot={"connected": False}), FINE):
        out = stage.see(observed, 0.2)
        assert (out.order, out.sends, out.weight) == (Order.NOTHING, False, 0.0)
        np.testing.assert_array_equal(out.qpos, stage.place)
        assert not out.flags.any()


def test_the_first_command_is_the_measured_pose() -> None:
    """I6: for any pose the robot has been put to by hand, the first command after arming is that pose, and stays."""
    generator = np.random.default_rng(0)
    for _ in range(20):
        stage = Stage(PUPPET)
        stage.see(FINE, 0.1)
        stage.place[7:] = PUPPET.tree.with_followers(generator.uniform(PUPPET.lower, PUPPET.upper))
        stage.place = PUPPET.clamp(stage.place)
        aim_at(stage, posed(left_elbow=1.0))
        stage.see(FINE)
        out = stage.see(pressed("arm"))
        assert out.order is Order.REST
        start = out.qpos.copy()
        np.testing.assert_allclose(start, stage.place, atol=1e-3)
        np.testing.assert_array_equal(stage.see(FINE, 1.0).qpos, start)


def test_engaging_where_the_person_stands_moves_nothing() -> None:
    """I8: with the target where the robot is, no joint moves by more than rounding, in ENGAGING or after."""
    stage = Stage(PUPPET)
    stage.engage()
    np.testing.assert_allclose(stage.see(FINE, 2.0).qpos, PUPPET.neutral, atol=1e-12)


def test_engaging_comes_slowly_and_smoothly() -> None:
    """I7: half a radian per second at most; blended over a second and a half; then the target itself."""
    stage, target = Stage(PUPPET), posed(left_elbow=0.35, right_shoulder_pitch=-0.3)
    aim_at(stage, target)
    stage.see(FINE, 0.1)
    stage.see(pressed("arm"))
    stage.see(FINE, 1.2)
    stage.see(pressed("engage"))
    before, way = stage.place.copy(), []
    while stage.see(FINE).decision.state is State.ENGAGING:
        moved = np.abs(stage.place - before)[7:]
        assert moved.max() <= 0.5 * PERIOD_S * (1 + 1e-9)
        way.append(moved.max())
        before = stage.place.copy()
    assert 1.0 <= len(way) * PERIOD_S <= MEET_S
    assert way[0] < 0.1 * max(way)
    out = stage.see(FINE, 1.0)
    assert out.decision.state is State.ACTIVE
    np.testing.assert_allclose(out.qpos[7:], target[7:], atol=1e-12)


def test_it_does_not_engage_with_a_pose_that_is_not_alike() -> None:
    """The operator reads how far; relative following needs no likeness, and keeps the difference."""
    far = posed(left_elbow=1.2, left_shoulder_pitch=-1.2, left_shoulder_roll=0.9, left_wrist_yaw=1.0)
    stage = Stage(PUPPET)
    aim_at(stage, far)
    out = stage.engage()
    assert out.decision.state is State.ARMED
    assert out.decision.needs.startswith("stand as the robot does: ")
    assert "left arm" in out.decision.needs
    assert not out.matching.enough
    relative = Stage(PUPPET, GuardSettings(relative=True))
    aim_at(relative, far)
    assert relative.engage().decision.state is State.ACTIVE
    np.testing.assert_allclose(relative.place[7:], PUPPET.neutral[7:], atol=1e-9)
    aim_at(relative, PUPPET.clamp(far + 0.1 * (np.arange(len(far)) == ARM[0])))
    relative.see(FINE, 1.0)
    np.testing.assert_allclose(relative.place[ARM[0]] - PUPPET.neutral[ARM[0]], 0.1, atol=1e-9)


def test_the_base_goes_on_from_where_the_robot_is() -> None:
    """The person stands elsewhere and faces elsewhere: the robot's base does not move until the person does."""
    stage, target = Stage(PUPPET), posed()
    target[:2] = 4.0, -3.0
    target[3:7] = rotations.exp([0.0, 0.0, 2.0])
    aim_at(stage, target)
    assert stage.engage().decision.state is State.ACTIVE
    np.testing.assert_allclose(stage.place, PUPPET.neutral, atol=1e-9)
    moved = target.copy()
    moved[:2] += [np.cos(2.0) * 0.5, np.sin(2.0) * 0.5]
    aim_at(stage, moved)
    stage.see(FINE, 1.0)
    np.testing.assert_allclose(stage.place[:2], PUPPET.neutral[:2] + [0.5, 0.0], atol=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e308])
def test_garbage_is_a_frame_that_was_not_there(bad: float) -> None:
    """One bad number rejects the whole target: the last good one stands; after five in a row it is a HOLD."""
    stage = ready()
    good, poisoned = posed(left_elbow=0.1), posed(left_elbow=0.6)
    poisoned[40] = bad
    aim_at(stage, good)
    stage.see(FINE, 1.0)
    aim_at(stage, poisoned)
    for _ in range(4):
        out = stage.see(FINE)
        assert out.decision.state is State.ACTIVE
        np.testing.assert_array_equal(out.qpos, good)
    aim_at(stage, good)
    stage.see(FINE)
    aim_at(stage, poisoned)
    states = [stage.see(FINE).decision.state for _ in range(5)]
    assert states == [State.ACTIVE] * 4 + [State.HOLD]
    assert np.isfinite(stage.place).all()


def test_without_a_target_the_last_one_stands() -> None:
    """A tick in which no pose was solved is nothing special; without any there is no engaging."""
    stage = ready()
    aim_at(stage, posed(left_elbow=0.2))
    stage.see(FINE)
    aim_at(stage, None)
    np.testing.assert_allclose(stage.see(FINE, 1.0).qpos, posed(left_elbow=0.2), atol=1e-12)
    fresh = Stage(PUPPET)
    aim_at(fresh, None)
    assert fresh.engage().decision.state is State.ARMED


def test_a_silent_source_stops_the_robot_in_time() -> None:
    """I9: from full speed, commanded speed is zero by 0.1 s + v_max / a_stop after the last pose."""
    bounds = bounds_of(PUPPET, full_speed_s=0.1)
    stage = ready(settings=GuardSettings(bounds=bounds))
    reach = bounds.velocity[ARM - 7].max() / bounds.stop_acceleration[ARM - 7].min()
    swing = posed(left_shoulder_pitch=-2.0)
    aim_at(stage, swing)
    stage.see(FINE, 0.12)
    assert np.abs(stage.guard.limiter.joint_rate).max() > 10
    silent_s = 0.0
    while silent_s < 0.1 + reach:
        silent_s += PERIOD_S
        out = stage.see(seen(person={"age_s": silent_s}))
    assert out.decision.state is State.HOLD
    assert stage.guard.limiter.at_rest()
    rest = out.qpos.copy()
    np.testing.assert_array_equal(stage.see(STALE, 1.0).qpos, rest)
    np.testing.assert_array_equal(stage.see(FINE, 1.0).qpos, rest)


def test_a_limb_that_is_lost_holds_alone_and_comes_back_slowly() -> None:
    """I30: the other limbs move as if nothing had happened; the lost one stands, then returns at the slow pace."""
    lost = seen(person={"lost": frozenset({"left_arm", "tail"})})
    one, other = ready(), ready()
    for stage in (one, other):
        stage.target = lambda k: posed(left_elbow=0.4 * np.sin(k / 15), right_elbow=0.4 * np.sin(k / 15))
        stage.ticks = 0
        stage.see(FINE, 0.3)
    one.see(lost, 0.2)
    other.see(FINE, 0.2)
    held, rest = one.place[ARM].copy(), np.setdiff1d(np.arange(len(one.place)), ARM)
    for _ in range(20):
        one.see(lost)
        other.see(FINE)
        np.testing.assert_array_equal(one.place[ARM], held)
        np.testing.assert_array_equal(one.place[rest], other.place[rest])
    aim_at(one, posed(left_elbow=0.9))
    before = one.place.copy()
    for _ in range(20):
        one.see(FINE)
        assert np.abs(one.place - before)[ARM].max() <= 0.5 * PERIOD_S * (1 + 1e-9)
        before = one.place.copy()
    one.see(FINE, 3.0)
    np.testing.assert_allclose(one.place[ARM], posed(left_elbow=0.9)[ARM], atol=1e-12)
    aim_at(one, posed(left_elbow=0.2))
    one.see(FINE, 0.05)
    assert np.abs(one.guard.limiter.joint_rate).max() > 5


def test_a_lost_limb_does_not_keep_the_others_from_engaging() -> None:
    """The error of what holds is not waited for."""
    stage = Stage(PUPPET)
    aim_at(stage, posed(left_elbow=0.4))
    stage.see(FINE, 0.1)
    stage.see(pressed("arm"))
    stage.see(FINE, 1.2)
    lost = seen(person={"lost": frozenset({"left_arm"})})
    stage.see(pressed("engage", observed=lost))
    out = stage.see(lost, 1.2)
    assert out.decision.state is State.ACTIVE
    np.testing.assert_array_equal(out.qpos[ARM], PUPPET.neutral[ARM])


def test_scale_zero_is_no_motion() -> None:
    """I19: whatever the target does, nothing moves by a bit."""
    stage = ready()
    frozen = seen(operator={"speed": 0.0})
    stage.see(frozen, 1.0)
    rest = stage.place.copy()
    stage.target = lambda k: posed(left_elbow=np.sin(k))
    for _ in range(100):
        np.testing.assert_array_equal(stage.see(frozen).qpos, rest)


def test_a_quaternion_and_its_negative_are_one_target() -> None:
    """I15: flipping the sign of the base's target at any tick changes no command."""
    generator = np.random.default_rng(4)
    targets = [posed(left_elbow=0.3 * np.sin(k / 20)) for k in range(500)]
    for k, target in enumerate(targets):
        target[3:7] = rotations.exp([0.0, 0.1 * np.sin(k / 30), 0.3 * np.sin(k / 50)])
    ways = []
    for flipped in (False, True):
        stage = Stage(PUPPET)

        def target(k: int, flipped: bool = flipped) -> Array:
            out = targets[k % 500].copy()
            out[3:7] *= generator.choice([-1.0, 1.0]) if flipped else 1.0
            return out

        stage.target = target
        stage.engage()
        ways.append([stage.see(FINE).qpos.copy() for _ in range(150)])
    np.testing.assert_allclose(ways[0], ways[1], atol=1e-12)


def test_the_same_inputs_give_the_same_commands() -> None:
    """I23: bit for bit, whatever the absolute time is."""
    ways = []
    for start in (10**15, 7):
        stage = Stage(PUPPET)
        stage.now_ns = start
        stage.target = lambda k: posed(left_elbow=0.3 * np.sin(k / 20), neck_yaw=0.2 * np.cos(k / 9))
        stage.engage()
        ways.append([stage.see(FINE if k % 40 else STALE).qpos.copy() for k in range(100)])
    np.testing.assert_array_equal(ways[0], ways[1])


def test_a_late_tick_is_counted_and_a_long_one_holds() -> None:
    """27: five ticks later than 1.5 periods within a second slow down; one of more than 50 ms holds; none leaps."""
    stage = ready()
    late = 0
    while stage.tick(FINE, 1.6 * PERIOD_S).decision.state is State.ACTIVE:
        late += 1
        stage.see(FINE, 0.05)
    assert late == 4
    assert stage.see(FINE).decision.state is State.DEGRADED
    stage = ready()
    for _ in range(20):
        stage.tick(FINE, 1.6 * PERIOD_S)
        assert stage.see(FINE, 0.4).decision.state is State.ACTIVE
    aim_at(stage, posed(left_shoulder_pitch=-1.0))
    stage.see(FINE, 0.05)
    before, rate = stage.place.copy(), np.abs(stage.guard.limiter.joint_rate).max()
    out = stage.tick(FINE, 0.4)
    assert out.decision.state is State.HOLD
    assert np.abs(out.qpos - before).max() <= rate * 3 * PERIOD_S


def test_the_loops_own_word_counts_too() -> None:
    """What it says of overruns, stalls and garbage is not overruled by what the guard sees."""
    for loop, state in (
        ({"overruns": 6}, State.DEGRADED),
        ({"stall_s": 0.06}, State.HOLD),
        ({"garbage_targets": 5}, State.HOLD),
    ):
        assert ready().see(seen(loop=loop)).decision.state is state


def test_a_robot_that_does_not_follow() -> None:
    """43: more than a quarter of a radian beside all that it was told within 0.1 s: HOLD after 0.25 s, named."""
    stage = ready()
    stuck, at = stage.place.copy(), posed(left_elbow=0.4)
    aim_at(stage, at)
    joint = 7 + PUPPET.joint_index("left_elbow_joint")
    states = []
    for _ in range(90):
        stage.place[joint] = stuck[joint]
        states.append(stage.see(FINE).decision)
        stage.place[joint] = stuck[joint]
    first = next(k for k, decision in enumerate(states) if decision.state is State.HOLD)
    assert 0.25 + ECHO_S <= first * PERIOD_S <= 0.25 + ECHO_S + 0.1
    assert "does not follow its command: left_elbow_joint" in states[first].reasons
    hit = ready()
    hit.place[joint] += 0.61
    assert hit.see(FINE).decision.state is State.FAULT
    said = ready().see(seen(robot={"tracking_rad": 0.7, "joint": "neck_yaw_joint"})).decision
    assert said.reasons == ("far from its command, stalled or touching something: neck_yaw_joint",)


def test_a_robot_that_follows_late_is_no_error() -> None:
    """Within a tenth of a second of delay nothing is said, however fast it is."""
    stage = ready()
    stage.target = lambda k: posed(left_shoulder_pitch=-1.0 + np.cos(k / 12))
    stage.ticks = 0
    places = [stage.place.copy()] * 10
    for _ in range(200):
        stage.place = places[-10]
        out = stage.see(FINE)
        places.append(out.qpos.copy())
        assert out.decision.state is State.ACTIVE
    stage.place = places[-10]
    lag = np.abs(places[-1] - places[-10]).max()
    assert max(np.abs(a - b).max() for a, b in zip(places[10:], places, strict=False)) > 0.25 or lag > 0.25


def test_joints_outside_of_their_limits() -> None:
    """36: a little outside the robot is armed, stays, and only comes back, slowly; far outside it is not armed."""
    for side, beyond in ((1, PUPPET.upper), (-1, PUPPET.lower)):
        stage = Stage(PUPPET)
        joint = PUPPET.joint_index("left_elbow_joint")
        stage.place[7 + joint] = beyond[joint] + 0.05 * side
        aim_at(stage, PUPPET.clamp(stage.place))
        stage.engage()
        assert stage.guard.memory.state is State.ACTIVE
        assert abs(stage.place[7 + joint] - beyond[joint]) < 0.05
        assert (stage.place[7 + joint] - beyond[joint]) * side > -1e-9
        far = Stage(PUPPET)
        far.place[7 + joint] = beyond[joint] + 0.11 * side
        aim_at(far, PUPPET.clamp(far.place))
        assert far.engage().decision.state is State.STANDBY
        assert "a joint is far outside of its limits" in far.see(FINE).decision.reasons


@pytest.mark.parametrize(
    "break_it, words",
    [
        (lambda stage: stage.guard.limiter._state.__setitem__((12, 0), np.nan), "a number that is none"),
        (lambda stage: stage.guard.limiter._state.__setitem__((12, 0), 9.0), "a joint beyond its limit"),
        (lambda stage: stage.guard.limiter._state.__setitem__((12, 0), -9.0), "a joint beyond its limit"),
        (lambda stage: stage.guard.limiter._state.__setitem__((12, 0), 0.3), "a joint faster than its limit"),
        (lambda stage: stage.guard.limiter._base_state.__setitem__((0, 0, 1), np.inf), "a number that is none"),
        (lambda stage: stage.guard.limiter._base_state.__setitem__((0, 0, 1), 3.0), "the base faster than its limit"),
        (
            lambda stage: stage.guard.limiter._base_state.__setitem__((1, 0), rotations.exp([0, 0, 0.5])),
            "the base turning faster than its limit",
        ),
    ],
)
def test_a_broken_promise_is_a_fault_and_nothing_is_sent(break_it: object, words: str) -> None:
    """33: memory that was corrupted under the limiter is seen before anything goes out, and latched."""
    stage = ready()
    place = stage.place.copy()
    break_it(stage)
    out = stage.see(FINE)
    assert out.decision.state is State.FAULT
    assert not out.sends
    assert out.order is Order.SAFE
    np.testing.assert_array_equal(out.qpos, place)
    assert out.decision.reasons == (f"a command would have broken a promise: {words}",)
    assert stage.see(FINE, 1.0).decision.state is State.FAULT
    stage.see(pressed("acknowledge"))
    assert stage.guard.memory.state is State.STANDBY
    assert stage.engage().decision.state is State.ACTIVE


def test_what_a_robot_says_in_garbage_is_not_measured() -> None:
    """A measurement with a number that is none leaves the one before; without any the robot is not there."""
    stage = ready()
    place = stage.place.copy()
    stage.place = place * np.nan
    for _ in range(5):
        out = stage.guard.tick(stage.now_ns + TICK_NS, FINE, PUPPET.neutral, stage.measured())
        assert out.decision.state is State.ACTIVE
    deaf = Stage(PUPPET)
    for _ in range(50):
        deaf.now_ns += TICK_NS
        out = deaf.guard.tick(deaf.now_ns, FINE, PUPPET.neutral, None)
        assert out.decision.state is State.OFFLINE
        assert np.isfinite(out.qpos).all()


def test_holding_again_forgets_the_old_target() -> None:
    """After a stop and a robot moved by hand, engaging begins where the robot is now: no race back."""
    stage = ready()
    aim_at(stage, posed(left_elbow=0.5))
    stage.see(FINE, 1.0)
    stage.see(pressed("stop"))
    aim_at(stage, posed(right_elbow=0.2))
    stage.see(FINE, 0.5)
    np.testing.assert_allclose(stage.place, posed(left_elbow=0.5), atol=1e-9)
    stage.place = posed(right_elbow=0.2)
    stage.see(pressed("engage"))
    out = stage.see(FINE)
    assert out.decision.state is State.ENGAGING
    np.testing.assert_allclose(out.qpos, posed(right_elbow=0.2), atol=1e-9)


def test_going_home() -> None:
    """Slowly to the rest pose, the base where it is; then the robot is released."""
    stage = ready(settings=GuardSettings(policy=Policy(may_retreat=True)))
    away = posed(left_elbow=0.4, right_elbow=0.2)
    away[0] += 0.3
    aim_at(stage, away)
    stage.see(FINE, 1.5)
    base, before = stage.place[:7].copy(), stage.place.copy()
    assert stage.see(pressed("retreat")).order is Order.GO_HOME
    while stage.guard.memory.state is State.RETREAT:
        before = stage.place.copy()
        stage.see(FINE)
        assert np.abs(stage.place - before)[7:].max() <= 0.5 * PERIOD_S * (1 + 1e-9)
    assert stage.guard.memory.state is State.RELEASING
    np.testing.assert_allclose(stage.place[7:], PUPPET.neutral[7:], atol=HOME_RAD + 0.5 * PERIOD_S)
    np.testing.assert_allclose(stage.place[:7], base, atol=0.05)


def test_flags_reach_the_operator() -> None:
    """Which joint is held back by what, and none where nothing is commanded."""
    stage = ready()
    aim_at(stage, posed(left_shoulder_pitch=-2.0))
    flags = np.bitwise_or.reduce([stage.see(FINE).flags.copy() for _ in range(10)])
    joint = PUPPET.joint_index("left_shoulder_pitch_joint")
    assert flags[joint] & VELOCITY
    assert not np.delete(flags, joint).any()
    assert (stage.see(STALE).flags[PUPPET.tree.independent] == GARBAGE).all()
    assert not stage.see(seen(robot={"error": "x"})).flags.any()


def test_the_last_two_seconds_are_kept() -> None:
    """With states, targets, commands and measurements, for the log of a fault."""
    stage = ready()
    stage.target = lambda k: posed(left_elbow=0.1 * np.sin(k / 20))
    stage.see(FINE, 3.0)
    stage.see(seen(robot={"error": "x"}))
    last = stage.guard.history.snapshot()
    assert len(last.now_ns) == 240
    assert last.states[-2:] == (State.ACTIVE, State.FAULT)
    assert last.now_ns[-1] == stage.now_ns
    np.testing.assert_array_equal(last.command[-2], last.measured[-1])


def test_a_fixed_robot_is_guarded_as_well() -> None:
    """A lamp: joints alone."""
    stage = ready(LAMP)
    target = LAMP.clamp(LAMP.neutral + 0.2)
    aim_at(stage, target)
    np.testing.assert_allclose(stage.see(FINE, 2.0).qpos, target, atol=1e-12)


def test_a_planar_base_keeps_to_its_bounds() -> None:
    """Base speed and acceleration given in the settings are kept through the guard."""
    bounds = bounds_of(PUPPET, base=BaseBounds(linear_velocity=0.5, linear_acceleration=2.0))
    stage = ready(settings=GuardSettings(bounds=bounds))
    away = posed()
    away[0] += 5.0
    aim_at(stage, away)
    speeds = []
    for _ in range(120):
        before = stage.place[:3].copy()
        stage.see(FINE)
        speeds.append(np.linalg.norm(stage.place[:3] - before) / PERIOD_S)
    np.testing.assert_allclose(max(speeds), 0.5, rtol=1e-6)
    assert np.diff(speeds).max() <= 2.0 * PERIOD_S * (1 + 1e-6)


def test_the_error_to_be_closed_is_small() -> None:
    """ENGAGING ends within a tenth of a radian of the target, clipped to what the robot can do."""
    stage, beyond = Stage(PUPPET), posed(left_elbow=0.3)
    joint = 7 + PUPPET.joint_index("right_elbow_joint")
    beyond[joint] = PUPPET.lower[joint - 7] - 0.3
    stage.place[joint] = PUPPET.lower[joint - 7] + 0.05
    aim_at(stage, beyond)
    out = stage.engage()
    assert out.decision.state is State.ACTIVE
    assert np.abs(out.qpos[7:] - np.clip(beyond[7:], PUPPET.lower, PUPPET.upper)).max() <= MET_RAD
