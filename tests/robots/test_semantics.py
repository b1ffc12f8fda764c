"""The body plan of robots that nobody configured."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bunraku.kinematics import rotations
from bunraku.robots import Robot, load_robot
from bunraku.robots.semantics import Semantics
from shared import need, robots

needs_data = pytest.mark.skipif(find_spec("cmeel") is None, reason="the package example-robot-data is not installed")

# robot → joints at shoulder, elbow, hand; hip, knee, foot, for the left side
HUMANOIDS = {
    "g1": ("left_shoulder_roll", "left_elbow", "left_wrist_yaw", "left_hip_roll", "left_knee", "left_ankle_roll"),
    "talos": ("arm_left_2", "arm_left_4", "arm_left_7", "leg_left_1", "leg_left_4", "leg_left_6"),
    "romeo": ("LShoulderPitch", "LElbowYaw", "LWristPitch", "LHipYaw", "LKneePitch", "LAnkleRoll"),
    "icub": ("l_shoulder_pitch", "l_elbow", "l_wrist_yaw", "l_hip_pitch", "l_knee", "l_ankle_roll"),
}
PARTS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")


def joint_at(robot: Robot, parts: Semantics, name: str) -> str:
    """The joint whose node carries a point of the body."""
    node = int(robot.links.node[parts.points[name].link])
    return robot.joint_names[node - 1]


@needs_data
@pytest.mark.parametrize("name", HUMANOIDS)
def test_humanoids_of_other_makers(name: str) -> None:
    """Joint centres, chest, hips and both sides are found on robots with four ways of naming and building."""
    robot = load_robot(name)
    parts = robot.semantics
    for part, joint in zip(PARTS, HUMANOIDS[name], strict=True):
        assert joint_at(robot, parts, f"left_{part}").startswith(joint)
    for group in ("left_arm", "right_arm", "left_leg", "right_leg", "torso"):
        assert parts.joints[group]
    assert len(parts.joints["left_arm"]) == len(parts.joints["right_arm"])
    assert {"hips", "chest", "left_foot", "right_hand"} <= set(parts.links)


@needs_data
def test_icub_faces_backwards_in_its_own_frame() -> None:
    """iCub's base has x to the back: its left comes from the names, its front from its left."""
    assert np.allclose(load_robot("icub").semantics.world_from_body[:, 0], [-1, 0, 0])


def mirrored_points_agree(robot: Robot) -> None:
    """Left and right points are mirror images in the neutral configuration."""
    parts = robot.semantics
    at, rotation = robot.link_poses(robot.neutral)
    for name, point in parts.points.items():
        if name.startswith("left_"):
            other = parts.points["right_" + name[5:]]
            left = at[point.link] + rotation[point.link] @ point.position
            right = at[other.link] + rotation[other.link] @ other.position
            across = parts.world_from_body[:, 1]
            assert np.linalg.norm(left - 2 * across * ((left - at[0]) @ across) - right) < 0.02
            assert (left - right) @ across > 0


def test_puppet_has_all_parts() -> None:
    """Our own humanoid: every limb, a neck, a face and fingers, left and right alike."""
    robot = load_robot("puppet")
    assert {"torso", "neck", "face", "left_fingers", "right_fingers"} <= set(robot.semantics.joints)
    assert set(robot.semantics.soles) == {"left_foot", "right_foot"}
    mirrored_points_agree(robot)


def test_names_are_not_needed(tmp_path: Path) -> None:
    """With every joint and link renamed the same limbs are found from shape alone."""
    robot = load_robot("puppet")
    root = ET.fromstring(robot.xml)
    new = {name: f"q{k:03d}" for k, name in enumerate((*robot.joint_names, *robot.links.names))}
    for element in root.iter():
        named = ("name",) if element.tag in ("body", "joint", "freejoint") else ()
        for attribute in (*named, "joint", "joint1", "joint2", "body1", "body2"):
            if element.get(attribute) in new:
                element.set(attribute, new[element.get(attribute)])
        if element.tag in ("geom", "site") and "name" in element.attrib:
            del element.attrib["name"]
    for file, content in robot.assets.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(content)
    path = tmp_path / "renamed.xml"
    path.write_bytes(ET.tostring(root))
    renamed = load_robot(path)
    for group in ("left_arm", "right_arm", "left_leg", "right_leg", "torso"):
        assert renamed.semantics.joints[group] == robot.semantics.joints[group], group
    for name, point in robot.semantics.points.items():
        assert renamed.semantics.points[name].link == point.link, name


def test_a_sensor_called_toe_is_no_toe(tmp_path: Path) -> None:
    """What is welded to a foot, by whatever name, leaves the leg's last joint part of the leg."""
    robot = load_robot("puppet")
    root = ET.fromstring(robot.xml)
    for side in ("left", "right"):
        foot = robot.links.names[robot.semantics.links[f"{side}_foot"]]
        (body,) = (element for element in root.iter("body") if element.get("name") == foot)
        ET.SubElement(body, "body", name=f"{side}_foot_toe_front_sensor")
    for file, content in robot.assets.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(content)
    path = tmp_path / "sensed.xml"
    path.write_bytes(ET.tostring(root))
    sensed = load_robot(path)
    for group in ("left_leg", "right_leg"):
        names = [sensed.joint_names[joint] for joint in sensed.semantics.joints[group]]
        assert names == [robot.joint_names[joint] for joint in robot.semantics.joints[group]]


def test_inmoov_is_an_upper_body() -> None:
    """Arms, trunk and head, no legs, no soles; the hinge of its arm is the elbow."""
    robot = load_robot("inmoov")
    parts = robot.semantics
    assert "left_leg" not in parts.joints
    assert not parts.soles
    assert "elbow" in robot.joint_names[parts.hinges["left_arm"]]
    assert {"chest", "head", "left_hand", "right_hand"} <= set(parts.links)


def test_a_lone_chain_is_an_arm() -> None:
    """The desk lamp has one chain: it is taken as one arm, and says so."""
    parts = load_robot("lamp").semantics
    assert "right_arm" in parts.joints
    assert any("single chain" in reason for reason in parts.reasons)


def test_the_yaml_overrides_links() -> None:
    """A robot's own settings win over what was found."""
    robot = load_robot("inmoov", overrides={"semantics": {"links": {"head": "torso_link"}}})
    assert robot.links.names[robot.semantics.links["head"]] == "torso_link"


def test_every_shared_robot_has_a_plan() -> None:
    """Files without meshes: a plan is found, points are mirror images, frames are rotations."""
    for path in need([*robots("*/*/*.urdf"), *robots("*/menagerie/*1.xml")]):
        parts = load_robot(path).semantics
        assert parts.joints, path
        assert np.allclose(parts.world_from_body @ parts.world_from_body.T, np.eye(3))
        assert np.linalg.det(parts.world_from_body) == pytest.approx(1.0)
        assert rotations.from_matrix(parts.world_from_body).shape == (4,)
