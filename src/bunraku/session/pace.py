"""When the loop turns: at absolute deadlines, and in between it waits for bytes."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Sequence

LATE_SHARE = 0.5
"""of a period: a tick that begins later than this missed its deadline"""


class Deadlines:
    """Instants one period apart on the monotonic clock. What was missed is left out, and the phase stays."""

    def __init__(self, period_ns: int, now_ns: int) -> None:
        self.period_ns = period_ns
        self.due_ns = now_ns + period_ns
        self.missed = 0

    def left_s(self, now_ns: int) -> float:
        """Time until the next one, never negative."""
        return max(self.due_ns - now_ns, 0) / 1e9

    def pass_by(self, now_ns: int) -> int:
        """The tick begins: how late it is (ns), and on to the first deadline in the future."""
        late = now_ns - self.due_ns
        behind = max(late, 0) // self.period_ns
        self.missed += behind + (late % self.period_ns > LATE_SHARE * self.period_ns if late > 0 else 0)
        if late >= 0:
            self.due_ns += (behind + 1) * self.period_ns
        return late


class Waiting:
    """Waits for descriptors with the precision of `select`: milliseconds would be a tenth of a period."""

    def __init__(self) -> None:
        self._selector = selectors.SelectSelector()
        self._watched: dict[int, Callable[[], None]] = {}

    def watch(self, ready: Sequence[tuple[int, Callable[[], None]]]) -> None:
        """Exactly these descriptors from now on, each with what is to be done when it can be read."""
        wanted = dict(ready)
        for fd in [fd for fd in self._watched if fd not in wanted]:
            self._selector.unregister(fd)
            del self._watched[fd]
        for fd, work in wanted.items():
            if fd not in self._watched:
                self._selector.register(fd, selectors.EVENT_READ)
            self._watched[fd] = work

    def wait(self, seconds: float) -> None:
        """Until something can be read, which is then done, or the time is over."""
        if not self._watched:
            time.sleep(seconds)
            return
        for key, _ in self._selector.select(seconds):
            self._watched[key.fd]()

    def close(self) -> None:
        """Watch nothing."""
        self._selector.close()
