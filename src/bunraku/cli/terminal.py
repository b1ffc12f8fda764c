"""What verbs share: JSON on stdout, tables, and progress on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from bunraku.robots import Robot

T = TypeVar("T")


def print_json(value: Mapping[str, object]) -> None:
    """One JSON object on stdout."""
    print(json.dumps(value, indent=2, allow_nan=False))


def print_table(rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> None:
    """Columns as wide as they need to be; the last one is not padded."""
    every = [list(map(str, row)) for row in ([header, *rows] if header else rows)]
    if not every:
        return
    widths = [max(len(row[k]) for row in every) for k in range(len(every[0]))]
    for number, row in enumerate(every):
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        print("  ".join([*cells, row[-1]]).rstrip())
        if header and number == 0:
            print("  ".join("─" * width for width in widths))


def note(text: str) -> None:
    """A line for the person, on stderr, so that stdout stays clean for programs."""
    print(text, file=sys.stderr, flush=True)


def note_robot(robot: Robot) -> None:
    """What a person should know of a robot before anything is done with it."""
    for warning in robot.warnings:
        note(f"bunraku: {robot.name}: {warning}")
    if not robot.semantics.joints:
        note(f"bunraku: {robot.name}: nothing that is like a part of a person was found on it, so it will not move")


@cache
def note_compiling() -> None:
    """From now on say, once, why the first run takes its time."""
    from bunraku.kinematics.jit import when_compiling

    when_compiling(lambda: note("bunraku: compiling, first run only …"))


def progress(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """The same items, with a bar on stderr where that is a terminal."""
    shown = sys.stderr.isatty() and total > 0
    started = time.monotonic()
    for done, item in enumerate(items):
        if shown:
            _bar(done, total, label, started)
        yield item
    if shown:
        _bar(total, total, label, started)
        print(file=sys.stderr)


def _bar(done: int, total: int, label: str, started: float) -> None:
    filled = round(24 * done / total)
    elapsed = time.monotonic() - started
    left = f"{elapsed / done * (total - done):4.0f} s left" if 0 < done < total else f"{elapsed:4.0f} s     "
    print(f"\r{label} [{'█' * filled}{' ' * (24 - filled)}] {done}/{total} {left}", end="", file=sys.stderr, flush=True)
