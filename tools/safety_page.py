"""Writes the tables of docs/safety.md from the code: `python -m tools.safety_page`. A test keeps it up to date."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "safety.md"
sys.path.insert(0, str(ROOT / "tests"))

from bunraku.safety.machine import NEEDS, ORDERS, State  # noqa: E402
from bunraku.safety.table import CONDITIONS  # noqa: E402
from safety_cases import cells  # noqa: E402

SHORT = {State.RELEASING: "release", State.ENGAGING: "engage", State.DEGRADED: "degrade"}


def states() -> str:
    """What each state orders, and what the operator reads."""
    lines = ["| state | the robot is told | the operator can |", "|---|---|---|"]
    waits = {State.STANDBY: "arm", State.ARMED: "engage", State.HOLD: "engage, release"}
    for state in State:
        need = NEEDS.get(state, waits.get(state, ""))
        lines.append(f"| {state.name} | {ORDERS[state].value} | {need} |")
    return "\n".join(lines)


def conditions() -> str:
    """Every condition: its action, its words, when it is over."""
    lines = [
        "| condition | about | action | what the operator reads | over | hold-off | faults |",
        "|---|---|---|---|---|---|---|",
    ]
    for c in CONDITIONS:
        hold_off = f"{c.hold_off_s:g} s" if c.hold_off_s else ""
        words, rows = c.cause.replace("{}", "…"), ", ".join(map(str, c.rows))
        lines.append(
            f"| `{c.name}` | {c.about.value} | {c.action.name} | {words} | {c.clears.value} | {hold_off} | {rows} |"
        )
    return "\n".join(lines)


def answers() -> str:
    """The state after each condition in each state, found by trying; a dot where it stays."""
    found, columns = cells(), list(State)
    lines = ["| | " + " | ".join(state.value for state in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for condition in CONDITIONS:
        after = [found[state, condition.name] for state in columns]
        cell = ["·" if new is old else SHORT.get(new, new.value) for old, new in zip(columns, after, strict=True)]
        lines.append(f"| `{condition.name}` | " + " | ".join(cell) + " |")
    return "\n".join(lines)


def filled(text: str) -> str:
    """The page with its tables written anew."""
    tables: Mapping[str, str] = {"states": states(), "conditions": conditions(), "answers": answers()}
    for name, table in tables.items():
        pattern = re.compile(rf"(<!-- {name}, written by tools/safety_page.py -->\n).*?(<!-- end -->)", re.DOTALL)
        text = pattern.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", text)
    return text


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
