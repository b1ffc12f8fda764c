"""Loading a robot: a name, a URDF, xacro or MJCF file, or a name from robot_descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element

import numpy as np

from bunraku.errors import MissingPackageError, RobotError, UnknownNameError
from bunraku.robots import catalog, external, limits, markup, neutral
from bunraku.robots import overrides as yaml
from bunraku.robots.corrections import check_names
from bunraku.robots.description import Description, is_free, own_joints, unique
from bunraku.robots.extract import extract
from bunraku.robots.files import Files
from bunraku.robots.geometry import settle_shapes
from bunraku.robots.meshes import AssetFiles
from bunraku.robots.mjcf import read_mjcf
from bunraku.robots.model import compile_model as compile_model
from bunraku.robots.model import compile_xml, parse_spec, without_visuals
from bunraku.robots.names import plain
from bunraku.robots.robot import Robot
from bunraku.robots.stance import rolls
from bunraku.robots.urdf import read_urdf

Base = Literal["free", "fixed", "planar"]
_LONGEST_MESSAGE = 400
_SUFFIXES = (".urdf", ".xml", ".mjcf", ".xacro")
_NOTES = (".yaml", ".yml")


def load_robot(
    name_or_path: str | Path, *, base: Base | None = None, overrides: Path | Mapping[str, Any] | None = None
) -> Robot:
    """A robot by name (`bunraku robots list`), or from a URDF, xacro or MJCF file, or a folder with a `robot.xml`.

    A YAML file whose entry `robot` names one of those is that robot with the file's corrections. `base` decides
    whether the base moves, where the description's own answer is not wanted. `overrides` is a YAML file, or what it
    would hold; it wins, entry by entry, over the YAML that is given as the robot, and that over a `robot.yaml` beside
    the description.
    """
    if base not in (None, *yaml.BASES):
        raise UnknownNameError("base", str(base), yaml.BASES)
    described = described_by(name_or_path)
    source = _find(described)
    notes = dict(yaml.read_overrides(source.notes)) if source.notes is not None else {}
    if described is not name_or_path:
        notes = yaml.merged(notes, yaml.read_overrides(Path(name_or_path)))
    if overrides is not None:
        given = yaml.check(overrides) if isinstance(overrides, Mapping) else yaml.read_overrides(Path(overrides))
        notes = yaml.merged(notes, given)
    try:
        robot = _build(_read(source), source, base, notes)
        check_names(robot)
    except RobotError as error:
        raise RobotError(f"{source.label}: {_shortened(str(error))}") from error
    return robot


def described_by(name_or_path: str | Path) -> str | Path:
    """What a YAML file says that its robot is: a path, seen from the file's folder, or a name. Else the same again."""
    path = Path(name_or_path)
    if path.suffix.lower() not in _NOTES:
        return name_or_path
    named = yaml.read_overrides(path).get("robot")
    if not named:
        raise RobotError(f"{path}: it does not say whose it is: give it a line 'robot: FILE' or 'robot: NAME'")
    if Path(named).suffix.lower() in _NOTES:
        raise RobotError(f"{path}: its robot is another YAML file, {named}: name the robot's description")
    beside = path.parent / named
    is_path = "/" in named or Path(named).suffix.lower() in _SUFFIXES or beside.is_dir()
    return beside if is_path else str(named)


def _shortened(message: str) -> str:
    """A message that stays one line on a screen, whatever names it holds."""
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[:_LONGEST_MESSAGE]}…"


@dataclass(frozen=True)
class _Source:
    label: str
    """how the user calls it"""
    path: Path
    name: str | None = None
    """where it goes by one"""
    notes: Path | None = None
    roots: tuple[Path, ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)
    """for xacro"""


def _find(name_or_path: str | Path) -> _Source:
    """Names come first; whatever has a slash or a known ending is a path."""
    text = str(name_or_path)
    names = catalog.names()
    if text in names and not isinstance(name_or_path, Path):
        found = catalog.locate(text)
        if found is None:
            raise MissingPackageError(catalog.PACKAGE, "robots", f"the robot '{text}'")
        return _Source(text, found, text, _notes_beside(found))
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or "/" in text or "\\" in text or path.suffix.lower() in _SUFFIXES:
        return _from_path(path)
    described = external.described_names()
    if text in described:
        path, repository, arguments = external.fetch_description(text)
        return _Source(text, path, text, None, (repository,), arguments)
    if text.endswith("_description"):
        if not described:
            raise MissingPackageError("robot_descriptions", "robots", f"the robot '{text}'")
        names += described
    raise UnknownNameError("robot", text, names)


def _from_path(path: Path) -> _Source:
    try:
        if path.is_dir():
            inside = catalog.description_in(path)
            if inside is None:
                raise RobotError(f"{path}: a folder without {' or '.join(catalog.FILES)}")
            return _Source(str(path), inside, path.resolve().name, _notes_beside(inside))
        if path.exists():
            return _Source(str(path), path)
    except (OSError, ValueError):
        pass
    raise RobotError(f"{str(path)[:200]}: no such file")


def _notes_beside(path: Path) -> Path | None:
    notes = path.with_name("robot.yaml")
    return notes if notes.is_file() else None


def _read(source: _Source) -> Description:
    path, files = source.path, Files(source.path, source.roots)
    xacro = path.suffix.lower() == ".xacro"
    root = markup.parse(external.expand_xacro(path, files, source.arguments) if xacro else markup.read_bytes(path))
    readers = {"robot": read_urdf, "mujoco": read_mjcf}
    if root.tag not in readers:
        kind = "an SDF" if root.tag == "sdf" else f"its first element is <{root.tag}>"
        raise RobotError(f"{kind}; what is read is URDF or xacro, which begin with <robot>, and MJCF, with <mujoco>")
    return readers[root.tag](root, files, path.name.partition(".")[0])


def _build(description: Description, source: _Source, base: Base | None, notes: Mapping[str, Any]) -> Robot:
    spec = parse_spec(markup.text_of(description.root))
    described = {**limits.actuator_efforts(spec), **description.effort}
    limits.swap_reversed(description, spec)
    stance = settle_shapes(description, spec)
    kind = base or notes.get("base") or _found_base(description, legs=len(stance.legs))
    free = kind != "fixed"
    _set_base(description, free)
    for section in description.root.findall("actuator"):
        description.root.remove(section)
    model = compile_xml(markup.text_of(without_visuals(description.root)))
    arrays = extract(model, free=free, hulls=description.hulls)
    names = arrays.joint_names
    lower = yaml.apply(notes, "lower", names, arrays.lower)
    upper = yaml.apply(notes, "upper", names, arrays.upper)
    if np.any(lower > upper):
        raise RobotError(f"joint '{names[int(np.argmax(lower > upper))]}' has its lower limit above its upper one")
    velocity = limits.velocity_limits(arrays, description.velocity)
    effort = limits.effort_limits(arrays, described, model, stance)
    return Robot(
        name=plain(notes.get("name") or source.name or description.name),
        tree=arrays.tree,
        joint_names=names,
        lower=lower,
        upper=upper,
        velocity=yaml.apply(notes, "velocity", names, velocity),
        effort=yaml.apply(notes, "effort", names, effort),
        links=arrays.links,
        shapes=arrays.shapes,
        neutral=neutral.neutral_qpos(arrays, model, lower, upper, notes),
        xml=markup.text_of(description.root),
        assets=AssetFiles(description.meshes, description.textures, description.heed_up_axis),
        source=source.path,
        warnings=(*description.warnings, *arrays.warnings),
        overrides=notes,
        planar=kind == "planar",
    )


def _found_base(description: Description, legs: int) -> Base:
    """As the file says, but for a base on wheels; where it says nothing, legs walk and everything else stands."""
    named = [part.get("name", "") for tag in ("body", "joint") for part in description.root.iter(tag)]
    if description.base != "fixed" and rolls(named):
        return "planar"
    return description.base or ("free" if legs >= 2 else "fixed")


def _set_base(description: Description, free: bool) -> None:
    """Give the base body a free joint, or take it away."""
    body = description.body
    joints = [(parent, joint) for parent, joint in own_joints(body) if is_free(joint)]
    if free and not joints:
        taken = {e.get("name", "") for e in description.root.iterfind("worldbody//joint")}
        body.insert(0, Element("freejoint", name=unique("root", taken)))
    for parent, joint in joints if not free else ():
        parent.remove(joint)
