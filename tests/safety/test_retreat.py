"""Going to the rest pose: only where it is allowed, by itself only after a loss, and what ends it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.errors import BunrakuError
from bunraku.safety.machine import (
    RETREAT_LONGEST_S,
    Policy,
    State,
)
from safety_stage import FINE, Desk, pressed, seen

GONE = seen(person={"age_s": 3.0})


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
