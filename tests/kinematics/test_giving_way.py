"""Parts that stay on their way, and parts that give way to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from bunraku.kinematics.problem import (
    Limits,
    build_tasks,
    make_targets,
    make_workspace,
    tree_arrays,
)
from bunraku.kinematics.self_distance import Bodies, Body, make_bodies, self_distance_cost
from bunraku.kinematics.solver import solve
from bunraku.kinematics.tree import SLIDE, KinematicTree

RADIUS, MARGIN = 0.05, 0.006
TREE = KinematicTree(
    np.array([-1, 0, 0], np.int32), np.array([0, SLIDE, SLIDE], np.int8), np.eye(3)[[2, 0, 0]], np.zeros((3, 3)),
    np.tile(np.eye(3), (3, 1, 1)), np.arange(2, dtype=np.int32), np.ones(2), np.zeros(2), False,
)  # fmt: skip
"""two sliders on one rail"""


def pushed(leads: Sequence[bool], iterations: int = 12) -> np.ndarray:
    """Places of both sliders after the first, which stays on its way, was drawn from one side to where the second is
    drawn to."""
    bodies = _bodies(leads)
    tasks = build_tasks(TREE)
    targets = make_targets(tasks, 2)
    targets.posture[:] = 0.3, 0.3
    targets.posture_weight[:] = 1.0, 0.1
    qpos = np.array([0.15, 0.3])
    work = make_workspace(TREE, bodies)
    limits = Limits(np.full(2, -1.0), np.full(2, 1.0))
    solve(tree_arrays(TREE), tasks, targets, bodies, limits, qpos, work, iterations, 1e-4)
    return qpos


def _bodies(leads: Sequence[bool] = ()) -> Bodies:
    balls = [Body(node, np.zeros((1, 3)), RADIUS, np.eye(3)) for node in (1, 2)]
    return make_bodies(balls, [(0, 1, 1, 0, MARGIN)], 1500.0, 20000.0, leads)


def test_what_leads_arrives_and_what_gives_way_has_gone() -> None:
    """The first slider comes to its place to a centimetre; the second stands beside it."""
    first, second = pushed([True, False])
    assert first == pytest.approx(0.3, abs=0.01)
    assert abs(second - first) > 2 * RADIUS


def test_the_allowance_has_an_effect() -> None:
    """Without it each step that leads into the other part is taken back, and the first does not arrive."""
    assert abs(pushed([])[0] - 0.3) > 0.05


def test_cost_alone_is_the_cost_of_the_rows() -> None:
    """Nothing beyond the margin; the soft weight within it, the hard one besides within half of it."""
    bodies = _bodies()
    work = make_workspace(TREE, bodies)
    for apart in (0.01, 0.004, 0.001):
        position, rotation = TREE.forward(np.array([0.0, 2 * RADIUS + apart]))
        soft, hard = max(MARGIN - apart, 0.0), max(0.5 * MARGIN - apart, 0.0)
        found = self_distance_cost(bodies, work.bodies, position, rotation)
        assert found == pytest.approx(1500 * soft**2 + 20000 * hard**2)
