"""Live: a person's motion, from any sources, drives any robot, beside people, with a stop key.

examples:
  bunraku run --source synth:wave --robot puppet --output sim: --arm
  bunraku run --source walk.bvh --robot g1 --output sim: --seconds 20 --json < /dev/null
  bunraku run --source 'faulty+synth:box?mode=off' --output sim: --arm    what a robot does when the source goes away
  bunraku run --source synth:wave --output csv:commands.csv --record session.braw --seconds 10
  bunraku run --source replay:session.braw --output sim: --arm

keys: space stop · a arm · e engage · r release · k acknowledge · ! emergency stop · q quit
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bunraku.cli.terminal import note, note_compiling, note_robot, print_json, print_table
from bunraku.errors import BunrakuError, InputError

if TYPE_CHECKING:
    from bunraku.session.live import Plan


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument("--source", action="append", metavar="[NAME=]URI", help="where the person's motion comes from")
    parser.add_argument("--robot", default="puppet", help="a name or robot file (default: puppet)")
    parser.add_argument("--output", action="append", metavar="URI", help="where commands go (default: sim:)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write down all that comes and goes (.braw)")
    parser.add_argument("--rate", type=float, default=120.0, help="commands per second, 50 to 500 (default 120)")
    parser.add_argument("--seconds", type=float, help="end by itself after so long")
    parser.add_argument(
        "--arm", action="store_true", help="arm and engage without a key; only where nothing in the world moves"
    )
    parser.add_argument(
        "--engage", metavar="HOW",
        help="how the robot comes to follow: meet (it goes slowly to the person's pose), match (the person stands as "
        "it does first), relative (it moves on from where it is); default: meet where nothing real moves, else match",
    )  # fmt: skip
    parser.add_argument(
        "--smooth", type=float, metavar="HZ", help="cutoff of a 1€ filter of the targets (default none)"
    )
    parser.add_argument("--ahead", type=float, default=0.0, metavar="S", help="predict joints by this much (default 0)")
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")


def run(args: argparse.Namespace) -> int:
    """Run until it ends; the summary is what remains."""
    keys = keyboard_there() and not (args.json and args.seconds)
    plan = _plan(args, keys)
    from bunraku.cli.live_view import watch
    from bunraku.session.live import LiveSession
    from bunraku.session.similarity import Similarity

    note_robot(plan.robot)
    note_compiling()
    similarity = Similarity(plan.robot)
    with LiveSession(plan) as session:
        stopped = watch(session, similarity, keys=keys)
    result = session.result() | {"similarity": similarity.summary()}
    if args.json:
        print_json(result)
    else:
        _print(result, plan)
    return 130 if stopped else 0


def keyboard_there() -> bool:
    """Whether somebody could press a key."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _plan(args: argparse.Namespace, keys: bool) -> Plan:
    """What is to be done, checked before anything begins."""
    from bunraku.outputs.output import is_simulated
    from bunraku.robots import load_robot
    from bunraku.safety.filters import FilterSettings
    from bunraku.session.live import Plan

    outputs = args.output or ["sim:"]
    if not args.source:
        raise InputError("run: name a source, for instance: bunraku run --source synth:wave --arm")
    simulated = all(is_simulated(uri) for uri in outputs)
    if not keys and not simulated:
        raise InputError("run: there is no terminal here and so no stop key: a robot that moves in the world needs one")
    if not keys and not args.arm and args.seconds is None:
        raise BunrakuError("run: there are no keys here to arm with, or to end: add --arm, --seconds N, or both")
    return Plan(
        sources=args.source,
        outputs=outputs,
        robot=load_robot(args.robot),
        rate_hz=args.rate,
        record=args.record,
        seconds=args.seconds,
        auto=args.arm or not keys,
        filters=FilterSettings(cutoff_hz=args.smooth, ahead_s=args.ahead),
        engage=args.engage or ("meet" if simulated else "match"),
    )


def _print(result: dict[str, Any], plan: Plan) -> None:
    print(f"{result['robot']}: {result['seconds']:.1f} s at {plan.rate_hz:g} Hz; the end: {result['ended']}")
    similarity = result["similarity"]
    alike = "-" if similarity["limb_deg"] is None else f"{similarity['limb_deg']:.1f}° between the limbs, on average"
    limits = ", ".join(f"{joint} {count}" for joint, count in list(result["limits_hit"].items())[:4]) or "none"
    print_table(
        [
            ["frames", f"{result['frames']}, lost {result['lost']}, rejected {result['rejected']}"],
            ["commands", f"{result['commands']}, late ticks {result['overruns']}"],
            ["alike", alike],
            ["limits hit", limits],
            ["recording", f"{plan.record}, {result['recording_dropped']} frames dropped" if plan.record else "-"],
        ]
    )
    print()
    rows = [
        [name, f"{row['p50']:.3f}", f"{row['p95']:.3f}", f"{row['p99']:.3f}", f"{row['max']:.3f}"]
        for name, row in result["stages_ms"].items()
    ]
    print_table(rows, ("stage", "p50 ms", "p95", "p99", "max"))
    print()
    for change in result["changes"][-12:]:
        why = f"  {'; '.join(change['why'])}" if change["why"] else ""
        print(f"{change['before']} → {change['after']}{why}")
    if result["state"] in ("fault", "estop"):
        note(f"bunraku: the session ended in {result['state']}")
