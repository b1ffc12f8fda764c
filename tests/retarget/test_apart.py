"""A robot's own parts are kept apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from bunraku.evaluate import evaluate
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, JOINT_COUNT
from bunraku.kinematics import rotations
from bunraku.kinematics.self_distance import make_memory, nearest_distances
from bunraku.retarget import apart, retarget
from bunraku.robots import load_robot
from bunraku.robots.fitting import DIRECTIONS
from bunraku.robots.robot import Shape
from gestures import person


def test_pairs_are_hardly_pushed_as_the_robot_stands() -> None:
    """No margin asks for more distance than there is in the neutral configuration, but for the least one."""
    robot = load_robot("puppet")
    bodies = apart.keep_apart(robot)
    assert len(bodies.pair) > 20
    neutral = robot.tree.forward(robot.neutral[None])
    standing = nearest_distances(bodies, make_memory(bodies, 1), *neutral, 1.0)
    assert np.all(bodies.margin <= np.maximum(standing, apart.LEAST_MARGIN_M))
    assert np.all(bodies.margin >= apart.LEAST_MARGIN_M)


def test_pairs_that_touch_as_the_robot_stands_are_left_out() -> None:
    """A forearm as thick as a body touches the trunk already; a thinner one is watched."""
    robot = load_robot("puppet")
    trunk, arm = robot.links.index("torso"), robot.links.index("left_forearm")

    def watched(thickness_m: float) -> bool:
        ball = Shape("sphere", arm, (thickness_m,), np.zeros(3), np.eye(3))
        others = [shape for shape in robot.shapes if shape.link == trunk]
        return bool(len(apart.keep_apart(replace(robot, shapes=(ball, *others))).pair))

    assert watched(0.02)
    assert not watched(0.6)


@pytest.mark.parametrize("flat", [0.002, 0.05])
def test_a_core_and_its_balls_cover_the_shape(flat: float) -> None:
    """In no direction does the hull of a box or of a mesh reach further, and nowhere is the cover much too thick."""
    generator = np.random.default_rng(2)
    cloud = generator.normal(size=(300, 3)) * [0.05, 0.04, flat]
    hull = cloud[ConvexHull(cloud).vertices]
    for shape in (
        Shape("box", 0, (0.1, 0.05, flat), np.zeros(3), np.eye(3)),
        Shape("box", 0, (0.1, 0.05, flat), np.zeros(3), np.eye(3), hull),
    ):
        body = apart._body(load_robot("puppet"), shape, apart.ROUNDING_M)
        corners = hull if shape.hull is not None else apart._CUBE * shape.size
        beyond = (DIRECTIONS @ body.points.T).max(axis=1) + body.radius - (DIRECTIONS @ corners.T).max(axis=1)
        assert beyond.min() > -1e-9
        assert beyond.max() < apart.ROUNDING_M


def test_arms_give_way_and_legs_do_not_bend_for_them() -> None:
    """Where a hand meets a leg, the joints of the arm move, and no other."""
    robot = load_robot("puppet")
    bodies = apart.keep_apart(robot)
    roots = {part: robot.semantics.joints[part][0] + 1 for part in ("left_arm", "right_leg")}
    hand = int(robot.links.node[robot.semantics.links["left_hand"]])
    shin = int(robot.links.node[robot.links.index("right_shin")])
    for (a, b), stops in zip(bodies.pair, bodies.stop, strict=True):
        nodes = [int(bodies.node[a]), int(bodies.node[b])]
        if set(nodes) == {hand, shin}:
            assert stops[nodes.index(shin)] == shin
            assert stops[nodes.index(hand)] == robot.tree.parent[roots["left_arm"]]


def arms_folded(frames: int) -> HumanMotion:
    """A person whose forearms come from the sides into the belly, which a slim person may do and a robot may not."""
    local = np.tile(rotations.IDENTITY, (frames, JOINT_COUNT, 1))
    fold = np.linspace(0.2, 1.0, frames) * np.pi / 2
    for side, sign in (("left", -1.0), ("right", 1.0)):
        local[:, INDEX[f"{side}_upper_arm"]] = rotations.exp([sign * np.pi / 2, 0.0, 0.0])
        local[:, INDEX[f"{side}_forearm"]] = rotations.from_axis_angle([sign, 0.0, 0.0], fold)
    return person(local, 30.0)


def test_it_has_an_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arms folded too tight: without the term they go through the body, with it they do not."""
    robot, human = load_robot("puppet"), arms_folded(40)
    kept = evaluate(human, retarget(human, robot), robot)
    monkeypatch.setattr(apart, "WEIGHT", 0.0)
    monkeypatch.setattr(apart, "HARD_WEIGHT", 0.0)
    free = evaluate(human, retarget(human, robot), robot)
    assert free["self_collision_pct"] > 5
    assert kept["self_collision_pct"] == 0
