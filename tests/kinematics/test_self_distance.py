"""Distances between rounded boxes, and the rows that keep a robot's own parts apart."""

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
    add_self_distance,
    make_bodies,
    make_memory,
    nearest_distances,
    pair_distance,
)
from trees import random_qpos, random_tree

Shape = tuple[int, np.ndarray, np.ndarray, np.ndarray, float]


def distance(first: Shape, second: Shape) -> float:
    """Of two shapes that stand still at the origin of one node."""
    bodies = make_bodies([first, second], [(0, 1, 0, 0, 0.1)], 1.0)
    memory = make_memory(bodies, 1)
    return float(nearest_distances(bodies, memory, np.zeros((1, 1, 3)), np.eye(3)[None, None])[0])


def box(at: list[float], core: list[float], radius: float, turn: list[float] | None = None) -> Shape:
    """A rounded box on node 0."""
    return 0, np.array(at), rotations.to_matrix(rotations.exp(turn or [0.0, 0, 0])), np.array(core), radius


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
    sphere = np.array(way)
    sampled = np.linalg.norm(points - sphere, axis=1).min()
    found = distance(box([0, 0, 0], list(half), 0.0, turn), box(way, [0, 0, 0], 0.0))
    assert found <= sampled + 1e-9
    assert found >= sampled - 0.05


def robot_with_bodies(seed: int) -> tuple[object, Bodies, np.ndarray]:
    """A random tree with shapes on its last two nodes, all joints between them giving way."""
    generator = np.random.default_rng(seed)
    tree = random_tree(generator, 6, free_base=True)
    shapes = [(n, np.zeros(3), np.eye(3), generator.uniform(0, 0.1, 3), 0.05) for n in (3, 6)]
    return tree, make_bodies(shapes, [(0, 1, 0, 0, 10.0)], 2.0), random_qpos(generator, tree)


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
    assert pair_distance(bodies, work.bodies, 0, 1) > -5.0
