"""What robots there are, and what a robot file would map to.

examples:
  bunraku robots                        the ones known by name
  bunraku robots show g1                joints, limits and parts
  bunraku robots check my_robot.urdf    what was recognised in a file, and why
  bunraku robots check my_robot.urdf --picture aligned.png --yaml my_robot.yaml
                                        a picture of both bodies in one pose, and all that was found, to be corrected
  bunraku retarget walk.bvh --robot my_robot.yaml    with the corrections
  bunraku robots show puppet --picture puppet.png
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.cli.terminal import note, note_compiling, note_robot, print_json, print_table
from bunraku.errors import InputError, UnknownNameError
from bunraku.files import need_writable

if TYPE_CHECKING:
    from bunraku.robots import Robot

BASES = ("free", "fixed", "planar")


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "check"), default="list", help="list (default), show or check"
    )
    parser.add_argument("robot", nargs="?", help="a name, a URDF, xacro or MJCF file, or a YAML file that --yaml wrote")
    parser.add_argument("--base", choices=BASES, help="whether the base moves (default: as found)")
    parser.add_argument(
        "--picture", type=Path, metavar="FILE.png",
        help="show: the robot as it stands; check: beside a person, both in the reference pose",
    )  # fmt: skip
    parser.add_argument("--yaml", type=Path, metavar="FILE.yaml", help="check: write what was found, to be corrected")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """List, show or check."""
    if args.action == "list":
        if args.robot is not None or args.picture is not None or args.yaml is not None:
            raise InputError("robots list takes no robot and writes no file: bunraku robots show NAME does")
        return _list(args.json)
    if args.robot is None:
        raise InputError(f"robots {args.action}: name a robot or a file, for instance: bunraku robots {args.action} g1")
    if args.yaml is not None and args.action != "check":
        raise InputError("--yaml goes with check: bunraku robots check FILE --yaml FILE.yaml")
    for path, kind, endings in ((args.picture, "picture", (".png",)), (args.yaml, "YAML", (".yaml", ".yml"))):
        if path is not None:
            if path.suffix.lower() not in endings:
                raise UnknownNameError(f"{kind} format", path.suffix or path.name, endings)
            need_writable(path)
    from bunraku.robots import load_robot

    robot = load_robot(args.robot, base=args.base)
    note_robot(robot)
    if args.yaml:
        note(f"wrote {_write_yaml(robot, args.robot, args.yaml)}: correct it, and give it as --robot {args.yaml}")
    if args.picture:
        from bunraku.session.pictures import write_alignment, write_portrait

        write = write_alignment if args.action == "check" else write_portrait
        note(f"wrote {write(robot, args.picture)}")
    if args.json:
        print_json(_describe(robot) | (_counterparts(robot) if args.action == "check" else {}))
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
    from bunraku.robots.definition import definitions

    parts = robot.semantics
    return {
        "name": robot.name,
        "base": robot.base_kind,
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
        "definition": [
            {"part": d.part, "person": d.person, "robot": d.robot, "verdict": d.verdict, "joints": list(d.joints)}
            for d in definitions(robot)
        ],
        "reasons": list(parts.reasons),
        "warnings": list(robot.warnings),
    }


def _counterparts(robot: Robot) -> dict[str, object]:
    """What of either side nothing on the other follows."""
    from bunraku.retarget import WholeBodyMapper

    mapper = WholeBodyMapper(robot)
    return {
        "unmatched": [*mapper.pairs.unmatched, *mapper.extremities.unmatched],
        "idle": [robot.joint_names[joint] for joint in mapper.idle_joints],
    }


def _finite(value: float) -> float | None:
    return float(value) if abs(value) < float("inf") else None


def _show(robot: Robot) -> None:
    part_of = {joint: part for part, joints in robot.semantics.joints.items() for joint in joints}
    print(f"{robot.name}: {len(robot.joint_names)} joints, {robot.base_kind} base, {robot.links.mass.sum():.1f} kg\n")
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
    from bunraku.robots.definition import definitions

    note_compiling()
    mapper = WholeBodyMapper(robot)
    pairs = mapper.pairs
    print(f"{robot.name}: {len(robot.joint_names)} joints, {robot.base_kind} base\n\nfound:")
    for reason in robot.semantics.reasons:
        print(f"  {reason}")
    print(f"\nfollowed: {len(pairs.directions)} limb directions, {len(pairs.orientations)} orientations\n")
    print_table(
        [[d.part, str(d.person), str(d.robot), d.verdict, ", ".join(d.joints)] for d in definitions(robot)],
        ("part", "person", "robot", "", "the robot's joints"),
    )
    print(
        "\nunder-defined: the robot has fewer freedoms there than a person, so some movements cannot be shown and are\n"
        "met as nearly as can be. over-defined: it has more, and those that nothing asks for stay at rest."
    )
    lacking = [*pairs.unmatched, *mapper.extremities.unmatched]
    if lacking:
        print(f"\nof the person, no counterpart on this robot: {', '.join(lacking)}")
    idle = [robot.joint_names[joint] for joint in mapper.idle_joints]
    if idle:
        print(f"\nof the robot, no counterpart on a person: {', '.join(idle)}")
    _try(robot)
    print("\n--picture FILE.png draws both in the reference pose; --yaml FILE.yaml writes all this, to be corrected")


def _try(robot: Robot) -> None:
    from bunraku.session.trial import tried

    trials = tried(robot)
    print("\ntried on gestures, mean angle between its limbs and the person's:")
    for trial in trials:
        print(f"  {trial.gesture}: {'no limb in common' if trial.limb_deg is None else f'{trial.limb_deg:.1f}°'}")
        for shortfall in trial.shortfalls:
            print(f"    {shortfall}")


def _write_yaml(robot: Robot, given: str, path: Path) -> Path:
    from bunraku.files import whole_file
    from bunraku.robots.load import described_by
    from bunraku.robots.notes import notes_text

    described = described_by(given)
    source = Path(described)
    seen = os.path.relpath(source, path.parent) if source.exists() and robot.source is not None else str(described)
    seen = f"./{seen}" if source.is_dir() and "/" not in seen else seen
    with whole_file(path) as part:
        part.write_text(notes_text(robot, Path(seen).as_posix() if source.exists() else seen), encoding="utf-8")
    return path
