"""What the guard sees for itself: late ticks, robots that do not follow, measurements that are none."""

from __future__ import annotations

import numpy as np

from bunraku.safety.machine import MET_RAD, State
from bunraku.safety.senses import ECHO_S
from safety_guarded import PUPPET, aim_at, posed, ready
from safety_stage import FINE, PERIOD_S, TICK_NS, Stage, seen


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
