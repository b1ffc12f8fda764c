"""People and robots in one form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.evaluate.body import POINTS, common_trunk, of_human, of_robot
from bunraku.evaluate.metric import MissingError
from bunraku.robots.semantics import Point
from evaluate.bodies import moved, shadow, stick, swinging, without


def test_points_of_a_robot_are_fixed_to_their_links() -> None:
    """A point off its link's origin turns with the link, over more frames than are computed at once."""
    robot = replace(stick())
    semantics, offset = stick().semantics, np.array([0.01, 0.02, -0.2])
    elbow = Point(robot.links.index("left_upper_arm"), offset)
    vars(robot)["semantics"] = replace(semantics, points={**semantics.points, "left_forearm": elbow})
    motion = swinging(1500)
    body = of_robot(robot, motion.qpos, "hips")
    at, rotation = robot.link_poses(motion.qpos)
    expected = at[:, elbow.link] + rotation[:, elbow.link] @ offset
    points, known = body.point("left_forearm")
    assert points == pytest.approx(expected)
    assert known.all()
    assert body.turn == pytest.approx(rotation[:, robot.links.index("pelvis")])


def test_points_that_a_robot_lacks_are_unknown() -> None:
    """Without legs half of the points are known."""
    body = of_robot(stick(legs=False), moved(5).qpos, "chest")
    assert [name for name in POINTS if body.point(name)[1].all()] == [
        name for name in POINTS if "arm" in name or "hand" in name
    ]


def test_a_person_is_taken_in_the_frames_asked_for() -> None:
    """Frames may repeat and skip; flags go with them."""
    human = without(shadow(swinging(10)), "left_hand")
    body = of_human(human, np.array([0, 3, 3, 9]), "hips")
    assert body.point("right_shin")[0] == pytest.approx(human.position("right_shin")[[0, 3, 3, 9]])
    assert not body.point("left_hand")[1].any()
    assert body.trunk == pytest.approx(human.position("hips")[[0, 3, 3, 9]])


def test_the_trunk_is_what_both_have() -> None:
    """Hips where both have two; else the chest with two shoulders; else a trunk that is known to turn; else none."""
    human = shadow(moved())
    assert common_trunk(human, stick()) == "hips"
    assert common_trunk(human, stick(legs=False)) == "chest"
    assert common_trunk(without(human, "left_thigh"), stick()) == "chest"
    one_sided = without(human, "left_thigh", "left_upper_arm")
    assert common_trunk(one_sided, stick()) == "chest"
    assert common_trunk(without(one_sided, rotations_of=("chest",)), stick()) == "hips"
    with pytest.raises(MissingError, match="shoulders"):
        common_trunk(without(one_sided, rotations_of=("chest", "hips")), stick())


def test_a_fixed_base_is_what_limbs_are_seen_from() -> None:
    """A robot without trunk joints stands for the person's chest, though it has two hips."""
    assert common_trunk(shadow(moved()), stick(fixed=True)) == "chest"
