"""What human motion can come from.

examples:
  bunraku sources
  bunraku sources show walk.bvh          what a recording holds, and what was guessed about it
  bunraku sources save replay:session.braw --out wave.npz    any recording as human motion; npz:wave.npz reads it
  bunraku sources watch axis-neuron://127.0.0.1:7001    a live device: rate, age, loss, and the person as dots
  bunraku sources watch leap:// --seconds 10 --json     the same for a program
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.cli.terminal import note_compiling, print_json, print_table
from bunraku.errors import InputError

if TYPE_CHECKING:
    from bunraku.sources.live import Device
    from bunraku.sources.source import Recording


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "save", "watch"), default="list",
        help="list (default), show, save or watch",
    )  # fmt: skip
    parser.add_argument("uri", nargs="?", help="with show, save and watch: a file or URI")
    parser.add_argument("--out", type=Path, metavar="FILE.npz", help="with save: where to")
    parser.add_argument("--seconds", type=float, help="with watch: end by itself after so long")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """List the kinds, or describe one recording."""
    if args.action == "show":
        return _show(args)
    if args.action == "watch":
        return _watch(args)
    if args.action == "save":
        return _save(args)
    from bunraku.sources import recordings
    from bunraku.sources.live import devices
    from bunraku.sources.played import OPTIONS

    kinds: dict[str, Recording | Device] = {**recordings(), **devices()}
    if args.json:
        print_json(
            {
                "sources": [
                    {"scheme": k.scheme, "summary": k.summary, "example": k.example, "options": _options(k)}
                    for k in kinds.values()
                ]
            }
        )
        return 0
    rows = [[f"{k.scheme}:{'//' * ('://' in k.example)}", k.summary, k.example] for k in kinds.values()]
    print_table(rows, ("source", "what", "example"))
    for kind in (kind for kind in kinds.values() if _options(kind)):
        print(f"\n{kind.scheme}: options, as in {kind.example}")
        print_table([[f"  {name}", text] for name, text in _options(kind).items()])
    print("\nplayed as if live, by bunraku run, every recording has these beside its own:")
    print_table([[f"  {name}", text] for name, text in OPTIONS.items()])
    return 0


def _options(kind: Recording | Device) -> dict[str, str]:
    """Of a kind, also where it is a recording and a device."""
    from bunraku.sources import recordings

    recorded = recordings()[kind.scheme].options if kind.scheme in recordings() else {}
    return {**recorded, **kind.options}


def _watch(args: argparse.Namespace) -> int:
    from bunraku.cli.source_view import watch
    from bunraku.sources.live import open_source

    if args.uri is None:
        raise InputError("sources watch: name a source, for instance: bunraku sources watch axis-neuron://")
    if args.seconds is not None and not 0 < args.seconds <= 1e6:
        raise InputError(f"--seconds {args.seconds:g}: it must be above 0")
    result = watch(open_source(args.uri), args.seconds)
    if args.json:
        print_json({"source": args.uri, **result})
    return 0 if result["accepted"] else 1


def _save(args: argparse.Namespace) -> int:
    from bunraku.files import need_writable
    from bunraku.sources import read_motion
    from bunraku.sources.motion_file import write_motion

    if args.uri is None or args.out is None or args.out.suffix.lower() != ".npz":
        raise InputError("sources save: write bunraku sources save URI --out FILE.npz")
    need_writable(args.out)
    motion = read_motion(args.uri)
    write_motion(args.out, motion)
    if args.json:
        print_json({"file": str(args.out), "frames": len(motion), "fps": motion.fps})
    else:
        print(f"{len(motion)} frames: {args.out}   (read it as npz:{args.out})")
    return 0


def _show(args: argparse.Namespace) -> int:
    from bunraku.human.skeleton import JOINTS
    from bunraku.sources import read_motion

    if args.uri is None:
        raise InputError("sources show: name a file or URI, for instance: bunraku sources show synth:walk")
    note_compiling()
    motion = read_motion(args.uri)
    known = [
        name for name, p, r in zip(JOINTS, motion.position_valid.T, motion.rotation_valid.T, strict=True)
        if p.any() or r.any()
    ]  # fmt: skip
    if args.json:
        print_json(
            {
                "name": motion.name,
                "frames": len(motion),
                "fps": motion.fps,
                "joints": known,
                "notes": list(motion.notes),
            }
        )
        return 0
    print(f"{motion.name}: {len(motion)} frames at {motion.fps:g} per second, {motion.duration_s:.2f} s")
    print(f"joints known: {len(known)} of {len(JOINTS)}: {', '.join(known)}")
    for line in motion.notes:
        print(f"note: {line}")
    return 0
