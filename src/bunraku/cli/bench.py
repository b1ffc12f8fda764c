"""Figures of speed and size, measured now on this machine, each beside its target.

examples:
  bunraku bench
  bunraku bench retarget --json
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bunraku.cli.terminal import note, print_json, print_table
from bunraku.errors import InputError

FOLDER = Path(__file__).resolve().parents[3] / "bench"
SUBJECTS = {"cli": "start_up", "bvh": "bvh_reading", "retarget": "retargeting"}


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument("subject", nargs="*", metavar="SUBJECT", help=f"some of {', '.join(SUBJECTS)} (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Measure; exit code 1 where a target is missed."""
    wanted = args.subject or list(SUBJECTS)
    unknown = [subject for subject in wanted if subject not in SUBJECTS]
    if unknown:
        raise InputError(f"unknown subject '{unknown[0]}'. Valid: {', '.join(SUBJECTS)}")
    if not FOLDER.is_dir():
        raise InputError("the benchmarks are part of the repository: clone it and run ./dev bench")
    figures = [figure for subject in wanted for figure in _measure(subject)]
    if args.json:
        print_json({"figures": [_as_dict(figure) for figure in figures]})
    else:
        rows = [
            ["ok" if f.ok else "MISSED", f.id, f"{f.value:.4g} {f.unit}",
             f"{'≤' if f.sense == 'at_most' else '≥'} {f.target:g}", f.how]
            for f in figures
        ]  # fmt: skip
        print_table(rows, ("", "figure", "value", "target", "how"))
    return 0 if all(figure.ok for figure in figures) else 1


def _measure(subject: str) -> Iterator[Any]:
    """The figures of one file in the folder `bench`, which is not part of the package."""
    note(f"measuring {subject} …")
    sys.path.insert(0, str(FOLDER))
    try:
        yield from importlib.import_module(SUBJECTS[subject]).figures()
    finally:
        sys.path.remove(str(FOLDER))


def _as_dict(figure: Any) -> dict[str, object]:
    return {
        "id": figure.id,
        "value": round(float(figure.value), 6),
        "unit": figure.unit,
        "target": figure.target,
        "ok": bool(figure.ok),
        "how": figure.how,
    }
