"""Corrections of a body plan, one key at a time."""

from __future__ import annotations

import pytest

from bunraku.robots import load_robot
from small_robots import TRUNK, hinge, limb_arm, limb_head, shaped, urdf, write

TAIL = shaped("lamp") + hinge("tail", "torso", "lamp", "0 0 0")
TEXT = urdf(TRUNK, limb_arm("left"), limb_arm("right"), limb_head(), TAIL)


def corrected(tmp_path, **semantics):
    """The robot with these corrections."""
    return load_robot(write(tmp_path, TEXT), overrides={"semantics": semantics})


def test_a_part_is_what_the_yaml_says(tmp_path):
    """A joint that was no part becomes the torso and moves the chest; a neck is left out, and the head with it."""
    robot = corrected(tmp_path, joints={"torso": ["tail"], "neck": []})
    joints, links = robot.semantics.joints, robot.semantics.links
    assert robot.links.names[links["chest"]] == "lamp"
    assert "head" not in links
    assert joints["torso"] == (robot.joint_index("tail"),)
    assert "neck" not in joints
    assert {"torso: tail, as the robot's YAML says", "neck: none, as the robot's YAML says"} <= set(
        robot.semantics.reasons
    )


def test_what_is_said_and_found_alike_is_no_correction(tmp_path):
    """No reason is added."""
    robot = load_robot(write(tmp_path, TEXT))
    names = [robot.joint_names[j] for j in robot.semantics.joints["left_arm"]]
    again = corrected(tmp_path, joints={"left_arm": names}, forward=[1, 0, 0])
    assert again.semantics.reasons == robot.semantics.reasons


def test_points_move_joint_centres(tmp_path):
    """An elbow elsewhere; a point of a limb that is left out is not added."""
    point = {"link": "left_forearm_link", "at": [0.0, 0.0, -0.05]}
    robot = corrected(tmp_path, points={"left_forearm": point})
    assert robot.semantics.points["left_forearm"].position == pytest.approx([0, 0, -0.05])
    without = corrected(tmp_path, points={"left_forearm": point}, joints={"left_arm": []})
    assert "left_forearm" not in without.semantics.points


def test_a_part_that_was_not_found_can_be_given(tmp_path):
    """A head on the lamp."""
    robot = corrected(tmp_path, links={"head": "lamp"})
    assert robot.links.names[robot.semantics.links["head"]] == "lamp"
