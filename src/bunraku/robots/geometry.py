"""Geometry made simple: every mesh that touches gets a fitted shape beside it, missing meshes get stand-ins.

The description then holds two robots in one: with its meshes, as the file has it, and, where meshes are taken out
(`model.without_visuals`), one of capsules, spheres and boxes alone, the fitted ones in place of the meshes.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.kinematics import rotations
from bunraku.robots import fitting, meshes
from bunraku.robots.description import COLLISION_GROUP, DENSITY, FITTED, VISUAL_GROUP, Description, unique
from bunraku.robots.markup import text_of, written
from bunraku.robots.model import compile_xml, without_visuals
from bunraku.robots.stance import Stance, find_stance
from bunraku.robots.standin import stand_ins

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]

_MUCH_NEARER = 0.7
_TOUCHES = {"contype": "1", "conaffinity": "1"}
_ORIENTATIONS = ("quat", "euler", "axisangle", "xyaxes", "zaxis")
_PASSES = {"contype": "0", "conaffinity": "0"}
_NEVER_ON_A_ROBOT = ("mjGEOM_PLANE", "mjGEOM_HFIELD", "mjGEOM_SDF")


def settle_shapes(description: Description, spec: mujoco.MjSpec) -> Stance:
    """Rewrite the geoms of the description. Returns how the robot stands: feet get level boxes."""
    worldbody = description.section("worldbody")
    parents = {child: parent for parent in worldbody.iter() for child in parent}
    elements = {element.get("name", ""): element for element in worldbody.iter("geom")}
    for geom in spec.geoms:
        if geom.type.name in _NEVER_ON_A_ROBOT:
            parents[elements[geom.name]].remove(elements.pop(geom.name))
    shown = {
        geom.name: geom.meshname
        for geom in spec.geoms
        if geom.name in elements and (geom.meshname or geom.type.name == "mjGEOM_MESH")
    }
    skeleton = compile_xml(text_of(without_visuals(_with_specks(description.root, shown))))
    stance = find_stance(skeleton)
    if _stood_up(description, stance):
        skeleton = compile_xml(text_of(without_visuals(_with_specks(description.root, shown))))
        stance = find_stance(skeleton)
    rewriter = _Rewriter(description, spec, skeleton, stance)
    rewriter.forget_unused(set(shown.values()))
    rewriter.find_up_axis(shown)
    for name, mesh in shown.items():
        rewriter.settle(elements[name], parents[elements[name]], mesh)
    rewriter.fill_gaps()
    rewriter.let_something_touch()
    rewriter.report()
    return stance


def _stood_up(description: Description, stance: Stance) -> bool:
    """Turn the base of a robot that was drawn lying, with another axis up than z; whether there was need to."""
    up = stance.upright()
    if up is None or up[2] > 0.5:
        return False
    for key in _ORIENTATIONS:
        description.body.attrib.pop(key, None)
    turn = rotations.multiply(rotations.between(up, [0.0, 0.0, 1.0]), rotations.from_matrix(stance.rotations[1]))
    description.body.set("quat", written(turn))
    return True


def _with_specks(root: Element, shown: dict[str, str]) -> Element:
    """A copy with a speck in the place of every mesh: MuJoCo then tells where each one sits."""
    root = copy.deepcopy(root)
    for geom in root.iterfind("worldbody//geom"):
        if geom.get("name", "") in shown:
            geom.attrib.pop("mesh", None)
            geom.attrib.pop("fitscale", None)
            geom.set("type", "sphere")
            geom.set("size", "0.001")
    return root


class _Rewriter:
    def __init__(self, description: Description, spec: mujoco.MjSpec, skeleton: mujoco.MjModel, stance: Stance) -> None:
        self.description, self.skeleton, self.stance = description, skeleton, stance
        self.meshes: dict[str, Any] = {mesh.name: mesh for mesh in spec.meshes}
        self.geoms: dict[str, Any] = {geom.name: geom for geom in spec.geoms}
        self.body_elements = {e.get("name", ""): e for e in description.bodies()}
        self.names = set(self.geoms)
        self.points: dict[str, Array | None] = {}
        self.fits: dict[tuple[str, bytes], fitting.Fit] = {}
        self.touching: dict[int, list[Element]] = defaultdict(list)
        self.visible: dict[int, list[Element]] = defaultdict(list)
        self.bare: dict[int, set[bool]] = defaultdict(set)
        compiler = description.root.find("compiler")
        self.from_geoms = compiler is not None and compiler.get("inertiafromgeom") == "true"
        if description.root.find(f"default/default[@class='{FITTED}']") is None:  # else it is a file that we wrote
            top = SubElement(SubElement(description.root, "default"), "default", {"class": FITTED})
            SubElement(top, "geom", group=COLLISION_GROUP, contype="0", conaffinity="0")
        for element in description.root.iterfind("worldbody//geom"):
            geom = self.geoms[element.get("name", "")]
            if not geom.meshname and geom.type.name != "mjGEOM_MESH":
                body, touches = self._of(element)
                (self.touching if touches else self.visible)[body].append(element)

    def forget_unused(self, used: set[str]) -> None:
        """Leave out meshes that no geom of the robot shows."""
        for name, mesh in self.meshes.items():
            if name not in used:
                self.description.meshes.pop(mesh.file, None)
                self.description.missing.pop(mesh.file, None)

    def find_up_axis(self, shown: dict[str, str]) -> None:
        """Heed the up axis of COLLADA meshes where that brings them much nearer to their links' centres of mass."""
        files = self.description.meshes
        told = {
            name: mesh
            for name, mesh in shown.items()
            if not self._is_picture(self.skeleton.geom(name).id)
            and mesh in self.meshes
            and (path := files.get(self.meshes[mesh].file)) is not None
            and meshes.look(path).y_up
        }
        if told:
            apart = {}
            for self.description.heed_up_axis in (True, False):
                self.points.clear()
                apart[self.description.heed_up_axis] = sum(self._from_mass(*pair) for pair in told.items())
            if apart[True] < _MUCH_NEARER * apart[False]:
                self.points.clear()
                self.description.heed_up_axis = True

    def _from_mass(self, name: str, mesh: str) -> float:
        """Distance of a mesh's middle from its body's centre of mass."""
        points, geom = self._points(mesh), self.skeleton.geom(name)
        if points is None:
            return 0.0
        middle = geom.pos + rotations.to_matrix(geom.quat) @ ((points.min(axis=0) + points.max(axis=0)) / 2)
        return float(np.linalg.norm(middle - self.skeleton.body_ipos[geom.bodyid[0]]))

    def settle(self, element: Element, parent: Element, mesh: str) -> None:
        """One geom that shows a mesh: a fitted shape beside it where it touches, nothing where its file is missing."""
        name = element.get("name", "")
        if mesh not in self.meshes:
            raise RobotError(f"geom '{name}' shows a mesh '{mesh}' that does not exist")
        body, touches = self._of(element)
        weighs = self._weighs(body, name)
        found = self.meshes[mesh].file in self.description.meshes
        points = self._points(mesh) if found and (touches or weighs) else None
        if not found or (points is None and (touches or weighs)):
            self.bare[body].add(touches)
            parent.remove(element)
            return
        element.attrib.update(type="mesh", mesh=mesh, mass="0")
        if points is not None:
            shape = self._fit(mesh, points, name)
            fitted = self._insert(body, shape, self._contact(name) if touches else _PASSES, weighs, name)
            if touches and min(shape.size) <= fitting.THINNEST:
                # MuJoCo makes no hull of what is flat: the fitted shape touches in its place.
                element.attrib.update(_PASSES)
                fitted.attrib.update(_TOUCHES)
        (self.touching if touches else self.visible)[body].append(element)

    def fill_gaps(self) -> None:
        """Bodies that lost a mesh: something still touches where something touched, and something is to be seen."""
        for body, lost in self.bare.items():
            if True in lost and not self.touching[body]:
                self._stand_in(body, touches=True)
            if not self.visible[body] and self.touching[body]:
                for element in self.touching[body]:
                    element.set("group", VISUAL_GROUP)
            elif not self.visible[body]:
                self._stand_in(body, touches=False)

    def let_something_touch(self) -> None:
        """A robot described by pictures alone, or not even those, touches all the same; and its feet do in any case."""
        welded, moving = self.skeleton.body_weldid, set(self.skeleton.jnt_bodyid.tolist())
        if not any(self.touching.values()) and not any(self.visible.values()):
            for body in sorted(moving | {1}):
                self._stand_in(body, touches=True)
        groups = [[body] for body in self.visible] if not any(self.touching.values()) else []
        groups += [[b for b in range(1, self.skeleton.nbody) if welded[b] == foot] for foot in self.stance.feet]
        for group in groups:
            if any(self.touching[body] for body in group):
                continue
            for body in group:
                self._touch_as_seen(body)
            if not any(self.touching[body] for body in group):
                self._stand_in(group[0], touches=True)

    def _touch_as_seen(self, body: int) -> None:
        for element in self.visible[body]:
            name, mesh = element.get("name", ""), element.get("mesh")
            if mesh is None:
                element.attrib.update(_TOUCHES)
                self.touching[body].append(element)
            elif (points := self._points(mesh)) is not None:
                shape = self._fit(mesh, points, name)
                self.touching[body].append(self._insert(body, shape, _TOUCHES, False, name))

    def report(self) -> None:
        """Drop the meshes that are not there, with one warning for all."""
        missing, section = self.description.missing, self.description.section("asset")
        for mesh in section.findall("mesh"):
            if mesh.get("file") not in self.description.meshes:
                section.remove(mesh)
        if missing:
            total = len(missing) + len(self.description.meshes)
            first = next(iter(missing.values()))
            self.description.warnings.append(
                f"{len(missing)} of {total} mesh files are missing or unreadable (the first: '{first}'); "
                "simple shapes stand in until the files lie where the description says"
            )

    def _of(self, element: Element) -> tuple[int, bool]:
        """Body of a geom, and whether the geom touches anything."""
        g = self.skeleton.geom(element.get("name", "")).id
        return int(self.skeleton.geom_bodyid[g]), not self._is_picture(g)

    def _is_picture(self, geom: int) -> bool:
        return not (self.skeleton.geom_contype[geom] or self.skeleton.geom_conaffinity[geom])

    def _weighs(self, body: int, name: str) -> bool:
        """Whether the body's mass comes from its geoms, and from this one too."""
        geom, element = self.geoms[name], self.body_elements[self.skeleton.body(body).name]
        if element.find("inertial") is not None and not self.from_geoms:
            return False
        return bool(geom.mass > 0 or (np.isnan(geom.mass) and geom.density > 0))

    def _points(self, mesh: str) -> Array | None:
        """(n, 3) vertices in the geom's frame; a file that turns out unreadable joins the missing ones."""
        if mesh not in self.points:
            asset = self.meshes[mesh]
            try:
                path = self.description.meshes[asset.file]
                points = meshes.points(path, heed_up_axis=self.description.heed_up_axis)
            except RobotError:
                self.description.meshes.pop(asset.file)
                self.description.missing[asset.file] = path.name
                self.points[mesh] = None
            else:
                turned = rotations.to_matrix(rotations.normalize(asset.refquat))
                self.points[mesh] = (points - asset.refpos) @ turned * asset.scale
        return self.points[mesh]

    def _fit(self, mesh: str, points: Array, name: str) -> fitting.Fit:
        """The fit in the body's frame."""
        geom = self.skeleton.geom(name)
        up = np.zeros(3)
        if int(self.skeleton.body_weldid[geom.bodyid[0]]) in self.stance.feet:
            up = self.stance.geom_rotations[geom.id].T @ np.array([0.0, 0.0, 1.0])
        key = (mesh, np.round(up, 6).tobytes())
        if key not in self.fits:
            shape = fitting.level_box(points, up) if up.any() else fitting.fit(points)
            self.fits[key] = fitting.with_hull(shape, points)
        local = self.fits[key]
        turn = rotations.to_matrix(geom.quat)
        return replace(local, position=geom.pos + turn @ local.position, rotation=turn @ local.rotation)

    def _contact(self, name: str) -> dict[str, str]:
        geom = self.skeleton.geom(name)
        return {"condim": str(int(geom.condim[0])), "friction": written(geom.friction)}

    def _stand_in(self, body: int, touches: bool) -> None:
        weighs = self.body_elements[self.skeleton.body(body).name].find("inertial") is None
        for shape in stand_ins(self.skeleton, self.stance, body):
            name = f"{self.skeleton.body(body).name}_stand_in"
            contact = _TOUCHES if touches else _PASSES
            element = self._insert(body, shape, {**contact, "group": VISUAL_GROUP}, weighs, name)
            self.visible[body].append(element)
            if touches:
                self.touching[body].append(element)

    def _insert(self, body: int, shape: fitting.Fit, contact: dict[str, str], weighs: bool, name: str) -> Element:
        """A new geom right on the body; as it comes from its class, it touches only in the robot without meshes."""
        attributes = {
            "name": unique(f"{name}_shape", self.names),
            "class": FITTED,
            "type": shape.kind,
            "size": written(shape.size),
            "pos": written(shape.position),
            "quat": written(rotations.from_matrix(shape.rotation)),
            "density": written(DENSITY if weighs else 0.0),
            **contact,
        }
        if shape.hull is not None:
            self.description.hulls[attributes["name"]] = shape.hull
        return SubElement(self.body_elements[self.skeleton.body(body).name], "geom", attributes)
