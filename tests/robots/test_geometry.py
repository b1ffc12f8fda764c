"""Meshes that touch, meshes that are missing, and what stands for them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from bunraku.robots import catalog, load_robot
from bunraku.robots.model import compile_model
from bunraku.robots.robot import Robot
from small_robots import INERTIAL, MESH, SHAPE, box_stl, box_triangles, joint, link, mjcf, urdf, write

SEEN = "<visual><geometry>{}</geometry></visual>"
STANDING = '<origin xyz="{} {} {}"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'


def two_links(inside: str) -> str:
    return urdf(
        link("a", INERTIAL), link("b", INERTIAL + inside), joint("j", "a", "b", inside=STANDING.format(0, 0, 0.2))
    )


def humanoid(foot: str) -> str:
    """Two legs of four joints each, 0.8 m high, without any geometry but the feet's."""
    parts = [link("pelvis")]
    for side, y in (("left", 0.1), ("right", -0.1)):
        above = "pelvis"
        for k, z in enumerate((0.0, -0.02, -0.4, -0.38)):
            name = f"{side}_{('hip', 'thigh', 'knee', 'foot')[k]}"
            at = STANDING.format(0, y if k == 0 else 0, z)
            parts += [link(name, INERTIAL + (foot if k == 3 else "")), joint(f"{name}_joint", above, name, inside=at)]
            above = name
    return urdf(*parts)


def contacts(robot: Robot, visuals: bool) -> list[str]:
    """Kinds of the geoms that touch."""
    model = compile_model(robot, visuals=visuals)
    touching = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    return [mujoco.mjtGeom(int(kind)).name.removeprefix("mjGEOM_").lower() for kind in model.geom_type[touching]]


def test_a_mesh_touches_as_it_is_and_as_a_fitted_shape(tmp_path):
    """The full model keeps the mesh; the one without meshes has the shape in its place, and so has Robot.shapes."""
    write(tmp_path, box_stl((0.1, 0.05, 0.02), (0, 0, 1)), "hand.stl")
    robot = load_robot(write(tmp_path, two_links(SHAPE.format(MESH.format("hand.stl")))))
    assert robot.warnings == ()
    assert contacts(robot, visuals=True) == ["mesh"]
    assert contacts(robot, visuals=False) == ["box"]
    (shape,) = robot.shapes
    assert (shape.kind, shape.link, shape.size) == ("box", 1, pytest.approx((0.1, 0.05, 0.02)))
    assert shape.position == pytest.approx([0, 0, 1])


def test_a_fitted_shape_keeps_the_hull_of_its_mesh(tmp_path):
    """Also where the mesh is turned; a primitive has none."""
    write(tmp_path, box_stl((0.1, 0.05, 0.02), (0, 0, 1)), "hand.stl")
    at = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    turned = f"<collision>{at}<geometry>{MESH.format('hand.stl')}</geometry></collision>"
    ball = SHAPE.format('<sphere radius="0.1"/>')
    robot = load_robot(write(tmp_path, two_links(turned + ball)))
    shape, sphere = sorted(robot.shapes, key=lambda shape: shape.hull is None)
    assert sphere.hull is None
    in_link = shape.position + shape.hull @ shape.rotation.T
    model = compile_model(robot)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    g = int(np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)[0])
    vertices = model.mesh_vert @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
    corners = (np.unique(vertices.round(5), axis=0) - data.xpos[2]) @ data.xmat[2].reshape(3, 3)
    assert len(in_link) == 8
    assert np.abs(in_link[:, None] - corners[None]).sum(axis=-1).min(axis=1) == pytest.approx(0, abs=1e-4)


def test_both_models_weigh_the_same(tmp_path):
    """Fitted shapes weigh, meshes do not, where no link has a mass."""
    write(tmp_path, box_stl(), "hand.stl")
    body = SHAPE.format(MESH.format("hand.stl"))
    robot = load_robot(write(tmp_path, urdf(link("a", body), link("b", body), joint("j", "a", "b"))))
    masses = [compile_model(robot, visuals=visuals).body_mass[1:] for visuals in (True, False)]
    assert masses[0] == pytest.approx(masses[1])
    assert robot.links.mass == pytest.approx([500 * 8 * 0.1 * 0.05 * 0.02] * 2)


def test_scale_and_origin_apply_to_the_fit(tmp_path):
    """A mirrored, stretched, turned mesh gives a shape where MuJoCo shows the mesh."""
    corners = box_triangles((0.1, 0.05, 0.02), (0.3, 0.2, 0.1))
    from bunraku.robots.meshes import to_stl

    write(tmp_path, to_stl(corners), "hand.stl")
    mesh = '<mesh filename="hand.stl" scale="1 -2 0.5"/>'
    body = f'<collision><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><geometry>{mesh}</geometry></collision>'
    robot = load_robot(write(tmp_path, two_links(body)))
    model = compile_model(robot)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    g = int(np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)[0])
    vertices = model.mesh_vert @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
    (shape,) = robot.shapes
    body_at, body_turn = data.xpos[2], data.xmat[2].reshape(3, 3)
    local = ((vertices - body_at) @ body_turn - shape.position) @ shape.rotation
    assert np.abs(local).max(axis=0) == pytest.approx(shape.size, abs=1e-6)


def test_mjcf_mesh_offsets_apply_to_the_fit(tmp_path):
    """refpos and refquat move the mesh in its geom, also within a frame; the shape goes with it."""
    write(tmp_path, box_stl((0.1, 0.05, 0.02), (0.3, 0.2, 0.1)), "hand.stl")
    asset = '<asset><mesh name="h" file="hand.stl" refpos="0.1 0 0" refquat="1 0.2 0.3 0.4" scale="1 2 1"/></asset>'
    body = """<body name="a"><geom size="0.01" contype="0" conaffinity="0"/><body name="b"><joint/>
    <frame euler="0.3 0 0" pos="0 0 1">
    <geom type="mesh" mesh="h" pos="0.1 0 0" euler="0 0.2 0"/></frame></body></body>"""
    robot = load_robot(write(tmp_path, mjcf(body, asset), "r.xml"))
    model = compile_model(robot)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    g = int(np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)[0])
    vertices = model.mesh_vert @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
    (shape,) = robot.shapes
    local = (vertices - shape.position) @ shape.rotation
    assert np.abs(local).max(axis=0) == pytest.approx(shape.size, abs=1e-6)


def test_missing_meshes_are_one_warning(tmp_path):
    """However many; the robot has shapes all the same, and its model compiles without files."""
    body = SHAPE.format(MESH.format("x.stl")) + SEEN.format(MESH.format("y.dae"))
    robot = load_robot(write(tmp_path, two_links(body)))
    assert len(robot.warnings) == 1
    assert "2 of 2 mesh files are missing or unreadable" in robot.warnings[0]
    assert "'y.dae'" in robot.warnings[0]
    assert len(robot.assets) == 0
    assert {shape.link for shape in robot.shapes} == {1}
    assert contacts(robot, visuals=True) == contacts(robot, visuals=False)


@pytest.mark.parametrize("content", [b"", b"garbage", b"\0" * 84 + b"x" * 40, box_stl()[:300]])
def test_unreadable_meshes_count_as_missing(tmp_path, content):
    """Files that are there and hold no mesh."""
    write(tmp_path, content, "x.stl")
    robot = load_robot(write(tmp_path, two_links(SHAPE.format(MESH.format("x.stl")))))
    assert "1 of 1 mesh files" in robot.warnings[0]
    assert robot.shapes


def test_a_collision_mesh_shows_what_a_missing_picture_would(tmp_path):
    """A link whose visual mesh is gone shows its collision geometry instead."""
    write(tmp_path, box_stl(), "x.stl")
    body = SHAPE.format(MESH.format("x.stl")) + SEEN.format(MESH.format("gone.stl"))
    model = compile_model(load_robot(write(tmp_path, two_links(body))))
    mesh = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
    assert model.geom_group[mesh].tolist() == [2]


def test_a_robot_of_pictures_touches_with_them(tmp_path):
    """Without any collision geometry the visual one is used; with some it is not."""
    write(tmp_path, box_stl(), "x.stl")
    seen = SEEN.format(MESH.format("x.stl")) + SEEN.format('<sphere radius="0.1"/>')
    robot = load_robot(write(tmp_path, two_links(seen)))
    assert sorted(shape.kind for shape in robot.shapes) == ["box", "sphere"]
    robot = load_robot(write(tmp_path, two_links(seen + SHAPE.format('<sphere radius="0.2"/>'))))
    assert [shape.size for shape in robot.shapes] == [(0.2,)]


def test_a_flat_mesh_does_not_stop_mujoco(tmp_path):
    """MuJoCo makes no hull of a plane; the fitted box touches instead."""
    from bunraku.robots.meshes import to_stl

    write(tmp_path, to_stl(box_triangles((0.1, 0.1, 0.0))[8:]), "x.stl")
    robot = load_robot(write(tmp_path, two_links(SHAPE.format(MESH.format("x.stl")))))
    assert contacts(robot, visuals=True) == contacts(robot, visuals=False) == ["box"]


def test_a_robot_without_geometry_gets_some(tmp_path):
    """Limbs from joint to joint, and feet below the ankles that it can stand on."""
    robot = load_robot(write(tmp_path, humanoid("")))
    kinds = {robot.links.names[shape.link]: shape.kind for shape in robot.shapes}
    assert kinds["left_foot"] == kinds["right_foot"] == "box"
    assert kinds["left_knee"] == "capsule"
    assert robot.warnings == ()
    assert 0.8 < robot.neutral[2] < 1.0


def test_feet_are_level_boxes(tmp_path):
    """A mesh under the ankle becomes a box with a horizontal sole, however the mesh was drawn."""
    from bunraku.kinematics import rotations
    from bunraku.robots.meshes import to_stl

    tilt = rotations.to_matrix(rotations.from_euler("XYZ", [0.5, 0.2, 0.4]))
    sole = box_triangles((0.12, 0.05, 0.03), (0.03, 0, -0.05))
    write(tmp_path, to_stl(sole @ tilt), "foot.stl")
    roll, pitch, yaw = rotations.to_euler("ZYX", rotations.from_matrix(tilt))[::-1]
    foot = f'<collision><origin rpy="{roll} {pitch} {yaw}"/><geometry>{MESH.format("foot.stl")}</geometry></collision>'
    robot = load_robot(write(tmp_path, humanoid(foot)))
    feet = [shape for shape in robot.shapes if "foot" in robot.links.names[shape.link]]
    for shape in feet:
        assert shape.kind == "box"
        assert np.abs(shape.rotation[2]) == pytest.approx([0, 0, 1], abs=1e-6)
    assert len(feet) == 2
    assert robot.neutral[2] == pytest.approx(0.8 + 0.08, abs=1e-6)


def test_a_robot_drawn_lying_is_stood_up(tmp_path):
    """Legs that point along another axis than −z: the base is turned so that they point down."""
    upright = load_robot(write(tmp_path, humanoid("")))
    turned = humanoid("").replace('xyz="0 0.1 0.0"', 'xyz="0 0 0.1" rpy="-1.5707963267948966 0 0"')
    turned = turned.replace('xyz="0 -0.1 0.0"', 'xyz="0 0 -0.1" rpy="-1.5707963267948966 0 0"')
    robot = load_robot(write(tmp_path, turned))
    at, foot = robot.link_poses(robot.neutral)[0], robot.links.index("left_foot")
    assert at[0, 2] - at[foot, 2] == pytest.approx(0.8)
    assert robot.neutral[2] == pytest.approx(upright.neutral[2], abs=1e-6)


@pytest.mark.parametrize("name", ["g1", "talos", "icub", "centauro"])
def test_shapes_hold_the_collision_meshes(name):
    """Every vertex of every mesh that touches is inside a shape of its link, to 2 mm."""
    if catalog.locate(name) is None:
        pytest.skip("example-robot-data is not installed")
    robot = load_robot(name)
    model = compile_model(robot)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for g in range(model.ngeom):
        if model.geom_type[g] != mujoco.mjtGeom.mjGEOM_MESH or not model.geom_contype[g]:
            continue
        body, mesh = int(model.geom_bodyid[g]), int(model.geom_dataid[g])
        start = model.mesh_vertadr[mesh]
        vertices = model.mesh_vert[start : start + model.mesh_vertnum[mesh]].astype(float)
        world = vertices @ data.geom_xmat[g].reshape(3, 3).T + data.geom_xpos[g]
        local = (world - data.xpos[body]) @ data.xmat[body].reshape(3, 3)
        outside = np.min([apart(s, local) for s in robot.shapes if s.link == body - 1], axis=0)
        assert outside.max() < 2e-3


def apart(shape, points: np.ndarray) -> np.ndarray:
    """Distance of points outside of a shape, in its link's frame."""
    local = (points - shape.position) @ shape.rotation
    if shape.kind == "box":
        return np.linalg.norm(np.maximum(np.abs(local) - shape.size, 0), axis=1)
    half = shape.size[1] if shape.kind == "capsule" else 0.0
    local[:, 2] -= np.clip(local[:, 2], -half, half)
    return np.maximum(np.linalg.norm(local, axis=1) - shape.size[0], 0)
