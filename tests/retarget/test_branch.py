"""Hips stay on the branch that the robot stands on."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.problem import tree_arrays, variable_limits
from bunraku.kinematics.tree import HINGE, KinematicTree
from bunraku.retarget.branch import SHORT_OF_RAD, legs_in_one_branch
from bunraku.robots import Robot, load_robot
from bunraku.robots.semantics import Semantics


def legged(spread: float = 0.0) -> Robot:
    """A base with one left leg: pitch, roll and yaw at the hip, the roll at `spread` in the neutral configuration."""
    axes = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]], float)
    tree = KinematicTree(
        np.array([-1, 0, 1, 2], np.int32), np.array([0, HINGE, HINGE, HINGE], np.int8), axes, np.zeros((4, 3)),
        np.tile(np.eye(3), (4, 1, 1)), np.arange(3, dtype=np.int32), np.ones(3), np.zeros(3), True,
    )  # fmt: skip
    neutral = np.r_[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, spread, 0.0]

    class Stub:
        """What the limits are made from."""

        semantics = Semantics(links={}, points={}, soles={}, joints={"left_leg": (0, 1, 2)})
        first_joint = 7

    robot = Stub()
    robot.tree, robot.neutral = tree, neutral  # type: ignore[attr-defined]
    return robot  # type: ignore[return-value]


def roll_limits(robot: Robot, widest: float = 3.0) -> tuple[float, float]:
    """Of the hip's middle joint, which could turn by `widest` either way."""
    limits = legs_in_one_branch(robot, variable_limits(robot.tree, np.full(3, -widest), np.full(3, widest)))
    row = tree_arrays(robot.tree).variable[1]
    return float(limits.lower[row]), float(limits.upper[row])


def test_a_thigh_stops_short_of_where_hips_lock() -> None:
    """A quarter turn to the side makes pitch and yaw one axis: the roll ends a tenth of a radian before that."""
    assert np.allclose(roll_limits(legged()), [-np.pi / 2 + SHORT_OF_RAD, np.pi / 2 - SHORT_OF_RAD], atol=0.02)


def test_narrower_limits_stay() -> None:
    """A hip that cannot come near the place keeps its own range."""
    assert roll_limits(legged(), 0.5) == (-0.5, 0.5)


def test_a_hip_that_stands_where_it_locks_is_left_alone() -> None:
    """There both branches are one, and none is the right one."""
    assert roll_limits(legged(np.pi / 2)) == (-3.0, 3.0)


def test_robots_without_legs_keep_their_limits() -> None:
    """Nothing changes where there is no leg."""
    robot = load_robot("lamp")
    limits = variable_limits(robot.tree, robot.lower, robot.upper)
    same = legs_in_one_branch(robot, limits)
    assert np.array_equal(same.lower, limits.lower)
    assert np.array_equal(same.upper, limits.upper)
