"""Dynamic time warping: the paper's recursion, lags that do not matter, the order of its figures, and the metrics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.evaluate import dtw, evaluate, trajectory_similarity
from bunraku.retarget.gong import flexion, signed_wrist_turn, wrist_turn
from evaluate.bodies import moved, shadow, stick, swinging

PAPER_RANGES = (150.0, 210.0, 40.0, 135.0, 180.0)
"""degrees: three of the shoulder, elbow, wrist"""
trajectories = st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=12)


def by_the_book(s: list[float], r: list[float]) -> np.ndarray:
    """The whole matrix, as the paper writes it."""
    d = np.full((len(s) + 1, len(r) + 1), np.inf)
    d[0, 0] = 0
    for i, a in enumerate(s):
        for j, b in enumerate(r):
            d[i + 1, j + 1] = abs(a - b) + min(d[i, j], d[i, j + 1], d[i + 1, j])
    return d[1:, 1:]


@settings(max_examples=100, deadline=None)
@given(trajectories, trajectories)
def test_it_is_the_papers_recursion(s: list[float], r: list[float]) -> None:
    """Diagonal and far corner of the matrix; and no longer path than there are steps."""
    expected = by_the_book(s, r)
    found = dtw(s, r)
    both = min(len(s), len(r))
    np.testing.assert_allclose(found.running, np.diag(expected)[:both], atol=1e-12)
    assert found.distance == pytest.approx(expected[-1, -1])
    assert max(len(s), len(r)) <= found.path_length < len(s) + len(r)


@given(trajectories)
def test_the_same_trajectory_is_no_distance_away(s: list[float]) -> None:
    """Whatever the window, and however the pair is turned round."""
    assert dtw(s, s, window=0).distance == dtw(s, s).distance == 0.0


def test_a_lag_does_not_matter_where_point_by_point_it_would() -> None:
    """Three ways to one end, up to 20 frames apart: warped they are alike, compared frame by frame they are not."""
    t = np.linspace(0, 1, 200)
    a, b, c = (np.pi * np.clip(t + lag * np.sin(np.pi * t), 0, 1) for lag in (0.0, 0.1, -0.1))
    for other in (b, c):
        assert dtw(a, other).per_step < 0.01
        assert np.abs(a - other).mean() > 0.1
        assert dtw(a, other, window=25).per_step < 0.01 < dtw(a, other, window=2).per_step


def test_directions_are_compared_as_points() -> None:
    """Trajectories of several values a frame use the distance between them."""
    s, r = np.zeros((5, 3)), np.tile([0.0, 3.0, 4.0], (5, 1))
    assert dtw(s, r).distance == 25.0 and dtw(s, r).per_step == 5.0


def test_the_order_of_the_papers_figures() -> None:
    """Shoulder 0; wrist > system > elbow; the first motion, with more turn and bend where the robot has none, > the
    second. The score per step is a percentage and orders them too."""
    t, found = np.linspace(0, 10, 300), []
    for size in (1.0, 0.5):
        shoulder = np.stack([30 * np.sin(t), 40 * np.cos(0.7 * t), 10 * np.sin(1.3 * t)], axis=1)
        bend, aside = np.radians(60 + 40 * np.sin(t)), np.radians(size * 8 * np.sin(1.7 * t))
        twist, wrist_bend = np.radians(-90 + 60 * np.sin(0.9 * t)), np.radians(size * 40 * np.sin(2.1 * t))
        human = np.column_stack([shoulder, np.degrees(bend), np.degrees(twist)])
        robot = np.column_stack(
            [shoulder, np.degrees(flexion(bend, aside)), -np.degrees(wrist_turn(wrist_bend, twist))]
        )
        found.append(trajectory_similarity(human, robot, PAPER_RANGES))
    for result in found:
        assert np.all(result.joints[-1, :3] == 0) and np.all(result.scores[:3] == 100)
        assert result.joints[-1, 4] > result.system[-1] > result.joints[-1, 3] > 0
        weights = np.array(PAPER_RANGES)
        assert result.system[-1] == pytest.approx((result.joints[-1] @ weights) / weights.sum())
        assert 90 < result.score < 100 and result.scores[4] < result.score
    assert found[0].system[-1] > found[1].system[-1] and found[0].score < found[1].score


def test_the_signed_turn_of_a_wrist_is_more_alike_than_a_sign_alone() -> None:
    """Where the twist goes through zero with the wrist bent, ω with the twist's sign jumps; the warping shows it."""
    psi, theta = np.sin(np.linspace(0, 12, 400)), np.full(400, 0.5)
    jumping = np.sign(psi) * wrist_turn(theta, psi)
    assert dtw(psi, signed_wrist_turn(0.0, theta, psi)).distance < dtw(psi, jumping).distance


def test_the_metrics_of_a_perfect_copy_and_of_a_worse_one() -> None:
    """A copy scores 100 %, a forearm that is off scores less, and a lag of a few frames costs next to nothing."""
    motion = swinging()
    copy = evaluate(shadow(motion), motion, stick())
    assert copy["dtw_score"] == pytest.approx(100.0, abs=1e-3) and copy["dtw_system"] == pytest.approx(0.0, abs=1e-3)
    human = shadow(moved(left_elbow=-0.5))
    worse = evaluate(human, moved(left_elbow=-1.2), stick())
    assert worse["dtw_score"] < 98 and worse["dtw_system"] > 0


def test_what_cannot_be_compared_is_refused() -> None:
    """One line each; nothing to compare is no distance."""
    for s, r in (([[1.0, 2.0]], [1.0]), ([np.nan], [1.0]), (np.zeros((2, 2, 2)), [1.0])):
        with pytest.raises(InputError):
            dtw(s, r)
    with pytest.raises(InputError, match="negative"):
        dtw([1.0], [1.0], window=-1)
    with pytest.raises(InputError, match="expected"):
        trajectory_similarity(np.zeros((4, 2)), np.zeros((4, 3)), [1.0, 1.0])
    with pytest.raises(InputError, match="positive"):
        trajectory_similarity(np.zeros((4, 1)), np.zeros((4, 1)), [0.0])
    assert dtw([], []).distance == 0.0 and dtw([1.0] * 9, [1.0], window=2).distance == np.inf
