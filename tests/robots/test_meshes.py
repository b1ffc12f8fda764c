"""Mesh files as points and as MuJoCo's assets."""

from __future__ import annotations

import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bunraku.errors import RobotError
from bunraku.robots import meshes
from small_robots import box_stl, box_triangles, our_errors_only, write

HALF = (0.1, 0.05, 0.02)
BOX = box_triangles(HALF)


def text_stl() -> bytes:
    facets = "".join(
        "facet normal 0 0 0\n outer loop\n"
        + "".join(f"  vertex {x} {y} {z}\n" for x, y, z in face)
        + " endloop\nendfacet\n"
        for face in BOX
    )
    return f"solid box\n{facets}endsolid box\n".encode()


def obj() -> bytes:
    vertices = "".join(f"v {x} {y} {z} 1.0\n" for x, y, z in BOX.reshape(-1, 3))
    return (f"# box\n{vertices}" + "".join(f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}\n" for k in range(12))).encode()


def dae() -> bytes:
    floats, index = " ".join(map(str, BOX.ravel())), " ".join(map(str, range(36)))
    return f"""<COLLADA><library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array>{floats}</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles>
    <input semantic="VERTEX" source="#v" offset="0"/><p>{index}</p></triangles></mesh></geometry></library_geometries>
    </COLLADA>""".encode()


FILES = {"box.stl": box_stl(HALF), "text.STL": text_stl(), "box.obj": obj(), "box.dae": dae()}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_points(tmp_path, name):
    """Binary and text STL, OBJ and COLLADA."""
    path = write(tmp_path, FILES[name], name)
    assert meshes.is_readable(path)
    found = meshes.points(path)
    assert found.min(axis=0) == pytest.approx([-0.1, -0.05, -0.02])
    assert found.max(axis=0) == pytest.approx([0.1, 0.05, 0.02])


@pytest.mark.parametrize("name", FILES)
def test_mujoco_reads_every_format(tmp_path, name):
    """What goes to MuJoCo compiles to the same box."""
    path = write(tmp_path, FILES[name], name)
    files = meshes.AssetFiles({"box.obj" if name == "box.obj" else "box.stl": path}, {})
    (asset,) = files
    xml = f"""<mujoco><asset><mesh name="m" file="{asset}"/></asset>
    <worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml, dict(files))
    assert np.sort(np.ptp(model.mesh_vert, axis=0)) == pytest.approx([0.04, 0.1, 0.2], abs=1e-6)


def test_sound_stl_is_passed_on_as_it_is(tmp_path):
    """No copy is made of what MuJoCo reads by itself; bytes after the last face are cut off."""
    path = write(tmp_path, FILES["box.stl"], "box.stl")
    assert meshes.for_mujoco(path) == FILES["box.stl"]
    longer = write(tmp_path, FILES["box.stl"] + b"junk", "longer.stl")
    assert len(meshes.for_mujoco(longer)) == len(FILES["box.stl"])


def test_more_faces_than_mujoco_takes_are_thinned(tmp_path, monkeypatch):
    """The largest faces stay."""
    monkeypatch.setattr(meshes, "_MUJOCO_FACES", 4)
    path = write(tmp_path, FILES["box.stl"], "box.stl")
    kept = np.frombuffer(meshes.for_mujoco(path), meshes._FACE, offset=84)["corners"]
    assert len(kept) == 4
    assert np.ptp(kept.reshape(-1, 3), axis=0)[:2] == pytest.approx([0.2, 0.1])


def test_very_many_points_are_thinned(tmp_path, monkeypatch):
    """A fit needs no more than so many."""
    monkeypatch.setattr(meshes, "_MANY", 12)
    assert len(meshes.points(write(tmp_path, FILES["box.stl"], "box.stl"))) == 12


def face(*numbers: float) -> bytes:
    return struct.pack("<12fH", *([0.0] * 3), *numbers, 0)


@pytest.mark.parametrize(
    "name, content, says",
    [
        ("a.stl", b"", "shorter than it says"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 2**32 - 1) + bytes(500), "shorter than it says"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 1) + face(*([float("nan")] * 9)), "not to compute with"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 1) + face(*([1e30] * 9)), "not to compute with"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 2) + face(*range(9)) * 2, "no extent"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 200) + face(*[1.0] * 9) * 200, "no extent"),
        ("a.stl", b"solid nothing", "no triangles"),
        ("a.stl", b"solid a\nvertex 1 2 3\nvertex 1 2 4\n", "not triangles"),
        ("a.stl", b"solid a\nvertex 1 2 x\n", "words"),
        ("a.obj", b"v 1 2\n", "no extent"),
        ("a.obj", b"v 1 2 three\n", "words"),
        ("a.obj", b"hello", "no extent"),
        ("a.dae", b"hello", "well-formed"),
        ("a.ply", b"ply", "not read"),
    ],
)  # fmt: skip
def test_what_is_no_mesh_is_one_line(tmp_path, name, content, says):
    """Short, lying, empty and foreign files."""
    with pytest.raises(RobotError, match=says):
        meshes.points(write(tmp_path, content, name))


@pytest.mark.parametrize(
    "name, content",
    [("a.stl", b"x" * 200), ("a.stl", b"\0" * 84), ("a.obj", b""), ("a.ply", b"ply"), ("none.stl", None)],
)
def test_a_first_look_sees_the_obvious(tmp_path, name, content):
    """Without reading the whole file."""
    path = tmp_path / name if content is None else write(tmp_path, content, name)
    assert not meshes.is_readable(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_damaged_files_are_points_or_an_error(tmp_path_factory, name, data):
    """Cut, and with bytes replaced: finite points, or RobotError."""
    content = bytearray(FILES[name])
    for at in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=6)):
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    path = write(Path(tmp_path_factory.getbasetemp()), bytes(content[:cut]), f"damaged_{name}")
    with our_errors_only():
        assert np.isfinite(meshes.points(path)).all()


def test_assets_are_read_when_asked_for(tmp_path):
    """A mapping that knows its names without reading, and names the file that cannot be read."""
    path = write(tmp_path, FILES["box.stl"], "box.stl")
    files = meshes.AssetFiles({"a.stl": path}, {"b.png": tmp_path / "gone.png"})
    assert list(files) == ["a.stl", "b.png"]
    assert len(files) == 2
    path.unlink()
    for name, says in (("a.stl", "box.stl: no such file"), ("b.png", "gone.png: no such file")):
        with pytest.raises(RobotError, match=says):
            files[name]
