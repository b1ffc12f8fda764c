"""The state machine under anything: what may never happen does not, whatever is observed in whatever order."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bunraku.safety.conditions import Action
from bunraku.safety.machine import (
    COMMANDING,
    DISARMED,
    FALL_S,
    LATCHED,
    REPEATS,
    RISE_S,
    Memory,
    Order,
    Policy,
    State,
    update,
)
from bunraku.safety.observed import Observed
from safety_cases import some_observed
from safety_stage import FINE, PERIOD_S, seen

MOVING = frozenset({Order.MEET, Order.FOLLOW, Order.GO_HOME})
UP = frozenset({State.ACTIVE, State.DEGRADED})
WAY_OUT = [FINE, FINE, seen(operator={"acknowledge": True}), FINE, FINE, seen(operator={"release": True})]


class Operation(RuleBasedStateMachine):
    """One operation of one robot; every rule is at least a tick."""

    @initialize(
        retreat=st.sampled_from([Policy(), Policy(may_retreat=True), Policy(may_retreat=True, retreat_after_s=5.0)])
    )
    def begin(self, retreat: Policy) -> None:
        self.policy, self.memory, self.now_ns = retreat, Memory(), 0
        self.tick(FINE, PERIOD_S)

    def tick(self, observed: Observed, dt_s: float) -> None:
        before, weight = self.memory, self.memory.weight
        self.now_ns += round(dt_s * 1e9)
        self.memory, self.decision = update(self.now_ns, before, observed, self.policy)
        self.observed, dt_s = observed, (self.memory.now_ns - before.now_ns) * 1e-9
        self.step(before, weight, dt_s)

    def step(self, before: Memory, weight: float, dt_s: float) -> None:
        decision, operator, old = self.decision, self.observed.operator, before.state
        new = decision.state
        fresh = operator.engage and not before.pressed.engage
        # I10: what is followed was asked for by a press since the last state in which it was not.
        if new is State.ENGAGING and old is not State.ENGAGING:
            assert old in (State.ARMED, State.HOLD)
            assert fresh or before.asked_ns >= before.since_ns
            assert not decision.action.blocks
        if new in UP:
            assert old in UP | {State.ENGAGING}
        if new is State.ARMED and old is not State.ARMED:
            assert old is State.STANDBY
            assert operator.arm and not before.pressed.arm and not operator.stop
        # I11: with stop in, nothing moves.
        if operator.stop:
            assert decision.order not in MOVING
            assert new is not State.ARMED
        # I12 and latches: FAULT and ESTOP end by an acknowledgement alone.
        if old in LATCHED and new not in LATCHED:
            assert operator.acknowledge and not before.pressed.acknowledge
            assert new in DISARMED
        if decision.action is Action.ESTOP:
            assert new is State.ESTOP
        if decision.action >= Action.HOLD:
            assert (
                decision.order not in MOVING | {Order.SAFE} or decision.action is Action.FAULT or new is State.RETREAT
            )
        # I21: authority.
        change = decision.weight - weight
        assert 0.0 <= decision.weight <= 1.0
        assert -dt_s / FALL_S - 1e-12 <= change <= dt_s / RISE_S + 1e-12
        assert change <= 0 or new in COMMANDING - {State.RELEASING, State.HOLD}
        if new in UP | {State.ENGAGING} and old is State.RETREAT:
            raise AssertionError("nothing follows a retreat but a hold or a release")

    @rule(observed=some_observed(), ticks=st.integers(1, 20))
    def see(self, observed: Observed, ticks: int) -> None:
        for _ in range(ticks):
            self.tick(observed, PERIOD_S)

    @rule(buttons=st.sets(st.sampled_from(["arm", "engage", "release", "retreat", "acknowledge", "stop", "estop"])))
    def press(self, buttons: set[str]) -> None:
        for _ in range(7):
            self.tick(FINE, PERIOD_S)
        self.tick(seen(operator=dict.fromkeys(buttons, True)), PERIOD_S)

    @rule(button=st.sampled_from(["arm", "engage", "engage", "release"]))
    def operate(self, button: str) -> None:
        self.press({button})
        self.wait(1.2)

    @rule(seconds=st.sampled_from([0.1, 1.2, 3.0, 31.0]))
    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.04)):
            self.tick(FINE, 0.04)

    @rule(step_s=st.sampled_from([0.0, -3600.0, 3600.0, 1e-9, 0.3]))
    def clock_step(self, step_s: float) -> None:
        self.tick(FINE, step_s)
        if step_s < 0:
            self.now_ns = self.memory.now_ns

    @rule(observed=some_observed(), times=st.integers(2, 12))
    def flicker(self, observed: Observed, times: int) -> None:
        for _ in range(times):
            self.tick(observed, PERIOD_S)
            self.tick(FINE, PERIOD_S)

    @invariant()
    def words(self) -> None:
        """Whatever stops or refuses has words, in the same tick."""
        decision = self.decision
        assert (decision.action is Action.NONE) <= (len(decision.reasons) <= 2)
        assert decision.action is Action.NONE or decision.reasons
        assert decision.state in UP or decision.needs
        if decision.state in (State.HOLD, State.FAULT, State.ESTOP, State.RELEASING):
            assert decision.reasons

    @invariant()
    def bounded(self) -> None:
        """I25: what is remembered does not grow."""
        memory = self.memory
        assert memory.told <= REPEATS
        assert len(memory.why) < 60
        assert 0.0 <= self.decision.scale <= 1.0

    @invariant()
    def a_way_to_standby(self) -> None:
        """I12: from here, with everything fine, an acknowledgement and a release lead to STANDBY."""
        memory, now = self.memory, self.memory.now_ns
        for observed in [*WAY_OUT, *[FINE] * 10]:
            now += 300_000_000
            memory, decision = update(now, memory, observed, self.policy)
        assert decision.state is State.STANDBY


TestOperation = Operation.TestCase
TestOperation.settings = settings(max_examples=40, stateful_step_count=30)
