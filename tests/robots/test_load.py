"""Loading robots: names, files, bases, and input that is none."""

from __future__ import annotations

import copy
import os
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bunraku.errors import RobotError, UnknownNameError
from bunraku.robots import catalog, load_robot
from bunraku.robots.load import compile_model
from shared import need, robots
from small_robots import INERTIAL, MESH, SHAPE, arm, box_stl, joint, link, mjcf, our_errors_only, pendulum, urdf, write


@pytest.mark.parametrize("name", [entry.name for entry in catalog.available() if entry.installed])
def test_every_named_robot_loads(name):
    """Under its name, without warnings, with sane numbers, and with a full model of the same size."""
    robot = load_robot(name)
    assert robot.name == name
    assert robot.warnings == ()
    assert robot.shapes
    assert np.all(robot.lower < robot.upper)
    assert np.all(robot.velocity > 0)
    assert np.all(robot.effort > 0)
    assert np.all(robot.links.mass >= 0)
    assert np.isfinite(robot.neutral).all()
    assert set(robot.links.node) == set(range(len(robot.tree.parent)))


def test_every_file_without_its_meshes_loads():
    """URDF and MJCF, scenes too: at most one warning about meshes and one about limits; the full model compiles."""
    for path in need([p for p in robots("**/*") if p.suffix in (".urdf", ".xml") and p.name != "package.xml"]):
        robot = load_robot(path)
        assert sum("mesh" in warning for warning in robot.warnings) == 1, path
        assert len(robot.warnings) <= 2, path
        assert compile_model(robot).nq == robot.tree.qpos_size, path
        assert robot.shapes, path


def test_a_robot_is_found_by_path_and_by_folder(tmp_path):
    """As text or Path; a folder holds a robot.xml or robot.urdf."""
    path = write(tmp_path, arm(), "pal/robot.urdf")
    for given_as in (path, str(path), tmp_path / "pal"):
        robot = load_robot(given_as)
        assert robot.source == path
        assert robot.joint_names == ("elbow",)


def test_the_name_is_that_of_the_description(tmp_path):
    """Or of the file, where the description has none."""
    assert load_robot(write(tmp_path, arm())).name == "small"
    assert load_robot(write(tmp_path, arm().replace(' name="small"', ""), "crane.urdf")).name == "crane"


@pytest.mark.parametrize(
    "name, content, says",
    [
        ("gone.urdf", None, "gone.urdf: no such file"),
        ("empty", "folder", "a folder without robot.xml"),
        ("a.urdf", b"", "a.urdf: not well-formed XML"),
        ("a.urdf", bytes(range(256)) * 10, "not well-formed XML"),
        ("a.urdf", b"<sdf/>", "an SDF; what is read is URDF or xacro"),
        ("a.urdf", b"<world/>", "its first element is <world>; what is read"),
        ("a.urdf", arm()[:200], "not well-formed XML"),
        ("a.urdf", b" " * (20 << 20), "larger than 16 MiB"),
        ("a.urdf", arm(SHAPE.format("")).replace(INERTIAL, SHAPE.format(MESH.format("../../a.stl"))), "leads out of"),
        ("a.urdf", urdf(link("x" * 5000), link("x" * 5000)), "…"),
        ("a.urdf", urdf(link("a")), "no joints that move"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_line(tmp_path, name, content, says):
    """It begins with the file and stays short."""
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        write(tmp_path, content, name)
    with pytest.raises(RobotError, match=says) as caught:
        load_robot(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_devices_and_pipes_are_no_robots(tmp_path):
    """They are not opened, so nothing blocks."""
    os.mkfifo(tmp_path / "pipe.urdf")
    for path in (tmp_path / "pipe.urdf", "/dev/zero"):
        with pytest.raises(RobotError, match="not a file"):
            load_robot(path)


@pytest.mark.parametrize("name", ["", "G1", "no such robot", "x" * 5000, "a\0b.urdf"])
def test_names_that_are_none(name):
    """Whatever is asked for."""
    with pytest.raises((UnknownNameError, RobotError)):
        load_robot(name)


def test_a_base_is_free_or_fixed(tmp_path):
    """The argument decides, in both formats; the model has the same degrees of freedom."""
    for text, name in (
        (arm(), "a.urdf"),
        (pendulum(), "a.xml"),
        (pendulum().replace('name="base">', 'name="base"><freejoint/>'), "b.xml"),
    ):
        path = write(tmp_path, text, name)
        for base in ("free", "fixed"):
            robot = load_robot(path, base=base)
            assert robot.base == base
            assert compile_model(robot).nq == compile_model(robot, visuals=False).nq == robot.tree.qpos_size
    with pytest.raises(UnknownNameError, match="unknown base 'floating'"):
        load_robot(path, base="floating")


def test_a_free_joint_says_that_the_base_is_free(tmp_path):
    """Named or not, as either element."""
    for free in ("<freejoint/>", '<joint name="f" type="free"/>', '<frame><joint type="free"/></frame>'):
        text = pendulum().replace('name="base">', f'name="base">{free}')
        assert load_robot(write(tmp_path, text, "r.xml")).base == "free"
        assert load_robot(write(tmp_path, text, "r.xml"), base="fixed").tree.qpos_size == 1


def test_meshes_are_read_when_they_are_needed(tmp_path):
    """Visual meshes are kept by name: loading does not read them, compiling does."""
    mesh = write(tmp_path, box_stl(), "look.stl")
    seen = f"<visual><geometry>{MESH.format('look.stl')}</geometry></visual>" + SHAPE.format('<sphere radius="0.1"/>')
    robot = load_robot(write(tmp_path, urdf(link("a", INERTIAL), link("b", INERTIAL + seen), joint("j", "a", "b"))))
    assert list(robot.assets) == ["look.stl"]
    mesh.unlink()
    with pytest.raises(RobotError, match=r"small: .*look.stl: no such file"):
        compile_model(robot)
    assert compile_model(robot, visuals=False).nmesh == 0


def test_nothing_is_written(tmp_path, monkeypatch):
    """MuJoCo's log file least of all."""
    monkeypatch.chdir(tmp_path)
    compile_model(load_robot("lamp"))
    assert not list(tmp_path.iterdir())


_URDF = urdf(
    '<material name="red"><color rgba="1 0 0 1"/></material>',
    link("base"), link("a", INERTIAL + SHAPE.format('<cylinder radius="0.1" length="0.4"/>')),
    link("b", SHAPE.format(MESH.format("x.stl"))), link("c", ""), joint("ja", "base", "a"),
    joint("jb", "a", "b", "prismatic"),
    joint("jc", "b", "c", inside='<axis xyz="0 1 1"/><mimic joint="ja" multiplier="2"/>'),
)  # fmt: skip
_MJCF = mjcf(
    """<body name="p" pos="0 0 1"><freejoint name="root"/><geom type="box" size="0.1 0.1 0.1" material="mm"/>
    <frame pos="0 0 0.1" euler="10 0 0"><geom class="v" mesh="m"/><body name="q" euler="0 20 0">
    <joint name="j1" ref="0.1" range="-1 1"/><joint name="j2" type="slide" range="-1 1"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.03"/></body>
    </frame><body name="r">
    <joint name="j3" axis="0 1 0"/><geom type="cylinder" size="0.02 0.1"/></body></body>""",
    '<default><default class="v"><geom type="mesh" contype="0" conaffinity="0"/></default></default>',
    '<asset><mesh name="m" file="none.stl"/><material name="mm" rgba="1 1 1 1"/></asset>',
    '<equality><joint joint1="j3" joint2="j1" polycoef="0.1 0.5 0 0 0"/></equality>',
    '<actuator><motor name="m1" joint="j1" ctrlrange="-4 4"/></actuator>',
)
_VALUES = ("nan", "inf", "1e308", "1e-320", "0", "-1", "", "abc", "1 2", "0 0 0", "1e9 1e9 1e9", "mesh", "free", "ball",
           "plane", "world", "../../etc/passwd", "9" * 400, "base", "ja", "j1", "true")  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=250)
@given(st.sampled_from([(_URDF, "m.urdf"), (_MJCF, "m.xml")]), st.data())
def test_mutated_descriptions_load_or_say_why(tmp_path_factory, source, data):
    """Values replaced, elements removed, doubled and moved: a robot whose model compiles, or one line."""
    root = ET.fromstring(source[0])
    for _ in range(data.draw(st.integers(1, 4))):
        elements = list(root.iter())[1:]
        if not elements:
            break
        pick = data.draw(st.integers(0, len(elements) - 1))
        element = elements[pick]
        parent = next(e for e in root.iter() if element in list(e))
        change = data.draw(st.sampled_from(["value", "value", "value", "remove", "double", "move", "rename"]))
        if change == "value" and element.attrib:
            element.set(data.draw(st.sampled_from(sorted(element.attrib))), data.draw(st.sampled_from(_VALUES)))
        elif change == "remove":
            parent.remove(element)
        elif change == "double":
            parent.append(copy.deepcopy(element))
        elif change == "rename":
            element.tag = elements[data.draw(st.integers(0, len(elements) - 1))].tag
        elif change == "move":
            target = elements[data.draw(st.integers(0, len(elements) - 1))]
            if target not in list(element.iter()):
                parent.remove(element)
                target.append(element)
    path = write(tmp_path_factory.getbasetemp(), ET.tostring(root), source[1])
    with our_errors_only():
        robot = load_robot(path)
        assert compile_model(robot).nq == robot.tree.qpos_size
        assert np.isfinite(robot.neutral).all()
        assert np.all(robot.lower <= robot.upper)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
@given(st.sampled_from([(_URDF, "d.urdf"), (_MJCF, "d.xml")]), st.data())
def test_damaged_bytes_load_or_say_why(tmp_path_factory, source, data):
    """Cut, and with bytes replaced."""
    content = bytearray(source[0].encode())
    for at in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=5)):
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)) | st.just(len(content)))
    path = write(tmp_path_factory.getbasetemp(), bytes(content[:cut]), source[1])
    with our_errors_only():
        load_robot(path)
