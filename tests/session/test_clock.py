"""What the live path must not touch: the wall clock, and anything that turns bytes into code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bunraku

ROOT = Path(bunraku.__file__).parent
ROOMS = ("safety", "session", "recording", "sources", "outputs", "retarget", "human", "kinematics")
WALL = {("time", "time"), ("time", "time_ns"), ("datetime", "now"), ("datetime", "utcnow"), ("time", "localtime")}
ALLOWED = {"session/live.py"}
"""a recording's header says when it was made"""
FILES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))] + [ROOT / "mailbox.py"]


def calls(path: Path) -> set[tuple[str, str]]:
    """(module or object, name) of all that is called by a dotted name, and ('', name) of plain calls."""
    out = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                out.add((node.func.value.id, node.func.attr))
            elif isinstance(node.func, ast.Name):
                out.add(("", node.func.id))
    return out


def test_the_control_path_never_reads_the_wall_clock() -> None:
    """Clocks that somebody may set are read for the metadata of files alone."""
    readers = {str(path.relative_to(ROOT)) for path in FILES if calls(path) & WALL}
    assert readers == ALLOWED


@pytest.mark.parametrize(
    "name", [("pickle", "load"), ("pickle", "loads"), ("marshal", "loads"), ("", "eval"), ("", "exec")]
)
def test_nothing_of_the_live_path_unpickles_or_evaluates(name: tuple[str, str]) -> None:
    """Recordings and wires hold numbers and JSON."""
    assert not [path for path in FILES if name in calls(path)]
