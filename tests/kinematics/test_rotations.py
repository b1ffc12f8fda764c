"""Rotations: the algebra as properties, and scipy as an independent witness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from bunraku.kinematics import rotations as rot

AXES = np.vstack([np.eye(3), -np.eye(3)])

angles = st.floats(-2 * np.pi, 2 * np.pi)
unit_interval = st.floats(0, 1)
orders = st.sampled_from(rot.EULER_ORDERS)


def _vector(values: tuple[float, float, float]) -> np.ndarray:
    return np.array(values)


vectors = st.tuples(*[st.floats(-10, 10)] * 3).map(_vector)
directions = st.one_of(
    st.sampled_from([np.array(axis) for axis in AXES]),
    vectors.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v)),
)
turns = st.one_of(angles, st.sampled_from([0.0, 1e-12, 1e-7, np.pi - 1e-7, np.pi - 1e-12, np.pi, -np.pi]))
quaternions = st.tuples(directions, turns).map(lambda at: rot.from_axis_angle(*at))


def _scipy(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.asarray(q)[..., [1, 2, 3, 0]])


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """Largest angle between two (stacks of) rotations; quaternion signs do not count."""
    return float(np.max(rot.angle_between(a, b)))


def test_normalize_makes_unit_and_turns_zero_into_identity() -> None:
    """Any non-zero quaternion becomes unit in its own direction; a zero one the identity; nothing warns."""
    q = rot.normalize([[0, 0, 0, 0], [3, 0, 4, 0], [0, 0, 0, -1e-3]])
    np.testing.assert_allclose(q, [[1, 0, 0, 0], [0.6, 0, 0.8, 0], [0, 0, 0, -1]])


@given(quaternions)
def test_canonical_is_the_same_rotation_with_positive_w(q: np.ndarray) -> None:
    """canonical() keeps the rotation and never leaves w negative."""
    c = rot.canonical(-q)
    assert c[0] >= 0
    assert np.allclose(np.abs(c @ q), 1)


@given(st.lists(quaternions, min_size=1, max_size=12), st.lists(st.booleans(), min_size=12, max_size=12))
def test_continuous_undoes_random_sign_flips(path: list[np.ndarray], flips: list[bool]) -> None:
    """Neighbours end in one hemisphere, the first stays, and each remains the same rotation."""
    signs = np.where(flips[: len(path)], -1.0, 1.0)
    q = np.array(path) * signs[:, None]
    c = rot.continuous(q)
    np.testing.assert_array_equal(c[0], q[0])
    assert np.all(np.sum(c[1:] * c[:-1], axis=-1) >= 0)
    np.testing.assert_allclose(np.abs(np.sum(c * q, axis=-1)), 1, atol=1e-12)


def test_continuous_takes_each_joint_on_its_own() -> None:
    """With `(T, J, 4)` input one joint's flips do not touch another's."""
    q = np.tile(rot.IDENTITY, (4, 2, 1))
    q[1:3, 1] *= -1
    np.testing.assert_array_equal(rot.continuous(q), np.tile(rot.IDENTITY, (4, 2, 1)))
    assert rot.continuous(np.empty((0, 2, 4))).shape == (0, 2, 4)


@given(quaternions, quaternions, vectors)
def test_product_inverse_and_rotation_agree_with_scipy(a: np.ndarray, b: np.ndarray, v: np.ndarray) -> None:
    """multiply, inverse and rotate are scipy's."""
    np.testing.assert_allclose(rot.rotate(a, v), _scipy(a).apply(v), atol=1e-12)
    np.testing.assert_allclose(rot.rotate(rot.multiply(a, b), v), (_scipy(a) * _scipy(b)).apply(v), atol=1e-12)
    assert _apart(rot.multiply(a, rot.inverse(a)), rot.IDENTITY) < 1e-12


@given(quaternions, vectors)
def test_matrices_agree_with_scipy_both_ways(q: np.ndarray, v: np.ndarray) -> None:
    """to_matrix is scipy's, acts on columns, and from_matrix leads back, near half turns too."""
    m = rot.to_matrix(q)
    np.testing.assert_allclose(m, _scipy(q).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(m @ v, rot.rotate(q, v), atol=1e-12)
    back = rot.from_matrix(m)
    assert back[0] >= 0
    assert _apart(back, q) < 1e-12


@pytest.mark.parametrize("delta", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_from_matrix_is_stable_at_half_turns_about_any_axis(delta: float) -> None:
    """At π ± delta about 500 axes, coordinate axes included, from_matrix is exact to 1e-12 rad."""
    rng = np.random.default_rng(1)
    axes = np.vstack([AXES, rot._unit(rng.normal(size=(500, 3)))])
    for turn in (np.pi - delta, np.pi + delta):
        q = rot.from_axis_angle(axes, np.full(len(axes), turn))
        assert _apart(rot.from_matrix(rot.to_matrix(q)), q) < 1e-12


@given(vectors)
@example(np.zeros(3))
@example(np.array([1e-9, 0.0, 0.0]))
@example(np.array([1e-160, 0.0, 0.0]))
@example(np.array([0.0, np.pi, 0.0]))
def test_exp_agrees_with_scipy(v: np.ndarray) -> None:
    """exp of a rotation vector of any length, tiny ones included."""
    assert _apart(rot.exp(v), rot.normalize(Rotation.from_rotvec(v).as_quat()[[3, 0, 1, 2]])) < 1e-12


@given(quaternions)
def test_log_inverts_exp_within_half_a_turn(q: np.ndarray) -> None:
    """log is at most π long and exp leads back, for either sign of the quaternion."""
    for sign in (1.0, -1.0):
        v = rot.log(sign * q)
        assert np.linalg.norm(v) <= np.pi + 1e-12
        assert _apart(rot.exp(v), q) < 1e-12


@given(directions, st.floats(0, np.pi))
def test_log_returns_the_axis_times_the_angle(axis: np.ndarray, angle: float) -> None:
    """log is exact in direction and length, at tiny angles as well (π itself has two axes)."""
    v = rot.log(rot.from_axis_angle(axis, angle))
    expected = angle * axis
    assert min(np.linalg.norm(v - expected), np.linalg.norm(v + expected) + 2 * (np.pi - angle)) < 1e-9


@given(quaternions, directions, st.floats(0, np.pi))
def test_angle_between_is_the_angle_of_the_turn(q: np.ndarray, axis: np.ndarray, angle: float) -> None:
    """A rotation and its copy turned by an angle are that angle apart."""
    assert rot.angle_between(q, rot.multiply(rot.from_axis_angle(axis, angle), q)) == pytest.approx(angle, abs=1e-7)


@given(quaternions, quaternions, unit_interval)
def test_slerp_moves_at_constant_speed_the_shorter_way(a: np.ndarray, b: np.ndarray, t: float) -> None:
    """slerp starts at a, ends at b, and at t has covered the share t of an angle that is at most π."""
    whole = rot.angle_between(a, b)
    assert _apart(rot.slerp(a, b, 0.0), a) < 1e-9
    assert _apart(rot.slerp(a, b, 1.0), b) < 1e-9
    assert rot.angle_between(a, rot.slerp(a, b, t)) == pytest.approx(t * whole, abs=1e-7)
    assert _apart(rot.slerp(a, -b, t), rot.slerp(a, b, t)) < 1e-9


def test_slerp_broadcasts_over_times() -> None:
    """One pair of rotations and T times give `(T, 4)`."""
    a, b = rot.IDENTITY, rot.exp([0, 0, 1.0])
    np.testing.assert_allclose(rot.log(rot.slerp(a, b, [0.0, 0.25, 1.0]))[:, 2], [0, 0.25, 1], atol=1e-12)


@given(directions, directions)
@example(np.array([0.0, 1.0, 0.0]), np.array([0.0, -1.0, 9.934e-9]))
def test_between_takes_a_to_b_the_shortest_way(a: np.ndarray, b: np.ndarray) -> None:
    """The turn takes a to b, and its angle is the angle between them; lengths of a and b do not matter."""
    q = rot.between(3 * a, 0.1 * b)
    np.testing.assert_allclose(rot.rotate(q, a), b, atol=1e-8)
    angle = np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)
    assert np.linalg.norm(rot.log(q)) == pytest.approx(angle, abs=2e-7)


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 4e-5, 1e-4, 1e-2])
def test_between_is_exact_for_nearly_opposite_directions(gap: float) -> None:
    """Directions that miss being opposite by `gap` radians are still taken onto one another to 1e-8."""
    rng = np.random.default_rng(3)
    for a in np.vstack([AXES, rot._unit(rng.normal(size=(50, 3)))]):
        b = -rot.rotate(rot.from_axis_angle(rot._unit(np.cross(a, rng.normal(size=3))), gap), a)
        np.testing.assert_allclose(rot.rotate(rot.between(a, b), a), b, atol=1e-8)


def test_between_zero_vectors_is_the_identity() -> None:
    """A direction that does not exist asks for no turn."""
    np.testing.assert_array_equal(rot.between([0, 0, 0], [1, 0, 0]), rot.IDENTITY)


@given(quaternions, directions)
def test_swing_twist_splits_into_the_parts_it_names(q: np.ndarray, axis: np.ndarray) -> None:
    """swing · twist is the rotation, the twist's axis is the given one, the swing's is normal to it."""
    swing, twist = rot.swing_twist(q, axis)
    assert _apart(rot.multiply(swing, twist), q) < 1e-9
    np.testing.assert_allclose(np.cross(twist[1:], axis), 0, atol=1e-9)
    assert swing[1:] @ axis == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(rot.rotate(twist, axis), axis, atol=1e-9)


@given(directions, st.floats(-3.1, 3.1), st.floats(-3.0, 3.0), vectors)
def test_twist_angle_recovers_the_twist(axis: np.ndarray, twist: float, swing: float, other: np.ndarray) -> None:
    """A twist followed by a swing about any normal axis has that twist angle, sign included."""
    normal = np.cross(axis, other)
    if np.linalg.norm(normal) < 1e-2:
        normal = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    q = rot.multiply(rot.from_axis_angle(rot._unit(normal), swing), rot.from_axis_angle(axis, twist))
    assert rot.twist_angle(q, axis) == pytest.approx(twist, abs=1e-6)
    assert rot.twist_angle(-q, axis) == pytest.approx(twist, abs=1e-6)


@given(orders, st.tuples(angles, angles, angles))
def test_from_euler_agrees_with_scipy(order: str, abc: tuple[float, float, float]) -> None:
    """All twelve orders, intrinsic, in either case of the letters."""
    expected = Rotation.from_euler(order, abc).as_matrix()
    np.testing.assert_allclose(rot.to_matrix(rot.from_euler(order, abc)), expected, atol=1e-12)
    np.testing.assert_array_equal(rot.from_euler(order.lower(), abc), rot.from_euler(order, abc))


@given(orders, quaternions)
def test_to_euler_inverts_from_euler(order: str, q: np.ndarray) -> None:
    """Angles of any rotation in any order lead back to it."""
    assert _apart(rot.from_euler(order, rot.to_euler(order, q)), q) < 1e-9


@given(orders, st.floats(-3.1, 3.1), st.floats(0.02, 0.98), st.floats(-3.1, 3.1))
def test_to_euler_recovers_the_angles_themselves(order: str, first: float, share: float, third: float) -> None:
    """Away from lock the three angles come back, the middle one in (-π/2, π/2), or (0, π) for proper orders."""
    middle = np.pi * (share if order[0] == order[2] else share - 0.5)
    np.testing.assert_allclose(rot.to_euler(order, rot.from_euler(order, [first, middle, third])),
                               [first, middle, third], atol=1e-9)  # fmt: skip


@pytest.mark.parametrize("order", rot.EULER_ORDERS)
@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5])
def test_to_euler_is_exact_at_and_near_gimbal_lock(order: str, gap: float) -> None:
    """With the middle angle at lock or `gap` from it, the rotation comes back; at lock the third angle is zero."""
    locks = (0.0, np.pi) if order[0] == order[2] else (np.pi / 2, -np.pi / 2)
    for lock in locks:
        for first, third in [(0.3, -1.1), (2.9, 2.0), (-3.0, 1.4), (0.0, 0.0)]:
            q = rot.from_euler(order, [first, lock + gap, third])
            back = rot.to_euler(order, q)
            assert _apart(rot.from_euler(order, back), q) < 1e-9
            if gap == 0:
                assert back[2] == 0


def test_euler_orders_are_checked() -> None:
    """A word that is no order is refused and the valid ones are named."""
    with pytest.raises(ValueError, match="XYZ, XZY"):
        rot.to_euler("XXY", rot.IDENTITY)


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), angles)
def test_yaw_is_the_heading_whatever_pitch_and_roll(heading: float, pitch: float, roll: float) -> None:
    """The first angle of ZYX."""
    assert rot.yaw(rot.from_euler("ZYX", [heading, pitch, roll])) == pytest.approx(heading, abs=1e-9)


@given(quaternions, st.lists(st.tuples(directions, st.floats(-0.5, 0.5)), min_size=1, max_size=6))
def test_mean_is_the_middle_of_symmetric_turns(q: np.ndarray, spread: list[tuple[np.ndarray, float]]) -> None:
    """Turns to and fro about q, with signs at random, average to q."""
    steps = np.array([rot.from_axis_angle(axis, angle) for axis, angle in spread])
    around = np.concatenate([rot.multiply(steps, q), -rot.multiply(rot.inverse(steps), q)])
    assert _apart(rot.mean(around), q) < 1e-7


def test_mean_agrees_with_scipy_and_keeps_other_axes() -> None:
    """`(T, J, 4)` averages over T alone."""
    rng = np.random.default_rng(5)
    q = rot.multiply(rot.exp(rng.normal(0, 0.4, (20, 3, 3))), rot.exp(rng.normal(size=(3, 3))))
    expected = np.stack([_scipy(q[:, j]).mean().as_quat()[[3, 0, 1, 2]] for j in range(3)])
    assert _apart(rot.mean(q), expected) < 1e-9


def test_every_function_broadcasts_over_leading_axes() -> None:
    """Stacked input gives what each item alone gives."""
    rng = np.random.default_rng(6)
    q, p = rot.normalize(rng.normal(size=(2, 2, 5, 4)))
    v = rng.normal(size=(2, 5, 3))
    for stacked, alone in [
        (rot.multiply(q, p), lambda i: rot.multiply(q[i], p[i])),
        (rot.rotate(q, v), lambda i: rot.rotate(q[i], v[i])),
        (rot.from_matrix(rot.to_matrix(q)), lambda i: rot.canonical(q[i])),
        (rot.log(q), lambda i: rot.log(q[i])),
        (rot.slerp(q, p, 0.3), lambda i: rot.slerp(q[i], p[i], 0.3)),
        (rot.between(v, v[::-1]), lambda i: rot.between(v[i], v[::-1][i])),
        (rot.to_euler("YZY", q), lambda i: rot.to_euler("YZY", q[i])),
        (rot.twist_angle(q, [0, 0, 1]), lambda i: rot.twist_angle(q[i], [0, 0, 1])),
        (rot.yaw(q), lambda i: rot.yaw(q[i])),
    ]:  # fmt: skip
        for index in np.ndindex(2, 5):
            np.testing.assert_allclose(stacked[index], alone(index), atol=1e-12)
