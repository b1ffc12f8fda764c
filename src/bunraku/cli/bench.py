"""Figures of speed and size, measured now on this machine, each beside its target.

examples:
  bunraku bench
  bunraku bench retarget --json
  bunraku bench quality --data recordings/    the recordings of the published comparison, where you have them
  bunraku bench peers                         beside mink, pink and placo, which it installs on the side
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bunraku.cli.terminal import note, print_json, print_table
from bunraku.errors import InputError

FOLDER = Path(__file__).resolve().parents[3] / "bench"
DATA_VARIABLE = "BUNRAKU_DATA"


@dataclass(frozen=True)
class Subject:
    """A file of the folder `bench` with a function `figures`."""

    module: str
    wants_data: bool = False
    """whether `figures` takes a folder of recordings, or None"""
    always: bool = True
    """whether it is measured where no subject is named"""


SUBJECTS = {
    "cli": Subject("start_up"),
    "bvh": Subject("bvh_reading"),
    "retarget": Subject("retargeting"),
    "curve": Subject("cost_curve"),
    "sources": Subject("decoding"),
    "live": Subject("live"),
    "quality": Subject("quality", wants_data=True),
    "peers": Subject("peers", always=False),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    every = ", ".join(SUBJECTS)
    parser.add_argument("subject", nargs="*", metavar="SUBJECT", help=f"some of {every} (default: all but peers)")
    parser.add_argument(
        "--peers", action="store_true", help="also beside mink, pink and placo: pip installs them into .venv-peers"
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR",
        help=f"recordings to judge by; they are not part of the project (default: ${DATA_VARIABLE})",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Measure; exit code 1 where a target is missed."""
    wanted = args.subject or [name for name, subject in SUBJECTS.items() if subject.always]
    wanted += ["peers"] * (args.peers and "peers" not in wanted)
    unknown = [subject for subject in wanted if subject not in SUBJECTS]
    if unknown:
        raise InputError(f"unknown subject '{unknown[0]}'. Valid: {', '.join(SUBJECTS)}")
    data = args.data or (Path(os.environ[DATA_VARIABLE]) if DATA_VARIABLE in os.environ else None)
    if data is not None and not data.is_dir():
        raise InputError(f"{data}: no such folder of recordings")
    if not FOLDER.is_dir():
        raise InputError("the benchmarks are part of the repository: clone it and run ./dev bench")
    figures = [figure for subject in wanted for figure in _measure(subject, data)]
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


def _measure(name: str, data: Path | None) -> Iterator[Any]:
    """The figures of one file in the folder `bench`, which is not part of the package."""
    note(f"measuring {name} …")
    subject = SUBJECTS[name]
    sys.path.insert(0, str(FOLDER))
    try:
        module = importlib.import_module(subject.module)
        yield from module.figures(data) if subject.wants_data else module.figures()
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
