"""A built-in human motion on a built-in robot: retargeted, played in a simulator, judged, and shown.

examples:
  bunraku demo                                    in a window
  bunraku demo --headless                         without one: prints a summary, writes a picture
  bunraku demo --headless --robot inmoov --motion conduct --video
  bunraku demo --headless --robot g1 --motion my_walk.bvh
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.cli.terminal import note, note_compiling, note_robot, print_json, print_table
from bunraku.errors import BunrakuError, GraphicsError, InputError
from bunraku.files import need_writable

if TYPE_CHECKING:
    from bunraku.human import HumanMotion
    from bunraku.session.performance import Performance


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument("--robot", default="puppet", help="a name or robot file (default: puppet)")
    parser.add_argument("--motion", default="wave", help="wave, walk, box, conduct …, a file or a URI (default: wave)")
    parser.add_argument("--seconds", type=float, help="length (default: the motion's own)")
    parser.add_argument("--headless", action="store_true", help="no window: print a summary and write pictures")
    parser.add_argument("--video", action="store_true", help="with --headless: also write an MP4")
    parser.add_argument("--out", type=Path, default=Path("out/demo"), help="folder for what is written (out/demo)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Perform, then show."""
    if args.headless:
        need_writable(args.out / "motion.npz")
    elif args.video:
        raise InputError("--video goes with --headless: bunraku demo --headless --video")
    else:
        _need_display()
    if args.video:
        from bunraku.outputs.video import need_encoder

        need_encoder()
    from bunraku.robots import load_robot

    robot = load_robot(args.robot)
    note_robot(robot)
    motion = _motion(args.motion, args.seconds)
    note(f"bunraku: {motion.name} ({motion.duration_s:.1f} s) on {robot.name}: retargeting and simulating …")
    note_compiling()
    from bunraku.session.performance import perform

    performance = perform(motion, robot)
    if not args.headless:
        from bunraku.session.window import show

        note("bunraku: a window opens; close it to end")
        show(performance)
    files = _write(performance, args) if args.headless else []
    if args.json:
        print_json(
            {
                "robot": robot.name,
                "motion": motion.name,
                "summary": performance.summary(),
                "files": list(map(str, files)),
            }
        )
        return 0
    _print_summary(performance)
    for path in files:
        print(f"wrote {path}")
    return 0


def _need_display() -> None:
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise BunrakuError("there is no display here for a window: bunraku demo --headless makes pictures instead")
    from bunraku.session.window import need_window

    need_window()


def _motion(name: str, seconds: float | None) -> HumanMotion:
    from bunraku.sources import read_motion
    from bunraku.sources.synth import MOTIONS

    if seconds is not None and not 0 < seconds <= 3600:
        raise InputError(f"--seconds {seconds:g}: it must be above 0 and at most 3600")
    if name in MOTIONS:
        return read_motion(f"synth:{name}" if seconds is None else f"synth:{name}?seconds={seconds:g}")
    motion = read_motion(name if ":" in name or Path(name).suffix else f"synth:{name}")
    if not len(motion):
        raise InputError(f"{name}: it holds no frames")
    if seconds is not None:
        motion = replace(motion.frames(slice(0, int(seconds * motion.fps) + 1)), name=motion.name)
    return motion


def _write(performance: Performance, args: argparse.Namespace) -> list[Path]:
    """Motion first, then pictures: where pictures cannot be made the motion is there, and the reason is a line."""
    stem = f"{performance.human.name}.{performance.robot.name}"
    files = [performance.planned.save(args.out / f"{stem}.npz")]
    from bunraku.session.pictures import write_film, write_strip

    try:
        files.append(write_strip(performance, args.out / f"{stem}.png"))
        if args.video:
            files.append(write_film(performance, args.out / f"{stem}.mp4"))
    except GraphicsError as error:
        note(f"bunraku: no pictures: {error}")
    return files


def _print_summary(performance: Performance) -> None:
    summary, human, robot = performance.summary(), performance.human, performance.robot
    mean, worst = summary["tracking_mean_rad"], summary["tracking_max_rad"]
    rows = [
        ["motion", f"{human.name}, {len(human)} frames, {human.duration_s:.1f} s"],
        ["robot", f"{robot.name}, {len(robot.joint_names)} joints, {robot.base} base"],
        ["retargeting", f"{summary['retarget_frames_per_s']:,.0f} frames/s"],
        ["simulated robot", f"follows within {mean:.3f} rad on average, {worst:.2f} rad at worst"],
        ["joint limits", f"{summary.get('limit_violations', 0):.0f} violations"],
    ]
    if "limb_deg" in summary:
        rows.insert(3, ["limbs alike", f"{summary['limb_deg']:.2f}° off on average"])
    if "slide_cm_s" in summary:
        rows.append(["standing feet", f"slide {summary['slide_cm_s']:.2f} cm/s"])
    if "self_collision_pct" in summary:
        rows.append(["self-collision", f"in {summary['self_collision_pct']:.1f} % of the frames"])
    print_table(rows)
