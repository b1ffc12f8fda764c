"""Forward kinematics and Jacobians of small trees, by hand, numerically, and against MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.kinematics import rotations
from bunraku.kinematics.tree import HINGE, SLIDE, KinematicTree
from bunraku.robots import Robot, load_robot
from bunraku.robots.model import compile_model
from small_robots import joint, link, mjcf, random_configurations, urdf, write
from trees import random_qpos, random_tree


def tree(parent, kind, axis, position, *, free_base=False, leader=None, ratio=None, offset=None) -> KinematicTree:
    """A tree without turned frames."""
    n = len(parent) - 1
    return KinematicTree(
        np.array(parent, np.int32), np.array(kind, np.int8), np.array(axis, float), np.array(position, float),
        np.tile(np.eye(3), (n + 1, 1, 1)),
        np.arange(n, dtype=np.int32) if leader is None else np.array(leader, np.int32),
        np.ones(n) if ratio is None else np.array(ratio, float),
        np.zeros(n) if offset is None else np.array(offset, float),
        free_base,
    )  # fmt: skip


Z = [0, 0, 1]
PLANAR = tree(
    [-1, 0, 1, 2], [0, HINGE, HINGE, SLIDE], [Z, Z, Z, [1, 0, 0]], [[0, 0, 1], [0, 0, 0], [2, 0, 0], [1, 0, 0]]
)


def test_a_planar_arm_by_hand():
    """Two hinges and a slide in a plane."""
    positions, turned = PLANAR.forward(np.array([np.pi / 2, -np.pi / 2, 0.5]))
    assert positions == pytest.approx(np.array([[0, 0, 1], [0, 0, 1], [0, 2, 1], [1.5, 2, 1]]))
    assert turned[3] == pytest.approx(np.eye(3))


def test_many_configurations_at_once():
    """Leading shapes are kept, and each row is what it is alone."""
    qpos = np.random.default_rng(0).uniform(-1, 1, (2, 5, 3))
    positions, turned = PLANAR.forward(qpos)
    assert positions.shape == (2, 5, 4, 3)
    assert turned.shape == (2, 5, 4, 3, 3)
    assert positions[1, 3] == pytest.approx(PLANAR.forward(qpos[1, 3])[0])


def test_a_free_base_carries_everything():
    """Its pose acts on all nodes alike; a quaternion of any length means the same turn."""
    floating = tree([-1, 0], [0, HINGE], [Z, Z], [[9, 9, 9], [1, 0, 0]], free_base=True)
    half = rotations.from_axis_angle([0, 1, 0], np.pi / 2)
    for length in (1.0, 3.0):
        positions, _ = floating.forward(np.concatenate([[1, 2, 3], length * half, [0.3]]))
        assert positions == pytest.approx(np.array([[1, 2, 3], [1, 2, 2]]))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.booleans())
def test_jacobians_are_the_derivatives_of_positions(seed, free_base):
    """Each column against a small step of its own velocity, for points anywhere on any node."""
    generator = np.random.default_rng(seed)
    own = random_tree(generator, 6, free_base=free_base)
    qpos = random_qpos(generator, own)
    node, point, h = int(generator.integers(0, 7)), generator.normal(size=3), 1e-6
    jacobian = own.jacobian(qpos, node, point)
    for column in range(own.velocity_size):
        ends = []
        for sign in (1, -1):
            positions, turned = own.forward(moved(own, qpos, column, sign * h))
            ends.append((positions[node] + turned[node] @ point, turned[node]))
        linear = (ends[0][0] - ends[1][0]) / (2 * h)
        angular = rotations.log(rotations.from_matrix(ends[0][1] @ ends[1][1].T)) / (2 * h)
        assert jacobian[:3, column] == pytest.approx(linear, abs=1e-7)
        assert jacobian[3:, column] == pytest.approx(angular, abs=1e-7)


def moved(own: KinematicTree, qpos: np.ndarray, column: int, step: float) -> np.ndarray:
    """The configuration after a step along one velocity."""
    out = qpos.copy()
    if own.free_base and column < 3:
        out[column] += step
    elif own.free_base and column < 6:
        out[3:7] = rotations.multiply(rotations.exp(step * np.eye(3)[column - 3]), qpos[3:7])
    else:
        out[column + (1 if own.free_base else 0)] += step
    return out


def test_followers_go_where_their_leaders_demand():
    """Ratio and offset, for one configuration and for many; independent joints are left alone."""
    coupled = tree([-1, 0, 1, 2], [0, HINGE, HINGE, HINGE], [Z] * 4, [[0, 0, 0]] * 4,
                   leader=[0, 0, 2], ratio=[1, -2, 1], offset=[0, 0.5, 0])  # fmt: skip
    assert coupled.independent.tolist() == [0, 2]
    qpos = np.array([[0.1, 9, 7], [0.2, 9, 8]])
    assert coupled.with_followers(qpos) == pytest.approx(np.array([[0.1, 0.3, 7], [0.2, 0.1, 8]]))
    assert qpos[0, 1] == 9


@pytest.mark.parametrize("parent, leader", [([-1, 1], [0]), ([-1, -1], [0]), ([-1, 0], [0, 1]), ([-1, 0, 1], [1, 0])])
def test_trees_that_are_none(parent, leader):
    """Parents after children, wrong lengths, followers of followers."""
    n = len(parent)
    with pytest.raises(ValueError, match=r"parents|leader"):
        tree(
            parent,
            [0] + [HINGE] * (n - 1),
            [Z] * n,
            [[0, 0, 0]] * n,
            leader=leader,
            ratio=[1] * len(leader),
            offset=[0] * len(leader),
        )


def test_arrays_cannot_be_written():
    """A tree is shared; nobody changes it by accident."""
    with pytest.raises(ValueError, match="read-only"):
        PLANAR.position[0, 0] = 1


HINGES = """<body name="b"><geom size="0.1"/><body pos="0.1 0.2 0.3" euler="0.4 0.5 0.6"><joint axis="1 2 3"/>
<geom size="0.1"/>{}</body></body>"""
BRANCHES = """<body pos="0 0 1"><joint/><geom size="0.1"/></body>
<body><joint axis="1 0 0"/><geom size="0.1"/></body>"""
MIMIC = joint("y", "b", "c", inside='<axis xyz="1 0 0"/><mimic joint="x" multiplier="-2"/>')
MODELS = {
    "hinge": mjcf(HINGES.format("")),
    "slide": mjcf(HINGES.format("").replace("<joint", '<joint type="slide"')),
    "anchor": mjcf(HINGES.format("").replace("<joint", '<joint pos="0.3 -0.2 0.1"')),
    "reference": mjcf(HINGES.format("").replace("<joint", '<joint ref="0.7" pos="0.1 0 0"')),
    "slide with reference": mjcf(HINGES.format("").replace("<joint", '<joint type="slide" ref="0.7" pos="0.1 0 0"')),
    "several": mjcf(HINGES.format('<joint axis="0 1 0" pos="0 0 1" ref="-0.3"/><joint type="slide" axis="1 0 0"/>')),
    "branches": mjcf(HINGES.format(BRANCHES)),
    "free": mjcf(HINGES.format("").replace('name="b">', 'name="b"><freejoint/>')),
    "placed": mjcf(HINGES.format("").replace('name="b"', 'name="b" pos="1 2 3" quat="1 2 3 4"')),
    "mimic": urdf(*map(link, "abc"), joint("x", "a", "b"), MIMIC),
}  # fmt: skip


@pytest.fixture(params=MODELS)
def small(request, tmp_path) -> Robot:
    text = MODELS[request.param]
    return load_robot(write(tmp_path, text, "r.urdf" if text.startswith("<robot") else "r.xml"))


def test_small_models_agree_with_mujoco(small):
    """Every link at MuJoCo's place to 1e-12, and every Jacobian its own."""
    model = compile_model(small)
    data = mujoco.MjData(model)
    bodies = [model.body(name).id for name in small.links.names]
    jacobian = np.zeros((6, model.nv))
    for qpos in random_configurations(small, 20):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        at, turned = small.link_poses(qpos)
        assert at == pytest.approx(data.xpos[bodies], abs=1e-12)
        assert turned == pytest.approx(data.xmat[bodies].reshape(-1, 3, 3), abs=1e-12)
        node = int(small.links.node[-1])
        positions, node_turned = small.tree.forward(qpos)
        point = node_turned[node].T @ (at[-1] + turned[-1] @ [0.1, 0.2, 0.3] - positions[node])
        mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], at[-1] + turned[-1] @ [0.1, 0.2, 0.3], bodies[-1])
        if small.tree.free_base:
            jacobian[:, 3:6] = jacobian[:, 3:6] @ data.xmat[bodies[0]].reshape(3, 3).T
        assert small.tree.jacobian(qpos, node, point) == pytest.approx(jacobian, abs=1e-12)


def test_slides_and_hinges_are_told_apart(small):
    """By type, in the order of MuJoCo's joints."""
    model = compile_model(small)
    kinds = [HINGE if kind == 3 else SLIDE for kind in model.jnt_type if kind >= 2]
    assert small.tree.joint_type[1:].tolist() == kinds
