"""MuJoCo models of robots."""

from __future__ import annotations

import gc

import mujoco
import numpy as np
import pytest

from bunraku.errors import RobotError
from bunraku.robots import load_robot
from bunraku.robots.model import _compiled, compile_model, compile_xml, model_xml, parse_spec
from small_robots import pendulum, write


@pytest.fixture
def robot(tmp_path):
    text = pendulum('<site name="s"/><camera name="eye"/>').replace(
        "<worldbody>", '<actuator><motor joint="swing"/></actuator><asset><material name="m"/></asset><worldbody>'
    )
    return load_robot(write(tmp_path, text.replace('size="0.1"', 'size="0.1" material="m"'), "r.xml"))


def test_a_model_is_compiled_once_and_forgotten_with_its_robot(robot):
    """The same object for the same robot; none is kept when the robot is gone."""
    assert compile_model(robot) is compile_model(robot)
    assert compile_model(robot) is not compile_model(robot, visuals=False)
    count = len(_compiled)
    del robot
    gc.collect()
    assert len(_compiled) <= count


def test_models_have_no_actuators(robot):
    """What drives a robot is for a simulation to say; cameras and sites stay."""
    model = compile_model(robot)
    assert (model.nu, model.nsite, model.ncam, model.nmat) == (0, 1, 1, 1)


def test_without_visuals_there_are_no_files_or_materials(robot):
    """The text stands alone."""
    text = model_xml(robot, visuals=False)
    assert "file=" not in text
    assert mujoco.MjModel.from_xml_string(text).nmat == 0
    assert model_xml(robot) == robot.xml


@pytest.mark.parametrize("name", ["lamp", "puppet", "inmoov"])
def test_both_models_move_alike(name):
    """Masses, inertias and kinematics do not depend on the pictures."""
    robot = load_robot(name)
    full, bare = compile_model(robot), compile_model(robot, visuals=False)
    assert full.nq == bare.nq
    for field in ("body_mass", "body_inertia", "body_pos", "jnt_range", "dof_damping"):
        assert np.allclose(getattr(full, field), getattr(bare, field)), field


def test_warnings_about_simulating_go_nowhere(tmp_path, monkeypatch):
    """Two hinges on one axis are singular, which MuJoCo would note in a file in the working folder."""
    monkeypatch.chdir(tmp_path)
    load_robot(write(tmp_path / "in", pendulum('<joint axis="0 1 0"/>').replace('<geom size="0.1"/>', ""), "r.xml"))
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("read", [compile_xml, parse_spec])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "<mujoco>",
        "<mujoco><nonsense/></mujoco>",
        "<mujoco><worldbody><body><geom size='a'/></body></worldbody></mujoco>",
    ],
)
def test_what_mujoco_refuses_is_a_robot_error(read, text):
    """One line, without the line numbers of a text that nobody sees."""
    with pytest.raises(RobotError, match="MuJoCo: ") as caught:
        read(text)
    assert "\n" not in str(caught.value)
    assert "line" not in str(caught.value)
