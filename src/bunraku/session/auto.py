"""The operator of a session where nothing in the world moves and nobody is at the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bunraku.safety.machine import State
from bunraku.session.operator import Operator

if TYPE_CHECKING:
    from bunraku.session.loop import Loop

PAUSE_NS = 500_000_000
"""between two presses"""
PATIENCE_NS = 5_000_000_000
"""with a HOLD that does not end; then it lets go and begins anew"""
_PRESSES = {
    State.STANDBY: "arm",
    State.ARMED: "engage",
    State.HOLD: "engage",
    State.FAULT: "acknowledge",
    State.ESTOP: "acknowledge",
}


class AutoPilot:
    """Presses what leads upwards, as a patient person would."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._pressed_ns = -PAUSE_NS
        self._held_ns = 0

    def look(self, loop: Loop, now_ns: int) -> None:
        """Before each tick."""
        word = _PRESSES.get(loop.state)
        if loop.state is not State.HOLD:
            self._held_ns = now_ns
        elif now_ns - self._held_ns > PATIENCE_NS:
            word = "release"
        if word is not None and now_ns - self._pressed_ns >= PAUSE_NS:
            self._pressed_ns = now_ns
            self._operator.press(word, now_ns)
