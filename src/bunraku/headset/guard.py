"""Who may talk to the headset's server, and which headset drives. Instants are monotonic seconds."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

MOST_TRIES = 5
TRIES_S = 60.0
LEASE_S = 5.0
"""a driver that has been silent for so long may be followed by another"""
_MOST_ADDRESSES = 1024


@dataclass
class Door:
    """Compares tokens. An address that was wrong five times within a minute is not listened to until that is over."""

    token: str
    """empty where none is asked for"""
    _wrong: dict[str, list[float]] = field(default_factory=dict)

    def refusal(self, said: object, address: str, now_s: float) -> str:
        """Why this token is not let in; empty where it is."""
        if not self.token:
            return ""
        recent = [at for at in self._wrong.get(address, ()) if now_s - at < TRIES_S]
        if len(recent) >= MOST_TRIES:
            return "too many tries: wait a minute"
        if isinstance(said, str) and hmac.compare_digest(said.encode(), self.token.encode()):
            self._wrong.pop(address, None)
            return ""
        if address not in self._wrong and len(self._wrong) >= _MOST_ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)))
        self._wrong[address] = [*recent, now_s]
        return "wrong token: open the address that the program printed, with what follows its #"


@dataclass
class Lease:
    """One headset drives at a time. It takes the lease when its session begins, never by merely sending."""

    holder: object = None
    session: int = 0
    """rises when somebody takes it"""
    _heard_s: float = 0.0

    def take(self, who: object, now_s: float) -> bool:
        """Begin to drive, unless another does."""
        if self.holder is not None and self.holder is not who and now_s - self._heard_s < LEASE_S:
            return False
        self.holder, self._heard_s = who, now_s
        self.session += 1
        return True

    def renew(self, who: object, now_s: float) -> bool:
        """Whether this one drives, and is heard now."""
        if who is not self.holder:
            return False
        self._heard_s = now_s
        return True

    def leave(self, who: object) -> bool:
        """Whether it drove until now."""
        drove = who is self.holder
        if drove:
            self.holder = None
        return drove


@dataclass
class Rate:
    """Messages of one client: what comes above so many a second is dropped."""

    most: int
    _second: int = -1
    _count: int = 0

    def admits(self, now_s: float) -> bool:
        """One more message, now."""
        if int(now_s) != self._second:
            self._second, self._count = int(now_s), 0
        self._count += 1
        return self._count <= self.most
