"""The times of the state machine, to the nanosecond: what is due at exactly that time, and what only beyond it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bunraku.safety.machine import Policy, State
from safety_stage import FINE, Desk, pressed, seen

STEP_S = 0.01
APART, FAR = replace(FINE, matched=False), replace(FINE, error_rad=1.0)
GONE = seen(person={"age_s": 3.0})


def after(desk: Desk, seconds: float, observed: object = FINE) -> State:
    """The state exactly so long after the last tick."""
    return desk.see(observed, seconds, tick_s=STEP_S).state


def entered(state: State, policy: Policy | None = None) -> Desk:
    desk = Desk(policy)
    return desk.bring(state)


def test_a_match_counts_after_exactly_its_dwell() -> None:
    """0.3 s after the first tick that matches."""
    desk = entered(State.ARMED)
    after(desk, 0.1, APART)
    desk.see(pressed("engage", observed=APART), tick_s=STEP_S)
    desk.see(FINE, tick_s=STEP_S)
    assert after(desk, 0.29) is State.ARMED
    assert after(desk, 0.01) is State.ENGAGING


@pytest.mark.parametrize("let_go_s, state", [(0.04, State.ARMED), (0.05, State.ENGAGING)])
def test_a_press_counts_when_the_button_was_up_for_exactly_so_long(let_go_s: float, state: State) -> None:
    """50 ms."""
    desk = entered(State.ARMED)
    after(desk, 0.5, pressed("engage", observed=APART))
    after(desk, 4.0, pressed("engage", observed=APART))
    desk.see(FINE, let_go_s, tick_s=STEP_S)
    assert after(desk, 0.5, pressed("engage")) is state


@pytest.mark.parametrize("wait_s, state", [(2.7, State.ENGAGING), (2.71, State.ARMED)])
def test_a_press_waits_for_exactly_three_seconds(wait_s: float, state: State) -> None:
    """The match is complete in the third second's last tick, or a tick too late."""
    desk = entered(State.ARMED)
    after(desk, 0.1, APART)
    desk.see(pressed("engage", observed=APART), tick_s=STEP_S)
    after(desk, wait_s - STEP_S, APART)
    desk.see(FINE, tick_s=STEP_S)
    assert after(desk, 0.3) is state


def test_engaging_lasts_exactly_a_second_and_ten() -> None:
    """At least, and at most."""
    desk = entered(State.ENGAGING)
    assert after(desk, 0.99) is State.ENGAGING
    assert after(desk, 0.01) is State.ACTIVE
    desk = entered(State.ENGAGING)
    assert after(desk, 10.0, FAR) is State.ENGAGING
    assert after(desk, 0.01, FAR) is State.HOLD


def test_two_seconds_of_calm() -> None:
    """Since the last tick with a reason to be slow."""
    desk = entered(State.DEGRADED)
    assert after(desk, 1.99) is State.DEGRADED
    assert after(desk, 0.01) is State.ACTIVE


def test_thirty_seconds_armed() -> None:
    """Since arming, the tick of that included."""
    desk = entered(State.STANDBY)
    desk.press("arm")
    assert after(desk, 30.0) is State.ARMED
    assert after(desk, 0.01) is State.RELEASING


def test_the_way_home_takes_a_minute_at_most() -> None:
    """Exactly."""
    desk = entered(State.RETREAT)
    assert after(desk, 60.0) is State.RETREAT
    assert after(desk, 0.01) is State.HOLD


def test_the_way_home_begins_when_it_says() -> None:
    """Five seconds after the HOLD began."""
    desk = entered(State.ACTIVE, Policy(may_retreat=True, retreat_after_s=5.0))
    desk.see(GONE, tick_s=STEP_S)
    assert after(desk, 4.99, GONE) is State.HOLD
    assert after(desk, 0.01, GONE) is State.RETREAT


def test_authority_rises_and_falls_at_its_pace() -> None:
    """Half of it after half a second; none two and a half seconds after the whole."""
    desk = entered(State.STANDBY)
    desk.press("arm")
    start = desk.decision.weight
    after(desk, 0.5)
    assert desk.decision.weight == pytest.approx(start + 0.5)
    after(desk, 1.0)
    assert desk.decision.weight == 1.0
    desk.press("release")
    start = desk.decision.weight
    after(desk, 1.0)
    assert desk.decision.weight == pytest.approx(start - 0.4)
