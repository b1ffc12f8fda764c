"""Every state meets every condition: the answer is what the severities say."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bunraku.safety.conditions import About, Action, Condition
from bunraku.safety.machine import COMMANDING, State
from bunraku.safety.observed import Observed, OperatorSeen
from bunraku.safety.table import CONDITIONS
from safety_cases import cells, some_observed
from safety_stage import Desk

ANSWER = {Action.RELEASE: State.RELEASING, Action.FAULT: State.FAULT, Action.ESTOP: State.ESTOP}


def expected(state: State, condition: Condition) -> State:
    """The answer in a few words, in the order of severity."""
    action = condition.action
    if State.ESTOP is state or action is Action.ESTOP:
        return State.ESTOP
    if state is State.OFFLINE:
        return state if action is Action.FAULT or condition.name == "wrong_robot" else State.STANDBY
    if action is Action.FAULT or state not in COMMANDING:
        return State.FAULT if action is Action.FAULT else state
    if condition.name == "stop":
        return State.HOLD
    if action is Action.RELEASE or state is State.RELEASING:
        return State.RELEASING
    if state is State.RETREAT:
        return State.HOLD if action is Action.HOLD and condition.about is not About.PERSON else state
    if action is Action.HOLD:
        return State.HOLD
    return State.DEGRADED if action is Action.SLOW and state is State.ACTIVE else state


def test_every_cell() -> None:
    """11 states and all conditions, in simulated time."""
    found = cells()
    assert len(found) == len(State) * len(CONDITIONS) > 500
    assert found == {(state, c.name): expected(state, c) for state in State for c in CONDITIONS}


@given(st.sampled_from([s for s in State if s is not State.OFFLINE]), some_observed())
def test_the_highest_action_of_several_decides(state: State, observed: Observed) -> None:
    """I28: many things at once are answered like the most severe one; all of them are named."""
    desk = Desk().bring(state)
    desk.see(replace(observed, operator=OperatorSeen(linked=True)))
    active = [c for c, on in zip(CONDITIONS, desk.memory.watch.active, strict=True) if on]
    assert desk.decision.action is max((c.action for c in active), default=Action.NONE)
    assert {c.words(observed) for c in active} <= set(desk.decision.reasons)
    if state in COMMANDING and state is not State.RETREAT:
        assert desk.decision.state is ANSWER.get(desk.decision.action, desk.decision.state)
