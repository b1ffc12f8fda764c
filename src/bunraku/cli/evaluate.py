"""How faithful, clean and safe a robot motion is, against the human motion it came from.

examples:
  bunraku evaluate walk.bvh walk.g1.npz
  bunraku evaluate walk.bvh walk.npz --robot my_robot.urdf --json
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.cli.terminal import note, note_compiling, note_robot, print_json
from bunraku.errors import InputError

if TYPE_CHECKING:
    from bunraku.robots import RobotMotion

_SAME_LENGTH_S = 0.2


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument("human", metavar="HUMAN", help="the person's motion: a file or URI (see: bunraku sources)")
    parser.add_argument("motion", metavar="ROBOT_MOTION", type=Path, help="the robot's motion: an .npz file")
    parser.add_argument("--robot", help="a name or robot file (default: the name in the motion file)")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave out the first N frames")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print all metrics that can be computed, and why others cannot."""
    from bunraku.evaluate import evaluate
    from bunraku.robots import RobotMotion, load_robot
    from bunraku.sources import read_motion

    motion = RobotMotion.load(args.motion)
    note_compiling()
    human = read_motion(args.human)
    for source, frames in ((args.motion, len(motion)), (args.human, len(human))):
        if not frames:
            raise InputError(f"{source}: it holds no frames")
    robot = load_robot(args.robot or _named(motion, args.motion), base=motion.root)
    note_robot(robot)
    length_s = (len(motion) - 1) / motion.fps
    if abs(human.duration_s - length_s) > _SAME_LENGTH_S:
        note(
            f"bunraku: the person moves for {human.duration_s:.1f} s, the robot for {length_s:.1f} s: "
            "are they of one recording?"
        )
    result = evaluate(human, motion, robot, skip=args.skip)
    if args.json:
        print_json(result.to_dict())
    else:
        print(result)
    return 0


def _named(motion: RobotMotion, path: Path) -> str:
    """The robot that a motion says it is for, which must be known by name: a file does not say where others lie."""
    from bunraku.robots import catalog

    if not motion.robot:
        raise InputError(f"{path}: it does not say which robot it is for: give --robot")
    if motion.robot not in catalog.names():
        raise InputError(f"{path}: its robot '{motion.robot}' is not known by name: give --robot FILE")
    return motion.robot
