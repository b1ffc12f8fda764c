"""The state machine: from what one tick observed to what the robot may be told. Pure: time and memory are arguments.

OFFLINE ─ STANDBY ─ ARMED ─ ENGAGING ─ ACTIVE ─ DEGRADED         the way up: a deliberate press at each step
             ▲                 ▲  ▼ any lapse
          RELEASING ◄─────── HOLD ─ (RETREAT)                    FAULT, ESTOP: from anywhere, latched
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from bunraku.errors import BunrakuError
from bunraku.safety.conditions import About, Action, Clears, Condition, Watch, judge, unwatched
from bunraku.safety.observed import Observed, OperatorSeen
from bunraku.safety.table import CONDITIONS, held_limbs


class State(Enum):
    """Where a session stands; the value is what it is called."""

    OFFLINE = "offline"
    STANDBY = "standby"
    ARMED = "armed"
    ENGAGING = "engaging"
    ACTIVE = "active"
    DEGRADED = "degraded"
    HOLD = "hold"
    RETREAT = "retreat"
    RELEASING = "releasing"
    FAULT = "fault"
    ESTOP = "estop"


class Order(Enum):
    """What the robot is told."""

    NOTHING = "nothing"
    REST = "rest"
    """brake, then keep the pose"""
    MEET = "meet"
    """come slowly from where it is to the target"""
    FOLLOW = "follow"
    GO_HOME = "go home"
    SAFE = "safe"
    """the robot's own safe action: hold, damp, or hand back to its own controller"""
    ESTOP = "estop"


ORDERS = {
    State.OFFLINE: Order.NOTHING,
    State.STANDBY: Order.NOTHING,
    State.ARMED: Order.REST,
    State.ENGAGING: Order.MEET,
    State.ACTIVE: Order.FOLLOW,
    State.DEGRADED: Order.FOLLOW,
    State.HOLD: Order.REST,
    State.RETREAT: Order.GO_HOME,
    State.RELEASING: Order.REST,
    State.FAULT: Order.SAFE,
    State.ESTOP: Order.ESTOP,
}
DISARMED = frozenset({State.OFFLINE, State.STANDBY})
LATCHED = frozenset({State.FAULT, State.ESTOP})
COMMANDING = frozenset(State) - DISARMED - LATCHED
"""states in which the robot is told where to be"""
LED_BY = {
    State.HOLD: Action.HOLD,
    State.RELEASING: Action.RELEASE,
    State.FAULT: Action.FAULT,
    State.ESTOP: Action.ESTOP,
    State.DEGRADED: Action.SLOW,
}
"""the least action of the conditions that lead to a state"""
NEEDS = {
    State.OFFLINE: "connect the robot",
    State.ENGAGING: "wait: the robot comes to your pose",
    State.ACTIVE: "",
    State.DEGRADED: "",
    State.RETREAT: "wait, or stop: the robot goes to its rest pose",
    State.RELEASING: "wait: the robot is handed back",
    State.FAULT: "remove the cause, then acknowledge",
    State.ESTOP: "release the emergency stop, then acknowledge and arm again",
}
"""what the operator can do next, where that is always the same"""

DWELL_S = 0.3
"""for which the pose must match before engaging"""
ASKED_S = 3.0
"""for which a press of engage waits for that"""
DEBOUNCE_S = 0.05
IDLE_S = 30.0
MEET_LEAST_S, MEET_LONGEST_S, MET_RAD = 1.0, 10.0, 0.1
CALM_S = 2.0
"""without a reason to be slow until full speed"""
SLOW_SCALE = 0.4
RETREAT_LONGEST_S = 60.0
RISE_S, FALL_S = 1.0, 2.5
"""in which the authority goes from 0 to 1 and back"""
REPEATS = 5
"""of the last message in FAULT and ESTOP"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is chosen per robot."""

    may_retreat: bool = False
    """whether the operator may send the robot to its rest pose"""
    retreat_after_s: float | None = None
    """whether it goes there by itself, so long after the person was lost; at least 5 s"""

    def __post_init__(self) -> None:
        after = self.retreat_after_s
        if after is not None and not (self.may_retreat and 5.0 <= after < float("inf")):
            raise BunrakuError("retreat_after_s needs may_retreat, and is at least 5 s")


_UNWATCHED = unwatched(CONDITIONS)
_HELD_AT_START = OperatorSeen(arm=True, engage=True, retreat=True, acknowledge=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """All that is remembered from tick to tick."""

    state: State = State.OFFLINE
    since_ns: int = 0
    """when the state was entered"""
    now_ns: int = 0
    watch: Watch = _UNWATCHED
    pressed: OperatorSeen = _HELD_AT_START
    """the buttons of the tick before; what is held at the start must be let go first"""
    engage_ns: int = 0
    """when the engage button last changed"""
    matched_ns: int = -1
    """since when the pose matches; -1: it does not"""
    asked_ns: int = -1
    """when engage was pressed, and not yet answered; -1: it was not"""
    slow_ns: int = 0
    """when there last was a reason to be slow"""
    person_only: bool = True
    """nothing but a missing person led to this HOLD"""
    why: tuple[str, ...] = ()
    """what led to this state"""
    weight: float = 0.0
    speed: float = 1.0
    told: int = 0
    """how often the last message of FAULT or ESTOP went out"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What follows from one tick."""

    state: State
    before: State
    """the state of the tick before"""
    order: Order
    action: Action
    """the highest one that is active"""
    reasons: tuple[str, ...]
    """what is wrong, and what led to this state, in words; the most severe first"""
    needs: str
    """what the operator can do next, in words"""
    weight: float
    """authority over the robot, 0 … 1"""
    scale: float
    """of every speed limit, 0 … 1"""
    held: frozenset[str]
    """limbs that hold where they are"""
    latch: bool
    """begin anew from the measured pose: limiter, filters, clutch"""
    acknowledged: bool
    """a fault or an emergency stop was acknowledged in this tick"""


def update(now_ns: int, memory: Memory, observed: Observed, policy: Policy) -> tuple[Memory, Decision]:
    """One tick."""
    now_ns = max(now_ns, memory.now_ns)
    dt_s, before, operator = (now_ns - memory.now_ns) * 1e-9, memory.state, observed.operator
    acknowledged = operator.acknowledge and not memory.pressed.acknowledge
    watch = judge(CONDITIONS, memory.watch, observed, dt_s, _let_go(before, acknowledged))
    active = [condition for condition, on in zip(CONDITIONS, watch.active, strict=True) if on]
    active.sort(key=lambda condition: -condition.action)
    memory = _listen(now_ns, memory, observed, active)
    state, why = _next(memory, observed, policy, active, acknowledged)
    if state is not before:
        memory = _enter(memory, state, why, active, observed)
    order = ORDERS[state]
    if state in LATCHED:
        order = order if memory.told < REPEATS else Order.NOTHING
    memory = replace(
        memory,
        watch=watch,
        pressed=operator,
        told=min(memory.told + 1, REPEATS),
        weight=_weight(state, memory.weight, dt_s),
        person_only=memory.person_only and _only_the_person(active),
    )
    words = tuple(condition.words(observed) for condition in active)
    decision = Decision(
        state=state,
        before=before,
        order=order,
        action=active[0].action if active else Action.NONE,
        reasons=words + tuple(reason for reason in memory.why if reason not in words),
        needs=_needs(memory, observed, active),
        weight=memory.weight,
        scale=memory.speed * (SLOW_SCALE if state is State.DEGRADED else 1.0),
        held=held_limbs(observed),
        latch=state is not before and state in (State.ARMED, State.ENGAGING),
        acknowledged=acknowledged,
    )
    return memory, decision


def _let_go(state: State, acknowledged: bool) -> frozenset[Clears]:
    """The rules by which a condition that is gone is over in this tick; offline there is nothing to acknowledge."""
    rules = {Clears.WHEN_GONE}
    if acknowledged or state is State.OFFLINE:
        rules.add(Clears.ON_ACK)
    if state in DISARMED:
        rules.add(Clears.ON_DISARM)
    return frozenset(rules)


def _blocked(active: Sequence[Condition]) -> bool:
    return any(condition.action.blocks for condition in active)


def _only_the_person(active: Sequence[Condition]) -> bool:
    """Whether nothing but a missing person asks for a hold."""
    return all(condition.about is About.PERSON for condition in active if condition.action >= Action.HOLD)


def _listen(now_ns: int, memory: Memory, observed: Observed, active: Sequence[Condition]) -> Memory:
    """Buttons and timers of this tick: a press of engage counts if the button was let go before and nothing forbids."""
    operator, before = observed.operator, memory.pressed
    engage_ns, asked_ns = memory.engage_ns, memory.asked_ns
    if operator.engage is not before.engage:
        if operator.engage and now_ns - engage_ns >= DEBOUNCE_S * 1e9:
            asked_ns = now_ns
        engage_ns = now_ns
    if _blocked(active) or now_ns - asked_ns > ASKED_S * 1e9:
        asked_ns = -1
    slow = any(condition.action is Action.SLOW for condition in active)
    matched_ns = memory.matched_ns if memory.matched_ns >= 0 else now_ns
    return replace(
        memory,
        now_ns=now_ns,
        engage_ns=engage_ns,
        asked_ns=asked_ns,
        matched_ns=matched_ns if observed.matched else -1,
        slow_ns=now_ns if slow else memory.slow_ns,
        speed=min(operator.speed, 1.0) if operator.speed >= 0.0 else memory.speed,
    )


def _next(
    memory: Memory, observed: Observed, policy: Policy, active: Sequence[Condition], acknowledged: bool
) -> tuple[State, str]:
    """The state of this tick, and why where no condition says it. What stops comes before what starts."""
    state, operator, up = memory.state, observed.operator, observed.robot.connected
    worst = active[0].action if active else Action.NONE
    if worst is Action.ESTOP:
        return State.ESTOP, ""
    if state is State.OFFLINE:
        return (State.STANDBY if up and not observed.robot.wrong and worst < Action.FAULT else state), ""
    if not up and (state is State.STANDBY or (state is State.FAULT and acknowledged)):
        return State.OFFLINE, ""
    if worst is Action.FAULT:
        return State.FAULT, ""
    if state in LATCHED:
        return State.STANDBY, ""
    if state is State.STANDBY:
        armed = operator.arm and not memory.pressed.arm and not operator.release and not _blocked(active)
        return (State.ARMED if armed else state), ""
    if operator.stop:
        return State.HOLD, ""
    if worst is Action.RELEASE or operator.release:
        return State.RELEASING, "the operator released the robot" if operator.release else ""
    if state is State.RELEASING:
        return (State.STANDBY if memory.weight == 0.0 else state), ""
    if state is State.RETREAT:
        return _retreating(memory, observed, active)
    if _retreats(memory, operator, policy, active):
        return State.RETREAT, "on the way to the rest pose"
    if worst is Action.HOLD:
        return State.HOLD, ""
    return _going_on(memory, observed)


def _retreats(memory: Memory, operator: OperatorSeen, policy: Policy, active: Sequence[Condition]) -> bool:
    """Whether the robot sets off for its rest pose: told to, or by itself after the person has been lost for long."""
    if not policy.may_retreat or not _only_the_person(active):
        return False
    if operator.retreat and not memory.pressed.retreat:
        return True
    after, waited_ns = policy.retreat_after_s, memory.now_ns - memory.since_ns
    return memory.state is State.HOLD and memory.person_only and after is not None and waited_ns >= after * 1e9


def _retreating(memory: Memory, observed: Observed, active: Sequence[Condition]) -> tuple[State, str]:
    if not _only_the_person(active):
        return State.HOLD, ""
    if observed.home:
        return State.RELEASING, "the robot is in its rest pose"
    if memory.now_ns - memory.since_ns > RETREAT_LONGEST_S * 1e9:
        return State.HOLD, "the way to the rest pose is not free"
    return State.RETREAT, ""


def _going_on(memory: Memory, observed: Observed) -> tuple[State, str]:
    """Where nothing forbids anything: ARMED or HOLD → ENGAGING → ACTIVE ⇄ DEGRADED."""
    state, spent_ns, slow_ns = memory.state, memory.now_ns - memory.since_ns, memory.now_ns - memory.slow_ns
    if state is State.ENGAGING:
        if spent_ns >= MEET_LEAST_S * 1e9 and observed.error_rad <= MET_RAD:
            return (State.ACTIVE if slow_ns else State.DEGRADED), ""
        if spent_ns > MEET_LONGEST_S * 1e9:
            return State.HOLD, "the robot could not catch up with the person"
        return state, ""
    if state is State.ACTIVE:
        return (state if slow_ns else State.DEGRADED), ""
    if state is State.DEGRADED:
        return (State.ACTIVE if slow_ns >= CALM_S * 1e9 else state), ""
    if memory.asked_ns >= 0 and 0 <= memory.matched_ns <= memory.now_ns - DWELL_S * 1e9:
        return State.ENGAGING, ""
    if state is State.ARMED and spent_ns > IDLE_S * 1e9:
        return State.RELEASING, "nobody engaged for 30 s"
    return state, ""


def _enter(memory: Memory, state: State, why: str, active: Sequence[Condition], observed: Observed) -> Memory:
    """A new state begins: presses are forgotten; what led to it is kept in words."""
    causes = tuple(
        condition.words(observed) for condition in active if condition.action >= LED_BY.get(state, Action.ESTOP)
    )
    if state is State.STANDBY:
        causes = memory.why if memory.state is State.RELEASING else ()
    return replace(
        memory,
        state=state,
        since_ns=memory.now_ns,
        asked_ns=-1,
        told=0,
        why=((why,) if why else ()) + causes,
        person_only=bool(causes),
    )


def _weight(state: State, weight: float, dt_s: float) -> float:
    """Authority rises while the robot is led, stays in HOLD, and falls everywhere else, at bounded slopes."""
    if state is State.HOLD:
        return weight
    if state in COMMANDING and state is not State.RELEASING:
        return min(weight + dt_s / RISE_S, 1.0)
    return max(weight - dt_s / FALL_S, 0.0)


def _needs(memory: Memory, observed: Observed, active: Sequence[Condition]) -> str:
    """What the operator can do next."""
    state = memory.state
    if state in NEEDS:
        return NEEDS[state]
    if _blocked(active):
        return f"{'not to be armed' if state is State.STANDBY else 'not to be engaged'} as long as this lasts"
    if state is State.STANDBY:
        return "arm"
    if observed.operator.engage and memory.asked_ns < 0:
        return "let engage go first"
    if not observed.matched:
        return f"stand as the robot does: {observed.matching}" if observed.matching else "stand as the robot does"
    return "engage"
