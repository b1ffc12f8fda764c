"""URDF → MJCF, checked against MuJoCo's own reading of URDF."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pytest

from bunraku.errors import RobotError
from bunraku.robots import catalog, load_robot, markup
from bunraku.robots.description import Description
from bunraku.robots.files import Files
from bunraku.robots.urdf import read_urdf
from shared import robots
from small_robots import INERTIAL, MESH, SHAPE, arm, joint, link, random_configurations, urdf, write

FIXED = '<origin xyz="0.1 0 0" rpy="0.3 -0.2 0.5"/>'


def described(text: str, folder: Path = Path("/nowhere")) -> Description:
    return read_urdf(markup.parse(text.encode()), Files(folder / "r.urdf"), "r")


def packaged() -> list[Path]:
    folder = catalog.data_folder()
    return sorted(folder.glob("*/*/*.urdf")) if folder is not None else []


def by_mujoco(path: Path) -> mujoco.MjModel:
    """The bare skeleton, as MuJoCo reads URDF itself."""
    root = ET.parse(path).getroot()
    for element in root.iter("link"):
        for tag in ("visual", "collision", "inertial"):
            for inner in element.findall(tag):
                element.remove(inner)
    for element in root.findall("mujoco"):
        root.remove(element)
    head = ET.SubElement(ET.SubElement(root, "mujoco"), "compiler")
    head.attrib.update(fusestatic="false", boundmass="1e-4", boundinertia="1e-7")
    for parent in root.findall("joint"):
        for mimic in parent.findall("mimic"):
            parent.remove(mimic)
        # Limits that MuJoCo complains about on its error stream.
        for limit in parent.findall("limit"):
            parent.remove(limit)
        if parent.get("type") == "revolute":
            parent.set("type", "continuous")
        if parent.get("type") == "prismatic":
            ET.SubElement(parent, "limit", lower="-1", upper="1")
    return mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))


UNUSABLE = {
    "alex_psyonic_hands": "mimics a joint 'index_q1' that does not exist",
    "quadrotor_base": "no joints that move",
    "iris_simple": "no joints that move",
    "ur3": "has no links",
}
ALL = [*packaged(), *robots("**/*.urdf")]


@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_the_skeleton_is_the_one_that_mujoco_reads(path, tmp_path):
    """Same joints in the same order, and every link at the same place for random joint values, to 1e-9."""
    alone = write(tmp_path, path.read_bytes())  # away from its meshes
    if path.stem in UNUSABLE:
        with pytest.raises(RobotError, match=UNUSABLE[path.stem]):
            load_robot(alone)
        return
    robot = load_robot(alone, base="fixed")
    model = by_mujoco(path)
    assert tuple(model.joint(j).name for j in range(model.njnt)) == robot.joint_names
    data = mujoco.MjData(model)
    bodies = [model.body(name).id if name != "world_link" else 0 for name in robot.links.names]
    base = robot.tree.rotation[0], robot.tree.position[0]
    for qpos in random_configurations(robot, 3):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        at, turned = robot.link_poses(qpos)
        # A robot that was drawn lying stands here.
        at, turned = (at - base[1]) @ base[0], base[0].T @ turned
        origin, frame = data.xpos[bodies[0]], data.xmat[bodies[0]].reshape(3, 3)
        assert (data.xpos[bodies] - origin) @ frame == pytest.approx(at, abs=1e-9)
        assert frame.T @ data.xmat[bodies].reshape(-1, 3, 3) == pytest.approx(turned, abs=1e-9)


@pytest.mark.parametrize(
    "text, says",
    [
        (urdf(), "has no links"),
        (urdf(link("a"), link("a")), "link 'a' twice"),
        (urdf(link("")), "link without a name"),
        (arm(joint("elbow", "hand", "base")), "joint 'elbow' twice"),
        (arm(joint("x", "hand", "gone")), "joint 'x' names a link 'gone' that does not exist"),
        (arm('<joint name="x" type="fixed"><child link="hand"/></joint>'), "joint 'x' has no parent"),
        (arm(joint("x", "hand", "base")), "circle"),
        (urdf(link("a"), link("b"), joint("j", "a", "b", inside='<axis xyz="0 0 0"/>')), "joint 'j' has a zero axis"),
        (urdf(link("a"), link("b"), joint("j", "a", "b", inside='<axis xyz="0 0 nan"/>')), "axis of joint 'j'"),
        (urdf(link("a"), link("b"), joint("j", "a", "b", "planar")), "joint 'j' is of type 'planar'"),
        (urdf(link("a"), link("b"), joint("j", "a", "b", "floating")), "joint 'j' is of type 'floating'"),
        (arm(link("c") + joint("x", "hand", "c", inside='<origin xyz="1 2"/>')), "origin xyz of joint 'x' must be 3"),
        (arm(link("c") + joint("x", "hand", "c", inside='<limit lower="nan" upper="1"/>')), "limit of joint 'x'"),
        (arm(link("c") + joint("x", "hand", "c", inside='<mimic joint="gone"/>')), "'x' mimics a joint 'gone'"),
        (arm(link("c") + joint("x", "hand", "c", inside='<mimic joint="x"/>')), "'x' mimics itself"),
        (urdf(link("a", INERTIAL.replace('"1"', '"heavy"'))), "mass of link 'a' must be one finite number"),
        (urdf(link("a", SHAPE.format("<cone/>"))), "collision of link 'a' is a <cone>"),
        (urdf(link("a", SHAPE.format('<sphere radius="inf"/>'))), "radius of collision of link 'a'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(text, says):
    """The link or joint is in the message, on one line."""
    with pytest.raises(RobotError, match=says) as caught:
        described(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "inside, says",
    [
        (link("c") + joint("x", "c", "hand"), "link 'hand' is the child of two joints, 'elbow' and 'x'"),
        (joint("x", "hand", "hand"), "link 'hand' is the child of two joints, 'elbow' and 'x'"),
        (link("c"), "left out, as no joint ties them to the robot: 'c'"),
        (link("c") + link("d") + joint("x", "c", "d") + joint("y", "d", "c"), "ties them to the robot: 'c', 'd'"),
        (
            link("f") + link("c") + joint("f", "hand", "f", inside='<mimic joint="x"/>') + joint("x", "c", "hand"),
            "the second is left out",
        ),
    ],
)
def test_loops_and_islands_are_left_out_with_a_warning(inside, says):
    """A joint that closes a loop and links that hang on nothing leave a robot that works, and says so."""
    made = described(arm(inside))
    assert [e.get("name") for e in made.root.iterfind("worldbody//body")][:2] == ["base", "hand"]
    assert any(says in warning for warning in made.warnings)


def test_the_largest_piece_is_the_robot():
    """Links that hang on nothing are left out with all that hangs on them, and the warning names them."""
    out = described(arm(link("c") + link("d") + link("e") + link("f") + joint("x", "c", "d") + joint("y", "d", "e")))
    assert [body.get("name") for body in out.bodies()] == ["c", "d", "e"]
    assert out.warnings == ["left out, as no joint ties them to the robot: 'base', 'hand', 'f'"]


def test_too_many_and_too_far():
    """Bounds on the number of links and on the length of a chain."""
    links = [link(f"l{k}") for k in range(1001)]
    with pytest.raises(RobotError, match="more than 1000"):
        described(urdf(*links))
    with pytest.raises(RobotError, match="more than 64 links away"):
        described(urdf(*links[:80], *(joint(f"j{k}", f"l{k}", f"l{k + 1}") for k in range(79))))


def test_limits_are_kept_and_reversed_ones_swapped():
    """Range, speed and force; limits the wrong way round are swapped with one warning for all."""
    found = described(
        arm(
            link("c") + link("d")
            + joint("x", "hand", "c", inside='<limit lower="0.5" upper="-0.5" velocity="0" effort="-1"/>')
            + joint("y", "hand", "d", "prismatic", '<limit lower="2" upper="1" velocity="inf"/>')
        )
    )  # fmt: skip
    ranges = {e.get("name"): e.get("range") for e in found.root.iterfind("worldbody//joint")}
    assert ranges == {"elbow": "-1.0 2.0", "x": "-0.5 0.5", "y": "1.0 2.0"}
    assert found.velocity == {"elbow": 3.0}
    assert found.effort == {"elbow": 4.0}
    assert found.warnings == ["limits stand the wrong way round and were swapped: 'x' and 1 more"]


@pytest.mark.parametrize(
    "kind, limit",
    [
        ("continuous", '<limit lower="-1" upper="1"/>'),
        ("revolute", ""),
        ("revolute", '<limit velocity="1"/>'),
        ("revolute", '<limit lower="0" upper="0"/>'),
        ("revolute", '<limit lower="-inf" upper="inf"/>'),
        ("revolute", '<limit lower="-1e16" upper="1e16"/>'),
    ],
)
def test_joints_without_a_range(kind, limit):
    """Continuous joints, and revolute ones whose limits are left out, equal or infinite."""
    found = described(urdf(link("a"), link("b"), joint("j", "a", "b", kind, limit)))
    assert found.root.find("worldbody//joint").get("range") is None


def test_a_world_link_is_not_part_of_the_robot(tmp_path):
    """`world` fixed to the base says that it stands there; a floating joint that it does not."""
    for kind, base in (("fixed", "fixed"), ("floating", "free")):
        text = urdf(
            link("world", ""), link("a"), link("b"), joint("w", "world", "a", kind, FIXED), joint("j", "a", "b")
        )
        robot = load_robot(write(tmp_path, text))
        assert (robot.base, robot.links.names) == (base, ("a", "b"))
        assert robot.tree.position[0] == pytest.approx([0.1, 0, 0])


def test_a_world_that_moves_is_a_base(tmp_path):
    """With a joint right on it, `world` is a link like any other, under a name that MuJoCo takes."""
    robot = load_robot(write(tmp_path, urdf(link("world", ""), link("a"), joint("j", "world", "a"))))
    assert robot.links.names == ("world_link", "a")


def test_mimic_is_a_coupling(tmp_path):
    """Chains of mimic joints follow the first; one that mimics a fixed joint stays where its offset says."""
    mimic = '<axis xyz="0 1 0"/><mimic joint="{}" multiplier="{}" offset="{}"/>'
    text = arm(
        "".join(link(name) for name in "cdef")
        + joint("x", "hand", "c", inside=mimic.format("elbow", 2, 0.1))
        + joint("y", "c", "d", inside=mimic.format("x", -1, 0.5))
        + joint("w", "d", "e", "fixed", "")
        + joint("z", "e", "f", inside=mimic.format("w", 3, 0.25))
    )
    robot = load_robot(write(tmp_path, text))
    qpos = robot.tree.with_followers(np.array([0.3, 9.0, 9.0, 0.0]))
    assert dict(zip(robot.joint_names, qpos, strict=True)) == pytest.approx(
        {"elbow": 0.3, "x": 0.7, "y": -0.2, "z": 0.0}
    )
    assert (robot.lower[3], robot.upper[3]) == (0.25, 0.25)


def test_a_circle_of_mimics_is_refused(tmp_path):
    """Two joints that follow each other follow nothing."""
    text = urdf(
        *map(link, "abc"),
        joint("x", "a", "b", inside='<mimic joint="y"/>'),
        joint("y", "b", "c", inside='<mimic joint="x"/>'),
    )
    with pytest.raises(RobotError, match="circle"):
        load_robot(write(tmp_path, text))


def test_impossible_inertias_are_repaired(tmp_path):
    """Negative moments, no mass, no inertia at all: the robot loads, with some mass everywhere."""
    bad = INERTIAL.replace('iyy="0.01"', 'iyy="-0.5"')
    text = urdf(link("a", bad), link("b", INERTIAL.replace('value="1"', 'value="0"')), link("c", ""),
                joint("x", "a", "b"), joint("y", "b", "c"))  # fmt: skip
    robot = load_robot(write(tmp_path, text), base="free")
    assert robot.links.mass[0] == 1
    assert np.all(robot.links.mass > 0)


def test_without_any_mass_the_shapes_weigh(tmp_path):
    """500 kg/m³ of the collision shapes, where the file has no masses; nothing where it has."""
    box = SHAPE.format('<box size="0.2 0.1 0.1"/>')
    light = load_robot(write(tmp_path, urdf(link("a", box), link("b", box), joint("j", "a", "b"))))
    assert light.links.mass == pytest.approx([1.0, 1.0])
    mixed = load_robot(write(tmp_path, urdf(link("a", INERTIAL), link("b", box), joint("j", "a", "b"))))
    assert mixed.links.mass == pytest.approx([1.0, 1e-4])


def test_shapes_have_the_sizes_of_the_file(tmp_path):
    """Full box sides become half ones, lengths half lengths; shapes without extent are left out."""
    shapes = ('<box size="0.2 0.4 0.6"/>', '<sphere radius="0.1"/>', '<cylinder radius="0.1" length="0.2"/>',
              '<cylinder radius="0.01" length="0.2"/>', '<capsule radius="0.1" length="0.2"/>',
              '<box size="0 1 1"/>')  # fmt: skip
    text = urdf(link("a", INERTIAL), link("b", INERTIAL + "".join(map(SHAPE.format, shapes))), joint("j", "a", "b"))
    found = [(s.kind, s.size) for s in load_robot(write(tmp_path, text)).shapes]
    assert found == [("box", (0.1, 0.2, 0.3)), ("sphere", (0.1,)), ("box", (0.1, 0.1, 0.1)),
                     ("capsule", (0.01, 0.1)), ("capsule", (0.1, 0.1))]  # fmt: skip


def test_colours_come_from_the_material():
    """By name or in place, cut to what a colour can be."""
    visual = '<visual><geometry><sphere radius="1"/></geometry>{}</visual>'
    text = urdf(
        '<material name="red"><color rgba="2 0 0 1"/></material>',
        link("a", visual.format('<material name="red"/>')),
        link("b", visual.format('<material name="x"><color rgba="0 1 0 1"/></material>')),
        link("c", visual.format('<material name="unknown"/>')),
        joint("j", "a", "b"), joint("k", "b", "c"),
    )  # fmt: skip
    colours = [e.get("rgba") for e in described(text).root.iterfind("worldbody//geom")]
    assert colours == ["1.0 0.0 0.0 1.0", "0.0 1.0 0.0 1.0", None]


def test_one_mesh_file_is_one_asset():
    """Used twice at one scale it is listed once; at another scale again."""
    scaled = MESH.format("a.stl").replace("/>", ' scale="1 1 -1"/>')
    text = urdf(link("a", SHAPE.format(MESH.format("a.stl")) * 2 + SHAPE.format(scaled)))
    assert len(described(text).root.findall("asset/mesh")) == 2
