"""The demo's window: what can be told of it without one."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from bunraku.errors import GraphicsError
from bunraku.outputs.stage import stage_model
from bunraku.robots import load_robot
from bunraku.session.window import Stand, need_window


def test_no_display_is_said_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo's own window would end the program."""
    monkeypatch.setenv("DISPLAY", ":987")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(GraphicsError, match="bunraku demo --headless"):
        need_window()


@pytest.mark.parametrize("name", ["puppet", "lamp"])
def test_the_camera_sees_all_of_the_robot_from_its_front(name: str) -> None:
    """Every shape lies within the view's cone, wherever the robot stands and turns to."""
    robot = load_robot(name)
    model = stage_model(robot, 640, 480, shadows=True)
    data = mujoco.MjData(model)
    stand, camera, qpos = Stand(robot, model, data), mujoco.MjvCamera(), robot.neutral.copy()
    if robot.base == "free":
        qpos[:2], qpos[3:7] = (4.0, -3.0), (np.sqrt(0.5), 0, 0, np.sqrt(0.5))
    stand.place(qpos)
    stand.aim(camera, qpos)
    azimuth, elevation = np.radians(camera.azimuth), np.radians(camera.elevation)
    ahead = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    eye = camera.lookat - camera.distance * ahead
    front = data.xmat[1].reshape(3, 3)[:, 0]
    assert ahead @ front < -0.8
    seen = data.geom_xpos[model.geom_bodyid > 0] - eye
    angles = np.degrees(np.arccos(seen @ ahead / np.linalg.norm(seen, axis=1)))
    assert angles.max() < model.vis.global_.fovy / 2


def test_the_lights_go_along() -> None:
    """The shadow falls at the robot's feet however far it has walked."""
    robot = load_robot("puppet")
    model = stage_model(robot, 640, 480, shadows=True)
    data = mujoco.MjData(model)
    stand, qpos = Stand(robot, model, data), robot.neutral.copy()
    stand.place(qpos)
    before = data.light_xpos.copy()
    qpos[:2] += (7.0, 2.0)
    stand.place(qpos)
    np.testing.assert_allclose(data.light_xpos - before, np.tile([7.0, 2.0, 0.0], (len(before), 1)), atol=1e-9)
