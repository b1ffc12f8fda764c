"""MuJoCo models of robots: text in, compiled model out, and MuJoCo's complaints as one line."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary
from xml.etree.ElementTree import Element

from bunraku.errors import RobotError
from bunraku.robots.description import FITTED
from bunraku.robots.markup import text_of
from bunraku.robots.robot import Robot

if TYPE_CHECKING:
    import mujoco

_compiled: WeakKeyDictionary[Robot, dict[bool, mujoco.MjModel]] = WeakKeyDictionary()


def compile_model(robot: Robot, *, visuals: bool = True) -> mujoco.MjModel:
    """The robot's MuJoCo model, compiled once: its qpos is the robot's qpos, it has no actuators and no floor.

    With `visuals` it has its meshes, to look at and, where the description says so, to touch; without them the fitted
    capsules, spheres and boxes touch in their place, which is what `Robot.shapes` holds too.
    The same object comes back for the same robot: copy it before you change it.
    """
    models = _compiled.setdefault(robot, {})
    if visuals not in models:
        try:
            models[visuals] = (
                compile_xml(robot.xml, robot.assets) if visuals else compile_xml(model_xml(robot, visuals=False))
            )
        except RobotError as error:
            raise RobotError(f"{robot.name}: {error}") from error
    return models[visuals]


def model_xml(robot: Robot, *, visuals: bool = True) -> str:
    """The robot's MJCF; without `visuals` it names no files, meshes or materials."""
    return robot.xml if visuals else text_of(without_visuals(ET.fromstring(robot.xml)))  # noqa: S314 (our own text)


def without_visuals(root: Element) -> Element:
    """A copy of capsules, spheres and boxes: no meshes, textures, materials or actuators, and no files."""
    root = copy.deepcopy(root)
    for asset in root.findall("asset"):
        root.remove(asset)
    for actuator in root.findall("actuator"):
        root.remove(actuator)
    for parent in list(root.iter()):
        for child in list(parent):
            shows_mesh = child.tag == "geom" and child.get("mesh") is not None and parent.tag != "default"
            if shows_mesh or child.tag in ("mesh", "material"):
                parent.remove(child)
            elif child.tag in ("geom", "site"):
                child.attrib.pop("material", None)
                child.attrib.pop("mesh", None)
    for fitted in root.iterfind(f"default/default[@class='{FITTED}']/geom"):
        fitted.attrib.update(contype="1", conaffinity="1")
    return root


def compile_xml(xml: str, assets: Mapping[str, bytes] | None = None) -> mujoco.MjModel:
    """A compiled model; what MuJoCo refuses is a RobotError of one line."""
    import mujoco

    try:
        with _no_log_file():
            return mujoco.MjModel.from_xml_string(xml, dict(assets or {}))
    except (ValueError, mujoco.FatalError) as error:
        raise RobotError(_one_line(error)) from None


@contextmanager
def _no_log_file() -> Iterator[None]:
    """Here MuJoCo's warnings are about simulating, and it would write them to a file in the working folder."""
    import mujoco

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def parse_spec(xml: str) -> mujoco.MjSpec:
    """MJCF text with all default classes applied; no file is opened."""
    import mujoco

    try:
        with _no_log_file():
            return mujoco.MjSpec.from_string(xml)
    except (ValueError, mujoco.FatalError) as error:
        raise RobotError(_one_line(error)) from None


def _one_line(error: Exception) -> str:
    """MuJoCo's message without its line breaks and the line numbers of a text that nobody sees."""
    words = " ".join(str(error).removeprefix("XML Error: ").removeprefix("Error: ").split())
    return f"MuJoCo: {words.split(', line ')[0][:300]}"
