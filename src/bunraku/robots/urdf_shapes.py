"""Visual and collision geometry of URDF links as MJCF geoms."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from bunraku.errors import RobotError
from bunraku.kinematics import rotations
from bunraku.robots import meshes
from bunraku.robots.description import COLLISION_GROUP, DENSITY, MAX_GEOMS, VISUAL_GROUP, Description, unique
from bunraku.robots.files import Files
from bunraku.robots.markup import number, numbers, written


class Shapes:
    """Writes the geoms of one robot, and the assets that they need."""

    def __init__(self, robot: Element, files: Files, out: Description) -> None:
        self.files, self.out = files, out
        self.names: set[str] = set()
        self.meshes: dict[tuple[str, str], str] = {}
        self.colours = {
            m.get("name", ""): m.find("color") for m in robot.findall("material") if m.find("color") is not None
        }
        self.files_of: dict[str, Path] = {}
        self.count = 0

    def write_defaults(self, weighed: bool) -> None:
        """The classes of the geoms; collision shapes weigh something only where no link does."""
        top = SubElement(self.out.section("default"), "default", {"class": "visual"})
        SubElement(top, "geom", contype="0", conaffinity="0", group=VISUAL_GROUP, density="0")
        top = SubElement(self.out.section("default"), "default", {"class": "collision"})
        SubElement(top, "geom", group=COLLISION_GROUP, density="0" if weighed else written(DENSITY))

    def write(self, link: Element, body: Element) -> None:
        """All geoms of a link. Collision shapes are drawn where there is nothing else to draw."""
        name = link.get("name", "")
        visuals, collisions = link.findall("visual"), link.findall("collision")
        for element in visuals:
            self._write(element, body, "visual", name)
        for element in collisions:
            geom = self._write(element, body, "collision", name)
            if geom is not None and not visuals:
                geom.set("group", VISUAL_GROUP)

    def _write(self, element: Element, body: Element, kind: str, link: str) -> Element | None:
        owner = f"{kind} of link '{link}'"
        geometry = element.find("geometry")
        shape = geometry[0] if geometry is not None and len(geometry) else None
        if shape is None:
            return None
        self.count += 1
        if self.count > MAX_GEOMS:
            raise RobotError(f"has more than {MAX_GEOMS} shapes")
        attributes = self._mesh(shape, owner) if shape.tag == "mesh" else _primitive(shape, owner)
        if attributes is None:
            return None
        origin = element.find("origin")
        position = numbers((origin is not None and origin.get("xyz")) or "0 0 0", 3, f"origin xyz of {owner}")
        rpy = numbers((origin is not None and origin.get("rpy")) or "0 0 0", 3, f"origin rpy of {owner}")
        geom = SubElement(body, "geom", {"name": unique(f"{link}_{kind}", self.names), "class": kind, **attributes})
        geom.set("pos", written(position))
        geom.set("quat", written(rotations.from_euler("ZYX", rpy[::-1])))
        colour = self._colour(element, owner, attributes.get("mesh"))
        if colour:
            geom.set("rgba", colour)
        return geom

    def _mesh(self, shape: Element, owner: str) -> dict[str, str]:
        reference = shape.get("filename", "")
        scale = written(numbers(shape.get("scale") or "1 1 1", 3, f"mesh scale of {owner}"))
        if (reference, scale) not in self.meshes:
            path = self.files.find(reference)
            name = unique(Path(reference).stem or "mesh", set(self.meshes.values()))
            self.meshes[reference, scale] = name
            file = self.out.add_mesh(name, path, reference)
            if file in self.out.meshes:
                self.files_of[name] = self.out.meshes[file]
            SubElement(self.out.section("asset"), "mesh", name=name, file=file, scale=scale, inertia="shell")
        return {"type": "mesh", "mesh": self.meshes[reference, scale]}

    def _colour(self, element: Element, owner: str, mesh: str | None) -> str | None:
        """The material's, else the mesh file's own; converters write black where they know of none."""
        material = element.find("material")
        colour = material.find("color") if material is not None else None
        if colour is None and material is not None:
            colour = self.colours.get(material.get("name", ""))
        text = colour.get("rgba") if colour is not None else None
        rgba = np.clip(numbers(text, 4, f"colour of {owner}"), 0, 1) if text else None
        path = self.files_of.get(mesh or "")
        if path is not None and (rgba is None or not rgba[:3].any()):
            own = meshes.look(path).colour
            rgba = rgba if own is None else np.array(own)
        return None if rgba is None else written(rgba)


def _primitive(shape: Element, owner: str) -> dict[str, str] | None:
    """Type and size of a shape; None where it has no extent."""
    if shape.tag == "box":
        size = numbers(shape.get("size", ""), 3, f"box size of {owner}") / 2
    elif shape.tag == "sphere":
        size = np.array([number(shape.get("radius", ""), f"radius of {owner}")])
    elif shape.tag in ("cylinder", "capsule"):
        radius, length = (number(shape.get(key, ""), f"{key} of {owner}") for key in ("radius", "length"))
        size = np.array([radius, length / 2])
    else:
        raise RobotError(f"{owner} is a <{shape.tag}>; box, cylinder, capsule, sphere and mesh are known")
    if np.any(size <= 0):
        return None
    return {"type": shape.tag, "size": written(size)}
