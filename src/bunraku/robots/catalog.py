"""Robots that go by a name: the built-in ones, and those of the package example-robot-data."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from bunraku.robots.files import package_path
from bunraku.robots.overrides import read_overrides

BUILTIN = Path(__file__).parent / "builtin"
FILES = ("robot.xml", "robot.urdf", "robot.urdf.xacro")
"""what the description of a robot is called in its own folder, and beside it may be a `robot.yaml`"""

PACKAGE = "example-robot-data"
_SHARE = Path("cmeel.prefix/share") / PACKAGE / "robots"

_BSD2, _BSD3, _APACHE = "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"
_DATA = (
    # name, file below the package's robots folder, what it is, licence
    ("alexander", "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf", "IHMC Alexander, legs only", _APACHE),
    ("baxter", "baxter_description/urdf/baxter.urdf", "Rethink Baxter, two arms on a pedestal", _BSD3),
    ("centauro", "centauro_description/urdf/centauro.urdf", "IIT CENTAURO, two arms, four wheeled legs", _APACHE),
    ("g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", "Unitree G1, 29 joints", _BSD3),
    ("g1-hands", "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", "Unitree G1 with three-finger hands", _BSD3),
    ("human", "human_description/robots/human.urdf", "a human skeleton, 36 joints", _BSD2),
    ("icub", "icub_description/robots/icub.urdf", "IIT iCub, 32 joints", "CC-BY-SA-4.0"),
    ("pr2", "pr2_description/urdf/pr2.urdf", "Willow Garage PR2, two arms on wheels", _BSD3),
    ("romeo", "romeo_description/urdf/romeo.urdf", "Aldebaran Romeo with hands, 55 joints", _BSD3),
    ("romeo-small", "romeo_description/urdf/romeo_small.urdf", "Aldebaran Romeo, 31 joints", _BSD3),
    ("talos", "talos_data/robots/talos_reduced.urdf", "PAL TALOS, 32 joints", _APACHE),
    ("talos-full", "talos_data/robots/talos_full_v2.urdf", "PAL TALOS with grippers, 44 joints", _APACHE),
    ("tiago", "tiago_description/robots/tiago.urdf", "PAL TIAGo, one arm and hand", _APACHE),
    ("tiago-dual", "tiago_description/robots/tiago_dual.urdf", "PAL TIAGo, two arms and hands", _APACHE),
    ("tiago-pro", "tiago_pro_description/robots/tiago_pro.urdf", "PAL TIAGo Pro, two arms", _APACHE),
)


@dataclass(frozen=True)
class CatalogEntry:
    """One robot that can be loaded by name."""

    name: str
    origin: str
    """"built-in", or the package that brings it"""
    description: str
    licence: str
    path: Path | None
    """its description file; None where the package is not installed"""

    @property
    def installed(self) -> bool:
        """Whether it can be loaded now."""
        return self.path is not None


def available() -> tuple[CatalogEntry, ...]:
    """All robots that have a name, the built-in ones first. No model is read."""
    builtin = [
        CatalogEntry(path.parent.name, "built-in", _description(path), _APACHE, path)
        for folder in sorted(BUILTIN.glob("*"))
        if (path := description_in(folder)) is not None
    ]
    root = data_folder()
    packaged = [
        CatalogEntry(name, PACKAGE, description, licence, root / file if root is not None else None)
        for name, file, description, licence in _DATA
    ]
    return (*builtin, *packaged)


def description_in(folder: Path) -> Path | None:
    """The description file of a robot that has a folder of its own."""
    return next((folder / name for name in FILES if (folder / name).is_file()), None)


def names() -> tuple[str, ...]:
    """The names of all robots in the catalogue."""
    builtin = [folder.name for folder in sorted(BUILTIN.glob("*")) if description_in(folder) is not None]
    return (*builtin, *(row[0] for row in _DATA))


def locate(name: str) -> Path | None:
    """The description file of a robot of the catalogue; None where the package that brings it is not installed."""
    built_in = description_in(BUILTIN / name)
    file = next((row[1] for row in _DATA if row[0] == name), None)
    root = data_folder()
    return root / file if built_in is None and file is not None and root is not None else built_in


def _description(path: Path) -> str:
    notes = path.with_name("robot.yaml")
    return str(read_overrides(notes).get("description", "")) if notes.is_file() else ""


def data_folder() -> Path | None:
    """Where the package keeps its robots: beside the Python packages, or among ROS packages."""
    places = [Path(entry) / _SHARE for entry in sys.path if entry]
    places += [folder / PACKAGE / "robots" for folder in package_path()]
    return next((place for place in places if place.is_dir()), None)
