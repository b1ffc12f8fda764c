"""Pictures without a window: a robot on a stage, and beside it the person whose motion it has."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from bunraku.errors import OutputError
from bunraku.outputs.figure import Figure as Figure
from bunraku.outputs.figure import draw_disc, draw_figure, height_of
from bunraku.outputs.gl import open_context
from bunraku.outputs.stage import FLOOR, FLOOR_PERIOD, stage_model
from bunraku.outputs.strip import save_png as save_png
from bunraku.outputs.strip import strip as strip
from bunraku.robots.robot import Robot

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

_MAX_GEOMS = 4000
_LEAST_SHARE = 0.95
"""a person beside a robot that is lower than this share of his height is drawn smaller"""
APART = 0.9
"""between the middles of person and robot, of the height of the higher one"""
_POSES = 16
_SIDE = 17.0
"""degrees that the camera stands off the front"""
ELEVATION = -9.0


class Scene:
    """A camera, a stage, a robot and a figure. Close it, or use it as a context manager.

    The first picture decides from where the camera looks: from the front of the robot as it then stands. The camera
    follows the robot's base over the floor, and the figure stays beside the robot wherever either goes. Without
    `shadows` a picture takes a third of the time: for films.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        figure: Figure | None = None,
        width: int = 640,
        height: int = 480,
        shadows: bool = True,
        apart: float = APART,
    ) -> None:
        self.robot, self.figure, self.width, self.height = robot, figure, width, height
        self._apart = apart
        self.model = stage_model(robot, width, height, shadows)
        self.data = mujoco.MjData(self.model)
        self._robot_room = room_of(self.model, self.data, robot)
        self.model.stat.extent = 1.8 * self._robot_room  # what is drawn takes its fog and shadow sizes from here
        self._context: Any = open_context(width, height)
        self._context.make_current()
        self._painter = mujoco.MjrContext(self.model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._painter)
        self._shadows = shadows
        self._scene = mujoco.MjvScene(self.model, maxgeom=_MAX_GEOMS)
        flags = mujoco.mjtRndFlag
        for flag, on in ((flags.mjRND_SHADOW, shadows), (flags.mjRND_REFLECTION, False), (flags.mjRND_FOG, True)):
            self._scene.flags[flag] = on
        self._option = visible(self.model)
        self._camera = mujoco.MjvCamera()
        self._azimuth: float | None = None
        self._scale: float | None = None
        self._figure_height = 0.0
        self._root = np.zeros(2)

    def __enter__(self) -> Scene:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the graphics context back."""
        if self._context is not None:
            self._context.make_current()
            self._painter.free()
            self._context.free()
            self._context = None

    def render(self, qpos: Array, points: Array | None = None, valid: NDArray[np.bool_] | None = None) -> Image:
        """(H, W, 3) the robot in a configuration, and to the left of it the figure: points (J, 3) where `valid`."""
        if self._context is None:
            raise OutputError("this scene is closed")
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)
        here = np.array(qpos[:2]) if self.robot.base == "free" else self.data.xpos[1, :2].copy()
        if self._azimuth is None:
            self._azimuth = facing(self.robot, qpos)
        away = np.zeros(2)
        if self.figure is not None and points is not None:
            valid = np.ones(len(points), bool) if valid is None else valid
            self._fit(points, valid)
            away = self._apart * self._highest() * _left(self._azimuth)
        self._aim(here + away / 2, beside=bool(away.any()))
        mujoco.mjv_updateScene(
            self.model, self.data, self._option, None, self._camera, mujoco.mjtCatBit.mjCAT_ALL.value, self._scene
        )
        self._move_stage()
        if self.figure is not None and points is not None and valid is not None:
            placed = self._placed(np.asarray(points, float), valid, here + away)
            draw_figure(self._scene, self.figure, placed, valid, self._figure_height)
            self._ground(here + away, self._figure_height)
        self._ground(here, self._robot_room)
        return self._shoot()

    def _shoot(self) -> Image:
        image = np.empty((self.height, self.width, 3), np.uint8)
        rectangle = mujoco.MjrRect(0, 0, self.width, self.height)
        self._context.make_current()
        mujoco.mjr_render(rectangle, self._scene, self._painter)
        mujoco.mjr_readPixels(image, None, rectangle, self._painter)
        return np.ascontiguousarray(image[::-1])

    def _move_stage(self) -> None:
        """Floor and lights go along; the floor by whole periods of its pattern, the lights turn with the camera too."""
        turned = np.radians(self._camera.azimuth - 180.0 - _SIDE)
        c, s = np.cos(turned), np.sin(turned)
        for light in self._scene.lights[: self._scene.nlight]:
            if not light.headlight:
                light.dir[:2] = [c * light.dir[0] - s * light.dir[1], s * light.dir[0] + c * light.dir[1]]
                light.pos[:] = self._camera.lookat - 2.5 * self.model.stat.extent * light.dir
        floor = self.model.geom(FLOOR).id
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objid == floor and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                geom.pos[:2] = np.round(self._camera.lookat[:2] / FLOOR_PERIOD) * FLOOR_PERIOD
                return

    def _ground(self, at: Array, height: float) -> None:
        if not self._shadows:
            draw_disc(self._scene, at, 0.17 * height)

    def _fit(self, points: Array, valid: NDArray[np.bool_]) -> None:
        """The first figure decides how large figures are drawn."""
        if self._scale is None:
            height = height_of(points, valid)
            self._scale = min(1.0, self._robot_room / _LEAST_SHARE / height)
            self._figure_height = height * self._scale

    def _placed(self, points: Array, valid: NDArray[np.bool_], at: Array) -> Array:
        """The figure's points in the scene: scaled, its root above the given place on the floor."""
        if valid[0]:
            self._root = points[0, :2].copy()
        moved = points - np.array([*self._root, 0.0])
        return np.asarray(moved * (self._scale or 1.0) + np.array([*at, 0.0]))

    def _highest(self) -> float:
        return max(self._robot_room, self._figure_height)

    def _aim(self, middle: Array, *, beside: bool) -> None:
        """Look at the middle from far enough to see everything, arms stretched out."""
        size = self._highest()
        wide = (1.0 + self._apart if beside else 1.15) * size
        high = max(1.2 * size, wide * self.height / self.width)
        self._camera.lookat[:] = [*middle, 0.5 * size]
        self._camera.distance = high / 2 / np.tan(np.radians(self.model.vis.global_.fovy) / 2)
        self._camera.azimuth, self._camera.elevation = self._azimuth, ELEVATION


def visible(model: mujoco.MjModel) -> mujoco.MjvOption:
    """What is made to be seen (group 2) and the stage; where nothing is, all shapes."""
    option = mujoco.MjvOption()
    seen = model.geom_group[model.geom_bodyid > 0] == 2
    option.geomgroup[:] = [1, 0, 1, 0, 0, 0] if seen.any() else [1, 1, 1, 1, 0, 0]
    option.sitegroup[:] = 0
    return option


def room_of(model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> float:
    """Metres that the robot takes: its height in the neutral pose, or as far as it can reach if that is more."""
    own = model.geom_bodyid > 0
    data.qpos[:] = robot.neutral
    mujoco.mj_kinematics(model, data)
    frames = data.geom_xmat[own].reshape(-1, 3, 3)
    tops = data.geom_xpos[own] + np.einsum("gij,gj->gi", frames, model.geom_aabb[own, :3])
    tops += np.einsum("gij,gj->gi", np.abs(frames), model.geom_aabb[own, 3:])
    rng, reach = np.random.default_rng(0), 0.0
    low, high = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    for _ in range(_POSES):
        joints = rng.uniform(low, high)
        data.qpos[:] = robot.clamp(np.concatenate([robot.neutral[: robot.first_joint], joints]))
        mujoco.mj_kinematics(model, data)
        aside = np.linalg.norm(data.geom_xpos[own, :2] - data.xpos[1, :2], axis=1) + 0.5 * model.geom_rbound[own]
        reach = max(reach, float(aside.max()))
    return max(float(tops[:, 2].max()), 1.5 * reach, 0.05)


def facing(robot: Robot, qpos: Array) -> float:
    """The azimuth of a camera that looks at the robot's front as it then stands, degrees."""
    front = robot.semantics.world_from_body[:, 0]
    turned = _heading(qpos[3:7]) if robot.base == "free" else 0.0
    return 180.0 + _SIDE + turned + float(np.degrees(np.arctan2(front[1], front[0])))


def _heading(quaternion: Array) -> float:
    """Degrees that a base is turned about the vertical."""
    w, x, y, z = quaternion
    return float(np.degrees(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))))


def _left(azimuth_deg: float) -> Array:
    """(2,) the unit vector on the floor that points to the left in the picture."""
    a = np.radians(azimuth_deg)
    return np.array([-np.sin(a), np.cos(a)])
