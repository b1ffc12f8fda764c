"""Conditions: when each is active, for how long it must be seen, and when it is over."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from bunraku.safety.conditions import REFILL, About, Action, Clears, Condition, judge, unwatched
from bunraku.safety.observed import LoopSeen, Observed, OperatorSeen, PersonSeen, RobotSeen
from bunraku.safety.table import CONDITIONS, NAMES, held_limbs, limbs
from safety_cases import BY_NAME, CASES
from safety_stage import FINE, PERIOD_S, seen


def flag(name: str = "x", *, clears: Clears = Clears.WHEN_GONE, hold_off_s: float = 0.0) -> Condition:
    return Condition(name, Action.HOLD, About.LOOP, lambda o: o.loop.watchdog, "", clears=clears, hold_off_s=hold_off_s)


def judged(
    condition: Condition, *steps: tuple[bool, float], rules: frozenset[Clears] = frozenset({Clears.WHEN_GONE})
) -> list[bool]:
    """Whether it is active after each step of (seen, seconds)."""
    watch, out = unwatched([condition]), []
    for on, dt_s in steps:
        watch = judge([condition], watch, seen(loop={"watchdog": on}), dt_s, rules)
        out.append(watch.active[0])
    return out


def test_every_condition_has_its_cases() -> None:
    """A new row of the table is tested or this fails; names are its own."""
    assert set(CASES) == set(NAMES)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", CASES)
def test_when_a_condition_is_seen(name: str) -> None:
    """Just beyond its threshold, and not just before; a number that is none counts as beyond."""
    condition, (bad, good) = BY_NAME[name], CASES[name]
    assert [bool(condition.seen(observed)) for observed in bad] == [True] * len(bad)
    assert [bool(condition.seen(observed)) for observed in good] == [False] * len(good)


@pytest.mark.parametrize("name", CASES)
def test_every_cause_has_words(name: str) -> None:
    """A sentence without blanks left open, that names what it is about."""
    condition = BY_NAME[name]
    words = condition.words(
        seen(CASES[name][0][0], robot={"joint": "left_knee_joint"})
        if name in ("tracking", "lost_track")
        else CASES[name][0][0]
    )
    assert len(words) > 10
    assert "{" not in words
    assert not words.endswith((" ", ":"))
    assert ("{}" in condition.cause) == (words != condition.cause)


def test_nothing_is_wrong_when_all_is_fine() -> None:
    """And nearly everything when nothing is known: the robot is not touched."""
    assert not any(condition.seen(FINE) for condition in CONDITIONS)
    unknown = {condition.name for condition in CONDITIONS if condition.seen(Observed())}
    assert unknown == {"no_source", "controls_lost", "not_ready", "robot_lost"}


def test_every_observation_matters() -> None:
    """No field is carried about that no condition, button or step looks at."""
    elsewhere = {"arm", "engage", "release", "retreat", "acknowledge", "speed", "joint"}
    source = " ".join(NAMES) + " ".join(str(condition.seen.__code__.co_names) for condition in CONDITIONS)
    for part in (PersonSeen, LoopSeen, RobotSeen, OperatorSeen):
        for field in fields(part):
            assert field.name in elsewhere or f"'{field.name}'" in source, field.name


@pytest.mark.parametrize(
    "action, blocks", [(Action.NONE, False), (Action.WARN, False), (Action.BLOCK, True), (Action.LIMB, False),
                       (Action.SLOW, False), (Action.HOLD, True), (Action.RELEASE, True), (Action.FAULT, True),
                       (Action.ESTOP, True)]
)  # fmt: skip
def test_what_blocks(action: Action, blocks: bool) -> None:
    """Warnings, single limbs and slowness do not keep the robot from being armed or engaged."""
    assert action.blocks is blocks


def test_severities_are_in_order() -> None:
    """From nothing to the emergency stop, each its own."""
    names = "NONE WARN BLOCK LIMB SLOW HOLD RELEASE FAULT ESTOP"
    assert [action.name for action in sorted(Action)] == names.split()


def test_faults_and_emergency_stops_are_acknowledged() -> None:
    """No condition of that severity goes by itself."""
    for condition in CONDITIONS:
        assert (condition.clears is Clears.ON_ACK) == (condition.action >= Action.FAULT)


def test_without_a_hold_off_it_is_active_at_once() -> None:
    """In the tick in which it is seen, and no longer."""
    assert judged(flag(), (True, 0.0), (False, 0.0), (True, 9.0), (False, 9.0)) == [True, False, True, False]


def test_a_hold_off_runs_out() -> None:
    """Half a second must be seen; what goes before that never was."""
    assert judged(flag(hold_off_s=0.5), (True, 0.3), (True, 0.19), (True, 0.02), (False, 0.1), (True, 0.01)) == [
        False, False, True, False, False,
    ]  # fmt: skip
    assert judged(flag(hold_off_s=0.5), (True, 0.5)) == [True]


def test_a_hold_off_refills_at_a_quarter() -> None:
    """A second of nothing gives back a quarter of a second; never more than there was."""
    condition = flag(hold_off_s=0.5)
    assert judged(condition, (True, 0.4), (False, 1.0), (True, 0.34), (True, 0.02)) == [False, False, False, True]
    assert judged(condition, (False, 9.0), (True, 0.49), (True, 0.02)) == [False, False, True]
    assert judged(condition, (True, 9.0), (False, 0.4), (True, 0.09), (True, 0.02)) == [True, False, False, True]
    assert REFILL == 4


@pytest.mark.parametrize("on, off", [(1, 3), (1, 2), (5, 15), (10, 38), (40, 20)])
def test_flapping_cannot_postpone(on: int, off: int) -> None:
    """I29: what is seen for more than a fifth of the time gets its answer within a bounded time."""
    within = 0.5 / ((on - off / REFILL) / (on + off)) + (on + off) * PERIOD_S
    steps = [(k % (on + off) < on, PERIOD_S) for k in range(round(within / PERIOD_S))]
    assert any(judged(flag(hold_off_s=0.5), *steps))


def test_a_latch_is_let_go_by_its_rule_alone() -> None:
    """Once it is gone, and not before."""
    for clears in (Clears.ON_ACK, Clears.ON_DISARM):
        condition = flag(clears=clears)
        watch = judge([condition], unwatched([condition]), seen(loop={"watchdog": True}), 0.1, frozenset())
        others = frozenset(Clears) - {clears}
        assert judge([condition], watch, FINE, 99.0, others).active == (True,)
        assert judge([condition], watch, seen(loop={"watchdog": True}), 0.1, frozenset(Clears)).active == (True,)
        assert judge([condition], watch, FINE, 0.0, frozenset({clears})).active == (False,)


def test_a_latch_is_not_set_by_what_its_hold_off_forgives() -> None:
    """What was seen too shortly is not kept."""
    condition = flag(clears=Clears.ON_ACK, hold_off_s=0.5)
    assert judged(condition, (True, 0.4), (False, 0.1), (True, 0.2), (False, 0.1), rules=frozenset()) == [
        False, False, True, True,
    ]  # fmt: skip


def test_limbs_are_named_as_one_reads_them() -> None:
    """In order, without underscores; held for any of three reasons."""
    assert limbs(frozenset({"right_arm", "left_arm"})) == "left arm, right arm"
    person = PersonSeen(lost=frozenset({"a"}), frozen=frozenset({"b"}))
    assert held_limbs(replace(FINE, person=person, robot=RobotSeen(dead_hands=frozenset({"c"})))) == {"a", "b", "c"}
