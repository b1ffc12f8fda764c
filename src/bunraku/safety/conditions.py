"""What a condition is, and how the active ones are found: hold-offs that run out, and latches that are let go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum

from bunraku.safety.observed import Observed

REFILL = 4.0
"""a hold-off that has begun to run out refills so many times slower: what flickers cannot postpone its answer"""


class Action(IntEnum):
    """What a condition asks for; the highest one that is active decides."""

    NONE = 0
    WARN = 1
    """words only"""
    BLOCK = 2
    """no arming and no engaging"""
    LIMB = 3
    """the limbs in question hold, the others go on"""
    SLOW = 4
    HOLD = 5
    """no arming and no engaging; what moves brakes and holds its pose"""
    RELEASE = 6
    """the authority over the robot fades out"""
    FAULT = 7
    ESTOP = 8

    @property
    def blocks(self) -> bool:
        """Whether the robot may be neither armed nor engaged."""
        return self is Action.BLOCK or self >= Action.HOLD


class Clears(Enum):
    """When a condition is over, once it is no longer seen."""

    WHEN_GONE = "when it is gone"
    ON_ACK = "acknowledged"
    ON_DISARM = "disarmed"


class About(Enum):
    """Whom a condition concerns. The answer to a missing person may be to retreat: then that does not stop it."""

    PERSON = "person"
    OPERATOR = "operator"
    LOOP = "loop"
    ROBOT = "robot"


def nothing(_: Observed) -> str:
    """A condition that needs no names."""
    return ""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that can be wrong."""

    name: str
    action: Action
    about: About
    seen: Callable[[Observed], object]
    """true while it is seen"""
    cause: str
    """for the operator; {} is what `which` names"""
    rows: tuple[int, ...] = ()
    """of the fault catalogue"""
    which: Callable[[Observed], str] = nothing
    clears: Clears = Clears.WHEN_GONE
    hold_off_s: float = 0.0
    """how long it must be seen"""

    def words(self, observed: Observed) -> str:
        """The cause as the operator reads it."""
        return self.cause.format(self.which(observed))


@dataclass(frozen=True, slots=True)
class Watch:
    """What is remembered of each condition, in the order of the table."""

    seen_s: tuple[float, ...]
    """for how long, refilled a quarter as fast"""
    active: tuple[bool, ...]


def unwatched(conditions: Sequence[Condition]) -> Watch:
    """Nothing was seen yet."""
    return Watch((0.0,) * len(conditions), (False,) * len(conditions))


def judge(
    conditions: Sequence[Condition], watch: Watch, observed: Observed, dt_s: float, let_go: frozenset[Clears]
) -> Watch:
    """The watch after another `dt_s`: a condition is active once it was seen for its hold-off, until it is let go."""
    times, active = [], []
    for condition, before, was in zip(conditions, watch.seen_s, watch.active, strict=True):
        seen = bool(condition.seen(observed))
        time = min(before + dt_s, condition.hold_off_s) if seen else max(before - dt_s / REFILL, 0.0)
        times.append(time)
        starts = seen and time >= condition.hold_off_s
        active.append(starts or (was and (seen or condition.clears not in let_go)))
    return Watch(tuple(times), tuple(active))
