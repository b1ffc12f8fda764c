"""Joints that follow signals: limits, speeds, gaps."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bunraku.retarget.joint_group import JointGroup, joint_ranges, straight_value
from bunraku.robots import Robot, load_robot

NAMES = ("left_index_1_joint", "jaw_joint", "left_eye_yaw_joint")
VALUES = arrays(float, (12, 3), elements=st.floats(-4, 4))
KNOWN = arrays(bool, (12, 3))


@cache
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


@cache
def group() -> JointGroup:
    """A finger, the jaw and the eyes."""
    return JointGroup(puppet(), [puppet().joint_index(name) for name in NAMES])


def still(frames: int = 12) -> np.ndarray:
    """(T, nq) the neutral configuration."""
    return np.tile(puppet().neutral, (frames, 1))


@settings(max_examples=60, deadline=None)
@given(VALUES, KNOWN, st.floats(1e-3, 0.2), st.booleans())
def test_no_limit_and_no_speed_is_exceeded(values: np.ndarray, known: np.ndarray, dt_s: float, live: bool) -> None:
    """Whatever is asked for, with gaps or without: every joint stays in range and no step is too long."""
    previous = puppet().neutral if live else None
    out = group().follow(still(), values, known, dt_s, previous)
    joints = puppet().tree.with_followers(out)[:, puppet().first_joint :]
    assert (joints >= puppet().lower - 1e-9).all()
    assert (joints <= puppet().upper + 1e-9).all()
    rows = np.vstack([puppet().neutral, out]) if live else out
    steps = np.abs(np.diff(puppet().tree.with_followers(rows), axis=0))[:, puppet().first_joint :]
    assert (steps <= puppet().velocity * dt_s + 1e-9).all()
    others = np.setdiff1d(np.arange(puppet().tree.qpos_size), group().columns)
    assert (out[:, others] == puppet().neutral[others]).all()


@settings(max_examples=30, deadline=None)
@given(VALUES, KNOWN, st.floats(1e-3, 0.2))
def test_a_clip_is_its_frames_one_after_another(values: np.ndarray, known: np.ndarray, dt_s: float) -> None:
    """All frames at once give what each gives from the one before."""
    whole = group().follow(still(), values, known, dt_s, puppet().neutral)
    previous = puppet().neutral
    for frame in range(len(values)):
        part = slice(frame, frame + 1)
        previous = group().follow(still(1), values[part], known[part], dt_s, previous)[0]
        assert np.allclose(previous, whole[frame], atol=1e-12)


def test_slow_signals_pass_unchanged() -> None:
    """A signal within limits and speeds comes out as it is."""
    values = np.linspace(0, 1, 12)[:, None] * [1.0, 0.2, -0.4]
    out = group().follow(still(), values, np.ones(values.shape, bool), 0.02)
    assert np.array_equal(out[:, group().columns], values)


def test_a_jump_is_followed_at_full_speed_until_it_is_caught() -> None:
    """A step of the wanted value becomes a ramp at the joint's speed, and then stays."""
    values = np.zeros((12, 3))
    values[3:, 0] = 1.0
    dt_s = 0.25 / group().speed[0]
    finger = group().follow(still(), values, np.ones(values.shape, bool), dt_s)[:, group().columns[0]]
    assert np.allclose(finger, [0, 0, 0, 0.25, 0.5, 0.75, 1, 1, 1, 1, 1, 1])


def test_gaps_hold_and_what_was_never_known_is_left_alone() -> None:
    """A lost joint stays where it was; before it is first known, and if it never is, the input stands."""
    qpos = still()
    qpos[:, group().columns] = 0.11
    values, known = np.full((12, 3), 0.15), np.zeros((12, 3), bool)
    values[6:, 0] = 0.2
    known[[2, 8], 0] = True
    out = group().follow(qpos, values, known, 1.0)[:, group().columns]
    assert np.allclose(out[:, 0], [0.11] * 2 + [0.15] * 6 + [0.2] * 4)
    assert (out[:, 1:] == 0.11).all()
    assert (qpos[:, group().columns] == 0.11).all()
    previous = puppet().neutral.copy()
    previous[group().columns] = 0.07
    live = group().follow(qpos[:1], values[:1], known[:1], 1.0, previous)[0]
    assert np.allclose(live[group().columns], 0.07)


def test_followers_have_their_say() -> None:
    """A leader's range and speed shrink where a follower's would be exceeded; ranges without end end where told."""
    finger = puppet().joint_index("left_index_1_joint")
    last = puppet().joint_index("left_index_3_joint")
    assert puppet().tree.leader[last] == finger
    ratio = puppet().tree.ratio[last]
    lower, upper = puppet().lower.copy(), puppet().upper.copy()
    velocity = puppet().velocity.copy()
    upper[last], velocity[last] = 0.5 * ratio, 0.25 * ratio
    lower[puppet().joint_index("jaw_joint")] = -np.inf
    other = replace(puppet(), lower=lower, upper=upper, velocity=velocity)
    tight = JointGroup(other, [finger])
    assert tight.upper[0] == pytest.approx(0.5)
    assert tight.speed[0] == pytest.approx(0.25)
    assert joint_ranges(other, [other.joint_index("jaw_joint")], 0.3)[0][0] == pytest.approx(-0.3)


@pytest.mark.parametrize(
    ("far", "bent", "rest"), [(0, 1.5, 0), (-0.1, 1.5, 0), (0.2, -1.5, 0), (1, 0, 1), (0.98, 0.02, 0.98), (-2, 1, -2)]
)
def test_a_joint_that_bends_back_is_straight_at_zero(far: float, bent: float, rest: float) -> None:
    """Zero inside the range is straight, unless the joint goes further that way than the other."""
    assert straight_value(far, bent) == rest


def test_no_frames_and_no_joints() -> None:
    """Empty input gives empty output, an empty group changes nothing."""
    assert len(group().follow(still(0), np.zeros((0, 3)), np.zeros((0, 3), bool), 0.01)) == 0
    none = JointGroup(puppet(), [])
    assert np.array_equal(none.follow(still(), np.zeros((12, 0)), np.zeros((12, 0), bool), 0.01), still())
