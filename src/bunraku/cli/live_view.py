"""A live session on a terminal: what it does and why, redrawn a few times a second, and the keys that steer it.

Plain ANSI on stderr, so it works over ssh and leaves stdout to programs. Without a terminal each change is a line.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from bunraku.cli.terminal import note
from bunraku.session.live import LiveSession
from bunraku.session.operator import WORDS
from bunraku.session.similarity import Similarity
from bunraku.session.trace import Counts, percentiles

DRAW_S = 0.2
WINDOW_S = 5.0
"""over which latencies are shown"""
SHOWN_STAGES = ("sensor", "wait", "receive", "retarget", "limit", "send", "acknowledge", "path", "late")
_COLOURS = {
    "active": 32,
    "engaging": 36,
    "armed": 36,
    "degraded": 33,
    "hold": 33,
    "releasing": 33,
    "fault": 31,
    "estop": 31,
}
_BY_KEY = {key.decode(): word for word, key in WORDS.items()}
KEYS = "space stop · a arm · e engage · r release · k acknowledge · ! emergency stop · q quit"


def watch(session: LiveSession, similarity: Similarity, *, keys: bool) -> bool:
    """Show a session until it is over; whether a signal ended it."""
    asked: list[int] = []

    def ask(number: int, _: FrameType | None) -> None:
        asked.append(number)
        session.say("quit")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        with _cbreak(keys):
            (_Screen(session, similarity) if keys else _Log(session, similarity)).show(keys=keys)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return bool(asked)


class _Log:
    """No terminal: changes of state as lines."""

    def __init__(self, session: LiveSession, similarity: Similarity) -> None:
        self._session, self._similarity = session, similarity
        self._state = ""

    def show(self, *, keys: bool) -> None:
        """Until the session is over."""
        while self._session.running():
            ready = [self._session.line, *([sys.stdin] if keys else [])]
            try:
                readable, _, _ = select.select(ready, [], [], DRAW_S)
            except InterruptedError:
                continue
            if keys and sys.stdin in readable:
                self._press(os.read(sys.stdin.fileno(), 64).decode(errors="ignore"))
            if self._session.line in readable:
                self._session.wait(DRAW_S)
            self._similarity.look(self._session.lines.sample.get())
            status = self._session.status()
            if status is not None:
                self._tell(status)
        self._done()

    def _press(self, text: str) -> None:
        for key in text:
            if key in _BY_KEY:
                self._session.say(_BY_KEY[key])

    def _tell(self, status: dict[str, Any]) -> None:
        if status["state"] != self._state:
            self._state = status["state"]
            note(f"bunraku: {self._state}" + "".join(f"; {reason}" for reason in status["reasons"]))

    def _done(self) -> None:
        """Nothing is left on the screen."""


class _Screen(_Log):
    """A terminal: a page that is redrawn in place."""

    def __init__(self, session: LiveSession, similarity: Similarity) -> None:
        super().__init__(session, similarity)
        self._height = 0
        self._history: list[tuple[float, Counts]] = []

    def _tell(self, status: dict[str, Any]) -> None:
        now = time.monotonic()
        if self._history and now - self._history[-1][0] < DRAW_S:
            return
        counts = self._session.lines.trace.counts()
        self._history = [(at, old) for at, old in self._history if now - at < WINDOW_S] + [(now, counts)]
        width = shutil.get_terminal_size().columns
        lines = page(self._session, status, counts - self._history[0][1], self._similarity.now_deg)
        up = f"\x1b[{self._height}A" if self._height else ""
        sys.stderr.write(up + "".join(f"\r\x1b[2K{_cut(line, width)}\n" for line in lines) + "\x1b[J")
        sys.stderr.flush()
        self._height = len(lines)

    def _done(self) -> None:
        self._height = 0


def page(session: LiveSession, status: dict[str, Any], counts: Counts, limb_deg: float | None) -> list[str]:
    """The lines of the page."""
    plan, state = session.plan, status["state"]
    colour = _COLOURS.get(state, 37)
    out = [
        f"\x1b[1;{colour}m {state.upper():10}\x1b[0m {plan.robot.name} at {plan.rate_hz:g} Hz, "
        f"{status['ticks'] / plan.rate_hz:.0f} s · authority {status['weight']:.0%} · "
        + ("alike -" if limb_deg is None else f"alike within {limb_deg:.1f}°"),
        "  why   " + ("; ".join(status["reasons"]) or "all is well"),
        "  next  " + (status["needs"] or "-"),
        "",
        f"  {'source':16} {'rate Hz':>8} {'age ms':>8} {'jitter':>7} {'lost':>6} {'rejected':>9}",
    ]
    for row in status["sources"]:
        age = "-" if row["age_ms"] is None else f"{row['age_ms']:.0f}"
        rejected = sum(row["rejected"].values())
        out.append(
            f"  {row['name'][:16]:16} {row['rate_hz']:8.1f} {age:>8} {row['jitter_ms']:7.2f} {row['lost']:6d} "
            f"{rejected:9d}  {row['reason']}"
        )
    out += ["", f"  {'latency ms':16} {'p50':>8} {'p95':>8} {'p99':>8}"]
    shown = percentiles(np.asarray(counts))
    for name in SHOWN_STAGES:
        row = shown.get(name)
        values = (
            "".join(f" {row[key]:8.2f}" for key in ("p50", "p95", "p99")) if row else f" {'-':>8} {'-':>8} {'-':>8}"
        )
        out.append(f"  {name:16}{values}")
    limits = "  ".join(f"{joint} {count}" for joint, count in list(status["limited"].items())[:5])
    out += ["", f"  limits hit  {limits or 'none'}", f"  late ticks  {status['overruns']}", "", f"  {KEYS}"]
    return out


def _cut(line: str, width: int) -> str:
    """At most as long as the terminal is wide; colours take no room."""
    visible, out, k = 0, "", 0
    while k < len(line) and visible < width - 1:
        if line[k] == "\x1b":
            end = line.index("m", k) + 1
            out, k = out + line[k:end], end
            continue
        out, visible, k = out + line[k], visible + 1, k + 1
    return out + "\x1b[0m"


@contextmanager
def _cbreak(keys: bool) -> Iterator[None]:
    """Keys come one by one and unseen; the terminal is put back however this ends."""
    if not keys:
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
