"""A few words for writing MJCF: bodies whose left half is described once and mirrored, and lofted shells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

SOURCE = "Written by tools/builtin_robots, which is the source"
Vec = Sequence[float]
Ring = tuple[float, float, float, float]
"""metres: height z, half width along x, half width along y, shift along x"""


def text(values: Vec) -> str:
    """Numbers as MJCF writes them, to a tenth of a millimetre or better."""
    return " ".join(f"{round(v, 5) + 0.0:g}" for v in values)


def rings(millimetres: str) -> list[Ring]:
    """Rings from "z rx ry [shift], …"."""
    out: list[Ring] = []
    for ring in millimetres.split(","):
        z, rx, ry, *shift = (float(word) / 1000 for word in ring.split())
        out.append((z, rx, ry, shift[0] if shift else 0.0))
    return out


class Body:
    """A body under construction. With `sign` -1 everything put into it is the mirror image about y = 0."""

    def __init__(self, element: ET.Element, sign: int = 1, prefix: str = "") -> None:
        self.element, self.sign, self.prefix = element, sign, prefix

    def at(self, v: Vec) -> list[float]:
        """A point, mirrored where the body is."""
        return [v[0], v[1] * self.sign, v[2]]

    def body(self, name: str, at: Vec, turn: Vec = (0, 0, 0), *, sign: int = 0, prefix: str | None = None) -> Body:
        """A child link; `turn` is in degrees, about x, then y, then z."""
        child = Body(self.element, sign or self.sign, self.prefix if prefix is None else prefix)
        child.element = ET.SubElement(self.element, "body", name=child.prefix + name, pos=text(child.at(at)))
        child._turn(child.element, turn)
        return child

    def _turn(self, element: ET.Element, turn: Vec) -> None:
        if any(turn):
            element.set("euler", text([math.radians(a) for a in (turn[0] * self.sign, turn[1], turn[2] * self.sign)]))

    def hinge(self, name: str, axis: Vec, low: float, high: float, kind: str, *, same: bool | None = None) -> None:
        """A joint in degrees. On the mirrored side the axis is kept and the range turned over, but where the axis
        points sideways (or `same` says so) equal values mean mirrored motion."""
        same = abs(axis[1]) > 0.7 if same is None else same
        if self.sign < 0:
            axis = (-axis[0], axis[1], -axis[2]) if same else (axis[0], -axis[1], axis[2])
            low, high = (low, high) if same else (-high, -low)
        joint = ET.SubElement(self.element, "joint", {"name": self.prefix + name, "class": kind})
        joint.set("axis", text(axis))
        joint.set("range", text([math.radians(low), math.radians(high)]))

    def free(self, name: str) -> None:
        """Lets the body float."""
        ET.SubElement(self.element, "freejoint", name=name)

    def _geom(self, look: str, kind: str, size: Vec, **more: str) -> ET.Element:
        geom = ET.SubElement(self.element, "geom", {"class": "visual", "type": kind, "size": text(size)})
        geom.set("material", look)
        for key, value in more.items():
            geom.set(key, value)
        return geom

    def ellipsoid(self, look: str, at: Vec, half: Vec, turn: Vec = (0, 0, 0)) -> None:
        """Visual ellipsoid with half axes."""
        self._turn(self._geom(look, "ellipsoid", half, pos=text(self.at(at))), turn)

    def ball(self, look: str, at: Vec, radius: float) -> None:
        """Visual sphere."""
        self._geom(look, "sphere", [radius], pos=text(self.at(at)))

    def box(self, look: str, at: Vec, half: Vec, turn: Vec = (0, 0, 0)) -> None:
        """Visual box with half sizes."""
        self._turn(self._geom(look, "box", half, pos=text(self.at(at))), turn)

    def capsule(self, look: str, start: Vec, end: Vec, radius: float) -> None:
        """Visual capsule between two points."""
        self._geom(look, "capsule", [radius], fromto=text([*self.at(start), *self.at(end)]))

    def cylinder(self, look: str, start: Vec, end: Vec, radius: float) -> None:
        """Visual cylinder between two points."""
        self._geom(look, "cylinder", [radius], fromto=text([*self.at(start), *self.at(end)]))

    def shell(self, look: str, mesh: str, at: Vec = (0, 0, 0), turn: Vec = (0, 0, 0)) -> None:
        """Visual mesh; shells are symmetrical about y = 0, so that both sides share them."""
        geom = ET.SubElement(self.element, "geom", {"class": "visual", "type": "mesh", "mesh": mesh, "material": look})
        geom.set("pos", text(self.at(at)))
        self._turn(geom, turn)

    def solid(self, kind: str, mass: float, *, at: Vec | None = None, half: Vec = (), radius: float = 0.0,
              start: Vec | None = None, end: Vec | None = None, turn: Vec = (0, 0, 0)) -> None:  # fmt: skip
        """A collision shape with mass: "box" (at, half), "sphere" (at, radius), "capsule" (start, end, radius)."""
        size = half if kind == "box" else [radius]
        geom = ET.SubElement(self.element, "geom", {"class": "collision", "type": kind, "size": text(size)})
        if start is not None and end is not None:
            geom.set("fromto", text([*self.at(start), *self.at(end)]))
        elif at is not None:
            geom.set("pos", text(self.at(at)))
        self._turn(geom, turn)
        geom.set("mass", text([mass]))

    def inertial(self, mass: float, at: Vec = (0, 0, 0), radius: float = 0.02) -> None:
        """Mass of a link that has no collision shape: as a solid ball's."""
        inertia = 0.4 * mass * radius**2
        ET.SubElement(self.element, "inertial", pos=text(self.at(at)), mass=text([mass]),
                      diaginertia=" ".join([f"{inertia:.4g}"] * 3))  # fmt: skip


class Model:
    """An MJCF file: classes, materials, shells, one tree, followers."""

    def __init__(self, name: str, description: str, neutral: Mapping[str, float], notes: Sequence[str] = ()) -> None:
        self.name, self.description, self.neutral, self.notes = name, description, neutral, notes
        self.root = ET.Element("mujoco", model=name)
        self.root.append(ET.Comment(f" {description}. {SOURCE} "))
        ET.SubElement(self.root, "compiler", angle="radian", eulerseq="XYZ", autolimits="true")
        self.meshes: dict[str, str] = {}
        """file name → OBJ text"""
        self.velocity: dict[str, float] = {}
        self.effort: dict[str, float] = {}
        self.points: dict[str, str] = {}
        """joint centre, as in `semantics.points` → the link at whose origin it is, where that cannot be found"""
        self.default = ET.SubElement(self.root, "default")
        visual = ET.SubElement(self.default, "default", {"class": "visual"})
        ET.SubElement(visual, "geom", contype="0", conaffinity="0", group="2", mass="0")
        collision = ET.SubElement(self.default, "default", {"class": "collision"})
        ET.SubElement(collision, "geom", group="3", rgba="0.3 0.6 0.9 0.4")
        self.asset = ET.SubElement(self.root, "asset")
        self.world = Body(ET.SubElement(self.root, "worldbody"))
        self.equality = ET.SubElement(self.root, "equality")

    def joint_class(self, name: str, *, velocity: float, effort: float, damping: float, armature: float) -> None:
        """A kind of servo: rad/s, N·m, N·m·s/rad, kg·m²."""
        kind = ET.SubElement(self.default, "default", {"class": name})
        joint = ET.SubElement(kind, "joint", damping=f"{damping:g}", armature=f"{armature:g}")
        joint.set("actuatorfrcrange", f"{-effort:g} {effort:g}")
        self.velocity[name], self.effort[name] = velocity, effort

    def material(self, name: str, rgb: Vec, *, specular: float = 0.3, shininess: float = 0.4, **more: str) -> None:
        """A look."""
        colour = [*rgb, 1.0] if len(rgb) == 3 else list(rgb)
        ET.SubElement(self.asset, "material", {"name": name, "rgba": text(colour), "specular": f"{specular:g}",
                                               "shininess": f"{shininess:g}", **more})  # fmt: skip

    def dots(self, name: str, ground: Vec, dot: Vec) -> None:
        """A texture of scattered dots."""
        ET.SubElement(self.asset, "texture", name=name, type="cube", builtin="flat", rgb1=text(ground),
                      rgb2=text(ground), mark="random", random="0.012", markrgb=text(dot),
                      width="128", height="768")  # fmt: skip

    def loft(self, name: str, profile: str, segments: int) -> None:
        """A closed shell through elliptical rings (mm, see `rings`): up along the outside, and where it is hollow down
        again inside."""
        through = rings(profile)
        points: list[list[float]] = []
        for z, rx, ry, shift in through:
            for k in range(segments):
                a = 2 * math.pi * k / segments
                points.append([shift + rx * math.cos(a), ry * math.sin(a), z])
        faces: list[list[int]] = []
        for r in range(len(through) - 1):
            for k in range(segments):
                a, b = r * segments + k, r * segments + (k + 1) % segments
                faces += [[a, b, b + segments], [a, b + segments, a + segments]]
        for ring, (first, flip) in ((through[0], (0, True)), (through[-1], ((len(through) - 1) * segments, False))):
            centre = len(points)
            points.append([ring[3], 0.0, ring[0]])
            for k in range(segments):
                a, b = first + k, first + (k + 1) % segments
                faces.append([centre, b, a] if flip else [centre, a, b])
        lines = [f"# {SOURCE}"] + ["v " + text(point) for point in points]
        lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in faces]
        self.meshes[f"{name}.obj"] = "\n".join(lines) + "\n"
        ET.SubElement(self.asset, "mesh", name=name, file=f"{name}.obj")

    def follow(self, follower: str, leader: str, ratio: float) -> None:
        """One servo moves both: the follower's angle is `ratio` times the leader's."""
        ET.SubElement(self.equality, "joint", joint1=follower, joint2=leader, polycoef=text([0, ratio, 0, 0, 0]))

    def xml(self) -> str:
        """The text of robot.xml."""
        ET.indent(self.root, " ")
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def yaml(self) -> str:
        """The text of robot.yaml: what MJCF cannot hold."""
        kinds = {joint.attrib["name"]: joint.attrib["class"] for joint in self.world.element.iter("joint")}
        lines = [f"# {line}" for line in (SOURCE, *self.notes)] + [f"description: {self.description!r}"]
        lines += ["neutral:  # rad", *(f"  {joint}: {value:g}" for joint, value in self.neutral.items())]
        lines += ["velocity:  # rad/s", *(f"  {joint}: {self.velocity[kind]:g}" for joint, kind in kinds.items())]
        lines += ["effort:  # N·m", *(f"  {joint}: {self.effort[kind]:g}" for joint, kind in kinds.items())]
        if self.points:
            places = [f"    {point}: {{link: {link}, at: [0, 0, 0]}}" for point, link in self.points.items()]
            lines += ["semantics:", "  points:  # m, in the link's frame", *places]
        return "\n".join(lines) + "\n"
