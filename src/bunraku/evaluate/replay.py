"""A motion played through MuJoCo's geometry, without dynamics: lowest points, soles, self-contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.evaluate.collision import TOUCH_M
from bunraku.evaluate.hulls import Hull, apart
from bunraku.evaluate.metric import Array, Flags

if TYPE_CHECKING:
    import mujoco

_CHUNK = 1024


@dataclass(frozen=True, eq=False)
class Replay:
    """T frames of what the robot's body does, with S soles."""

    lowest: Array
    """(T,) height of the lowest point, m"""
    overlap: Array
    """(T,) depth of the deepest contact of the robot with itself, m; 0 where none is deeper than 1 mm"""
    touching: tuple[tuple[int, str, str], ...]
    """frame and the two links, once for each pair that so touches in it"""
    sole_height: Array
    """(T, S) height of the sole's lowest point, m"""
    sole_speed: Array
    """(T, S) horizontal speed of the body's point that is lowest, m/s"""


@dataclass(frozen=True, eq=False)
class _Poses:
    """F frames of all G shapes."""

    position: Array
    """(F, G, 3)"""
    rotation: Array
    """(F, G, 3, 3)"""
    contacts: Mapping[int, Mapping[tuple[int, int], float]]
    """frame → pair of bodies → depth, m"""


def replay(
    model: mujoco.MjModel, qpos: Array, fps: float, shapes: Sequence[Hull], soles: Sequence[Sequence[Hull]]
) -> Replay:
    """Every frame of `qpos` (T, nq) once; `shapes` and each of `soles` hold at least one."""
    import mujoco

    T, data = len(qpos), mujoco.MjData(model)
    counted = apart(model)
    at_rest = _poses(model, data, model.qpos0[None], counted)
    for pair in at_rest.contacts.get(0, ()):
        counted[pair] = counted[pair[::-1]] = False
    lowest, overlap, touching = np.empty(T), np.zeros(T), []
    height, speed = np.empty((T, len(soles))), np.empty((T, len(soles)))
    for start in range(0, T, _CHUNK):
        stop = min(start + _CHUNK, T)
        # One frame more on either side, for the speeds.
        first, last = max(start - 1, 0), min(stop + 1, T)
        poses = _poses(model, data, qpos[first:last], counted)
        rows, keep = slice(start, stop), slice(start - first, stop - first)
        lowest[rows] = _lowest(shapes, poses)[keep]
        for column, sole in enumerate(soles):
            z, v = _sole(sole, poses, fps)
            height[rows, column], speed[rows, column] = z[keep], v[keep]
        for frame, pairs in poses.contacts.items():
            if start <= first + frame < stop:
                overlap[first + frame] = max(pairs.values())
                touching += [(first + frame, model.body(a).name, model.body(b).name) for a, b in pairs]
    return Replay(lowest=lowest, overlap=overlap, touching=tuple(touching), sole_height=height, sole_speed=speed)


def _poses(model: mujoco.MjModel, data: Any, qpos: Array, counted: Flags) -> _Poses:
    import mujoco

    position, rotation = np.empty((len(qpos), model.ngeom, 3)), np.empty((len(qpos), model.ngeom, 9))
    contacts: dict[int, dict[tuple[int, int], float]] = {}
    for frame, configuration in enumerate(qpos):
        data.qpos[:] = configuration
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        position[frame], rotation[frame] = data.geom_xpos, data.geom_xmat
        if not data.ncon:
            continue
        bodies = np.sort(model.geom_bodyid[data.contact.geom], axis=1)
        depth = -data.contact.dist
        for k in np.flatnonzero((depth >= TOUCH_M) & counted[bodies[:, 0], bodies[:, 1]]):
            pairs, pair = contacts.setdefault(frame, {}), (int(bodies[k, 0]), int(bodies[k, 1]))
            pairs[pair] = max(pairs.get(pair, 0.0), float(depth[k]))
    return _Poses(position=position, rotation=rotation.reshape(len(qpos), -1, 3, 3), contacts=contacts)


def _lowest(shapes: Sequence[Hull], poses: _Poses) -> Array:
    """(F,) height of the lowest point; a shape is looked at only where it can reach lower than those before it."""
    bounds = [poses.position[:, shape.geom, 2] - shape.reach for shape in shapes]
    lowest = np.full(len(poses.position), np.inf)
    for k in np.argsort([bound.mean() for bound in bounds]):
        frames = np.flatnonzero(bounds[k] < lowest)
        if frames.size:
            lowest[frames] = np.minimum(lowest[frames], _heights(shapes[k], poses, frames).min(axis=1))
    return lowest


def _heights(shape: Hull, poses: _Poses, frames: Any = slice(None)) -> Array:
    """(F, k) height of the underside of each of the hull's points."""
    up = poses.rotation[frames, shape.geom, 2]
    return np.asarray(up @ shape.points.T + poses.position[frames, shape.geom, 2, None] - shape.radius)


def _sole(sole: Sequence[Hull], poses: _Poses, fps: float) -> tuple[Array, Array]:
    """(F,) height of the sole's lowest point, and that point's horizontal speed by central differences."""
    heights = np.concatenate([_heights(shape, poses) for shape in sole], axis=1)
    geoms = np.concatenate([np.full(len(shape.points), shape.geom) for shape in sole])
    points = np.concatenate([shape.points for shape in sole])
    lowest, frames = heights.argmin(axis=1), np.arange(len(heights))
    before, after = np.maximum(frames - 1, 0), np.minimum(frames + 1, len(frames) - 1)
    ways = _place(poses, after, geoms[lowest], points[lowest]) - _place(poses, before, geoms[lowest], points[lowest])
    return heights[frames, lowest], np.linalg.norm(ways[:, :2], axis=1) * fps / np.maximum(after - before, 1)


def _place(poses: _Poses, frames: Any, geoms: Any, points: Array) -> Array:
    """(F, 3) world positions of points that are given in their shapes' frames."""
    return np.asarray(poses.position[frames, geoms] + np.einsum("fij,fj->fi", poses.rotation[frames, geoms], points))
