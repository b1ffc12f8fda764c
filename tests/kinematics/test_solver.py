"""The least-squares solver: exact gradients, box constraints, convergence, followers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.kinematics import rotations
from bunraku.kinematics.problem import (
    NO_BODIES,
    Limits,
    Targets,
    Tasks,
    build_tasks,
    make_targets,
    make_workspace,
    tree_arrays,
    variable_limits,
)
from bunraku.kinematics.solver import apply_step, solve
from bunraku.kinematics.terms import linearise, log_rotation
from bunraku.kinematics.tree import KinematicTree
from trees import random_qpos, random_tree

FREE = Limits(np.full(40, -np.inf), np.full(40, np.inf))


def problem(tree: KinematicTree, generator: np.random.Generator) -> Tasks:
    """Two tasks of each kind at random nodes and points."""

    def node() -> int:
        return int(generator.integers(1, len(tree.parent)))

    def point() -> np.ndarray:
        return generator.uniform(-0.2, 0.2, 3)

    last = len(tree.parent) - 1
    frames = rotations.to_matrix(rotations.normalize(generator.normal(size=(2, 4))))
    return build_tasks(
        tree,
        directions=[(0, point(), last, point()), (node(), point(), last, point() + 0.5)],
        orientations=[(node(), frames[0]), (last, frames[1])],
        positions=[(node(), point()), (last, point())],
        vectors=[(0, point(), last, point()), (node(), point(), last, point())],
    )


def aim(tree: KinematicTree, tasks: Tasks, qpos: np.ndarray, weight: float = 1.0) -> Targets:
    """Targets that the configuration meets exactly."""
    targets = make_targets(tasks, tree_arrays(tree).base_size + len(tree.independent))
    position, rotation = tree.forward(qpos)
    for t, kind in enumerate(tasks.kind):
        a, b = (position[n] + rotation[n] @ p for n, p in zip(tasks.node[t], tasks.point[t], strict=True))
        if kind == 0:
            targets.value[t, 0] = (b - a) / np.linalg.norm(b - a)
        elif kind == 1:
            targets.value[t] = rotation[tasks.node[t, 1]] @ tasks.frame[t]
        elif kind == 3:
            targets.value[t, 0] = b - a
        else:
            targets.value[t, 0] = b
    targets.weight[:] = weight
    return targets


@pytest.mark.parametrize("free_base", [True, False])
@pytest.mark.parametrize("followers", [0, 2])
def test_gradient_is_the_derivative_of_the_cost(free_base: bool, followers: int) -> None:
    """Every term's gradient agrees with central differences, also far from the target."""
    generator = np.random.default_rng(3)
    tree = random_tree(generator, 8, free_base=free_base, followers=followers)
    tasks, arrays = problem(tree, generator), tree_arrays(tree)
    targets = aim(tree, tasks, random_qpos(generator, tree))
    targets.weight[:] = generator.uniform(0.1, 2.0, targets.weight.shape[:1])[:, None]
    targets.posture_weight[arrays.base_size :] = 0.3
    work, qpos = make_workspace(tree), random_qpos(generator, tree)
    linearise(arrays, tasks, targets, NO_BODIES, qpos, work)
    gradient = work.gradient.copy()
    for v in range(len(gradient)):
        costs = []
        for h in (1e-6, -1e-6):
            step, moved = np.zeros(len(gradient)), qpos.copy()
            step[v] = h
            apply_step(arrays, qpos, step, moved)
            costs.append(linearise(arrays, tasks, targets, NO_BODIES, moved, work))
        assert (costs[0] - costs[1]) / 4e-6 == pytest.approx(gradient[v], abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_reachable_targets_are_reached(seed: int) -> None:
    """From half a radian away the solver comes back to a configuration that meets all targets."""
    generator = np.random.default_rng(seed)
    tree = random_tree(generator, 9, free_base=bool(seed % 2), followers=seed % 3)
    tasks, goal = problem(tree, generator), random_qpos(generator, tree)
    targets, arrays = aim(tree, tasks, goal), tree_arrays(tree)
    start = goal.copy()
    nv = len(make_workspace(tree).gradient)
    apply_step(arrays, goal, generator.uniform(-0.4, 0.4, nv), start)
    cost, _ = solve(arrays, tasks, targets, NO_BODIES, FREE, start, make_workspace(tree), 200, 1e-10)
    assert cost < 1e-10


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), width=st.floats(0.0, 0.5))
def test_the_box_is_never_left(seed: int, width: float) -> None:
    """Whatever is asked for, every joint ends inside its bounds, and the cost is no higher than where it began."""
    generator = np.random.default_rng(seed)
    tree = random_tree(generator, 7, free_base=True, followers=1)
    tasks, arrays, work = problem(tree, generator), tree_arrays(tree), make_workspace(tree)
    targets = aim(tree, tasks, random_qpos(generator, tree, 2.0))
    qpos = random_qpos(generator, tree, 0.3)
    middle = np.zeros(len(work.gradient))
    for joint in tree.independent:
        middle[arrays.variable[joint]] = qpos[7 + joint]
    limits = Limits(middle - width, middle + width)
    before = linearise(arrays, tasks, targets, NO_BODIES, qpos, work)
    cost, _ = solve(arrays, tasks, targets, NO_BODIES, limits, qpos, work, 20, 1e-6)
    assert cost <= before + 1e-12
    joints = qpos[7:][tree.independent]
    assert np.all(joints >= limits.lower[6:]) and np.all(joints <= limits.upper[6:])
    assert np.allclose(tree.with_followers(qpos), qpos, atol=1e-12)
    assert np.linalg.norm(qpos[3:7]) == pytest.approx(1.0, abs=1e-9)


def test_a_wall_is_used_and_left_again() -> None:
    """With the optimum outside the box the joint sits on its wall and the others make up for it; inside it leaves."""
    generator = np.random.default_rng(11)
    tree = random_tree(generator, 6, free_base=False)
    tasks, goal = problem(tree, generator), random_qpos(generator, tree, 0.5)
    targets, arrays, work = aim(tree, tasks, goal), tree_arrays(tree), make_workspace(tree)
    upper = np.full(6, np.inf)
    upper[1] = goal[1] - 0.1
    limits = Limits(np.full(6, -np.inf), upper)
    qpos = goal + 0.05
    solve(arrays, tasks, targets, NO_BODIES, limits, qpos, work, 100, 1e-10)
    assert qpos[1] == upper[1]
    cost, _ = solve(arrays, tasks, targets, NO_BODIES, FREE, qpos, work, 100, 1e-10)
    assert cost < 1e-12 and qpos[1] == pytest.approx(goal[1], abs=1e-5)


def test_weightless_tasks_move_nothing() -> None:
    """Tasks without weight and no posture leave the configuration as it is."""
    generator = np.random.default_rng(5)
    tree = random_tree(generator, 6, free_base=True)
    tasks, qpos = problem(tree, generator), random_qpos(generator, tree)
    targets, before = aim(tree, tasks, random_qpos(generator, tree), weight=0.0), qpos.copy()
    cost, steps = solve(tree_arrays(tree), tasks, targets, NO_BODIES, FREE, qpos, make_workspace(tree), 10, 1e-6)
    assert (cost, steps) == (0.0, 0)
    assert np.allclose(qpos, before)


def test_followers_narrow_their_leaders_range() -> None:
    """A variable's bounds keep each follower within its own limits, negative ratios included."""
    generator = np.random.default_rng(1)
    tree = random_tree(generator, 5, free_base=False, followers=1)
    lower, upper = np.full(5, -1.0), np.full(5, 1.0)
    lower[4], upper[4] = -0.3, 0.2
    limits = variable_limits(tree, lower, upper)
    for value in (limits.lower[0], limits.upper[0]):
        assert -0.3 - 1e-12 <= tree.ratio[4] * value + tree.offset[4] <= 0.2 + 1e-12


@given(st.lists(st.floats(-3.1, 3.1), min_size=3, max_size=3), st.sampled_from([1.0, 1e-8, 0.0]))
def test_log_rotation_agrees_with_quaternions(vector: list[float], scale: float) -> None:
    """The compiled logarithm is the one of the rotation library."""
    quaternion = rotations.exp(np.array(vector) * scale)
    out = np.zeros(3)
    angle = log_rotation(rotations.to_matrix(quaternion), out)
    assert np.allclose(rotations.exp(out), rotations.canonical(quaternion), atol=1e-7) or angle > 3.14
    assert angle == pytest.approx(np.linalg.norm(rotations.log(quaternion)), abs=1e-6)


def test_log_rotation_of_half_turns() -> None:
    """Half turns about any axis give an axis of length π, up to its sign."""
    for axis in (np.eye(3)[0], np.eye(3)[2], np.array([0.6, 0.0, -0.8])):
        out = np.zeros(3)
        log_rotation(2 * np.outer(axis, axis) - np.eye(3), out)
        assert np.allclose(np.abs(out), np.pi * np.abs(axis), atol=1e-6)
