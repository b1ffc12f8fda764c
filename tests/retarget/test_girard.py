"""The first paper's formulas."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bunraku.kinematics import rotations as rot
from bunraku.retarget.girard import arm_angles, elbow_error, shoulder_angles, shoulder_matrix

ANGLE = st.floats(-1.5, 1.5)
FINAL = rot.to_matrix(rot.from_euler("ZYX", [np.pi / 2, np.pi / 4, np.pi / 6]))


def test_the_papers_generalised_coordinates() -> None:
    """ZYX = [π/2, π/4, π/6] gives q̂ = [1.1832, 0.3614, 0.8571]."""
    np.testing.assert_allclose(shoulder_angles(FINAL), [1.1832, 0.3614, 0.8571], atol=1e-4)


def test_the_papers_elbow_error() -> None:
    """With l = 0.1 m it is 0.038, 0.022 and 0.071 m; along the first trajectory, about Z alone, there is none."""
    np.testing.assert_allclose(np.abs(elbow_error(FINAL, 0.1)), [0.038, 0.022, 0.071], atol=5e-4)
    about_z = rot.to_matrix(rot.from_euler("ZYX", np.outer(np.linspace(0, 1, 100), [3 * np.pi / 4, 0, 0])))
    assert np.abs(elbow_error(about_z, 0.1)).max() < 1e-12


def test_equation_1_put_right() -> None:
    """a_x is C1 S3 + S1 S2 C3: with the printed S1 S2 C3 the matrix would be no rotation."""
    a, b, c = 0.4, -0.7, 1.1
    m = shoulder_matrix([a, b, c])
    np.testing.assert_allclose(m[0, 2], np.cos(a) * np.sin(c) + np.sin(a) * np.sin(b) * np.cos(c))
    printed = m.copy()
    printed[0, 2] = np.sin(a) * np.sin(b) * np.cos(c)
    assert not np.allclose(printed @ printed.T, np.eye(3), atol=1e-3)


@given(ANGLE, ANGLE, ANGLE)
def test_angles_and_matrix_undo_each_other(a: float, b: float, c: float) -> None:
    """Away from θ2 = ±90°."""
    np.testing.assert_allclose(shoulder_angles(shoulder_matrix([a, b, c])), [a, b, c], atol=1e-9)


@given(st.floats(-3.0, 3.0), st.sampled_from([-1.0, 1.0]))
def test_the_orientation_holds_at_the_lock(a: float, sign: float) -> None:
    """At θ2 = ±90° the angles are one choice of many, and their matrix is the same."""
    m = shoulder_matrix([a, sign * np.pi / 2, 0.3])
    np.testing.assert_allclose(shoulder_matrix(shoulder_angles(m)), m, atol=1e-7)


def test_elbow_and_wrist_are_gamma_and_alpha() -> None:
    """θ4 = γ, θ5 = α, β is lost; many frames at once."""
    zyx = np.random.default_rng(1).uniform(-1, 1, (20, 3))
    angles = arm_angles(np.tile(FINAL, (20, 1, 1)), zyx)
    assert angles.shape == (20, 5)
    np.testing.assert_array_equal(angles[:, 3:], zyx[:, [2, 0]])
