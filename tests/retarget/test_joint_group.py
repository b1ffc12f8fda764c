"""Ranges and speeds of joints with followers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bunraku.retarget.joint_group import JointGroup, joint_ranges, straight_value
from bunraku.robots import Robot, load_robot


@cache
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


def test_followers_have_their_say() -> None:
    """A leader's range and speed shrink where a follower's would be exceeded; ranges without end end where told."""
    finger = puppet().joint_index("left_index_1_joint")
    last = puppet().joint_index("left_index_3_joint")
    assert puppet().tree.leader[last] == finger
    ratio = puppet().tree.ratio[last]
    lower, upper = puppet().lower.copy(), puppet().upper.copy()
    velocity = puppet().velocity.copy()
    upper[last], velocity[last] = 0.5 * ratio, 0.25 * ratio
    lower[puppet().joint_index("jaw_joint")] = -np.inf
    other = replace(puppet(), lower=lower, upper=upper, velocity=velocity)
    tight = JointGroup(other, [finger])
    assert tight.upper[0] == pytest.approx(0.5)
    assert tight.speed[0] == pytest.approx(0.25)
    assert joint_ranges(other, [other.joint_index("jaw_joint")], 0.3)[0][0] == pytest.approx(-0.3)


@pytest.mark.parametrize(
    ("far", "bent", "rest"), [(0, 1.5, 0), (-0.1, 1.5, 0), (0.2, -1.5, 0), (1, 0, 1), (0.98, 0.02, 0.98), (-2, 1, -2)]
)
def test_a_joint_that_bends_back_is_straight_at_zero(far: float, bent: float, rest: float) -> None:
    """Zero inside the range is straight, unless the joint goes further that way than the other."""
    assert straight_value(far, bent) == rest


def test_a_group_may_be_empty() -> None:
    """No joints have no columns, ranges or speeds."""
    none = JointGroup(puppet(), [])
    assert none.columns.shape == none.lower.shape == none.upper.shape == none.speed.shape == (0,)
