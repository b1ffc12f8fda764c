"""Bring recorded human motion to a robot.

examples:
  bunraku retarget walk.bvh --robot g1                      writes walk.g1.npz here
  bunraku retarget walk.bvh --robot g1 --out walk.csv
  bunraku retarget clips/ --robot my_robot.urdf --out out/ --format npz,csv --jobs 2
  bunraku retarget synth:wave --robot puppet
  bunraku retarget walk.bvh --robot pepper --mapper hirschmanner
  bunraku retarget walk.bvh --robot g1 --mirror             writes walk.mirrored.g1.npz
  bunraku retarget walk.bvh --robot g1 --speed 0.5 --fps 50 half as fast, 50 frames a second
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bunraku.cli.terminal import note, note_compiling, note_robot, print_json, print_table, progress
from bunraku.errors import BunrakuError, InputError, OutputError, UnknownNameError
from bunraku.files import need_writable

if TYPE_CHECKING:
    from bunraku.human import HumanMotion
    from bunraku.robots import Robot

FORMATS = ("npz", "csv", "pkl")
MAPPERS = ("whole-body", "girard", "hirschmanner", "gong", "angles", "dls")
"""the names in `retarget.mapper.MAPPERS`, written out so that the help needs no package"""
Edit = Mapping[str, Any]
"""arguments of `human.edited`, and the file of the operator's calibration"""


@dataclass(frozen=True)
class Task:
    """One input, and where below `--out` its results go: as deep as it lay in the folder that was given."""

    source: str
    below: Path = Path()

    @property
    def name(self) -> Path:
        """What its results are called, without robot and ending."""
        path = Path(self.source)
        # What stands before the options of a URI, or the file, is the motion's name.
        return self.below / (path if path.exists() else Path(self.source.partition(":")[2].partition("?")[0])).stem


@dataclass(frozen=True)
class Outcome:
    """What became of one input."""

    source: str
    files: tuple[str, ...] = ()
    frames: int = 0
    duration_s: float = 0.0
    frames_per_s: float = 0.0
    notes: tuple[str, ...] = ()
    error: str | None = None


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument(
        "inputs", nargs="+", metavar="IN", help="files, folders of them, or URIs (see: bunraku sources)"
    )
    parser.add_argument("--robot", default="puppet", help="a name (see: bunraku robots), a URDF, xacro or MJCF file")
    parser.add_argument("--out", type=Path, help="a file for one input, a folder for several (default: here)")
    parser.add_argument("--format", default=None, help=f"one or more of {','.join(FORMATS)} (default: npz)")
    parser.add_argument("--mapper", default="whole-body", choices=MAPPERS, help="how poses are mapped")
    parser.add_argument(
        "--calibration", type=Path, metavar="FILE", help="the operator's, from: bunraku calibrate (default: averages)"
    )
    parser.add_argument("--base", choices=("free", "fixed"), help="whether the robot's base moves (default: as found)")
    edit = parser.add_argument_group("the person's motion, before it goes to the robot")
    edit.add_argument("--mirror", action="store_true", help="exchange left and right: limbs, fingers, gaze and path")
    edit.add_argument(
        "--scale", type=float, default=1.0, metavar="S",
        help="make the path over the ground S times as long; the body, its directions and its steps stay as they are, "
        "so feet slide by the difference",
    )  # fmt: skip
    edit.add_argument("--speed", type=float, default=1.0, metavar="X", help="X times as fast, at the same frame rate")
    edit.add_argument("--fps", type=float, metavar="F", help="frames per second (default: the recording's)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="work on N inputs at a time")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Retarget every input; one that fails does not stop the others."""
    from bunraku.robots import load_robot

    if args.calibration is not None:
        from bunraku.session.operator_file import read_calibration

        read_calibration(args.calibration)
    tasks = list(_tasks(args.inputs))
    formats = _formats(args.format, args.out)
    if args.jobs < 1:
        raise InputError(f"--jobs {args.jobs}: at least 1 is needed")
    single = _single_file(args.out, tasks, formats)
    _check_places(tasks, args.out or Path(), single)
    robot = load_robot(args.robot, base=args.base)
    note_compiling()
    note_robot(robot)
    outcomes = []
    for outcome in _work(tasks, args, robot, formats, single):
        outcomes.append(outcome)
        if outcome.error:
            note(f"bunraku: {outcome.error}")
        for line in outcome.notes:
            note(f"{outcome.source}: {line}")
    done = [outcome for outcome in outcomes if outcome.error is None]
    if args.json:
        print_json({"robot": robot.name, "results": [outcome.__dict__ for outcome in outcomes]})
    else:
        rows = [
            [Path(o.source).name, str(o.frames), f"{o.duration_s:.1f} s", f"{o.frames_per_s:,.0f}", ", ".join(o.files)]
            for o in done
        ]
        if rows:
            print_table(rows, ("motion", "frames", "length", "frames/s", "written"))
    return 0 if len(done) == len(outcomes) else 2


def _work(
    tasks: list[Task], args: argparse.Namespace, robot: Robot, formats: Sequence[str], single: Path | None
) -> Iterator[Outcome]:
    edit = {"mirror": args.mirror, "scale": args.scale, "speed": args.speed, "fps": args.fps}
    edit["calibration"] = args.calibration
    one = partial(_one, args.robot, args.base, args.mapper, edit, args.out or Path(), formats, single)
    if args.jobs == 1 or len(tasks) == 1:
        outcomes: Iterator[Outcome] = (
            _retarget(task, robot, args.mapper, edit, args.out or Path(), formats, single) for task in tasks
        )
        yield from progress(outcomes, len(tasks) if len(tasks) > 1 else 0, "retarget")
        return
    with ProcessPoolExecutor(min(args.jobs, len(tasks))) as pool:
        yield from progress(pool.map(one, tasks), len(tasks), "retarget")


_loaded: dict[tuple[str, str | None], Robot] = {}


def _one(
    name: str, base: str | None, mapper: str, edit: Edit, folder: Path, formats: Sequence[str], single: Path | None,
    task: Task,
) -> Outcome:  # fmt: skip
    """The work of one process: its robot is loaded once."""
    from bunraku.robots import load_robot

    if (name, base) not in _loaded:
        _loaded[name, base] = load_robot(name, base=base)  # type: ignore[arg-type]
    return _retarget(task, _loaded[name, base], mapper, edit, folder, formats, single)


def _retarget(
    task: Task, robot: Robot, mapper: str, edit: Edit, folder: Path, formats: Sequence[str], single: Path | None
) -> Outcome:
    from bunraku.human import edited
    from bunraku.retarget import retarget

    source = task.source
    try:
        motion = edited(
            _as_calibrated(source, edit["calibration"]), **{k: v for k, v in edit.items() if k != "calibration"}
        )
        if not len(motion):
            raise InputError(f"{source}: it holds no frames")
        started = time.perf_counter()
        result = retarget(motion, robot, mapper=mapper)
        spent = time.perf_counter() - started
        name = f"{motion.name}.mirrored" if edit["mirror"] else motion.name
        places = [folder / task.below / f"{name}.{robot.name}.{ending}" for ending in formats]
        targets = [single] if single else places
        files = tuple(str(result.save(target)) for target in targets)
    except BunrakuError as error:
        return Outcome(source, error=str(error))
    speed = len(motion) / max(spent, 1e-9)
    return Outcome(source, files, len(motion), motion.duration_s, speed, motion.notes)


def _as_calibrated(source: str, file: Path | None) -> HumanMotion:
    """The recording in the operator's world, completed by their build."""
    from bunraku.human.complete import completed
    from bunraku.session.operator_file import read_calibration
    from bunraku.sources import read_motion, scheme_of

    return completed(read_motion(source), None if file is None else read_calibration(file), scheme_of(source))


def _tasks(given: Sequence[str]) -> Iterator[Task]:
    """Folders are opened: every motion file below them, in order."""
    from bunraku.sources import recordings

    endings = {ending for kind in recordings().values() for ending in kind.suffixes}
    for entry in given:
        path = Path(entry)
        if not entry:
            raise InputError("an input without a name: give a file, a folder or a URI (see: bunraku sources)")
        if not path.is_dir():
            yield Task(entry)
            continue
        found = sorted(p for p in path.rglob("*") if p.suffix.lower() in endings and p.is_file())
        if not found:
            raise InputError(f"{entry}: no motion file below this folder ({', '.join(sorted(endings))})")
        yield from (Task(str(file), file.parent.relative_to(path)) for file in found)


def _formats(given: str | None, out: Path | None) -> tuple[str, ...]:
    if given is None:
        ending = out.suffix[1:] if out and out.suffix else "npz"
        return (ending,) if ending in FORMATS else ("npz",)
    formats = tuple(part.strip() for part in given.split(",") if part.strip())
    for name in formats:
        if name not in FORMATS:
            raise UnknownNameError("format", name, FORMATS)
    return formats or ("npz",)


def _single_file(out: Path | None, tasks: Sequence[Task], formats: Sequence[str]) -> Path | None:
    """`--out` as a file where it looks like one."""
    if out is None or out.is_dir() or not out.suffix:
        if out is not None and out.exists() and not out.is_dir():
            raise OutputError(f"{out}: it exists and is not a folder")
        return None
    if out.suffix[1:] not in FORMATS:
        raise UnknownNameError("format", out.suffix, [f".{name}" for name in FORMATS])
    if len(tasks) > 1 or len(formats) > 1:
        raise OutputError(f"--out {out} names one file, but there is more than one to write: give a folder")
    return out


def _check_places(tasks: Sequence[Task], folder: Path, single: Path | None) -> None:
    """Refuse, before the work, places that cannot be written to, and results that would take each other's place."""
    need_writable(single or folder / "motion")
    taken: dict[Path, Task] = {}
    for task in tasks:
        other = taken.setdefault(task.name, task)
        if other is not task:
            raise OutputError(
                f"the results of {other.source} and {task.source} would have one name: give each its --out"
            )
