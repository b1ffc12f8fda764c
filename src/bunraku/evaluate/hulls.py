"""Collision shapes as convex hulls, and which links of a robot may not touch: facts of a MuJoCo model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.evaluate.metric import Array, Flags

if TYPE_CHECKING:
    import mujoco

JOINTS_APART = 2
"""links with no more joints than this between them may touch"""
_ROUND = 24


@dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of a collision shape: points, each with a ball of the same radius around it."""

    geom: int
    points: Array
    """(k, 3) in the shape's frame"""
    radius: float

    @property
    def reach(self) -> float:
        """Distance of the farthest point from the shape's origin, m"""
        return float(np.linalg.norm(self.points, axis=1).max()) + self.radius


def hulls(model: mujoco.MjModel) -> list[Hull]:
    """All collision shapes on the robot's bodies; what is fixed to the world itself is scenery."""
    solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    return [_hull(model, int(g)) for g in np.flatnonzero(solid & (model.geom_bodyid != 0))]


def _hull(model: mujoco.MjModel, geom: int) -> Hull:
    import mujoco

    kind, (a, b, c) = mujoco.mjtGeom(model.geom_type[geom]), model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        return Hull(geom, _mesh_points(model, int(model.geom_dataid[geom])), 0.0)
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return Hull(geom, np.zeros((1, 3)), float(a))
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return Hull(geom, np.array([[0.0, 0.0, b], [0.0, 0.0, -b]]), float(a))
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return Hull(geom, np.array([[x, y, z] for x in (-a, a) for y in (-b, b) for z in (-c, c)]), 0.0)
    turns = np.linspace(0, 2 * np.pi, _ROUND, endpoint=False)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return Hull(geom, np.array([[a * np.cos(t), a * np.sin(t), z] for t in turns for z in (-b, b)]), 0.0)
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        tilts = np.linspace(-np.pi / 2, np.pi / 2, _ROUND // 2 + 1)
        ball = [[np.cos(u) * np.cos(t), np.cos(u) * np.sin(t), np.sin(u)] for t in turns for u in tilts]
        return Hull(geom, np.array(ball) * [a, b, c], 0.0)
    return Hull(geom, np.zeros((1, 3)), float(model.geom_rbound[geom]))


def _mesh_points(model: mujoco.MjModel, mesh: int) -> Array:
    """(k, 3) vertices of a mesh that lie on its convex hull; all of them where the model holds no hull."""
    first = model.mesh_vertadr[mesh]
    vertices = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(float)
    graph = model.mesh_graphadr[mesh]
    if graph < 0:
        return np.asarray(vertices)
    # A graph begins with its numbers of vertices and faces, then an edge address and a mesh vertex for each vertex.
    count = model.mesh_graph[graph]
    return np.asarray(vertices[model.mesh_graph[graph + 2 + count : graph + 2 + 2 * count]])


def ancestors(model: mujoco.MjModel) -> Flags:
    """(B, B) whether a body hangs on (column) another, itself included; bodies welded together count as one."""
    weld = model.body_weldid
    out = np.zeros((model.nbody, model.nbody), bool)
    for body in range(model.nbody):  # parents come first
        root = weld[body]
        if body == root:
            out[body] = out[weld[model.body_parentid[body]]]
            out[body, body] = True
        else:
            out[body] = out[root]
    return out


def apart(model: mujoco.MjModel) -> Flags:
    """(B, B) pairs of the robot's bodies that are more than two joints apart, along the tree."""
    above = ancestors(model).astype(int)
    depth = above.sum(axis=1)
    far = depth[:, None] + depth[None, :] - 2 * (above @ above.T) > JOINTS_APART
    far[0, :] = far[:, 0] = False
    return np.asarray(far)


def sole(model: mujoco.MjModel, shapes: list[Hull], foot: str) -> list[Hull]:
    """The shapes of the body with this name, of what is welded to it, and of what hangs on it."""
    import mujoco

    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, foot)
    if body < 0:
        return []
    on_foot = ancestors(model)[:, model.body_weldid[body]]
    return [shape for shape in shapes if on_foot[model.geom_bodyid[shape.geom]]]
