"""The rest configuration."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.robots import catalog, load_robot, neutral
from bunraku.robots.robot import Shape
from small_robots import joint, link, mjcf, pendulum, urdf, write

NAMED = [entry.name for entry in catalog.available() if entry.installed]


def test_the_lowest_point_of_each_kind():
    """Spheres, capsules and boxes reach as far down as they do."""
    eye, at = np.eye(3), np.array([[0, 0, 1.0]])
    lying = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])
    cases = [(Shape("sphere", 0, (0.1,), np.zeros(3), eye), 0.9),
             (Shape("capsule", 0, (0.1, 0.3), np.zeros(3), eye), 0.6),
             (Shape("capsule", 0, (0.1, 0.3), np.zeros(3), lying), 0.9),
             (Shape("box", 0, (0.3, 0.2, 0.1), np.zeros(3), eye), 0.9),
             (Shape("box", 0, (0.3, 0.2, 0.1), np.array([0, 0, 0.5]), lying), 1.2)]  # fmt: skip
    for shape, expected in cases:
        assert neutral.lowest_point((shape,), at, eye[None]) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMED)
def test_named_robots_rest_within_limits_on_the_ground(name):
    """Joints within limits with followers in place; the lowest point of a free robot at z = 0."""
    robot = load_robot(name)
    joints = robot.neutral[robot.first_joint :]
    assert np.all((joints >= robot.lower) & (joints <= robot.upper))
    followed = robot.tree.with_followers(robot.neutral)
    assert np.clip(followed[robot.first_joint :], robot.lower, robot.upper) == pytest.approx(joints)
    if robot.base == "free":
        assert neutral.lowest_point(robot.shapes, *robot.link_poses(robot.neutral)) == pytest.approx(0, abs=1e-9)


def test_zero_where_it_can_be_else_the_nearest_limit(tmp_path):
    """Ranges around, above and below zero; MJCF's reference values where there are some."""
    limits = '<axis xyz="0 1 0"/><limit lower="{}" upper="{}"/>'
    text = urdf(*map(link, "abcd"), joint("x", "a", "b", inside=limits.format(-1, 1)),
                joint("y", "b", "c", inside=limits.format(0.2, 1)),
                joint("z", "c", "d", inside=limits.format(-1, -0.3)))  # fmt: skip
    assert load_robot(write(tmp_path, text)).neutral == pytest.approx([0, 0.2, -0.3])
    referred = load_robot(write(tmp_path, pendulum(joint_attributes='ref="0.7" range="-1 2"'), "r.xml"))
    assert referred.neutral == pytest.approx([0.7])


def test_overrides_say_otherwise(tmp_path):
    """Values of the YAML are cut to the limits, and followers go along."""
    mimic = '<axis xyz="0 1 0"/><limit lower="-9" upper="9"/><mimic joint="x" multiplier="2"/>'
    text = urdf(*map(link, "abc"), joint("x", "a", "b"), joint("y", "b", "c", inside=mimic))
    path = write(tmp_path, text)
    assert load_robot(path, overrides={"neutral": {"x": 0.5}}).neutral == pytest.approx([0.5, 1.0])
    assert load_robot(path, overrides={"neutral": {"x": 7}}).neutral == pytest.approx([2, 4])


def test_a_free_base_keeps_the_turn_that_it_was_drawn_with(tmp_path):
    """Its height is that at which its lowest shape touches the ground."""
    body = (
        '<body quat="0 1 0 0" pos="1 2 3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/><body pos="0 0 1"><joint/>'
    )
    robot = load_robot(write(tmp_path, mjcf(body + '<geom size="0.2"/></body></body>'), "r.xml"))
    assert robot.neutral[:7] == pytest.approx([0, 0, 1.2, 0, 1, 0, 0])
