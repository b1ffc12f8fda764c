"""COLLADA meshes: the triangles of a `.dae` file as the scene places them, in metres.

The unit and the transforms of the scene's nodes apply. The up axis does where the caller says so: ROS and its viewers
ignore it, others do not, and descriptions are written for either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.kinematics import rotations
from bunraku.robots import markup

Array = NDArray[np.float64]
_MAX_INSTANCES = 2000
_Y_UP = re.compile(rb"<up_axis>\s*Y_UP")
_DIFFUSE = re.compile(rb"<diffuse[^>]*>\s*<color[^>]*>([^<]{1,200})<")


@dataclass(frozen=True)
class Look:
    """What the beginning of a file tells."""

    y_up: bool
    colour: tuple[float, ...] | None
    """diffuse rgba of the first material"""


def look(head: bytes) -> Look:
    """Read the up axis and the colour from the first bytes of a file; they stand before the meshes."""
    found = _DIFFUSE.search(head)
    words = found.group(1).split() if found else []
    try:
        colour = tuple(min(max(float(word), 0.0), 1.0) for word in words)
    except ValueError:
        colour = ()
    return Look(_Y_UP.search(head) is not None, (*colour[:3], 1.0) if len(colour) >= 3 else None)


def triangles(content: bytes, *, heed_up_axis: bool = False) -> Array:
    """(n, 3, 3) corners of all triangles; with `heed_up_axis` those of a file whose y is up are turned to z up."""
    root = markup.parse(content)
    if root.tag != "COLLADA":
        raise RobotError("not a COLLADA file")
    geometries = {g.get("id", ""): g for g in root.iterfind("library_geometries/geometry")}
    nodes = {n.get("id", ""): n for n in root.iterfind("library_nodes//node")}
    cache: dict[str, Array] = {}
    parts: list[Array] = []
    for count, (world, geometry_id) in enumerate(_instances(root, nodes), 1):
        if count > _MAX_INSTANCES:
            raise RobotError(f"more than {_MAX_INSTANCES} pieces")
        if geometry_id not in cache:
            cache[geometry_id] = _geometry(geometries.get(geometry_id))
        parts.append(cache[geometry_id] @ world[:3, :3].T + world[:3, 3])
    unit = root.find("asset/unit")
    metres = markup.number(unit.get("meter", "1"), "unit") if unit is not None else 1.0
    corners = np.concatenate(parts) * metres if parts else np.zeros((0, 3, 3))
    if heed_up_axis and (root.findtext("asset/up_axis") or "").strip() == "Y_UP":
        corners = np.stack([corners[..., 0], -corners[..., 2], corners[..., 1]], axis=-1)
    return corners


def _instances(root: Element, nodes: dict[str, Element]) -> Iterator[tuple[Array, str]]:
    """Each placed geometry of the first scene: `world_from_geometry` and its id."""
    scene = root.find("library_visual_scenes/visual_scene")
    if scene is None:
        yield from ((np.eye(4), g.get("id", "")) for g in root.iterfind("library_geometries/geometry"))
        return
    stack = [(np.eye(4), node, 0) for node in reversed(scene.findall("node"))]
    while stack:
        above, node, depth = stack.pop()
        if depth > markup.MAX_DEPTH:
            raise RobotError("nodes refer to each other in a circle")
        world = above @ _transform(node)
        for instance in node.findall("instance_geometry"):
            yield world, instance.get("url", "").lstrip("#")
        inner = [*node.findall("node")]
        inner += [nodes[url] for i in node.findall("instance_node") if (url := i.get("url", "").lstrip("#")) in nodes]
        if len(stack) + len(inner) > _MAX_INSTANCES:
            raise RobotError(f"more than {_MAX_INSTANCES} nodes")
        stack += [(world, child, depth + 1) for child in reversed(inner)]


def _transform(node: Element) -> Array:
    """Product of a node's transforms, in the order in which they are written."""
    out = np.eye(4)
    for element in node:
        text, step = element.text or "", np.eye(4)
        if element.tag == "matrix":
            step = markup.numbers(text, 16, "<matrix>").reshape(4, 4)
        elif element.tag == "translate":
            step[:3, 3] = markup.numbers(text, 3, "<translate>")
        elif element.tag == "rotate":
            turn = markup.numbers(text, 4, "<rotate>")
            axis = turn[:3] / max(float(np.linalg.norm(turn[:3])), 1e-12)
            step[:3, :3] = rotations.to_matrix(rotations.from_axis_angle(axis, np.radians(turn[3])))
        elif element.tag == "scale":
            step[:3, :3] = np.diag(markup.numbers(text, 3, "<scale>"))
        else:
            continue
        out = out @ step
    return out


def _geometry(geometry: Element | None) -> Array:
    """(n, 3, 3) triangles of one geometry in its own frame."""
    mesh = geometry.find("mesh") if geometry is not None else None
    if mesh is None:
        return np.zeros((0, 3, 3))
    sources = {s.get("id", ""): s for s in mesh.iterfind("source")}
    vertices = {
        v.get("id", ""): i.get("source", "").lstrip("#")
        for v in mesh.iterfind("vertices")
        for i in v.iterfind("input")
        if i.get("semantic") == "POSITION"
    }
    positions: dict[str, Array] = {}
    parts: list[Array] = []
    for kind in ("triangles", "polylist", "polygons"):
        for primitive in mesh.iterfind(kind):
            inputs = primitive.findall("input")
            vertex = next((i for i in inputs if i.get("semantic") == "VERTEX"), None)
            source = vertices.get(vertex.get("source", "").lstrip("#"), "") if vertex is not None else ""
            if vertex is None or source not in sources:
                raise RobotError(f"<{kind}> without vertices")
            if source not in positions:
                positions[source] = _floats(sources[source])
            stride = 1 + max(_integer(i.get("offset", "0")) for i in inputs)
            corners = _corners(primitive, kind, stride, _integer(vertex.get("offset", "0")))
            if corners.size and (corners.min() < 0 or corners.max() >= len(positions[source])):
                raise RobotError(f"<{kind}> names a vertex that does not exist")
            parts.append(positions[source][corners])
    return np.concatenate(parts) if parts else np.zeros((0, 3, 3))


def _corners(primitive: Element, kind: str, stride: int, offset: int) -> NDArray[np.int64]:
    """(n, 3) vertex indices; polygons are cut into fans."""
    if kind == "polygons":
        rows = [_integers(p.text)[offset::stride] for p in primitive.iterfind("p")]
        counts = np.array([len(row) for row in rows], np.int64)
        index = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    else:
        index = _integers(primitive.findtext("p"))[offset::stride]
        vcount = primitive.findtext("vcount")
        counts = _integers(vcount) if kind == "polylist" else np.full(len(index) // 3, 3, np.int64)
    if (counts.size and counts.min() < 0) or counts.sum() > len(index):
        raise RobotError(f"<{kind}> counts more vertices than it has")
    starts = np.cumsum(counts) - counts
    fans = np.repeat(np.arange(len(counts)), np.maximum(counts - 2, 0))
    within = np.arange(len(fans)) - np.repeat(np.cumsum(np.maximum(counts - 2, 0)) - np.maximum(counts - 2, 0),
                                              np.maximum(counts - 2, 0))  # fmt: skip
    first = starts[fans]
    return np.stack([index[first], index[first + within + 1], index[first + within + 2]], axis=-1).reshape(-1, 3)


def _floats(source: Element) -> Array:
    """(n, 3) positions of a source."""
    values = markup.floats(source.findtext("float_array") or "")
    if len(values) % 3 or not np.isfinite(values).all():
        raise RobotError("positions are not triples of finite numbers")
    return values.reshape(-1, 3)


def _integers(text: str | None) -> NDArray[np.int64]:
    return markup.floats(text or "", np.int64)


def _integer(text: str) -> int:
    value = markup.number(text, "offset")
    if not 0 <= value <= 32:
        raise RobotError(f"offset {text} is out of range")
    return int(value)
