"""The second paper's formulas, and its mapper on Pepper's axes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.kinematics import rotations as rot
from bunraku.retarget.hirschmanner import (
    Operator,
    arm_angles,
    directions_from_headset,
    directions_from_leap,
    headset_from_leap,
    shoulder_from_headset,
    turn_x,
    turn_y,
    turn_z,
)

ROMEO_DEG = ((-82.7, 127.2), (-24.7, 65.3), (-120, 120), (-90, 0), (-210, 30), (-25, 25), (-56, 56))
LIMITS = np.radians(ROMEO_DEG)
SHARES = st.lists(st.floats(0.02, 0.98), min_size=7, max_size=7)


def arm(angles: np.ndarray) -> tuple[np.ndarray, ...]:
    """Elbow, forearm, palm's normal and hand of a robot with these seven angles, in the shoulder's frame."""
    pitch, yaw, roll, bend, wrist, across, up = angles
    shoulder = rot.multiply(rot.from_axis_angle([0, 1.0, 0], pitch), rot.from_axis_angle([0, 0, 1.0], yaw))
    elbow = rot.multiply(shoulder, rot.from_euler("XZ" + "X", [roll, bend, 0.0]))
    hand = rot.multiply(elbow, rot.from_euler("XZY", [wrist, across, up]))
    turned = rot.multiply(elbow, rot.from_axis_angle([1.0, 0, 0], wrist))
    x = np.array([1.0, 0, 0])
    return 0.3 * rot.rotate(shoulder, x), rot.rotate(elbow, x), rot.rotate(turned, [0, 0, -1.0]), rot.rotate(hand, x)


@given(SHARES)
def test_the_angles_of_a_robot_come_back(share: list[float]) -> None:
    """For any angles within Romeo's ranges whose shoulder lies on the paper's branch, |ShoulderYaw| < 90°."""
    angles = LIMITS[:, 0] + np.array(share) * (LIMITS[:, 1] - LIMITS[:, 0])
    angles[3] = min(angles[3], -0.05)
    angles[4] = np.clip(angles[4], -3.0, 0.5)
    np.testing.assert_allclose(arm_angles(*arm(angles), limits=LIMITS), angles, atol=1e-6)


@given(SHARES)
def test_later_joints_make_up_for_clamped_ones(share: list[float]) -> None:
    """With a shoulder that cannot go all the way, the forearm still points as the person's where the elbow can."""
    angles = LIMITS[:, 0] + np.array(share) * (LIMITS[:, 1] - LIMITS[:, 0])
    angles[2], angles[3] = 0.3 * angles[2], -0.8
    narrow = LIMITS.copy()
    narrow[0] = np.clip(angles[0] - 0.1, *LIMITS[0]) + np.array([-1.0, 0.0])
    elbow, forearm, palm, hand = arm(angles)
    found = arm_angles(elbow, forearm, palm, hand, limits=narrow)
    if -1.5 < found[3] < -0.05 and abs(found[2]) < 2.0:
        np.testing.assert_allclose(arm(found)[1], forearm, atol=1e-6)


def test_the_elbows_branch_is_the_one_of_the_range() -> None:
    """Left arms bend with ElbowYaw ≤ 0, right arms with ElbowYaw ≥ 0; as printed it would always be ≥ 0."""
    angles = np.array([0.3, 0.2, 0.5, -0.9, -0.4, 0.1, 0.2])
    seen = arm(angles)
    assert arm_angles(*seen, limits=LIMITS)[3] == pytest.approx(-0.9)
    mirrored = tuple(v * [1, -1, 1] for v in seen)
    right = np.radians([(-82.7, 127.2), (-65.3, 24.7), (-120, 120), (0, 90), (-30, 210), (-25, 25), (-56, 56)])
    np.testing.assert_allclose(arm_angles(*mirrored, limits=right), angles * [1, -1, -1, -1, -1, -1, 1], atol=1e-9)


def test_turns_are_of_frames() -> None:
    """The paper's matrices are the transposes of those that turn vectors."""
    v = np.array([0.3, -0.5, 0.8])
    for turn, axis in ((turn_x, [1.0, 0, 0]), (turn_y, [0, 1.0, 0]), (turn_z, [0, 0, 1.0])):
        np.testing.assert_allclose(turn(0.7, v), rot.rotate(rot.from_axis_angle(axis, -0.7), v))


def test_leap_and_headset_frames() -> None:
    """What lies before the sensor is before the face; the middle of the head is 21 cm behind it; shoulders are beside
    and below, and stay when the head turns."""
    ahead = headset_from_leap([0.0, 400.0, 0.0])
    np.testing.assert_allclose(ahead, [0, 0, -0.61])
    np.testing.assert_allclose(directions_from_leap([0.0, 1.0, 0.0]), [0, 0, -1])
    level = rot.IDENTITY
    np.testing.assert_allclose(directions_from_headset([0, 0, -1.0], level), [1, 0, 0], atol=1e-15)
    left = shoulder_from_headset(ahead, level, "left")
    right = shoulder_from_headset(ahead, level, "right")
    np.testing.assert_allclose(left, [0.61, -0.21, 0.225], atol=1e-12)
    np.testing.assert_allclose(right, [0.61, 0.21, 0.225], atol=1e-12)
    turned = rot.from_axis_angle([0, 1.0, 0], 0.6)
    seen = rot.rotate(rot.inverse(turned), ahead)
    np.testing.assert_allclose(shoulder_from_headset(seen, turned, "left"), left, atol=1e-12)
    child = Operator(shoulder_out_m=0.14, shoulder_down_m=0.16)
    np.testing.assert_allclose(shoulder_from_headset(ahead, level, "left", child), [0.61, -0.14, 0.16], atol=1e-12)


def test_many_frames_are_as_one_by_one() -> None:
    """The formulas take any leading shape."""
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(4, 30, 3))
    together = arm_angles(*vectors, limits=LIMITS, wrist_tilt_rad=-0.15)
    for k in range(30):
        np.testing.assert_allclose(together[k], arm_angles(*vectors[:, k], limits=LIMITS, wrist_tilt_rad=-0.15))
