"""A session whose robot follows a person, for tests to meddle with."""

from __future__ import annotations

from bunraku.robots import Robot
from bunraku.safety.guard import Authorised
from bunraku.safety.machine import State
from session.sources import HandPlayed
from session.stage import Stage, stage


def following(robot: Robot, source: HandPlayed | None = None, **more: object) -> tuple[Stage, HandPlayed]:
    """At rest when it began; nobody presses keys from now on."""
    source = source or HandPlayed()
    source.moving = False
    made = stage(robot, source, **more)  # type: ignore[arg-type]
    made.until(State.ACTIVE)
    source.moving = True
    made.pilot = None
    made.run(0.5)
    assert made.loop.state is State.ACTIVE
    return made, source


def reasons(told: Authorised) -> str:
    """As one line."""
    return "; ".join(told.decision.reasons)
