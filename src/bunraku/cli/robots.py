"""What robots there are, and what a robot file would map to.

examples:
  bunraku robots                        the ones known by name
  bunraku robots show g1                joints, limits and parts
  bunraku robots check my_robot.urdf    what was recognised in a file, and why
  bunraku robots show puppet --picture puppet.png
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.cli.terminal import note, note_compiling, note_robot, print_json, print_table
from bunraku.errors import InputError, UnknownNameError
from bunraku.files import need_writable

if TYPE_CHECKING:
    from bunraku.robots import Robot


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "check"), default="list", help="list (default), show or check"
    )
    parser.add_argument("robot", nargs="?", help="a name, or a URDF, xacro or MJCF file")
    parser.add_argument("--base", choices=("free", "fixed"), help="whether the base moves (default: as found)")
    parser.add_argument("--picture", type=Path, metavar="FILE.png", help="also draw the robot as it stands")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """List, show or check."""
    if args.action == "list":
        if args.robot is not None or args.picture is not None:
            raise InputError("robots list takes no robot and no picture: bunraku robots show NAME does")
        return _list(args.json)
    if args.robot is None:
        raise InputError(f"robots {args.action}: name a robot or a file, for instance: bunraku robots {args.action} g1")
    if args.picture is not None:
        if args.picture.suffix.lower() != ".png":
            raise UnknownNameError("picture format", args.picture.suffix, (".png",))
        need_writable(args.picture)
    from bunraku.robots import load_robot

    robot = load_robot(args.robot, base=args.base)
    note_robot(robot)
    if args.picture:
        from bunraku.session.pictures import write_portrait

        note(f"wrote {write_portrait(robot, args.picture)}")
    if args.json:
        print_json(_describe(robot))
    elif args.action == "show":
        _show(robot)
    else:
        _check(robot)
    return 0


def _list(as_json: bool) -> int:
    from bunraku.robots.catalog import available

    entries = available()
    if as_json:
        print_json(
            {
                "robots": [
                    {"name": e.name, "description": e.description, "origin": e.origin, "installed": e.installed}
                    for e in entries
                ]
            }
        )
        return 0
    print_table(
        [
            [e.name, e.description, e.origin if e.installed else f"{e.origin}: pip install 'bunraku[robots]'"]
            for e in entries
        ],
        ("name", "what", "from"),
    )
    print("\nAny URDF, xacro or MJCF file works as well, and any name of robot_descriptions: bunraku robots check FILE")
    return 0


def _describe(robot: Robot) -> dict[str, object]:
    parts = robot.semantics
    return {
        "name": robot.name,
        "base": robot.base,
        "joints": [
            {
                "name": name,
                "lower": _finite(robot.lower[i]),
                "upper": _finite(robot.upper[i]),
                "velocity": _finite(robot.velocity[i]),
                "effort": _finite(robot.effort[i]),
                "follows": None if robot.tree.leader[i] == i else robot.joint_names[robot.tree.leader[i]],
            }
            for i, name in enumerate(robot.joint_names)
        ],
        "parts": {part: [robot.joint_names[j] for j in joints] for part, joints in parts.joints.items()},
        "links": {part: robot.links.names[link] for part, link in parts.links.items()},
        "reasons": list(parts.reasons),
        "warnings": list(robot.warnings),
    }


def _finite(value: float) -> float | None:
    return float(value) if abs(value) < float("inf") else None


def _show(robot: Robot) -> None:
    part_of = {joint: part for part, joints in robot.semantics.joints.items() for joint in joints}
    print(f"{robot.name}: {len(robot.joint_names)} joints, {robot.base} base, {robot.links.mass.sum():.1f} kg\n")
    rows = []
    for i, name in enumerate(robot.joint_names):
        unit = "m" if robot.tree.joint_type[i + 1] == 2 else "rad"
        leader = int(robot.tree.leader[i])
        follows = "" if leader == i else f"follows {robot.joint_names[leader]}"
        rows.append(
            [name, part_of.get(i, ""), f"{robot.lower[i]:.2f} … {robot.upper[i]:.2f} {unit}",
             f"{robot.velocity[i]:.1f} {unit}/s", follows]
        )  # fmt: skip
    print_table(rows, ("joint", "part", "range", "speed", ""))


def _check(robot: Robot) -> None:
    from bunraku.retarget import WholeBodyMapper

    note_compiling()
    pairs = WholeBodyMapper(robot).pairs
    print(f"{robot.name}: {len(robot.joint_names)} joints, {robot.base} base\n\nfound:")
    for reason in robot.semantics.reasons:
        print(f"  {reason}")
    print(f"\nfollowed: {len(pairs.directions)} limb directions, {len(pairs.orientations)} orientations")
    if pairs.unmatched:
        print(f"no counterpart on this robot: {', '.join(pairs.unmatched)}")
    driven = {joint for joints in robot.semantics.joints.values() for joint in joints}
    idle = [n for i, n in enumerate(robot.joint_names) if i not in driven and robot.tree.leader[i] == i]
    if idle:
        print(f"joints that no part of a person drives: {', '.join(idle)}")
