"""The state machine's ways: who may go where, by which press, after how long, and what the operator reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.errors import BunrakuError
from bunraku.safety.conditions import Action
from bunraku.safety.machine import (
    ASKED_S,
    CALM_S,
    COMMANDING,
    DWELL_S,
    FALL_S,
    IDLE_S,
    LATCHED,
    MEET_LONGEST_S,
    MET_RAD,
    ORDERS,
    REPEATS,
    RETREAT_LONGEST_S,
    RISE_S,
    SLOW_SCALE,
    Order,
    Policy,
    State,
)
from safety_stage import FINE, PERIOD_S, Desk, pressed, seen

STALE, GONE = seen(person={"age_s": 0.2}), seen(person={"age_s": 3.0})


@pytest.mark.parametrize("state", list(State))
def test_every_state_is_reached_and_left_for_standby(state: State) -> None:
    """I12: from every state there is a way to STANDBY; from FAULT and ESTOP by an acknowledgement alone."""
    desk = Desk().bring(state)
    assert desk.decision is not None
    assert desk.decision.state is state
    for buttons in ((), ("arm",), ("engage",), ("release",)):
        desk.press(*buttons)
        if state in (State.FAULT, State.ESTOP):
            assert desk.decision.state is state
    desk.press("acknowledge")
    desk.press("release")
    desk.see(FINE, FALL_S + 0.1)
    assert desk.decision.state is State.STANDBY


def test_the_way_up() -> None:
    """Each step is a press, and only the right one."""
    desk = Desk()
    desk.bring(State.STANDBY)
    desk.press("engage")
    assert desk.decision.state is State.STANDBY
    desk.press("arm")
    desk.press("arm")
    assert desk.decision.state is State.ARMED
    desk.press("engage")
    desk.see(FINE, 2.0)
    assert desk.path == [State.OFFLINE, State.STANDBY, State.ARMED, State.ENGAGING, State.ACTIVE]


def test_what_each_state_orders() -> None:
    """Nothing before the robot is armed, rest, meet, follow, go home, then the last messages."""
    for state in State:
        assert Desk().bring(state).decision.order is ORDERS[state]
        assert (ORDERS[state] in (Order.REST, Order.MEET, Order.FOLLOW, Order.GO_HOME)) == (state in COMMANDING)


@pytest.mark.parametrize("state", [State.FAULT, State.ESTOP])
def test_the_last_message_is_repeated_then_nothing(state: State) -> None:
    """Five times, and again five times when it begins anew."""
    desk = Desk().bring(state)
    orders = [ORDERS[state], *(desk.see().order for _ in range(30))]
    assert orders == [ORDERS[state]] * REPEATS + [Order.NOTHING] * (31 - REPEATS)


@pytest.mark.parametrize("state", list(State))
def test_stop_stops(state: State) -> None:
    """I11: with stop in, whatever else is in, the next tick commands no motion: HOLD where the robot is led."""
    expected = State.HOLD if state in COMMANDING else state
    for others in ((), ("arm", "engage"), ("release",), ("retreat", "acknowledge")):
        desk = Desk(Policy(may_retreat=True)).bring(state)
        if state not in (State.ENGAGING, State.OFFLINE):
            desk.see(FINE, 0.06)
        if state is State.OFFLINE or (state in LATCHED and "acknowledge" in others):
            expected = State.STANDBY
        assert desk.see(pressed("stop", *others)).state is expected
        assert desk.decision.order in (Order.REST, Order.NOTHING, Order.SAFE, Order.ESTOP)


def test_stop_comes_before_release_and_release_before_arming() -> None:
    """Held together, stop holds; when it is let go the release goes on. Nothing is armed while release is held."""
    desk = Desk().bring(State.ACTIVE)
    desk.see(pressed("stop", "release"), 0.5)
    assert desk.decision.state is State.HOLD
    desk.see(pressed("release"), 0.5)
    assert desk.decision.state is State.RELEASING
    desk.see(pressed("release"), FALL_S)
    desk.press("arm", "release")
    assert desk.decision.state is State.STANDBY


@pytest.mark.parametrize("button", ["arm", "engage", "acknowledge", "retreat"])
def test_what_is_held_at_the_start_is_no_press(button: str) -> None:
    """Boot, recovery, a change of mode: a button that is down must be let go first."""
    desk = Desk(Policy(may_retreat=True))
    if button == "acknowledge":
        desk.see(seen(pressed(button), operator={"estop": True}))
        assert desk.see(pressed(button), 1.0).state is State.ESTOP
        return
    if button in ("engage", "retreat"):
        desk.bring(State.STANDBY)
        desk.see(pressed("arm", button))
    desk.see(pressed(button), 1.5)
    assert desk.decision.state is (State.STANDBY if button == "arm" else State.ARMED)
    if button == "engage":
        assert desk.decision.needs == "let engage go first"
    if button == "arm":
        desk.press("arm")
        assert desk.decision.state is State.ARMED


def test_engage_held_through_a_hold_is_no_press() -> None:
    """A person who never lets the button go is not followed again."""
    desk = Desk().bring(State.ARMED)
    held = pressed("engage")
    desk.see(held, 2.0)
    assert desk.decision.state is State.ACTIVE
    desk.see(seen(held, person={"age_s": 0.2}), 0.1)
    desk.see(held, 5.0)
    assert desk.decision.state is State.HOLD
    assert desk.decision.needs == "let engage go first"
    desk.press("engage")
    assert desk.decision.state is State.ENGAGING


def test_a_press_while_something_is_wrong_does_not_count() -> None:
    """The cause must be gone first, then the button pressed."""
    desk = Desk().bring(State.HOLD)
    desk.press("engage", observed=STALE)
    desk.see(FINE, 2.0)
    assert desk.decision.state is State.HOLD
    assert desk.decision.needs == "engage"


def test_hold_never_ends_by_itself() -> None:
    """An hour after the cause is gone it is still HOLD, and says what led to it."""
    desk = Desk().bring(State.ACTIVE)
    desk.see(STALE, 0.1)
    desk.see(FINE, 3600, tick_s=1.0)
    assert desk.decision.state is State.HOLD
    assert desk.decision.action is Action.NONE
    assert desk.decision.reasons == ("the source has sent nothing for 100 ms",)


def test_a_bouncing_button_is_one_press() -> None:
    """Contacts that bounce within 50 ms of a change are not new presses."""
    desk = Desk().bring(State.ARMED)
    apart = replace(FINE, matched=False)
    desk.see(apart, 0.1)
    desk.see(pressed("engage", observed=apart))
    desk.see(apart, ASKED_S - 0.02)
    for _ in range(4):
        desk.see(pressed("engage", observed=apart))
        desk.see(apart, 0.03)
    assert desk.memory.asked_ns == -1 or desk.now_ns - desk.memory.asked_ns > 0.1e9
    desk.see(FINE, DWELL_S + 0.3)
    first = desk.decision.state
    desk = Desk().bring(State.ARMED)
    desk.see(FINE, 0.1)
    desk.see(pressed("engage"))
    desk.see(FINE)
    desk.see(pressed("engage"))
    assert (first, desk.decision.state) == (State.ENGAGING, State.ENGAGING)


def test_the_pose_must_match_for_a_while() -> None:
    """A match that flickers does not engage; one that lasts 0.3 s does, if the press was not long ago."""
    desk, apart = Desk().bring(State.ARMED), replace(FINE, matched=False, matching="62 % alike; left arm 40 %")
    desk.see(apart, 0.1)
    assert desk.decision.needs == "stand as the robot does: 62 % alike; left arm 40 %"
    assert desk.see(replace(FINE, matched=False)).needs == "stand as the robot does"
    desk.press("engage", observed=apart)
    for _ in range(4):
        desk.see(FINE, DWELL_S - 0.05)
        desk.see(apart)
    assert desk.decision.state is State.ARMED
    desk.see(FINE, DWELL_S + 0.02)
    assert desk.decision.state is State.ENGAGING
    late = Desk().bring(State.ARMED)
    late.press("engage", observed=apart)
    late.see(apart, ASKED_S + 0.02)
    late.see(FINE, 1.0)
    assert late.decision.state is State.ARMED
    assert late.decision.needs == "engage"


def test_nobody_engages_for_long() -> None:
    """After 30 s of being armed the robot is released, and says so still in STANDBY."""
    desk = Desk().bring(State.ARMED)
    desk.see(FINE, IDLE_S - 1.5)
    assert desk.decision.state is State.ARMED
    desk.see(FINE, 0.6)
    assert desk.decision.state is State.RELEASING
    assert desk.see(FINE, FALL_S + 0.1).state is State.STANDBY
    assert desk.decision.reasons == ("nobody engaged for 30 s",)


def test_engaging_takes_its_time_and_ends() -> None:
    """Not before a second, not before the target is met, not longer than ten seconds."""
    desk = Desk().bring(State.ENGAGING)
    desk.see(replace(FINE, error_rad=MET_RAD + 1e-6), 5.0)
    assert desk.decision.state is State.ENGAGING
    assert desk.see(replace(FINE, error_rad=MET_RAD)).state is State.ACTIVE
    quick = Desk().bring(State.ENGAGING)
    assert quick.see(FINE, 0.95).state is State.ENGAGING
    assert quick.see(FINE, 0.1).state is State.ACTIVE
    never = Desk().bring(State.ENGAGING)
    never.see(replace(FINE, error_rad=np.nan), MEET_LONGEST_S + 0.1)
    assert never.decision.state is State.HOLD
    assert never.decision.reasons == ("the robot could not catch up with the person",)


@pytest.mark.parametrize(
    "lapse", [STALE, GONE, seen(operator={"linked": False}), seen(person={"reference_lost": True})]
)
def test_any_lapse_while_engaging_is_a_hold(lapse: object) -> None:
    """And a fresh press is needed."""
    desk = Desk().bring(State.ENGAGING)
    assert desk.see(lapse).state is State.HOLD
    assert desk.see(FINE, 3.0).state is State.HOLD


def test_degraded_is_slow_and_lasts_two_seconds() -> None:
    """A reason to be slow slows at once; full speed comes back when there was none for two seconds."""
    desk, slow = Desk().bring(State.ACTIVE), seen(loop={"overruns": 5})
    assert desk.see(slow).state is State.DEGRADED
    assert desk.decision.scale == SLOW_SCALE
    assert desk.see(FINE, CALM_S - 0.1).state is State.DEGRADED
    assert desk.see(slow).state is State.DEGRADED
    assert desk.see(FINE, CALM_S - 0.02).state is State.DEGRADED
    assert desk.decision.reasons == ("5 late ticks within a second",)
    assert desk.see(FINE, 0.04).state is State.ACTIVE
    assert desk.decision.scale == 1.0
    engaging = Desk().bring(State.ENGAGING)
    assert engaging.see(slow, 1.1).state is State.DEGRADED


def test_the_speed_is_the_operators() -> None:
    """0 … 1; more is 1; one that is negative or no number leaves the last one."""
    desk = Desk().bring(State.ACTIVE)
    scales = [desk.see(seen(operator={"speed": speed})).scale for speed in (0.5, -1.0, np.nan, 0.0, -0.1, 7.0)]
    assert scales == [0.5, 0.5, 0.5, 0.0, 0.0, 1.0]
    slow = seen(loop={"singular": True}, operator={"speed": 0.5})
    assert desk.see(slow).scale == 0.5 * SLOW_SCALE


def test_a_fault_needs_the_cause_to_go_and_an_acknowledgement() -> None:
    """Either alone does nothing; both lead to STANDBY, never further."""
    desk, bad = Desk().bring(State.ACTIVE), seen(robot={"error": "overcurrent"})
    assert desk.see(bad).state is State.FAULT
    assert desk.decision.reasons == ("the robot reports: overcurrent",)
    desk.press("acknowledge", observed=bad)
    assert desk.decision.state is State.FAULT
    assert desk.see(pressed("acknowledge"), 1.0).state is State.FAULT
    desk.press("acknowledge")
    assert desk.decision.state is State.STANDBY
    assert desk.decision.acknowledged
    assert desk.decision.reasons == ()


def test_a_robot_that_is_gone_can_be_given_up() -> None:
    """Its fault is acknowledged to OFFLINE; when it comes back nothing is left of it."""
    desk, gone = Desk().bring(State.ACTIVE), seen(robot={"connected": False})
    assert desk.see(gone).state is State.FAULT
    desk.press("acknowledge", observed=gone)
    assert desk.decision.state is State.OFFLINE
    assert desk.see(FINE).state is State.STANDBY
    assert desk.see(gone).state is State.OFFLINE


def test_a_robot_that_is_wrong_or_in_trouble_stays_offline() -> None:
    """Until it is the right one and says that it is well."""
    for trouble in ({"wrong": "G1, not H1"}, {"error": "brake"}, {"age_s": 9.0}):
        desk = Desk()
        assert desk.see(seen(robot=trouble), 1.0).state is State.OFFLINE
        assert desk.see(FINE).state is State.STANDBY


def test_an_emergency_stop_needs_both_too_and_arming() -> None:
    """Released, acknowledged, then the whole way up again."""
    desk, bad = Desk().bring(State.ACTIVE), seen(robot={"estop": True})
    assert desk.see(bad).state is State.ESTOP
    desk.press("acknowledge", observed=bad)
    assert desk.see(FINE, 1.0).state is State.ESTOP
    desk.press("acknowledge")
    assert desk.decision.state is State.STANDBY


def test_an_emergency_stop_that_hides_a_fault() -> None:
    """Acknowledging the one does not clear the other while it lasts."""
    desk, both = Desk().bring(State.ACTIVE), seen(robot={"estop": True, "error": "brake"})
    desk.see(both, 0.1)
    desk.press("acknowledge", observed=seen(robot={"error": "brake"}))
    assert desk.decision.state is State.FAULT


def test_a_recentred_source_is_over_when_the_robot_was_released() -> None:
    """It is calibrated again before it is followed."""
    desk = Desk().bring(State.ACTIVE)
    desk.see(seen(person={"recentred": True}))
    desk.press("engage")
    assert desk.see(FINE, 1.0).state is State.HOLD
    desk.press("release")
    desk.see(FINE, FALL_S + 0.1)
    desk.see(FINE)
    desk.press("arm")
    assert desk.decision.state is State.ARMED


def test_authority_is_bounded_in_value_and_slope() -> None:
    """I21: 0 … 1, rises within a second, falls within 2.5 s without ever rising, keeps its value in HOLD."""
    desk, weights = Desk().bring(State.STANDBY), []
    script = [
        ("arm", 0.4),
        ("stop", 0.5),
        ("engage", 1.5),
        ("stop", 0.2),
        ("release", 1.0),
        ("stop", 0.5),
        ("release", 3),
    ]
    for button, seconds in script:
        for k in range(round(seconds / PERIOD_S)):
            desk.see(pressed(button) if k == 10 else FINE)
            weights.append((desk.decision.state, desk.decision.weight))
    values = np.array([weight for _, weight in weights])
    change = np.diff(values)
    assert values.min() == 0.0
    assert values.max() == 1.0
    assert change.max() <= PERIOD_S / RISE_S * (1 + 1e-6)
    assert change.min() >= -PERIOD_S / FALL_S * (1 + 1e-6)
    for (state, _), step in zip(weights[1:], change, strict=True):
        assert step <= 0 or state is not State.RELEASING
        assert step == 0 or state is not State.HOLD
    held = [weight for state, weight in weights if state is State.HOLD]
    assert 0.2 < held[0] < 0.5
    assert 0.5 < held[-1] < 0.8


def test_going_home_is_opt_in() -> None:
    """By a press where that is allowed, by itself where a time is set; nothing else."""
    desk = Desk().bring(State.ACTIVE)
    desk.press("retreat")
    assert desk.decision.state is State.ACTIVE
    allowed = Desk(Policy(may_retreat=True)).bring(State.ACTIVE)
    allowed.press("retreat")
    assert allowed.decision.state is State.RETREAT
    allowed.see(replace(FINE, home=True))
    assert allowed.decision.state is State.RELEASING
    assert allowed.decision.reasons == ("the robot is in its rest pose",)
    waits = Desk(Policy(may_retreat=True)).bring(State.ACTIVE)
    assert waits.see(GONE, 100, tick_s=0.04).state is State.HOLD


@pytest.mark.parametrize("after", [1.0, -1.0, np.nan, np.inf])
def test_going_home_by_itself_waits_five_seconds_at_least(after: float) -> None:
    """A policy that says otherwise is refused, as is one without the permission."""
    with pytest.raises(BunrakuError, match="at least 5 s"):
        Policy(may_retreat=True, retreat_after_s=after)
    with pytest.raises(BunrakuError, match="may_retreat"):
        Policy(retreat_after_s=6.0)


def test_going_home_by_itself() -> None:
    """So long after the person was lost, and the lost person does not end it."""
    desk = Desk(Policy(may_retreat=True, retreat_after_s=6.0)).bring(State.ACTIVE)
    desk.see(GONE, 5.9)
    assert desk.decision.state is State.HOLD
    desk.see(GONE, 0.2)
    assert desk.decision.state is State.RETREAT
    assert desk.see(GONE, 5.0).state is State.RETREAT
    assert desk.see(replace(GONE, home=True)).state is State.RELEASING


@pytest.mark.parametrize("hold", [pressed("stop"), seen(operator={"deadman": False}), seen(robot={"hot": "left knee"})])
def test_a_hold_for_another_reason_never_goes_home_by_itself(hold: object) -> None:
    """Not after a stop, not after the dead man's switch, not where the robot is in trouble, even if the person goes."""
    desk = Desk(Policy(may_retreat=True, retreat_after_s=6.0)).bring(State.ACTIVE)
    desk.see(hold, 0.1)
    desk.see(GONE, 60, tick_s=0.04)
    assert desk.decision.state is State.HOLD
    later = Desk(Policy(may_retreat=True, retreat_after_s=6.0)).bring(State.ACTIVE)
    later.see(GONE, 1.0)
    later.see(hold)
    later.see(GONE, 60, tick_s=0.04)
    assert later.decision.state is State.HOLD


def test_a_hold_that_nothing_is_wrong_with_never_goes_home_by_itself() -> None:
    """A robot that could not catch up is not lost."""
    desk = Desk(Policy(may_retreat=True, retreat_after_s=6.0)).bring(State.ENGAGING)
    desk.see(replace(FINE, error_rad=1.0), 60, tick_s=0.04)
    assert desk.decision.state is State.HOLD


@pytest.mark.parametrize(
    "end",
    [pressed("stop"), seen(robot={"contact": True}), seen(operator={"deadman": False}), seen(loop={"stall_s": 1.0})],
)
def test_what_ends_going_home(end: object) -> None:
    """A stop, a touch, the dead man's switch, the loop itself: HOLD."""
    assert Desk().bring(State.RETREAT).see(end).state is State.HOLD


def test_a_way_home_that_is_not_free_ends() -> None:
    """After a minute: HOLD, and it says why."""
    desk = Desk().bring(State.RETREAT)
    desk.see(FINE, RETREAT_LONGEST_S - 0.1, tick_s=0.04)
    assert desk.decision.state is State.RETREAT
    desk.see(FINE, 0.2)
    assert desk.decision.state is State.HOLD
    assert desk.decision.reasons == ("the way to the rest pose is not free",)


def test_a_battery_that_is_empty_hands_the_robot_back() -> None:
    """From HOLD too; one that is low only forbids to begin."""
    for state in (State.ACTIVE, State.HOLD, State.ARMED):
        assert Desk().bring(state).see(seen(robot={"battery": 0.05}), 1.1).state is State.RELEASING
    desk = Desk().bring(State.ACTIVE)
    assert desk.see(seen(robot={"battery": 0.15}), 5.0).state is State.ACTIVE
    desk = Desk().bring(State.STANDBY)
    desk.press("arm", observed=seen(robot={"battery": 0.15}))
    assert desk.decision.state is State.STANDBY
    assert desk.decision.needs == "not to be armed as long as this lasts"
    assert desk.decision.reasons == ("the battery is low",)


def test_releasing_goes_on_whatever_is_wrong() -> None:
    """Nobody there, nothing arriving: the authority still falls to none, with the same slope."""
    desk = Desk().bring(State.RELEASING)
    desk.see(seen(person={"age_s": 9.0}, operator={"linked": False}), FALL_S + 0.05)
    assert desk.decision.state is State.STANDBY
    assert desk.decision.weight == 0.0


def test_a_clock_that_goes_back_changes_nothing() -> None:
    """Time stands still until it is later again; nothing times out early or late by it."""
    desk = Desk().bring(State.ENGAGING)
    now = desk.now_ns
    for _ in range(100):
        desk.now_ns = now - 10**18
        desk.see(replace(FINE, error_rad=1.0))
    assert desk.decision.state is State.ENGAGING
    assert desk.memory.now_ns == now
    desk.now_ns = now
    assert desk.see(FINE, 0.9).state is State.ENGAGING
    assert desk.see(FINE, 0.2).state is State.ACTIVE


def test_arming_and_engaging_begin_from_the_measured_pose() -> None:
    """Exactly in the tick in which they begin."""
    desk, latches = Desk(), []
    desk.bring(State.STANDBY)
    for buttons in (("arm",), ("engage",), (), ("stop",), ("engage",), ()):
        for k in range(150):
            decision = desk.see(pressed(*buttons) if k == 10 else FINE)
            if decision.latch:
                latches.append((decision.before, decision.state))
    assert latches == [
        (State.STANDBY, State.ARMED), (State.ARMED, State.ENGAGING), (State.HOLD, State.ENGAGING),
    ]  # fmt: skip


def test_limbs_that_are_lost_are_held_alone() -> None:
    """I30: the state goes on; the limbs are named; three sources of that are one set."""
    desk = Desk().bring(State.ACTIVE)
    some = seen(
        person={"lost": frozenset({"left_arm"}), "frozen": frozenset({"neck"})},
        robot={"dead_hands": frozenset({"right_fingers"})},
    )
    decision = desk.see(some, 1.0)
    assert decision.state is State.ACTIVE
    assert decision.action is Action.LIMB
    assert decision.held == {"left_arm", "neck", "right_fingers"}
    assert decision.reasons == (
        "not tracked: left arm",
        "tracked but frozen: neck",
        "its driver is dead: right fingers",
    )


def test_what_is_needed_is_always_said() -> None:
    """In every state that waits for the operator there are words for what comes next."""
    for state in State:
        decision = Desk().bring(state).decision
        assert bool(decision.needs) == (state not in (State.ACTIVE, State.DEGRADED))


def test_the_most_severe_reason_is_read_first() -> None:
    """Then the others; what led to the state stays readable after it has gone, once."""
    desk = Desk().bring(State.ACTIVE)
    both = seen(person={"age_s": 0.2, "out_of_reach": True}, robot={"hot": "left knee"})
    assert desk.see(both).reasons == (
        "the source has sent nothing for 100 ms", "too hot, or drawing too much: left knee",
        "the robot cannot reach that far",
    )  # fmt: skip
    assert desk.see(seen(robot={"hot": "left knee"})).reasons == (
        "too hot, or drawing too much: left knee", "the source has sent nothing for 100 ms",
    )  # fmt: skip
