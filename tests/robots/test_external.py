"""xacro files, and robots behind robot_descriptions names."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from bunraku.errors import MissingPackageError, RobotError, UnknownNameError
from bunraku.robots import external, load_robot
from small_robots import box_stl, write

XACRO = """<?xml version="1.0"?><robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:include filename="$(find arm_description)/urdf/limb.xacro"/>
<link name="base"/><xacro:limb side="left"/><xacro:limb side="right"/></robot>"""
LIMB = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="limb" params="side">
<link name="${side}"><collision><geometry><mesh filename="file://$(find arm_description)/meshes/a.stl"/></geometry>
</collision></link>
<joint name="${side}_joint" type="revolute"><parent link="base"/><child link="${side}"/><limit upper="${pi/2}"/></joint>
</xacro:macro></robot>"""

needs_xacro = pytest.mark.skipif(importlib.util.find_spec("xacro") is None, reason="xacro is not installed")


@needs_xacro
def test_xacro_is_expanded(tmp_path):
    """Macros, includes and packages found without ROS; meshes too."""
    write(tmp_path, "<package/>", "arm_description/package.xml")
    write(tmp_path, LIMB, "arm_description/urdf/limb.xacro")
    write(tmp_path, box_stl(), "arm_description/meshes/a.stl")
    robot = load_robot(write(tmp_path, XACRO, "arm_description/urdf/arm.urdf.xacro"))
    assert robot.joint_names == ("left_joint", "right_joint")
    assert robot.upper == pytest.approx([1.5707963, 1.5707963])
    assert robot.warnings == ()


@needs_xacro
@pytest.mark.parametrize(
    "text, says",
    [
        (XACRO, "xacro: "),
        ('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${1/0}"/></robot>', "xacro: .*division"),
        ("<robot", "not well-formed"),
        ('<!DOCTYPE r [<!ENTITY a "a">]><robot/>', "document type"),
    ],
)
def test_what_xacro_refuses_is_one_line(tmp_path, text, says):
    """Its last word, without its traceback."""
    with pytest.raises(RobotError, match=says) as caught:
        load_robot(write(tmp_path, text, "arm.xacro"))
    assert "\n" not in str(caught.value)


def test_without_xacro_the_line_that_installs_it(tmp_path, monkeypatch):
    """The package is asked for when a file needs it."""
    monkeypatch.setattr(external, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="xacro"):
        load_robot(write(tmp_path, "<robot/>", "arm.xacro"))
    with pytest.raises(MissingPackageError, match="robot_descriptions"):
        load_robot("h1_mj_description")


def test_a_description_is_taken_from_the_package(tmp_path, monkeypatch):
    """What the module says is loaded, meshes of its repository included."""
    write(tmp_path, box_stl(), "repo/deep/assets/a.stl")
    path = write(
        tmp_path,
        '<mujoco><asset><mesh file="../assets/a.stl"/></asset><worldbody><body><geom size="1"/><body><joint name="j"/>'
        '<geom type="mesh" mesh="a"/></body></body></worldbody></mujoco>',
        "repo/deep/one/r.xml",
    )
    monkeypatch.setattr(external, "described_names", lambda: ("thing_mj_description",))
    code = external._SHOW.replace('importlib.import_module("robot_descriptions." + sys.argv[1])', "None")
    module = f"class M: MJCF_PATH = {str(path)!r}; REPOSITORY_PATH = {str(tmp_path / 'repo')!r}\n"
    monkeypatch.setattr(external, "_SHOW", module + code.replace("m = None", "print('Cloning …'); m = M"))
    robot = load_robot("thing_mj_description")
    assert (robot.name, robot.joint_names) == ("thing_mj_description", ("j",))
    # ../assets leads out of deep/one, but not out of the repository.
    assert robot.warnings == ()


@pytest.mark.parametrize(
    "code, says",
    [
        ("raise ValueError('fatal: no network')", "fatal: no network"),
        ("exit(3)", "no reason"),
        ("print('{}')", "neither URDF nor MJCF"),
    ],
)
def test_a_failed_fetch_is_one_line(monkeypatch, code, says):
    """Whatever the package prints or raises."""
    monkeypatch.setattr(external, "_SHOW", code)
    with pytest.raises(RobotError, match=says) as caught:
        external.fetch_description("thing_description")
    assert "\n" not in str(caught.value)


def test_what_hangs_is_given_up(monkeypatch):
    """A program that does not end is ended."""
    with pytest.raises(RobotError, match="not finished after"):
        external._run([sys.executable, "-c", "import time; time.sleep(60)"], 0.2, {})


def test_names_of_the_package_are_listed_for_what_looks_like_one(monkeypatch):
    """…_description is looked up there; another unknown name is not."""
    monkeypatch.setattr(external, "described_names", lambda: ("h1_description",))
    with pytest.raises(UnknownNameError, match="h1_description"):
        load_robot("h2_description")
    with pytest.raises(UnknownNameError) as caught:
        load_robot("h2")
    assert "h1_description" not in caught.value.valid


def test_the_real_package_knows_many():
    """Its list is read without fetching anything."""
    if importlib.util.find_spec("robot_descriptions") is None:
        pytest.skip("robot_descriptions is not installed")
    assert len(external.described_names()) > 100
