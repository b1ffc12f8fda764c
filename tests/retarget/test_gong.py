"""The third paper's formulas, and its mapper on InMoov."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arms import motion, pose
from bunraku.kinematics import rotations as rot
from bunraku.retarget import make_mapper
from bunraku.retarget.gong import flexion, link_angle, signed_wrist_turn, turned_normal, wrist_turn
from bunraku.robots import load_robot

ANGLE = st.floats(-3.0, 3.0)


@given(ANGLE, ANGLE, ANGLE)
def test_the_angles_are_those_between_the_segments(phi: float, theta: float, psi: float) -> None:
    """Ω between the x axes and ω between the z axes of Rz(φ)·Ry(θ)·Rx(ψ); Eq. 8 with its second entry put right."""
    m = rot.to_matrix(rot.from_euler("ZYX", [phi, theta, psi]))
    np.testing.assert_allclose(np.cos(flexion(phi, theta)), m[0, 0], atol=1e-12)
    np.testing.assert_allclose(link_angle(phi, theta) + flexion(phi, theta), np.pi)
    np.testing.assert_allclose(turned_normal(phi, theta, psi), m[:, 2], atol=1e-12)
    np.testing.assert_allclose(np.cos(wrist_turn(theta, psi)), m[2, 2], atol=1e-12)


@given(st.floats(-1.2, 1.2), st.floats(-2.5, 2.5))
def test_the_signed_turn_keeps_the_twists_sign_and_never_jumps(theta: float, psi: float) -> None:
    """It is ψ without bend, has ψ's sign with it, is no larger than ω, and moves smoothly with ψ."""
    assert np.isclose(signed_wrist_turn(0.0, 0.0, psi), psi, atol=1e-9)
    turn = float(signed_wrist_turn(0.0, theta, psi))
    assert turn * psi >= 0
    assert abs(turn) <= wrist_turn(theta, psi) + 1e-9
    assert abs(float(signed_wrist_turn(0.0, theta, psi + 1e-4)) - turn) < 1e-2


def test_an_arc_of_49_degrees_is_one_of_49_degrees() -> None:
    """The paper's robot turned by 52° where the person's arm turned by 49°; ours by 49° within 0.1 %."""
    inmoov = load_robot("inmoov")
    mapper = make_mapper("gong", inmoov)
    lowered = rot.from_axis_angle([1.0, 0, 0], np.pi / 2 - 0.3)
    turns = [rot.from_axis_angle([0.0, 1.0, 0.0], -np.radians(49) * k / 90) for k in range(91)]
    poses = [
        pose({"hips": rot.IDENTITY, "chest": rot.IDENTITY,
              "right_upper_arm": rot.multiply(q, lowered), "right_forearm": rot.multiply(q, lowered)})
        for q in turns
    ]  # fmt: skip
    qpos = mapper.solve_clip(motion(poses)).qpos
    link = inmoov.links.index("r_bicep_link")
    first, last = (rot.from_matrix(inmoov.link_poses(q)[1][link]) for q in (qpos[0], qpos[-1]))
    assert abs(np.degrees(float(rot.angle_between(first, last))) - 49) < 0.05


def test_the_elbow_bends_by_the_angle_between_the_segments() -> None:
    """Whatever the axis about which the person's forearm is turned against the upper arm."""
    inmoov = load_robot("inmoov")
    mapper, elbow = make_mapper("gong", inmoov), inmoov.joint_index("l_elbow_flex_joint")
    found = []
    for bend in (0.6, 1.0):
        for axis in ([0.0, 0, -1], [0.8, 0, -0.6], [0.0, 0, 1]):
            turn = rot.from_axis_angle(axis, bend)
            arm = {"hips": rot.IDENTITY, "chest": rot.IDENTITY, "left_upper_arm": rot.IDENTITY, "left_forearm": turn}
            found.append(mapper.solve(pose(arm), mapper.start()).qpos[elbow])
    np.testing.assert_allclose(found[:3], found[0])
    np.testing.assert_allclose(found[3:], found[0] - 0.4)
