"""What human motion can come from.

examples:
  bunraku sources
  bunraku sources show walk.bvh          what a recording holds, and what was guessed about it
  bunraku sources show synth:walk
"""

from __future__ import annotations

import argparse

from bunraku.cli.terminal import print_json, print_table


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument("action", nargs="?", choices=("list", "show"), default="list", help="list (default) or show")
    parser.add_argument("uri", nargs="?", help="with show: a file or URI")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """List the kinds, or describe one recording."""
    if args.action == "show":
        return _show(args)
    from bunraku.sources import Device, Recording, recordings
    from bunraku.sources.live import devices
    from bunraku.sources.played import OPTIONS

    kinds: dict[str, Recording | Device] = {**recordings(), **devices()}
    if args.json:
        print_json(
            {
                "sources": [
                    {"scheme": k.scheme, "summary": k.summary, "example": k.example, "options": dict(k.options)}
                    for k in kinds.values()
                ]
            }
        )
        return 0
    print_table([[f"{k.scheme}:", k.summary, k.example] for k in kinds.values()], ("source", "what", "example"))
    for kind in kinds.values():
        print(f"\n{kind.scheme}: options, as in {kind.example}")
        print_table([[f"  {name}", text] for name, text in kind.options.items()])
    print("\nplayed as if live, by bunraku run, every recording has these beside its own:")
    print_table([[f"  {name}", text] for name, text in OPTIONS.items()])
    return 0


def _show(args: argparse.Namespace) -> int:
    from bunraku.errors import InputError
    from bunraku.human.skeleton import JOINTS
    from bunraku.sources import read_motion

    if args.uri is None:
        raise InputError("sources show: name a file or URI, for instance: bunraku sources show synth:walk")
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
