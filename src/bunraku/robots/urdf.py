"""URDF → MJCF: the same links, joints and numbers, depth first in the file's order, as MuJoCo's own reader has them."""

from __future__ import annotations

from collections import defaultdict
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.kinematics import rotations
from bunraku.robots.description import COMPILER, MAX_BODIES, Description, unique
from bunraku.robots.files import Files
from bunraku.robots.markup import MAX_DEPTH, MAX_NUMBER, number, numbers, written
from bunraku.robots.urdf_shapes import Shapes

Array = NDArray[np.float64]

MOVING = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}


def read_urdf(root: Element, files: Files, name: str) -> Description:
    """The description of a `<robot>`."""
    return _Reader(root, files, name).read()


class _Reader:
    def __init__(self, root: Element, files: Files, name: str) -> None:
        self.links = _named(root, "link")
        self.joints = _named(root, "joint")
        self.below: dict[str, list[Element]] = defaultdict(list)
        self.out = Description(name=root.get("name") or name, root=Element("mujoco", model=root.get("name") or name))
        self.shapes = Shapes(root, files, self.out)
        self.weighed = any(link.find("inertial/mass") is not None for link in self.links.values())
        self.welded: set[str] = set()
        self.swapped: list[str] = []

    def read(self) -> Description:
        base = self._check_topology()
        SubElement(self.out.root, "compiler", COMPILER)
        self.shapes.write_defaults(self.weighed)
        self.out.section("asset")
        world = self.out.section("worldbody")
        base, position, rotation = self._skip_world(base)
        body = SubElement(world, "body", name=base, pos=written(position), quat=written(rotation))
        if base == "world":
            # MuJoCo keeps this name for the world itself.
            body.set("name", unique("world_link", set(self.links)))
        self._fill(base, body, 1)
        self._couple()
        self.out.warn_swapped(self.swapped)
        return self.out

    def _check_topology(self) -> str:
        """The root link's name; every joint joins two links that exist, and every link hangs on one joint or none."""
        if not self.links:
            raise RobotError("has no links")
        if len(self.links) > MAX_BODIES:
            raise RobotError(f"has {len(self.links)} links, more than {MAX_BODIES}")
        above: dict[str, str] = {}
        for name, joint in self.joints.items():
            ends = [_attribute(joint, end, "link", f"joint '{name}'") for end in ("parent", "child")]
            for end in ends:
                if end not in self.links:
                    raise RobotError(f"joint '{name}' names a link '{end}' that does not exist")
            parent, child = ends
            if child in above:
                raise RobotError(f"link '{child}' is the child of two joints, '{above[child]}' and '{name}'")
            above[child] = name
            self.below[parent].append(joint)
        roots = [name for name in self.links if name not in above]
        if len(roots) > 1:
            roots = [self._keep_largest(roots)]
        reached = [roots[0]] if roots else []
        for name in reached:
            reached += [_attribute(joint, "child", "link", "") for joint in self.below[name]]
        if len(reached) < len(self.links):
            lost = next(name for name in self.links if name not in reached)
            raise RobotError(f"link '{lost}' is part of a circle of joints")
        return roots[0]

    def _keep_largest(self, roots: list[str]) -> str:
        """The root that carries most links; the others are left out with all that hangs on them, and named."""
        trees = {}
        for root in roots:
            trees[root] = [root]
            for name in trees[root]:
                trees[root] += [_attribute(joint, "child", "link", "") for joint in self.below[name]]
        kept = max(roots, key=lambda root: len(trees[root]))
        lost = [root for root in roots if root != kept]
        gone = {name for root in lost for name in trees[root]}
        self.links = {name: link for name, link in self.links.items() if name not in gone}
        self.joints = {
            name: joint for name, joint in self.joints.items() if _attribute(joint, "child", "link", "") not in gone
        }
        shown = ", ".join(f"'{name}'" for name in lost[:4]) + (", …" if len(lost) > 4 else "")
        self.out.warnings.append(
            f"it is in {len(roots)} pieces: the largest, on '{kept}', is the robot; "
            f"left out with what hangs on them: {shown}"
        )
        return kept

    def _skip_world(self, base: str) -> tuple[str, Array, Array]:
        """The base link and its place; a bodiless root that only carries the base (`world`, `odom`) is left out."""
        position, rotation = np.zeros(3), rotations.IDENTITY
        joints = self.below[base]
        empty = not any(self.links[base].find(tag) is not None for tag in ("inertial", "visual", "collision"))
        if not (empty and len(joints) == 1):
            return base, position, rotation
        (joint,) = joints
        kind, child = joint.get("type", ""), _attribute(joint, "child", "link", "")
        if kind == "floating" or (kind == "fixed" and base == "world"):
            self.out.base = "free" if kind == "floating" else "fixed"
            position, rotation = _origin(joint, f"joint '{joint.get('name')}'")
            return child, position, rotation
        return base, position, rotation

    def _fill(self, link: str, body: Element, depth: int) -> None:
        """Inertia, shapes and children of one link."""
        if depth > MAX_DEPTH:
            raise RobotError(f"link '{link}' is more than {MAX_DEPTH} links away from the base")
        inertial = self.links[link].find("inertial")
        if inertial is not None:
            _write_inertial(inertial, body, f"link '{link}'")
        self.shapes.write(self.links[link], body)
        for joint in self.below[link]:
            name = joint.get("name", "")
            child = _attribute(joint, "child", "link", "")
            position, rotation = _origin(joint, f"joint '{name}'")
            inner = SubElement(body, "body", name=child, pos=written(position), quat=written(rotation))
            if child == "world":
                inner.set("name", unique("world_link", set(self.links)))
            self._write_joint(joint, name, inner)
            self._fill(child, inner, depth + 1)

    def _write_joint(self, joint: Element, name: str, body: Element) -> None:
        kind = joint.get("type", "")
        if kind == "fixed":
            self.welded.add(name)
            return
        if kind not in MOVING:
            raise RobotError(
                f"joint '{name}' is of type '{kind}'; revolute, continuous, prismatic and fixed ones can be used, "
                "and floating right below the root"
            )
        axis_element = joint.find("axis")
        axis = numbers(axis_element.get("xyz", ""), 3, f"axis of joint '{name}'") if axis_element is not None else None
        if axis is not None and np.linalg.norm(axis) < 1e-6:
            raise RobotError(f"joint '{name}' has a zero axis")
        out = SubElement(body, "joint", name=name, type=MOVING[kind], axis=written([1, 0, 0] if axis is None else axis))
        limit = joint.find("limit")
        bounds = self._bounds(limit, name) if limit is not None and kind != "continuous" else None
        if bounds is not None:
            out.set("range", written(bounds))
        for key, table in (("velocity", self.out.velocity), ("effort", self.out.effort)):
            value = _limit((limit is not None and limit.get(key)) or "0", f"{key} of joint '{name}'")
            if 0 < value < MAX_NUMBER:
                table[name] = value
        dynamics = joint.find("dynamics")
        for key, to in (("damping", "damping"), ("friction", "frictionloss")):
            text = dynamics.get(key) if dynamics is not None else None
            if text is not None and number(text, f"{key} of joint '{name}'") > 0:
                out.set(to, written(number(text, name)))

    def _bounds(self, limit: Element, name: str) -> tuple[float, float] | None:
        """Lower and upper limit; None where there is none: infinite, or equal, which is how URDF leaves it out."""
        lower, upper = (_limit(limit.get(key) or "0", f"limit of joint '{name}'") for key in ("lower", "upper"))
        if lower > upper:
            self.swapped.append(name)
            lower, upper = upper, lower
        return None if lower == upper or (lower, upper) == (-MAX_NUMBER, MAX_NUMBER) else (lower, upper)

    def _couple(self) -> None:
        """`<mimic>` as joint equalities."""
        for name, joint in self.joints.items():
            mimic = joint.find("mimic")
            if mimic is None or joint.get("type") not in MOVING:
                continue
            leader = mimic.get("joint", "")
            if leader == name:
                raise RobotError(f"joint '{name}' mimics itself")
            if leader not in self.joints:
                raise RobotError(f"joint '{name}' mimics a joint '{leader}' that does not exist")
            ratio = number(mimic.get("multiplier") or "1", f"multiplier of joint '{name}'")
            offset = number(mimic.get("offset") or "0", f"offset of joint '{name}'")
            couple = SubElement(self.out.section("equality"), "joint", joint1=name)
            if leader not in self.welded:
                couple.set("joint2", leader)
            couple.set("polycoef", written([offset, ratio, 0, 0, 0]))


def _named(root: Element, tag: str) -> dict[str, Element]:
    """The elements of one kind by name, each name once."""
    out: dict[str, Element] = {}
    for element in root.findall(tag):
        name = element.get("name")
        if not name:
            raise RobotError(f"has a {tag} without a name")
        if name in out:
            raise RobotError(f"has the {tag} '{name}' twice")
        out[name] = element
    return out


def _attribute(element: Element, tag: str, key: str, owner: str) -> str:
    child = element.find(tag)
    value = child.get(key) if child is not None else None
    if not value:
        raise RobotError(f"{owner} has no {tag}")
    return value


def _limit(text: str, owner: str) -> float:
    """A limit; one that is infinite, or as good as, is the largest number that counts."""
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if np.isnan(value):
        raise RobotError(f"{owner} must be one number, not '{text[:40]}'")
    return min(max(value, -MAX_NUMBER), MAX_NUMBER)


def _origin(element: Element, owner: str) -> tuple[Array, Array]:
    """Position and quaternion of an `<origin>`; roll, pitch, yaw turn about fixed axes."""
    origin = element.find("origin")
    if origin is None:
        return np.zeros(3), rotations.IDENTITY
    position = numbers(origin.get("xyz") or "0 0 0", 3, f"origin xyz of {owner}")
    roll, pitch, yaw = numbers(origin.get("rpy") or "0 0 0", 3, f"origin rpy of {owner}")
    return position, rotations.from_euler("ZYX", [yaw, pitch, roll])


def _write_inertial(inertial: Element, body: Element, owner: str) -> None:
    """Mass and principal moments; none where the mass is not positive."""
    mass_element = inertial.find("mass")
    mass = number(mass_element.get("value", ""), f"mass of {owner}") if mass_element is not None else 0.0
    if mass <= 0:
        return
    position, rotation = _origin(inertial, f"inertial of {owner}")
    element = inertial.find("inertia")
    i = {
        key: number((element.get(key) if element is not None else None) or "0", f"{key} of {owner}")
        for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    }
    tensor = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    quaternion = rotations.multiply(rotation, rotations.from_matrix(axes))
    SubElement(body, "inertial", pos=written(position), quat=written(quaternion), mass=written(mass),
               diaginertia=written(np.maximum(moments, 0)))  # fmt: skip
