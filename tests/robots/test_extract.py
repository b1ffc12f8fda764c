"""Flat arrays, checked against MuJoCo's own kinematics."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from bunraku.errors import RobotError
from bunraku.kinematics.tree import HINGE, SLIDE
from bunraku.robots import Robot, catalog, load_robot
from bunraku.robots.model import compile_model
from shared import robots
from small_robots import joint, link, mjcf, pendulum, random_configurations, urdf, write

NAMED = [entry.name for entry in catalog.available() if entry.installed]
FILES = robots("**/menagerie/*.xml")


def agree(robot: Robot, count: int = 5) -> None:
    """Links at the same places, and the same Jacobians, for random configurations."""
    model = compile_model(robot, visuals=False)
    assert model.nq == robot.tree.qpos_size
    assert model.nv == robot.tree.velocity_size
    assert tuple(model.joint(j).name for j in range(model.njnt) if model.jnt_type[j] > 0) == robot.joint_names
    data, bodies = mujoco.MjData(model), [model.body(name).id for name in robot.links.names]
    jacobian = np.zeros((6, model.nv))
    generator = np.random.default_rng(7)
    for qpos in random_configurations(robot, count):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        at, turned = robot.link_poses(qpos)
        assert at == pytest.approx(data.xpos[bodies], abs=1e-9)
        assert turned == pytest.approx(data.xmat[bodies].reshape(-1, 3, 3), abs=1e-9)
        if len(robot.joint_names) == 0:
            continue
        link_index = int(generator.integers(len(bodies)))
        point = generator.normal(size=3)
        in_node = robot.links.position[link_index] + robot.links.rotation[link_index] @ point
        own = robot.tree.jacobian(qpos, int(robot.links.node[link_index]), in_node)
        world = at[link_index] + turned[link_index] @ point
        mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], world, bodies[link_index])
        if robot.tree.free_base:
            # MuJoCo's free joint turns in its own axes, ours in the world's.
            frame = data.xmat[bodies[0]].reshape(3, 3)
            jacobian[:, 3:6] = jacobian[:, 3:6] @ frame.T
        assert own == pytest.approx(jacobian, abs=1e-9)


@pytest.mark.parametrize("name", NAMED)
def test_named_robots_agree_with_mujoco(name):
    """Every built-in robot, and every one of the package, with the base that it has."""
    agree(load_robot(name))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mjcf_files_agree_with_mujoco(path):
    """The models of the menagerie, scenes included."""
    agree(load_robot(path), 3)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mjcf_files_agree_with_themselves(path, tmp_path):
    """The tree is that of the file as MuJoCo reads it when its meshes and scenery are cut out by hand."""
    import xml.etree.ElementTree as ET

    root = ET.parse(path).getroot()
    if root.find("include") is not None:
        pytest.skip("made of includes")
    for element in list(root):
        if element.tag not in ("compiler", "default", "worldbody"):
            root.remove(element)
    for parent in list(root.iter()):
        for element in list(parent):
            if element.tag in ("geom", "light", "camera", "site"):
                parent.remove(element)
    for body in root.iterfind("worldbody//body"):
        if body.find("inertial") is None:
            ET.SubElement(body, "inertial", pos="0 0 0", mass="1", diaginertia="1 1 1")
    model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    robot, data = load_robot(path), mujoco.MjData(model)
    assert robot.tree.qpos_size == model.nq
    bodies = [model.body(name).id for name in robot.links.names]
    for qpos in random_configurations(robot, 3):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        assert robot.link_poses(qpos)[0] == pytest.approx(data.xpos[bodies], abs=1e-9)


CHAIN = """<body name="b" pos="0.1 0.2 0.3" quat="1 2 3 4">{root}<geom size="0.1"/>
<body name="c" pos="0.4 0 0.1" euler="0.1 0.2 0.3"><joint name="x" axis="1 2 3" pos="0.1 0.2 0.3" ref="0.4"/>
<joint name="y" type="slide" axis="0 1 1" pos="0.3 0 0" ref="-0.2"/>
<joint name="z" axis="0 0 1" pos="-0.1 0 0.5"/><geom size="0.1"/><body name="d" pos="0 0.5 0"><geom size="0.1"/>
<body name="e" pos="0.2 0 0"><joint name="w" type="slide" ref="0.3"/><geom size="0.1"/></body></body></body></body>"""


@pytest.mark.parametrize("root", ["", "<freejoint/>", '<joint axis="1 0 0" pos="0 1 0"/><joint type="slide"/>'])
@pytest.mark.parametrize("base", ["free", "fixed"])
def test_anchors_references_and_several_joints_on_a_body(tmp_path, root, base):
    """Everything that MJCF allows between two bodies is folded in exactly, on either base."""
    robot = load_robot(write(tmp_path, mjcf(CHAIN.format(root=root)), "r.xml"), base=base)
    assert robot.base == base
    agree(robot, 10)


def test_a_body_with_three_joints_is_three_nodes(tmp_path):
    """Chained, in the order of the file, all for one link; a welded link sits on the last."""
    robot = load_robot(write(tmp_path, mjcf(CHAIN.format(root="")), "r.xml"))
    assert robot.tree.parent.tolist() == [-1, 0, 1, 2, 3]
    assert robot.tree.joint_type.tolist() == [0, HINGE, SLIDE, HINGE, SLIDE]
    assert robot.links.node.tolist() == [0, 3, 3, 4]
    assert robot.links.parent.tolist() == [-1, 0, 1, 2]


def test_limits_of_degrees_and_radians(tmp_path):
    """`range` means degrees where the file says nothing else; slides stay metres; no range, no limit."""
    text = pendulum(
        '<joint name="s" type="slide" range="-1 2"/><joint name="f" axis="1 0 0"/>', 'range="-90 180"'
    ).replace("radian", "degree")
    robot = load_robot(write(tmp_path, text, "r.xml"))
    assert robot.lower == pytest.approx([-np.pi / 2, -1, -np.inf])
    assert robot.upper == pytest.approx([np.pi, 2, np.inf])


def test_ranges_the_wrong_way_round_are_swapped(tmp_path):
    """In degrees as in radians, from a class as from the joint; one warning."""
    text = mjcf(
        '<body><body><joint name="a" range="90 -90"/><joint name="b" class="c" axis="1 0 0"/>'
        '<geom size="0.1"/></body></body>',
        '<default><default class="c"><joint range="20 10"/></default></default>',
    ).replace("radian", "degree")
    robot = load_robot(write(tmp_path, text, "r.xml"))
    assert robot.lower == pytest.approx(np.radians([-90, 10]))
    assert robot.upper == pytest.approx(np.radians([90, 20]))
    assert robot.warnings == ("limits stand the wrong way round and were swapped: 'a' and 1 more",)


def test_a_one_sided_limit_is_infinite_on_the_other(tmp_path):
    """URDF knows infinity, MJCF does not: it comes back."""
    text = urdf(link("a"), link("b"), joint("j", "a", "b", inside='<limit lower="-inf" upper="1"/>'))
    robot = load_robot(write(tmp_path, text))
    assert (robot.lower[0], robot.upper[0]) == (-np.inf, 1)


def test_equalities_are_followers(tmp_path):
    """q₁ = ref₁ + c₀ + c₁ (q₂ − ref₂), as MuJoCo has it; inactive ones and none-first ones do not count."""
    two = '<body name="t"><joint name="follow" ref="0.5"/><geom size="0.1"/></body>'
    equality = '<equality><joint joint1="follow" joint2="swing" polycoef="0.1 2 0 0 0" active="{}"/></equality>'
    text = pendulum(two, 'axis="0 1 0" ref="0.2"').replace("<worldbody>", equality.format("true") + "<worldbody>")
    robot = load_robot(write(tmp_path, text, "r.xml"))
    assert robot.tree.leader.tolist() == [0, 0]
    assert robot.tree.with_followers(np.array([0.7, 0.0]))[1] == pytest.approx(0.5 + 0.1 + 2 * (0.7 - 0.2))
    off = load_robot(write(tmp_path, text.replace('active="true"', 'active="false"'), "r.xml"))
    assert off.tree.leader.tolist() == [0, 1]


def test_the_followers_place_satisfies_mujocos_constraint(tmp_path):
    """With followers in place MuJoCo's equality has no error left."""
    two = '<body name="t"><joint name="follow" ref="0.5"/><geom size="0.1"/></body>'
    equality = '<equality><joint joint1="follow" joint2="swing" polycoef="0.1 2 0 0 0"/></equality>'
    text = pendulum(two, 'axis="0 1 0" ref="0.2"').replace("<worldbody>", equality + "<worldbody>")
    robot = load_robot(write(tmp_path, text, "r.xml"))
    model = compile_model(robot)
    data = mujoco.MjData(model)
    data.qpos[:] = robot.tree.with_followers(np.array([0.7, 0.0]))
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos[: data.ne]) == pytest.approx(0, abs=1e-12)
    assert data.ne == 1


@pytest.mark.parametrize(
    "polycoef, second, expected",
    [("0.3", "", {"lower": 0.3, "upper": 0.3}), ("0.1 2 5 0 0", 'joint2="swing"', {"warning": "follows a curve"})],
)
def test_couplings_of_other_kinds(tmp_path, polycoef, second, expected):
    """One held at a value has that as both limits; of a curve the straight part is used, and said."""
    equality = f'<equality><joint joint1="follow" {second} polycoef="{polycoef}"/></equality>'
    text = pendulum('<body name="t"><joint name="follow"/><geom size="0.1"/></body>').replace(
        "<worldbody>", equality + "<worldbody>"
    )
    robot = load_robot(write(tmp_path, text, "r.xml"))
    if "warning" in expected:
        assert expected["warning"] in robot.warnings[0]
    else:
        assert (robot.lower[1], robot.upper[1]) == (expected["lower"], expected["upper"])


@pytest.mark.parametrize(
    "equalities, says",
    [
        ('<joint joint1="a" joint2="b"/><joint joint1="b" joint2="a"/>', "follows itself in a circle"),
        ('<joint joint1="a" joint2="b"/><joint joint1="a" joint2="c"/>', "joint 'a' follows two joints"),
    ],
)
def test_couplings_that_cannot_be(tmp_path, equalities, says):
    """Circles, and two leaders for one follower."""
    joints = "".join(f'<body><joint name="{n}"/><geom size="0.1"/></body>' for n in "abc")
    with pytest.raises(RobotError, match=says):
        load_robot(write(tmp_path, mjcf(f"<body>{joints}</body>", f"<equality>{equalities}</equality>"), "r.xml"))


def test_links_have_masses_and_centres(tmp_path):
    """As the compiled model has them, in the links' frames."""
    inertial = '<inertial pos="0.1 0.2 0.3" mass="2" diaginertia="1 1 1"/>'
    robot = load_robot(write(tmp_path, pendulum(f'<body name="tip">{inertial}</body>'), "r.xml"))
    assert robot.links.names == ("base", "bob", "tip")
    assert robot.links.mass[2] == 2
    assert robot.links.centre_of_mass[2] == pytest.approx([0.1, 0.2, 0.3])


def test_only_what_touches_is_a_shape(tmp_path: Path):
    """Pictures are none; ellipsoids and cylinders are held by boxes and capsules."""
    text = pendulum(
        '<geom size="0.3" contype="0" conaffinity="0"/><geom type="ellipsoid" size="0.1 0.2 0.3"/>'
        '<geom type="cylinder" size="0.1 0.5"/><geom type="cylinder" size="0.1 0.05" pos="0 1 0" euler="0.5 0 0"/>'
    )
    found = [(s.kind, s.size) for s in load_robot(write(tmp_path, text, "r.xml")).shapes[2:]]
    assert found == [("box", (0.1, 0.2, 0.3)), ("capsule", (0.1, 0.5)), ("box", (0.1, 0.1, 0.05))]


def test_a_cylinder_keeps_its_own_hull(tmp_path: Path):
    """Points on both rims; a sphere has none."""
    text = pendulum('<geom type="cylinder" size="0.1 0.05" pos="0 1 0" euler="0.5 0 0"/>')
    *others, drum = load_robot(write(tmp_path, text, "r.xml")).shapes
    assert drum.hull is not None
    assert np.hypot(*drum.hull[:, :2].T) == pytest.approx(np.full(32, 0.1))
    assert sorted(drum.hull[:, 2]) == [-0.05] * 16 + [0.05] * 16
    assert all(shape.hull is None for shape in others)
