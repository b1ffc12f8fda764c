"""Measure an operator in one to three poses held still, and write a small file.

examples:
  bunraku calibrate --source t.bvh --poses t-pose --out me.yaml
  bunraku calibrate --source t.bvh --source front.bvh --poses t-pose,arms-forward --out me.yaml
  bunraku calibrate --source poses.bvh --poses t-pose,arms-down --out me.yaml    one after the other, 3 s each
  bunraku retarget walk.bvh --robot pepper --mapper hirschmanner --calibration me.yaml
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.cli.terminal import note, print_json, print_table
from bunraku.errors import InputError
from bunraku.files import need_writable

if TYPE_CHECKING:
    from bunraku.human import HumanMotion


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument(
        "--source", action="append", required=True, metavar="URI",
        help="what sees the operator (see: bunraku sources): one for each pose, or one that holds all in turn",
    )  # fmt: skip
    parser.add_argument(
        "--poses", default="t-pose", help="some of t-pose,arms-forward,arms-down, in their order (default: t-pose)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="a .yaml or .json file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Read, measure, write, and say what was measured."""
    from bunraku.human.calibration_poses import calibrate
    from bunraku.session.operator_file import need_suffix, write_calibration
    from bunraku.sources import read_motion, scheme_of

    names = [name.strip() for name in args.poses.split(",") if name.strip()]
    need_suffix(args.out)
    need_writable(args.out)
    schemes = {scheme_of(uri) for uri in args.source}
    motions = [read_motion(uri) for uri in args.source]
    found = calibrate(_by_pose(names, motions), next(iter(schemes)) if len(schemes) == 1 else "")
    write_calibration(args.out, found)
    body = found.body
    told = {"height_m": body.height, "arm_m": body.arm_length, "leg_m": body.leg_length, "reach_m": dict(found.reach),
            "measured": len(found.lengths) - len(found.assumed) - len(found.mirrored),
            "assumed": len(found.assumed)}  # fmt: skip
    if args.json:
        print_json({"file": str(args.out), **told})
        return 0
    reach = ", ".join(f"{axis} {length:.3f}" for axis, length in found.reach.items()) or "not measured"
    print_table(
        [("height", f"{body.height:.3f} m"), ("arm, shoulder to wrist", f"{body.arm_length:.3f} m"),
         ("leg, hip to ankle", f"{body.leg_length:.3f} m"), ("reach (m)", reach),
         ("bones measured", f"{told['measured']} of {len(found.lengths)}")]
    )  # fmt: skip
    if found.assumed:
        note(f"bunraku: {len(found.assumed)} bones were not seen: an average person's, brought to this size")
    note(f"bunraku: {args.out}")
    return 0


def _by_pose(names: list[str], motions: list[HumanMotion]) -> dict[str, HumanMotion]:
    """Pose → motion: one each, or one that is cut into as many parts."""
    from bunraku.human.calibration_poses import LONGEST_S

    if len(set(names)) != len(names) or not names:
        raise InputError(f"--poses {','.join(names)}: each pose once, and one at least")
    if len(motions) == len(names):
        return dict(zip(names, motions, strict=True))
    if len(motions) != 1:
        raise InputError(
            f"{len(motions)} sources for {len(names)} poses: give one for each pose, or one that holds all"
        )
    motion, step = motions[0], round(LONGEST_S * motions[0].fps)
    if len(motion) < step * (len(names) - 1) + 1:
        raise InputError(f"{motion.name}: {motion.duration_s:.1f} s do not hold {len(names)} poses of {LONGEST_S:g} s")
    return {name: motion.frames(slice(k * step, (k + 1) * step)) for k, name in enumerate(names)}
