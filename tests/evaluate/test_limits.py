"""Metrics of joint ranges and speeds on arrays with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.evaluate import limits
from bunraku.evaluate.metric import MissingError

LOWER, UPPER, HINGE = np.array([-1.0, -np.inf]), np.array([1.0, np.inf]), np.array([True, True])


def test_a_value_beyond_the_range_is_a_violation_and_one_at_the_limit_is_not() -> None:
    """Two frames 0.2 and 0.3 rad outside count twice, the worst by 0.3; 0.5 mrad off the limit is only at it."""
    joints = np.array([[0.0, 9.0], [1.2, 9.0], [-1.3, 9.0], [1.0005, 9.0], [0.9995, 9.0]])
    assert limits.limit_violations(joints, LOWER, UPPER) == 2
    assert limits.limit_max_rad(joints, LOWER, UPPER, HINGE) == pytest.approx(0.3)
    assert limits.at_limit_pct(joints, LOWER, UPPER) == pytest.approx(100 * 4 / 10)


def test_joints_without_limits_are_never_at_one() -> None:
    """Infinite ranges give zero whatever the value."""
    joints = np.full((5, 1), 1e6)
    assert limits.limit_violations(joints, LOWER[1:], UPPER[1:]) == 0
    assert limits.limit_max_rad(joints, LOWER[1:], UPPER[1:], HINGE[1:]) == 0.0


def test_a_jump_is_seen_as_a_jump_and_as_a_speed() -> None:
    """One step of 0.6 rad at 30 /s: one jump above 0.5, 0.6 rad, 18 rad/s."""
    joints = np.zeros((10, 2))
    joints[6:, 1] = 0.6
    assert limits.jumps(joints, HINGE) == 1
    assert limits.jump_max_rad(joints, HINGE) == pytest.approx(0.6)
    assert limits.joint_vel_max(joints, HINGE, 30.0) == pytest.approx(18.0)


def test_slide_joints_do_not_enter_figures_in_radians() -> None:
    """A slide joint that moves by 0.6 m is no jump in rad, and its excess no angle."""
    joints = np.array([[0.0, 0.0], [0.0, 0.6]])
    hinge = np.array([True, False])
    assert limits.jumps(joints, hinge) == 0
    assert limits.joint_vel_max(joints, hinge, 30.0) == 0.0
    assert limits.limit_max_rad(joints, LOWER, np.array([1.0, 0.1]), hinge) == 0.0
    assert limits.limit_violations(joints, LOWER, np.array([1.0, 0.1])) == 1


@given(st.floats(0.1, 5.0), st.floats(10.0, 200.0))
def test_acceleration_of_a_parabola_is_its_second_derivative(acceleration: float, fps: float) -> None:
    """q = a t² / 2 has acceleration a at every rate."""
    time = np.arange(50) / fps
    joints = (acceleration * time**2 / 2)[:, None]
    assert limits.joint_acc_p99(joints, HINGE[:1], fps) == pytest.approx(acceleration, rel=1e-6)


def test_each_joint_has_its_own_velocity_limit() -> None:
    """At 3 rad/s a joint with a limit of 2 is too fast in each of nine steps; limits of 3 and 4 hold."""
    joints = np.arange(10)[:, None] / 30.0 * np.array([3.0, 3.0, 3.0])
    assert limits.velocity_violations(joints, np.array([2.0, 4.0, 3.0]), 30.0) == 9


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_too_few_frames_are_a_reason_and_not_a_crash(frames: int) -> None:
    """Speeds take two frames, accelerations three."""
    joints = np.zeros((frames, 2))
    with pytest.raises(MissingError, match="three frames"):
        limits.joint_acc_p99(joints, HINGE, 30.0)
    if frames < 2:
        with pytest.raises(MissingError, match="two frames"):
            limits.joint_vel_max(joints, HINGE, 30.0)


def test_a_robot_without_hinges_has_no_figures_in_radians() -> None:
    """Only slide joints: left out, with that reason."""
    joints, none = np.zeros((5, 2)), np.array([False, False])
    for compute in (
        lambda: limits.jump_max_rad(joints, none),
        lambda: limits.limit_max_rad(joints, LOWER, UPPER, none),
    ):
        with pytest.raises(MissingError, match="no hinge"):
            compute()
