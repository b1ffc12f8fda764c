"""MJCF → the robot alone: includes in place, scenery gone, every body, joint and geom named, every file found."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element, SubElement

from bunraku.errors import RobotError
from bunraku.robots import markup
from bunraku.robots.description import COMPILER, MAX_BODIES, MAX_GEOMS, Description, is_free, own_joints, unique
from bunraku.robots.files import Files
from bunraku.robots.mjcf_assets import keep_assets

_LEFT_OUT = {
    "option",
    "size",
    "visual",
    "statistic",
    "sensor",
    "tendon",
    "keyframe",
    "custom",
    "extension",
    "deformable",
}
_COMPILER_KEYS = (
    "angle", "autolimits", "eulerseq", "inertiafromgeom", "inertiagrouprange", "settotalmass",
    "boundmass", "boundinertia",
)  # fmt: skip
_NOT_RIGID = ("composite", "flexcomp", "replicate", "attach")
_WORDS = {
    "name",
    "class",
    "childclass",
    "mesh",
    "material",
    "file",
    "texture",
    "joint",
    "joint1",
    "joint2",
    "body1",
    "body2",
}
_MAX_INCLUDES = 64


def read_mjcf(root: Element, files: Files, name: str) -> Description:
    """The description of a `<mujoco>`."""
    _include(root, files, [])
    model = root.get("model") or name
    out = Description(name=model, root=Element("mujoco", model=model))
    compiler = {key: value for section in root.findall("compiler") for key, value in section.attrib.items()}
    if compiler.get("coordinate") == "global":
        raise RobotError("uses global coordinates, which MuJoCo gave up; local ones are needed")
    kept = {key: value for key, value in compiler.items() if key in _COMPILER_KEYS}
    angle = {"angle": "degree"}
    SubElement(out.root, "compiler", {**COMPILER, **angle, **kept})
    known = {"compiler", "default", "asset", "worldbody", "equality", "actuator", "contact"}
    for section in root:
        if section.tag not in known | _LEFT_OUT:
            raise RobotError(f"has a section <{section.tag}> that MJCF does not know")
        if section.tag == "default":
            out.root.append(section)
    out.section("asset").extend(child for section in root.findall("asset") for child in section)
    world = out.section("worldbody")
    world.extend(child for section in root.findall("worldbody") for child in section)
    _keep_robot(world, out)
    _tidy(out)
    keep_assets(out, files, compiler)
    _keep_relations(root, out)
    _check_numbers(out.root)
    return out


def _include(root: Element, files: Files, sizes: list[int]) -> None:
    """Put the children of every included file where its `<include>` stands; `sizes` are those of the files so far."""
    for parent in list(root.iter()):
        at = 0
        while at < len(parent):
            child = parent[at]
            if child.tag != "include":
                at += 1
                continue
            reference = child.get("file", "")
            path = files.find(reference)
            if path is None:
                raise RobotError(f"includes '{reference}', which does not exist")
            try:
                inner = markup.parse(markup.read_bytes(path))
            except RobotError as error:
                raise RobotError(f"includes '{reference}': {error}") from None
            sizes.append(sum(1 for _ in inner.iter()))
            if len(sizes) > _MAX_INCLUDES or sum(sizes) > markup.MAX_ELEMENTS:
                raise RobotError(f"includes itself, more than {_MAX_INCLUDES} files, or {markup.MAX_ELEMENTS} elements")
            _include(inner, files, sizes)
            parent[at : at + 1] = list(inner)
            at += len(inner)


def _keep_robot(world: Element, out: Description) -> None:
    """Of all that stands in the world only the body with the most joints stays, and the frames around it."""
    tops = _top_bodies(world)
    if not tops:
        raise RobotError("has no body")
    joints = [sum(1 for e in top.iter() if e.tag in ("joint", "freejoint")) for top in tops]
    robot = tops[joints.index(max(joints))]
    moving = [top.get("name", "") for top, n in zip(tops, joints, strict=True) if top is not robot and n > 1]
    if moving:
        out.warnings.append(f"only '{robot.get('name', '')}' is used; left out: {', '.join(moving)}")

    def prune(parent: Element) -> bool:
        for child in list(parent):
            if child is not robot and not (child.tag == "frame" and prune(child)):
                parent.remove(child)
        return len(parent) > 0

    prune(world)
    robot.attrib.pop("mocap", None)
    own = [joint for _, joint in own_joints(robot)]
    free = any(is_free(joint) for joint in own)
    out.base = "free" if free else None
    if own and not free:
        _wrap(world, robot)


def _top_bodies(parent: Element) -> list[Element]:
    out = []
    for child in parent:
        out += [child] if child.tag == "body" else _top_bodies(child) if child.tag == "frame" else []
    return out


def _wrap(world: Element, robot: Element) -> None:
    """A base that the first joints can move against: the first link hangs on it, not on the world."""
    parent = next(e for e in world.iter() if robot in list(e))
    base = Element("body")
    taken = {e.get("name", "") for e in world.iter("body")}
    base.set("name", unique("base", taken))
    parent[list(parent).index(robot)] = base
    base.append(robot)


def _tidy(out: Description) -> None:
    """Drop what does not belong to a robot's body, refuse what is not rigid, and name everything."""
    for parent in list(out.root.iter()):
        for child in list(parent):
            if child.tag in ("light", "plugin") or (child.tag == "camera" and child.get("target")):
                parent.remove(child)
            elif child.tag in _NOT_RIGID:
                raise RobotError(f"uses <{child.tag}>; a robot is made of rigid bodies, each written out")
    world = out.section("worldbody")
    for element in world.iter():
        if len(element) and element.tag not in ("worldbody", "body", "frame"):
            raise RobotError(f"<{element.tag}> '{element.get('name', '')}' has a <{element[0].tag}> inside")
    for tag, limit in (("body", MAX_BODIES), ("joint", MAX_BODIES), ("geom", MAX_GEOMS)):
        found = [e for e in world.iter() if e.tag == tag or (tag == "joint" and e.tag == "freejoint")]
        if len(found) > limit:
            raise RobotError(f"more than {limit} times <{tag}>")
        names = [e.get("name", "") for e in found if e.get("name")]
        twice = next((n for n in names if names.count(n) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise RobotError(f"has the {tag} '{twice}' twice")
        taken = {*names, "world"}
        for k, element in enumerate(found):
            if element.tag == "joint" and element.get("type") == "ball":
                raise RobotError(f"joint '{element.get('name', k)}' is a ball joint; three hinges can stand for it")
            if not element.get("name"):
                element.set("name", unique("root" if element.tag == "freejoint" else f"{tag}_{k}", taken))


def _check_numbers(root: Element) -> None:
    for element in root.iter():
        for key, text in element.attrib.items():
            if key in _WORDS:
                continue
            for word in text.split():
                try:
                    value = float(word)
                except ValueError:
                    break
                if not math.isfinite(value) or abs(value) > markup.MAX_NUMBER:
                    owner = f"<{element.tag}> '{element.get('name', '')}'"
                    raise RobotError(f"{key} of {owner} holds '{word[:40]}', which is not a number to compute with")


def _keep_relations(root: Element, out: Description) -> None:
    """Equalities, contact exclusions and actuators between what is left."""
    world = out.section("worldbody")
    names = {tag: {e.get("name", "") for e in world.iter(tag)} for tag in ("body", "joint", "site")}
    kinds: tuple[tuple[str, str, dict[str, str]], ...] = (
        ("equality", "joint", {"joint1": "joint", "joint2": "joint"}),
        ("equality", "connect", {"body1": "body", "body2": "body", "site1": "site", "site2": "site"}),
        ("equality", "weld", {"body1": "body", "body2": "body", "site1": "site", "site2": "site"}),
        ("contact", "exclude", {"body1": "body", "body2": "body"}),
    )
    for section, tag, keys in kinds:
        for element in root.iterfind(f"{section}/{tag}"):
            refers = {key: element.get(key, "") for key in keys if element.get(key)}
            if tag == "joint" and element.get("joint1") not in names["joint"]:
                raise RobotError(f"an equality names a joint '{element.get('joint1')}' that does not exist")
            if refers and all(value in names[keys[key]] for key, value in refers.items()):
                out.section(section).append(element)
    for element in root.iterfind("actuator/*"):
        plain = element.tag not in ("muscle", "plugin", "adhesion")
        if plain and (element.get("joint") or element.get("jointinparent")) in names["joint"]:
            out.section("actuator").append(element)
