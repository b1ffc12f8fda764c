"""A live source on a terminal: rate, age, jitter, loss, what it knows, and the person as dots. Nothing is driven."""

from __future__ import annotations

import select
import shutil
import sys
import time
from typing import Any

import numpy as np

from bunraku.cli.stick_figure import stick_figure
from bunraku.human import HumanPose
from bunraku.human.skeleton import GROUPS, INDEX
from bunraku.sources.health import Health
from bunraku.sources.live import Source

_TICK_S, _DRAW_S, _LINE_S = 1 / 120, 0.2, 1.0


def watch(source: Source, seconds: float | None) -> dict[str, Any]:
    """Show a source until the time is over or Ctrl-C; what became of everything that it sent."""
    screen = sys.stderr.isatty()
    begun, drawn, height = time.monotonic(), 0.0, 0
    source.open(time.monotonic_ns())
    try:
        while seconds is None or time.monotonic() - begun < seconds:
            select.select(list(source.waits_on()), (), (), _TICK_S)
            now_ns = time.monotonic_ns()
            source.receive(now_ns)
            if time.monotonic() - drawn >= (_DRAW_S if screen else _LINE_S):
                drawn = time.monotonic()
                health, pose = source.health(now_ns), source.latest(now_ns)
                lines = page(health, pose) if screen else [summary(health, pose)]
                height = _draw(lines, height) if screen else _say(lines)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        health = source.health(time.monotonic_ns())
        pose = source.latest(time.monotonic_ns())
        source.close()
    return {
        "connected": health.connected, "reason": health.reason, "accepted": health.accepted, "lost": health.lost,
        "rejected": dict(health.rejected), "rate_hz": health.rate_hz, "jitter_ms": 1e3 * health.jitter_s,
        "jumps": health.epoch, "joints": known_joints(pose),
    }  # fmt: skip


def known_joints(pose: HumanPose | None) -> list[str]:
    """Names of all joints of which anything is known."""
    if pose is None:
        return []
    known = np.asarray(pose.position_valid) | np.asarray(pose.rotation_valid)
    return [name for name, row in INDEX.items() if known[row]]


def summary(health: Health, pose: HumanPose | None) -> str:
    """One line."""
    age = f"{1e3 * health.age_s:.0f} ms old" if np.isfinite(health.age_s) else "nothing yet"
    rejected = sum(health.rejected.values())
    line = (
        f"{health.rate_hz:.1f}/s, jitter {1e3 * health.jitter_s:.2f} ms, {age}, {health.accepted} frames, "
        f"{health.lost} lost, {rejected} rejected, {len(known_joints(pose))} joints"
    )
    return line + (f"; {health.reason}" if health.reason else "")


def page(health: Health, pose: HumanPose | None) -> list[str]:
    """The lines of the page: figures, what each group of joints knows, reasons, the person."""
    out = ["  " + summary(health, pose), ""]
    for group, joints in GROUPS.items():
        rows = [INDEX[joint] for joint in joints]
        places = 0 if pose is None else int(np.asarray(pose.position_valid)[rows].sum())
        turns = 0 if pose is None else int(np.asarray(pose.rotation_valid)[rows].sum())
        bar = "█" * round(10 * max(places, turns) / len(rows))
        out.append(f"  {group:11} {bar:10}  {places:2d} places  {turns:2d} turns  of {len(rows)}")
    for reason, count in sorted(health.rejected.items(), key=lambda row: -row[1])[:5]:
        out.append(f"  rejected {count} × {reason}")
    room = shutil.get_terminal_size()
    if pose is not None and room.lines - len(out) > 8:
        out.append("")
        lines = min(room.lines - len(out) - 2, 24)
        out += stick_figure(pose.positions, pose.position_valid, columns=min(room.columns - 2, 2 * lines), lines=lines)
    return [*out, "", "  Ctrl-C ends"]


def _draw(lines: list[str], height: int) -> int:
    """On a terminal, in place of what was there; how many lines it takes."""
    width = shutil.get_terminal_size().columns - 1
    up = f"\x1b[{height}A" if height else ""
    sys.stderr.write(up + "".join(f"\r\x1b[2K{line[:width]}\n" for line in lines) + "\x1b[J")
    sys.stderr.flush()
    return len(lines)


def _say(lines: list[str]) -> int:
    print(lines[0], file=sys.stderr, flush=True)
    return 0
