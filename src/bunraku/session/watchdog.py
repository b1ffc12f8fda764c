"""The watchdog: a process of its own that has the last word on the outputs when the loop's heart stops."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.process import BaseProcess

import numpy as np

from bunraku.mailbox import Shared, processes, shared_array
from bunraku.outputs.output import Guardian

SILENCE_S = 0.1
"""without a beat for longer than this the loop counts as dead"""
POLL_S = 0.01
REPEATS = 5
"""the safe command is given so many times"""
BEAT, WATCHING, TRIPPED, ENDED = range(4)
"""rows: instant of the last beat, whether anything could move, instant of the last word, whether the session is over"""
_PRIORITY = -10


class Pulse:
    """What the loop and the watchdog share. Instants are monotonic nanoseconds; 0 is never."""

    def __init__(self) -> None:
        self._rows: Shared = shared_array(4, np.int64)

    def beat(self, now_ns: int, *, watching: bool) -> None:
        """The loop lives, and whether it has authority over anything."""
        rows = self._rows.array
        rows[BEAT], rows[WATCHING] = now_ns, watching

    def end(self) -> None:
        """There will be no more beats, and that is right."""
        self._rows.array[ENDED] = 1

    def trip(self, now_ns: int) -> None:
        """The last word has been spoken."""
        self._rows.array[TRIPPED] = now_ns

    @property
    def tripped_ns(self) -> int:
        """When the last word was spoken; 0 where it was not."""
        return int(self._rows.array[TRIPPED])

    @property
    def ended(self) -> bool:
        """Whether the session is over."""
        return bool(self._rows.array[ENDED])

    def silent_s(self, now_ns: int) -> float:
        """Since the last beat; 0 while nothing could move."""
        rows = self._rows.array
        return (now_ns - int(rows[BEAT])) / 1e9 if rows[WATCHING] else 0.0


def begin_watching(pulse: Pulse, guardians: Sequence[Guardian]) -> BaseProcess:
    """Start the watchdog."""
    process = processes.Process(target=watch, args=(pulse, list(guardians)), name="bunraku-watchdog", daemon=True)
    process.start()
    return process


def watch(pulse: Pulse, guardians: Sequence[Guardian]) -> None:
    """The watchdog's process: until the session is over, or it has spoken and nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise_priority(_PRIORITY)
    parent = os.getppid()
    while not pulse.ended:
        now = time.monotonic_ns()
        if pulse.silent_s(now) > SILENCE_S and not pulse.tripped_ns:
            pulse.trip(now)
            for _ in range(REPEATS):
                for guardian in guardians:
                    guardian.act()
                time.sleep(POLL_S)
        if os.getppid() != parent and (pulse.tripped_ns or pulse.silent_s(now) == 0.0):
            return
        time.sleep(POLL_S)


def raise_priority(niceness: int) -> None:
    """Be served before others, where the system lets us."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
