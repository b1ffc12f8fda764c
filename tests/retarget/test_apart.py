"""A robot's own parts are kept apart."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.evaluate import evaluate
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, JOINT_COUNT
from bunraku.kinematics import rotations
from bunraku.retarget import apart, retarget
from bunraku.robots import load_robot
from gestures import person


def test_pairs_that_touch_as_the_robot_stands_are_not_pushed() -> None:
    """No margin asks for more distance than there is in the neutral configuration."""
    robot = load_robot("puppet")
    bodies = apart.keep_apart(robot)
    assert len(bodies.pair) > 20
    memory = apart.make_memory(bodies, 1)
    standing = apart.nearest_distances(bodies, memory, *robot.tree.forward(robot.neutral[None]))
    assert np.all(bodies.margin <= standing + 1e-9)


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
    free = evaluate(human, retarget(human, robot), robot)
    assert free["self_collision_pct"] > 5
    assert kept["self_collision_pct"] < 0.2 * free["self_collision_pct"]
