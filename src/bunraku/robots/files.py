"""Where the files that a description names are: in its own tree or its packages, and nowhere else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from bunraku.errors import RobotError

_SCHEME = re.compile(r"^([a-z][a-z0-9+]*):/{0,2}", re.IGNORECASE)
_TEXT_FOLDERS = {"urdf", "mjcf", "xml", "xmls", "xacro", "robots", "robot", "model", "models"}
_LONGEST = 1000


class Files:
    """Finds the files of one description. References cannot leave the roots: what lies outside is never opened."""

    def __init__(self, path: Path, roots: Iterable[Path] = ()) -> None:
        self.folder = _lexical(path.parent)
        self.root = _own_tree(self.folder)
        self.roots = (self.root, *(_lexical(root) for root in roots))

    def find(self, reference: str, folder: str = "") -> Path | None:
        """The file that a reference (relative, absolute, `file://`, `package://`) stands for; None if there is none."""
        if len(reference) > _LONGEST:
            raise RobotError(f"file name '{reference[:40]}…' is longer than {_LONGEST} characters")
        reference = reference.strip().replace("\\", "/")
        scheme = _SCHEME.match(reference)
        name = scheme.group(1).lower() if scheme else ""
        if scheme and name in ("package", "model"):
            return self._in_package(reference[scheme.end() :].lstrip("/"))
        if scheme and name != "file":
            return None
        if scheme:
            reference = "/" + reference[scheme.end() :].lstrip("/")
        at = _lexical(self.folder / folder / reference)
        if not any(at.is_relative_to(root) for root in self.roots):
            if ".." in reference.split("/") or ".." in folder.split("/"):
                raise RobotError(
                    f"'{reference}' leads out of {self.root}; a package.xml marks where a robot's own files begin"
                )
            return None
        return at if _is_file(at) else None

    def _in_package(self, reference: str) -> Path | None:
        package, _, rest = reference.partition("/")
        for root in _package_roots(package, self.folder):
            at = _lexical(root / rest)
            if not at.is_relative_to(root):
                raise RobotError(f"'package://{reference}' leads out of its package")
            if _is_file(at):
                return at
        # A package that was unpacked under another name: its files stand below the description's own folders.
        for up in (self.folder, *self.folder.parents):
            at = _lexical(up / rest)
            if not up.is_relative_to(self.root) or not at.is_relative_to(self.root):
                return None
            if _is_file(at):
                return at
        return None


def package_path() -> list[Path]:
    """Folders that hold ROS packages on this machine, from the environment as ROS sets it."""
    ros = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
    ament = [f"{prefix}/share" for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if prefix]
    return [_lexical(Path(entry)) for entry in [*ros, *ament] if entry]


def _package_roots(package: str, folder: Path) -> list[Path]:
    """Folders that may be the package of this name, nearest first."""
    if package in ("", ".", ".."):
        return []
    out = []
    for up in (folder, *folder.parents):
        out += [up] if up.name == package else []
        out += [up / package] if _is_folder(up / package) else []
    return out + [entry if entry.name == package else entry / package for entry in package_path()]


def _own_tree(folder: Path) -> Path:
    """The nearest folder with a package.xml; else the description's own, or the one above `urdf`, `mjcf` …"""
    for up in (folder, *folder.parents):
        if _is_file(up / "package.xml"):
            return up
    return folder.parent if folder.name.lower() in _TEXT_FOLDERS else folder


def _lexical(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
