"""Rigid transforms agree with homogeneous matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bunraku.kinematics import rotations as rot
from bunraku.kinematics.transforms import Transform

NUMBERS = st.floats(-5, 5)
TRANSFORMS = st.builds(
    lambda position, vector: Transform(position, rot.exp(vector)), arrays(float, 3, elements=NUMBERS),
    arrays(float, 3, elements=NUMBERS),
)  # fmt: skip


@given(TRANSFORMS, TRANSFORMS)
def test_composition_is_the_product_of_matrices(a: Transform, b: Transform) -> None:
    """a_from_b · b_from_c."""
    np.testing.assert_allclose(a.compose(b).to_matrix(), a.to_matrix() @ b.to_matrix(), atol=1e-12)


@given(TRANSFORMS)
def test_the_inverse_undoes(a: Transform) -> None:
    """From both sides."""
    for both in (a.compose(a.inverse()), a.inverse().compose(a)):
        np.testing.assert_allclose(both.to_matrix(), np.eye(4), atol=1e-12)
    np.testing.assert_allclose(Transform.identity().to_matrix(), np.eye(4))


@given(TRANSFORMS, arrays(float, (7, 3), elements=NUMBERS))
def test_points_move_as_matrices_move_them(a: Transform, points: np.ndarray) -> None:
    """First turned, then moved."""
    whole = np.concatenate([points, np.ones((7, 1))], axis=1) @ a.to_matrix().T
    np.testing.assert_allclose(a.apply(points), whole[:, :3], atol=1e-12)


@given(TRANSFORMS)
def test_matrices_come_back(a: Transform) -> None:
    """To the sign of the quaternion."""
    np.testing.assert_allclose(Transform.from_matrix(a.to_matrix()).to_matrix(), a.to_matrix(), atol=1e-12)


def test_many_at_once() -> None:
    """Leading shapes are kept, and fit together."""
    random = np.random.default_rng(0)
    many = Transform(random.normal(size=(5, 2, 3)), rot.normalize(random.normal(size=(5, 2, 4))))
    assert many.to_matrix().shape == (5, 2, 4, 4)
    one = Transform(np.ones(3), np.array(rot.IDENTITY))
    np.testing.assert_allclose(one.compose(many).position, many.position + 1)
    assert many.apply(np.zeros(3)).shape == (5, 2, 3)
