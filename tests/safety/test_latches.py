"""Faults, emergency stops and robots that are gone: latched, until somebody says so."""

from __future__ import annotations

import pytest

from bunraku.safety.machine import (
    FALL_S,
    ORDERS,
    REPEATS,
    Order,
    State,
)
from safety_stage import FINE, Desk, pressed, seen


@pytest.mark.parametrize("state", [State.FAULT, State.ESTOP])
def test_the_last_message_is_repeated_then_nothing(state: State) -> None:
    """Five times, and again five times when it begins anew."""
    desk = Desk().bring(state)
    orders = [ORDERS[state], *(desk.see().order for _ in range(30))]
    assert orders == [ORDERS[state]] * REPEATS + [Order.NOTHING] * (31 - REPEATS)


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
