"""Bodies on the nodes of a tree, and the rows that keep them apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.kinematics import rotations
from bunraku.kinematics.kernels import forward_kinematics
from bunraku.kinematics.problem import make_workspace, tree_arrays
from bunraku.kinematics.self_distance import (
    Bodies,
    Body,
    add_self_distance,
    make_bodies,
    make_memory,
    near_pairs,
    nearest_distances,
    pair_distance,
)
from bunraku.kinematics.tree import SLIDE, KinematicTree
from trees import random_qpos, random_tree

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def distance(first: Body, second: Body) -> float:
    """Of two bodies that stand still at the origin of one node."""
    bodies = make_bodies([first, second], [(0, 1, 0, 0, 0.1)], 1.0)
    memory = make_memory(bodies, 1)
    return float(nearest_distances(bodies, memory, np.zeros((1, 1, 3)), np.eye(3)[None, None], 9.0)[0])


def box(at: list[float], core: list[float], radius: float, turn: list[float] | None = None) -> Body:
    """A rounded box on node 0."""
    frame = rotations.to_matrix(rotations.exp(turn or [0.0, 0, 0]))
    return Body(0, np.array(at) + (CUBE * core) @ frame.T, radius, frame)


def test_known_distances() -> None:
    """Spheres, a capsule beside a sphere, boxes face to face and corner to corner, and an overlap."""
    assert distance(box([0, 0, 0], [0, 0, 0], 0.1), box([0, 0, 0.5], [0, 0, 0], 0.2)) == pytest.approx(0.2)
    assert distance(box([0, 0, 0], [0, 0, 1], 0.1), box([0.5, 0, 0.7], [0, 0, 0], 0.1)) == pytest.approx(0.3)
    assert distance(box([0, 0, 0], [1, 1, 1], 0.1), box([3, 0.5, 0], [1, 1, 1], 0.1)) == pytest.approx(0.8)
    corner = distance(box([0, 0, 0], [1, 1, 1], 0.0), box([3, 3, 3], [1, 1, 1], 0.0))
    assert corner == pytest.approx(np.sqrt(3))
    assert distance(box([0, 0, 0], [0, 0, 0], 0.1), box([0, 0, 0.15], [0, 0, 0], 0.1)) == pytest.approx(-0.05)


@given(
    turn=st.lists(st.floats(-3, 3), min_size=3, max_size=3),
    way=st.lists(st.floats(-1, 1), min_size=3, max_size=3),
)
def test_distance_is_that_of_sampled_points(turn: list[float], way: list[float]) -> None:
    """A turned box and a sphere: no point of the box is nearer, and one is about that near."""
    half = np.array([0.3, 0.2, 0.1])
    grid = np.stack(np.meshgrid(*([np.linspace(-1, 1, 15)] * 3)), axis=-1).reshape(-1, 3) * half
    points = rotations.rotate(rotations.exp(turn), grid)
    sampled = np.linalg.norm(points - np.array(way), axis=1).min()
    found = distance(box([0, 0, 0], list(half), 0.0, turn), box(way, [0, 0, 0], 0.0))
    assert found <= sampled + 1e-9
    assert found >= sampled - 0.05 or found < 0


def test_near_pairs_are_those_whose_distance_can_be_that_small() -> None:
    """Balls are compared, so a pair that is nearer than what is asked for is always among them."""
    generator = np.random.default_rng(5)
    places = generator.uniform(-1, 1, (12, 3))
    hulls = [box(list(at), list(generator.uniform(0, 0.2, 3)), 0.05) for at in places]
    pairs = [(i, j, 0, 0, 0.2) for i in range(12) for j in range(i + 1, 12)]
    bodies = make_bodies(hulls, pairs, 1.0)
    memory = make_memory(bodies, 1)
    nearest = nearest_distances(bodies, memory, np.zeros((1, 1, 3)), np.eye(3)[None, None], np.inf)
    near = set(memory.near[: near_pairs(bodies, memory, bodies.margin)])
    assert set(np.flatnonzero(nearest < 0.2)) <= near
    assert 0 < len(near) < len(pairs)


def robot_with_bodies(seed: int) -> tuple[object, Bodies, np.ndarray]:
    """A random tree with shapes on its last two nodes, all joints between them giving way."""
    generator = np.random.default_rng(seed)
    tree = random_tree(generator, 6, free_base=True)
    hulls = [Body(n, CUBE * generator.uniform(0, 0.1, 3), 0.05, np.eye(3)) for n in (3, 6)]
    return tree, make_bodies(hulls, [(0, 1, 0, 0, 10.0)], 2.0, 5.0), random_qpos(generator, tree)


@pytest.mark.parametrize("seed", range(5))
def test_gradient_is_the_derivative_of_the_cost(seed: int) -> None:
    """The row of a pair agrees with central differences of its squared lack of distance."""
    tree, bodies, qpos = robot_with_bodies(seed)
    arrays = tree_arrays(tree)
    work = make_workspace(tree, bodies)

    def cost(configuration: np.ndarray) -> float:
        forward_kinematics(*arrays[:6], configuration, work.node_position, work.node_rotation)
        work.gradient[:] = 0
        return add_self_distance(
            arrays, bodies, work.bodies, work.node_position, work.node_rotation, work.hessian, work.gradient
        )

    assert cost(qpos) > 0
    gradient = work.gradient.copy()
    for joint in range(6):
        ahead, behind = qpos.copy(), qpos.copy()
        ahead[7 + joint] += 1e-6
        behind[7 + joint] -= 1e-6
        assert (cost(ahead) - cost(behind)) / 4e-6 == pytest.approx(gradient[6 + joint], abs=2e-3)
    assert np.all(gradient[:6] == 0), "a robot does not come apart by moving as a whole"


def test_far_pairs_cost_nothing() -> None:
    """Beyond its margin a pair adds neither cost nor rows."""
    tree, bodies, qpos = robot_with_bodies(0)
    bodies = bodies._replace(margin=np.array([-5.0]))
    work = make_workspace(tree, bodies)
    forward_kinematics(*tree_arrays(tree)[:6], qpos, work.node_position, work.node_rotation)
    found = add_self_distance(
        tree_arrays(tree), bodies, work.bodies, work.node_position, work.node_rotation, work.hessian, work.gradient
    )
    assert found == 0
    assert not work.gradient.any()
    assert pair_distance(bodies, work.bodies, 0, np.inf) > -5.0


def test_the_hard_weight_begins_at_half_of_the_margin() -> None:
    """A sphere at three quarters of the margin costs the same with it, one at a quarter costs more."""
    tree = KinematicTree(
        np.array([-1, 0], np.int32), np.array([0, SLIDE], np.int8), np.array([[0.0, 0, 1], [1.0, 0, 0]]),
        np.zeros((2, 3)), np.stack([np.eye(3)] * 2), np.zeros(1, np.int32), np.ones(1), np.zeros(1), False,
    )  # fmt: skip
    hulls = [Body(n, np.zeros((1, 3)), 0.05, np.eye(3)) for n in (0, 1)]

    def cost(apart: float, hard: float) -> float:
        bodies = make_bodies(hulls, [(0, 1, 0, 0, 0.04)], 2.0, hard)
        work = make_workspace(tree, bodies)
        position, rotation = tree.forward(np.array([0.1 + apart]))
        return add_self_distance(
            tree_arrays(tree), bodies, work.bodies, position, rotation, work.hessian, work.gradient
        )

    assert cost(0.03, 7.0) == pytest.approx(cost(0.03, 0.0)) == pytest.approx(2 * 0.01**2)
    assert cost(0.01, 7.0) == pytest.approx(2 * 0.03**2 + 7 * 0.01**2)
