"""Freedoms of the person and of the robot, part by part."""

from __future__ import annotations

from bunraku.robots import load_robot
from bunraku.robots.definition import Definition, definitions
from small_robots import TRUNK, limb_arm, urdf, wheels, write


def test_parts_of_a_humanoid():
    """A person's freedoms in every part but the fingers, whose last joints follow the middle ones."""
    found = {d.part: d for d in definitions(load_robot("puppet"))}
    assert len(found) == 18
    assert all(d.verdict == "properly defined" for part, d in found.items() if "fingers" not in part)
    assert found["left shoulder"].joints == (
        "left_shoulder_pitch_joint", "left_shoulder_roll_joint", "left_shoulder_yaw_joint",
    )  # fmt: skip
    assert (found["left fingers"].robot, found["left fingers"].verdict) == (6, "under-defined")


def test_parts_of_a_small_robot(tmp_path):
    """Shoulder, elbow and wrist by the joint that bends the arm; a base on wheels has three."""
    robot = load_robot(write(tmp_path, urdf(TRUNK, limb_arm("left"), limb_arm("right"), wheels())))
    found = {d.part: (d.person, d.robot, d.verdict) for d in definitions(robot)}
    assert found["base"] == (6, 3, "under-defined")
    assert found["left shoulder"] == (3, 2, "under-defined")
    assert found["right elbow"] == (1, 1, "properly defined")
    assert found["left forearm and wrist"] == (3, 1, "under-defined")
    assert found["torso"] == (3, 0, "no counterpart")


def test_more_than_a_person_has():
    """Is over-defined."""
    assert Definition("left elbow", 1, 2).verdict == "over-defined"
