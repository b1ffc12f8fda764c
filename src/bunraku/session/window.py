"""A performance in MuJoCo's own window, in real time and round and round, until the window is closed."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import GraphicsError
from bunraku.outputs.picture import ELEVATION, facing, room_of, visible
from bunraku.outputs.stage import stage_model

if TYPE_CHECKING:
    import mujoco

    from bunraku.robots import Robot
    from bunraku.session.performance import Performance

Array = NDArray[np.float64]
FRAME_S = 1 / 60
HEADLESS = "bunraku demo --headless makes pictures instead"


def need_window() -> None:
    """Refuse before the work where no window can be opened: MuJoCo's own would end the program then."""
    import glfw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", glfw.GLFWError)
        opened = None
        if glfw.init():
            glfw.window_hint(glfw.VISIBLE, glfw.FALSE)
            opened = glfw.create_window(64, 64, "bunraku", None, None)
            glfw.terminate()
    if not opened:
        raise GraphicsError(f"no window can be opened here: {HEADLESS}")


def show(performance: Performance) -> None:
    """Open the window and play; returns when it is closed."""
    import mujoco.viewer

    robot, qpos, fps = performance.robot, performance.played.qpos, performance.played.fps
    model = stage_model(robot, 1280, 960, shadows=True)
    data = mujoco.MjData(model)
    stand = Stand(robot, model, data)
    stand.place(qpos[0])
    try:
        viewer = mujoco.viewer.launch_passive(model, data, show_left_ui=False, show_right_ui=False)
    except RuntimeError as error:
        raise GraphicsError(f"the window does not open ({error}): {HEADLESS}") from error
    with viewer.lock():
        stand.aim(viewer.cam, qpos[0])
        viewer.opt.geomgroup[:] = visible(model).geomgroup
    started, before = time.monotonic(), qpos[0]
    with viewer:
        while viewer.is_running():
            now = qpos[int((time.monotonic() - started) * fps) % len(qpos)]
            with viewer.lock():
                stand.place(now)
                if robot.base == "free":
                    # Whoever turned or moved the camera keeps it so; it only goes along with the robot.
                    viewer.cam.lookat[:2] += now[:2] - before[:2]
            viewer.sync()
            before = now
            time.sleep(FRAME_S)


class Stand:
    """Where the robot of a window stands, with the lights above it wherever it goes."""

    def __init__(self, robot: Robot, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.robot, self.model, self.data = robot, model, data
        self.room = room_of(model, data, robot)
        model.stat.extent = 1.8 * self.room  # what is drawn takes its fog and shadow sizes from here

    def place(self, qpos: Array) -> None:
        """The robot in this configuration."""
        import mujoco

        middle = np.array([*self._here(qpos), 0.5 * self.room])
        self.model.light_pos[:] = middle - 2.5 * self.model.stat.extent * self.model.light_dir
        self.data.qpos[:] = qpos
        mujoco.mj_forward(self.model, self.data)

    def aim(self, camera: mujoco.MjvCamera, qpos: Array) -> None:
        """All of the robot, from its front."""
        camera.lookat[:] = [*self._here(qpos), 0.5 * self.room]
        camera.distance = 0.6 * self.room / np.tan(np.radians(self.model.vis.global_.fovy) / 2)
        camera.azimuth, camera.elevation = facing(self.robot, qpos), ELEVATION

    def _here(self, qpos: Array) -> Array:
        """(2,) the base's place on the floor."""
        return np.array(qpos[:2]) if self.robot.base == "free" else np.zeros(2)
