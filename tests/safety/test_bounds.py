"""Bounds of robots: what their descriptions say, with joints that follow others folded into their leaders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bunraku.errors import RobotError
from bunraku.robots import load_robot
from bunraku.safety.bounds import FULL_SPEED_S, SLOW_HINGE, SLOW_SLIDE, BaseBounds, bounds_of, bounds_of_joints
from small_robots import arm, joint, link, urdf, write

ONE = np.ones(1)


def finger(tmp_path: Any, follower: str) -> Any:
    """A leader in -1 … 2 with 3 rad/s, and a joint that follows it twice as far."""
    mimic = '<axis xyz="0 1 0"/><mimic joint="lead" multiplier="-2" offset="0.5"/>'
    lead, follow = joint("lead", "base", "a"), joint("follow", "a", "b", inside=mimic + follower)
    text = urdf(link("base"), link("a"), link("b"), lead, follow)
    return load_robot(write(tmp_path, text))


def test_a_robot_without_followers_keeps_what_its_file_says(tmp_path: Any) -> None:
    """Limits as described; full speed in the time given."""
    bounds = bounds_of(load_robot(write(tmp_path, arm())), full_speed_s=0.5, stop_s=0.25)
    assert (bounds.lower, bounds.upper, bounds.velocity) == (-1, 2, 3)
    assert (bounds.acceleration, bounds.stop_acceleration, bounds.slow) == (6, 12, SLOW_HINGE)
    assert bounds.base is None
    assert bounds.first_joint == 0


def test_a_stop_is_never_softer_than_the_motion(tmp_path: Any) -> None:
    """A stop time longer than that to full speed is that one; without one, as well."""
    robot = load_robot(write(tmp_path, arm()))
    for stop_s in (None, 3.0):
        bounds = bounds_of(robot, stop_s=stop_s)
        assert bounds.stop_acceleration == bounds.acceleration == 3 / FULL_SPEED_S


def test_a_follower_narrows_its_leader(tmp_path: Any) -> None:
    """A follower that goes -2 times as far, 0.5 beside, within ±1.5 and 4 rad/s."""
    bounds = bounds_of(finger(tmp_path, '<limit lower="-1.5" upper="1.5" velocity="4" effort="1"/>'))
    np.testing.assert_allclose(bounds.lower[0], -0.5)
    np.testing.assert_allclose(bounds.upper[0], 1.0)
    np.testing.assert_allclose(bounds.velocity[0], 2.0)
    assert list(bounds.independent) == [0]


def test_a_range_that_excludes_the_leaders_is_left_out(tmp_path: Any) -> None:
    """The leader's own range decides."""
    bounds = bounds_of(finger(tmp_path, '<limit lower="50" upper="51" velocity="400" effort="1"/>'))
    assert (bounds.lower[0], bounds.upper[0], bounds.velocity[0]) == (-1, 2, 3)


def test_a_slide_is_slow_in_metres_and_a_still_joint_has_a_bound(tmp_path: Any) -> None:
    """5 cm/s while it comes to meet its target; a joint whose file allows no speed gets next to none."""
    limit = '<axis xyz="0 0 1"/><limit lower="0" upper="1" velocity="{}" effort="1"/>'
    text = urdf(
        link("base"), link("a"), link("b"), link("c"),
        joint("slide", "base", "a", "prismatic", limit.format(2)),
        joint("still", "a", "b", inside=limit.format(1e-9)), joint("slug", "b", "c", inside=limit.format(0.2)),
    )  # fmt: skip
    bounds = bounds_of(load_robot(write(tmp_path, text)))
    np.testing.assert_allclose(bounds.slow, [SLOW_SLIDE, 1e-6, 0.2])


def test_a_free_base_has_bounds() -> None:
    """Those given, or sober ones."""
    robot = load_robot("puppet")
    assert bounds_of(robot).base == BaseBounds()
    assert bounds_of(robot, base=BaseBounds(linear_velocity=0.5)).base == BaseBounds(linear_velocity=0.5)
    assert bounds_of(robot).first_joint == 7
    assert bounds_of(load_robot("lamp"), base=BaseBounds()).base is None


@pytest.mark.parametrize("name", ["linear_velocity", "angular_acceleration", "slow_angular"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_a_base_bound_is_a_positive_number(name: str, value: float) -> None:
    """Anything else is refused, by its name."""
    with pytest.raises(RobotError, match=name):
        BaseBounds(**{name: value})


@pytest.mark.parametrize(
    "change, words",
    [
        ({"lower": 2 * ONE}, "'lower'"),
        ({"lower": np.nan * ONE}, "'lower'"),
        ({"velocity": 0 * ONE}, "'velocity'"),
        ({"velocity": np.inf * ONE}, "'velocity'"),
        ({"acceleration": -ONE}, "'acceleration'"),
        ({"stop_acceleration": 0.5 * ONE}, "brake"),
        ({"slow": np.nan * ONE}, "'slow'"),
        ({"upper": np.ones(2)}, r"\(2,\)"),
        ({"ratio": np.ones((1, 1))}, "'ratio'"),
    ],
)
def test_bounds_that_are_none_are_refused(change: dict[str, Any], words: str) -> None:
    """Before anything moves."""
    with pytest.raises(RobotError, match=words):
        replace(bounds_of_joints(-ONE, ONE, ONE, ONE), **change)


def test_joints_alone() -> None:
    """Without a stop's own deceleration it is the acceleration's."""
    bounds = bounds_of_joints(-ONE, ONE, 0.1 * ONE, ONE)
    assert bounds.stop_acceleration == 1
    assert bounds.slow == 0.1
    assert bounds_of_joints(-ONE, ONE, ONE, ONE, 2 * ONE).stop_acceleration == 2
    assert bounds.joint_count == 1
