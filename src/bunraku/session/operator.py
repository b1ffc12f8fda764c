"""What the operator asked for, as buttons that are held for a moment. Pure: instants are arguments."""

from __future__ import annotations

from bunraku.errors import UnknownNameError
from bunraku.safety.observed import OperatorSeen

WORDS = {
    "stop": b" ",
    "engage": b"e",
    "release": b"r",
    "arm": b"a",
    "acknowledge": b"k",
    "estop": b"!",
    "quit": b"q",
}
"""word → the byte that stands for it on the line from the terminal, and on the keyboard"""
_BY_BYTE = {byte[0]: word for word, byte in WORDS.items()}
HELD_NS = 150_000_000
"""a key has no way of telling when it is let go"""
SETTLE_NS = 100_000_000
"""engage waits so long for what the sources show anew"""
_DELAYED = frozenset({"engage"})


class Operator:
    """Presses of keys."""

    def __init__(self) -> None:
        self._until: dict[str, int] = {}
        self._from: dict[str, int] = {}
        self.quitting = False
        self.linked = True
        self.fresh: set[str] = set()
        """what was pressed since `taken` was last called"""

    def hear(self, data: bytes, now_ns: int) -> bool:
        """Bytes from the line; whether one of them will not wait for the next tick."""
        urgent = False
        for byte in data:
            word = _BY_BYTE.get(byte)
            if word is not None:
                self.press(word, now_ns)
                urgent |= word in ("stop", "estop")
        return urgent

    def press(self, word: str, now_ns: int) -> None:
        """One key."""
        if word not in WORDS:
            raise UnknownNameError("key", word, WORDS)
        self.fresh.add(word)
        if word == "quit":
            self.quitting = True
            return
        start = now_ns + (SETTLE_NS if word in _DELAYED else 0)
        self._from[word], self._until[word] = start, start + HELD_NS

    def taken(self) -> set[str]:
        """What was pressed since the last call."""
        fresh, self.fresh = self.fresh, set()
        return fresh

    def seen(self, now_ns: int) -> OperatorSeen:
        """The buttons at this instant."""
        return OperatorSeen(
            linked=self.linked,
            **{word: self._down(word, now_ns) for word in WORDS if word != "quit"},
        )

    def _down(self, word: str, now_ns: int) -> bool:
        return self._from.get(word, 0) <= now_ns < self._until.get(word, 0)
