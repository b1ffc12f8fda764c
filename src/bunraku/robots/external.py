"""Descriptions that other programs make: xacro files, and the packages behind `robot_descriptions` names.

Both run as processes of their own: whatever they print, raise or leave behind stays there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bunraku.errors import MissingPackageError, RobotError
from bunraku.robots.files import Files, package_path
from bunraku.robots.markup import parse, read_bytes

_XACRO_TIMEOUT_S = 30
_FETCH_TIMEOUT_S = 900
_EXPAND = """
import pathlib, sys, types
try:
    import ament_index_python.packages
except ImportError:
    # xacro asks ROS where packages are; without ROS they are around the description and on the package path.
    places = [pathlib.Path(place) for place in sys.argv.pop(1).split("\\n")]
    def find(name):
        for place in places:
            for folder in (place, place / name):
                if folder.name == name and folder.is_dir():
                    return str(folder)
        raise LookupError("package '" + name + "' not found")
    packages = types.ModuleType("ament_index_python.packages")
    packages.get_package_share_directory = find
    sys.modules["ament_index_python"] = types.ModuleType("ament_index_python")
    sys.modules["ament_index_python.packages"] = packages
else:
    sys.argv.pop(1)
from xacro import main
main()
"""
_SHOW = """
import importlib, json, sys
m = importlib.import_module("robot_descriptions." + sys.argv[1])
keys = ("MJCF_PATH", "URDF_PATH", "XACRO_PATH", "XACRO_ARGS", "REPOSITORY_PATH")
print("\\n" + json.dumps({k: getattr(m, k) for k in keys if hasattr(m, k)}, default=str))
"""


def expand_xacro(path: Path, files: Files, arguments: Mapping[str, str] | None = None) -> bytes:
    """URDF text of a xacro file. A xacro file is a program: it can read what its user can read."""
    parse(read_bytes(path))
    if find_spec("xacro") is None:
        raise MissingPackageError("xacro", "robots", f"reading {path.name}")
    places = [files.folder, *files.folder.parents, *files.roots, *package_path()]
    given = [f"{key}:={value}" for key, value in (arguments or {}).items()]
    around = "\n".join(str(place) for place in places)
    done = _run([sys.executable, "-c", _EXPAND, around, str(path), *given], _XACRO_TIMEOUT_S, {})
    if done.returncode:
        raise RobotError(f"xacro: {_last_line(done.stderr)}")
    return done.stdout


def described_names() -> tuple[str, ...]:
    """Names that the package robot_descriptions knows; none without it."""
    if find_spec("robot_descriptions") is None:
        return ()
    from robot_descriptions import DESCRIPTIONS

    return tuple(sorted(DESCRIPTIONS))


def fetch_description(name: str) -> tuple[Path, Path, Mapping[str, str]]:
    """The description file, its repository's folder, and arguments if it is xacro. May fetch it from the network."""
    done = _run([sys.executable, "-c", _SHOW, name], _FETCH_TIMEOUT_S, {"GIT_TERMINAL_PROMPT": "0"})
    if done.returncode:
        raise RobotError(f"{name}: robot_descriptions could not fetch it: {_last_line(done.stderr)}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    path = next((found[key] for key in ("MJCF_PATH", "URDF_PATH", "XACRO_PATH") if found.get(key)), None)
    if path is None:
        raise RobotError(f"{name}: robot_descriptions has neither URDF nor MJCF of it")
    return Path(path), Path(found.get("REPOSITORY_PATH") or Path(path).parent), found.get("XACRO_ARGS") or {}


def _run(command: Sequence[str], timeout_s: float, extra: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 (our own interpreter and code, no shell)
            command, capture_output=True, timeout=timeout_s, env={**os.environ, **extra}, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise RobotError(f"not finished after {timeout_s} s") from None


def _last_line(text: bytes) -> str:
    """The last line that says something, of a program's complaints."""
    lines = [line.strip() for line in text.decode(errors="replace").splitlines() if line.strip()]
    told = [line for line in lines if "rror" in line or "fatal" in line]
    return (told or lines or ["no reason given"])[-1].removeprefix("stderr: ").strip("'")[:300]
