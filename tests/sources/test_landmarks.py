"""Landmarks of detectors to the skeleton's joints, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bunraku.human import HumanMotion
from bunraku.human.orient import oriented
from bunraku.human.skeleton import INDEX, JOINTS
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.landmarks import COUNT, LANDMARKS, ROW, WORLD_FROM_CAMERA, landmarks_of, pose_of


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who moves arms, trunk and head."""
    return read_motion("synth:conduct?seconds=2&fps=10")


def test_a_skeleton_comes_back_from_its_landmarks(motion: HumanMotion) -> None:
    """Limbs, hands and head to the millimetre, hips and neck to a few; turns of trunk and feet to some degrees."""
    for pose in motion:
        points, known = landmarks_of(pose)
        assert known.all()
        back = oriented(pose_of(points, known))
        away = np.linalg.norm(back.positions - pose.positions, axis=1)
        rough = {"hips": 0.01, "neck": 0.03}
        for joint in np.flatnonzero(back.position_valid):
            assert away[joint] < rough.get(JOINTS[joint], 1e-3), JOINTS[joint]
        assert {JOINTS[j] for j in np.flatnonzero(~back.position_valid)} == {
            "spine", "chest", "left_clavicle", "right_clavicle"
        }  # fmt: skip
        both = back.rotation_valid & pose.rotation_valid
        assert {"hips", "chest", "head", "left_hand", "right_foot"} <= {JOINTS[j] for j in np.flatnonzero(both)}
        assert np.degrees(rot.angle_between(back.rotations, pose.rotations))[both].max() < 8


def test_hidden_hips_leave_an_upright_chest(motion: HumanMotion) -> None:
    """At a desk shoulders alone tell the chest's turn about the vertical."""
    points, known = landmarks_of(motion.pose(0))
    known[[ROW["left_hip"], ROW["right_hip"]]] = False
    turn = rot.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.5)
    pose = pose_of(rot.rotate(turn, points), known)
    assert not pose.position_valid[INDEX["hips"]]
    assert pose.rotation_valid[INDEX["chest"]]
    chest = rot.multiply(rot.inverse(turn), pose.rotations[INDEX["chest"]])
    assert np.degrees(rot.angle_between(chest, rot.IDENTITY)) < 10
    assert np.allclose(rot.rotate(pose.rotations[INDEX["chest"]], [0, 0, 1]), [0, 0, 1])


def test_a_missing_landmark_takes_its_joint_alone(motion: HumanMotion) -> None:
    """Without the elbow there is no forearm, and everything else stays."""
    points, known = landmarks_of(motion.pose(0))
    known[ROW["left_elbow"]] = False
    pose, whole = pose_of(points, known), pose_of(points, np.ones(COUNT, bool))
    assert {JOINTS[j] for j in np.flatnonzero(whole.position_valid & ~pose.position_valid)} == {"left_forearm"}


def test_the_camera_is_faced() -> None:
    """What is to the right of the picture is on the person's left, what is low is low, what is near is in front."""
    assert np.allclose(WORLD_FROM_CAMERA @ [1, 0, 0], [0, 1, 0])
    assert np.allclose(WORLD_FROM_CAMERA @ [0, 1, 0], [0, 0, -1])
    assert np.allclose(WORLD_FROM_CAMERA @ [0, 0, -1], [1, 0, 0])
    assert np.linalg.det(WORLD_FROM_CAMERA) == pytest.approx(1)
    assert len(set(LANDMARKS)) == COUNT == 63


@given(
    hnp.arrays(float, (COUNT, 3), elements=st.floats(-100, 100)),
    hnp.arrays(bool, COUNT),
)
def test_any_points_give_a_pose_of_numbers(points: np.ndarray, known: np.ndarray) -> None:
    """Points on one spot, on a line or anywhere: what is said to be known is finite, turns are unit."""
    pose = oriented(replace(pose_of(points, known), stamp_ns=1))
    assert np.isfinite(pose.positions[pose.position_valid]).all()
    turns = pose.rotations[pose.rotation_valid]
    assert np.allclose(np.linalg.norm(turns, axis=-1), 1, atol=1e-6)
