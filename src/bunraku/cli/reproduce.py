"""Run the papers' experiments again, and print theirs beside ours.

examples:
  bunraku reproduce
  bunraku reproduce P2 P5 --json
  bunraku reproduce --report out/papers     also index.html, papers.md and every figure as a PNG

The motion is scripted, the devices' rate and noise are modelled, the robot is simulated; all else is the real pipeline.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.cli.terminal import note, print_json, print_table, progress
from bunraku.errors import InputError
from bunraku.files import need_writable

if TYPE_CHECKING:
    from bunraku.experiments.findings import Findings


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="some of P1 P2 P3 P4 P5 (default: all)")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write the figures, too, and a page that shows them")
    parser.add_argument("--seed", type=int, default=0, help="of noise and of random trajectories (default 0)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="experiments at a time (default 2)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Run; exit code 1 where a figure falls short."""
    from bunraku.experiments.catalog import PAPERS, chosen, run_all
    from bunraku.experiments.report import shown, verdict, write_report

    papers = chosen(args.papers)
    if args.jobs < 1:
        raise InputError(f"--jobs {args.jobs}: at least 1 is needed")
    if args.seed < 0:
        raise InputError(f"--seed {args.seed}: a whole number from 0 is needed")
    if args.report is not None:
        from bunraku.experiments.plot import need_plotting

        need_plotting()
        need_writable(args.report / "index.html")
    found: dict[str, list[Findings]] = {paper: [] for paper in papers}
    work = sum(len(PAPERS[paper]) for paper in papers)
    for paper, findings in progress(run_all(papers, args.seed, args.jobs), work, "reproduce"):
        found[paper].append(findings)
    rows = [row for several in found.values() for findings in several for row in findings.rows]
    if args.json:
        print_json({"rows": [row.to_dict() for row in rows]})
    else:
        cells = [(r.paper, r.quantity, shown(r.theirs), shown(r.ours), r.unit, verdict(r)) for r in rows]
        print_table(cells, ("paper", "quantity", "theirs", "ours", "unit", "verdict"))
    if args.report is not None:
        files = write_report(args.report, found, args.seed)
        note(f"bunraku: {args.report / 'index.html'} and {len(files) - 1} more files")
    return 0 if all(row.ok for row in rows) else 1
