"""MJCF files: what of them is the robot, and what they may name."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from bunraku.errors import RobotError
from bunraku.robots import load_robot, markup
from bunraku.robots.description import Description
from bunraku.robots.files import Files
from bunraku.robots.mjcf import read_mjcf
from bunraku.robots.model import compile_model
from small_robots import box_stl, mjcf, pendulum, write

BOB = '<body name="{0}"><joint name="{0}_1"/><joint name="{0}_2" axis="1 0 0"/><geom size="0.1"/></body>'


def described(text: str, folder: Path = Path("/nowhere")) -> Description:
    return read_mjcf(markup.parse(text.encode()), Files(folder / "r.xml"), "r")


def names(description: Description, tag: str) -> list[str]:
    return [e.get("name", "") for e in description.root.iterfind(f"worldbody//{tag}")]


def test_the_body_with_most_joints_is_the_robot():
    """Floor, lights, cameras of the scene and things that lie about are left out; another robot is named."""
    found = described(
        mjcf(
            '<light/><camera/><geom type="plane" size="1 1 1"/><body name="ball"><freejoint/><geom size="1"/></body>'
            + BOB.format("small")
            + f'<frame pos="0 0 1"><body name="robot">{BOB.format("a")}{BOB.format("b")}</body></frame>'
        )
    )  # fmt: skip
    assert names(found, "body") == ["robot", "a", "b"]
    assert [e.tag for e in found.root.find("worldbody")] == ["frame"]
    assert found.warnings == ["only 'robot' is used; left out: small"]


def test_joints_right_on_the_first_body_get_a_base():
    """The tree needs something that they move against."""
    found = described(mjcf(f"<frame>{BOB.format('slider')}</frame>"))
    assert names(found, "body") == ["base", "slider"]
    assert found.base is None


def test_everything_gets_a_name():
    """Bodies, joints and geoms without one, none twice."""
    found = described(
        mjcf('<body><freejoint/><geom size="1"/><body name="body_0"><joint/><geom size="1"/></body></body>')
    )
    assert names(found, "body") == ["body_0_2", "body_0"]
    assert names(found, "freejoint") + names(found, "joint") == ["root", "joint_1"]
    assert names(found, "geom") == ["geom_0", "geom_1"]
    assert found.base == "free"


def test_what_is_not_needed_is_dropped():
    """Sensors, tendons, keyframes, lights and cameras that follow something; relations to what is gone."""
    found = described(
        mjcf(
            f'<body name="r"><light/><camera target="x"/><camera name="eye"/>{BOB.format("a")}</body><body name="x"/>',
            '<sensor><gyro site="s"/></sensor><keyframe><key qpos="1"/></keyframe><visual/><option timestep="1"/>',
            '<contact><exclude body1="r" body2="a"/><exclude body1="r" body2="x"/><pair geom1="g"/></contact>',
            '<equality><weld body1="r" body2="x"/><joint joint1="a_1" joint2="a_2"/></equality>',
            '<actuator><motor name="m" joint="a_1"/><motor joint="other"/><muscle joint="a_1"/></actuator>',
        )
    )
    assert names(found, "camera") == ["eye"]
    assert not found.root.findall(".//light")
    assert {e.tag for e in found.root} == {"compiler", "asset", "worldbody", "contact", "equality", "actuator"}
    assert [len(found.root.find(tag)) for tag in ("contact", "equality", "actuator")] == [1, 1, 1]


@pytest.mark.parametrize(
    "text, says",
    [
        ("<mujoco/>", "has no body"),
        (mjcf('<geom size="1"/>'), "has no body"),
        (mjcf(BOB.format("a") + BOB.format("b").replace('"b"', '"c"'), "<nonsense/>"), "section <nonsense>"),
        (mjcf(f'<body name="a">{BOB.format("a")}</body>'), "body 'a' twice"),
        (mjcf('<body><body><joint name="j"/></body><body><joint name="j"/></body></body>'), "joint 'j' twice"),
        (mjcf('<body><body><joint name="j" type="ball"/></body></body>'), "'j' is a ball joint"),
        (mjcf('<body><joint><geom size="1"/></joint></body>'), "<joint> '' has a <geom> inside"),
        (mjcf('<body><joint/><replicate count="9"><geom size="1"/></replicate></body>'), "uses <replicate>"),
        (mjcf('<body><joint/><flexcomp count="9 9 9"/></body>'), "uses <flexcomp>"),
        (pendulum(joint_attributes='axis="0 nan 0"'), "axis of <joint> 'swing' holds 'nan'"),
        (pendulum(joint_attributes='range="0 1e12"'), "range of <joint> 'swing' holds '1e12'"),
        (mjcf(BOB.format("a"), '<equality><joint joint1="gone"/></equality>'), "equality names a joint 'gone'"),
        (mjcf(BOB.format("a"), compiler='coordinate="global"'), "global coordinates"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(text, says):
    """One line that names the element."""
    with pytest.raises(RobotError, match=says) as caught:
        described(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text, says",
    [
        (pendulum("<gеom/>"), "MuJoCo: "),
        (pendulum('<geom size="-1"/>'), "MuJoCo: size"),
        (pendulum('<geom type="mesh" mesh="none"/>'), "geom 'geom_2' shows a mesh 'none' that does not exist"),
        (pendulum(joint_attributes='axis="0 0 0"'), "MuJoCo: axis"),
        (pendulum(joint_attributes='type="helix"'), "MuJoCo: "),
        (mjcf('<body><body><joint name="j" class="b"/><geom size="1"/></body></body>',
              '<default><default class="b"><joint type="ball"/></default></default>'), "'j' is a ball joint"),
        (mjcf('<body><geom size="1"/></body>'), "no joints that move"),
    ],
)  # fmt: skip
def test_what_mujoco_refuses_is_one_line(tmp_path, text, says):
    """Never a traceback of MuJoCo's, nor its line numbers."""
    with pytest.raises(RobotError, match=says) as caught:
        load_robot(write(tmp_path, text, "robot.xml"))
    assert "\n" not in str(caught.value)
    assert "line" not in str(caught.value)


def test_includes_stand_where_they_are_named(tmp_path):
    """Nested, with sections of the same kind put together."""
    write(
        tmp_path, '<mujoco><default><geom rgba="1 0 0 1"/></default><include file="parts/arm.xml"/></mujoco>', "mid.xml"
    )
    write(tmp_path, f"<mujocoinclude><worldbody>{BOB.format('arm')}</worldbody></mujocoinclude>", "parts/arm.xml")
    path = write(
        tmp_path, '<mujoco model="m"><include file="mid.xml"/><worldbody><light/></worldbody></mujoco>', "top.xml"
    )
    robot = load_robot(path)
    assert robot.joint_names == ("arm_1", "arm_2")
    assert robot.name == "m"


@pytest.mark.parametrize(
    "name, says",
    [
        ("top.xml", "includes itself"),
        ("gone.xml", "which does not exist"),
        ("../../x.xml", "leads out of"),
        ("bad.xml", "includes 'bad.xml': not well-formed"),
    ],
)
def test_includes_that_cannot_be(tmp_path, name, says):
    """Circles, missing files, ways out, and files that are no XML."""
    write(tmp_path, "<mujoco", "bad.xml")
    with pytest.raises(RobotError, match=says):
        load_robot(write(tmp_path, f'<mujoco><include file="{name}"/></mujoco>', "top.xml"))


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + b"\xff\x80\0" * width for _ in range(height)) if height < 100 else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_assets_are_found_where_the_compiler_says(tmp_path):
    """meshdir and texturedir count; names in the XML become plain ones; everything compiles."""
    write(tmp_path, box_stl(), "m/deep/box.STL")
    write(tmp_path, png(4, 4), "t/skin.png")
    assets = """<asset><mesh name="../box" file="deep/box.STL" scale="2 1 1"/>
    <texture type="2d" name="skin" file="skin.png"/><material name="skin" texture="skin"/></asset>"""
    body = f'<body>{BOB.format("a")}<geom type="mesh" mesh="../box" material="skin"/></body>'
    robot = load_robot(write(tmp_path, mjcf(body, assets, compiler='meshdir="m" texturedir="t"'), "r.xml"))
    assert robot.warnings == ()
    assert set(robot.assets) == {"___box.stl", "skin.png"}
    model = compile_model(robot)
    assert (model.nmesh, model.ntex) == (1, 1)
    assert ("box", pytest.approx((0.2, 0.05, 0.02))) in [(s.kind, s.size) for s in robot.shapes]


def test_textures_that_would_be_huge_are_left_out(tmp_path):
    """A picture or a generated texture larger than 8192 pixels, a missing one, a sky: materials stay without them."""
    write(tmp_path, png(60000, 60000), "huge.png")
    write(tmp_path, "no png", "text.png")
    assets = """<asset><texture type="2d" name="a" file="huge.png"/><texture type="2d" name="c" file="text.png"/>
    <texture type="2d" name="b" builtin="flat" width="99999" height="99999"/>
    <texture type="skybox" builtin="flat" width="8" height="8"/>
    <texture type="2d" name="d" file="gone.png"/><material name="m" texture="a"/><material name="n"><layer texture="b"
    role="rgb"/></material></asset>"""
    body = f'<body>{BOB.format("a")}<geom size="1" material="m"/><geom size="1" material="n"/></body>'
    robot = load_robot(write(tmp_path, mjcf(body, assets), "r.xml"))
    assert compile_model(robot).ntex == 0
    assert compile_model(robot).nmat == 2
