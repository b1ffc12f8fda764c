"""Joints' smoothed ways."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.retarget.smooth_kernels import hurry, smooth_ways, smoothing


def smoothed(ways: np.ndarray, trust: np.ndarray, weight: float) -> np.ndarray:
    """The compiled smoother's answer."""
    out = np.empty_like(ways)
    smooth_ways(ways, trust, weight, out)
    return out


@settings(max_examples=40, deadline=None)
@given(frames=st.integers(3, 40), seed=st.integers(0, 1000), weight=st.floats(0.01, 1000))
def test_it_solves_the_normal_equations(frames: int, seed: int, weight: float) -> None:
    """The five-diagonal solution is the one of the dense equations."""
    generator = np.random.default_rng(seed)
    ways, trust = generator.normal(size=(frames, 2)), generator.uniform(0.01, 1.0, (frames, 2))
    D = np.diff(np.eye(frames), 2, axis=0)
    dense = [np.linalg.solve(np.diag(w) + weight * D.T @ D, w * x) for x, w in zip(ways.T, trust.T, strict=True)]
    assert np.allclose(smoothed(ways, trust, weight), np.transpose(dense), atol=1e-8)


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_too_few_frames_to_bend_stay(frames: int) -> None:
    """Without second differences nothing changes."""
    ways = np.arange(2.0 * frames).reshape(frames, 2)
    assert np.array_equal(smoothed(ways, np.ones_like(ways), 10.0), ways)


def test_straight_ways_stay_and_the_cutoff_is_where_it_is_said_to_be() -> None:
    """A ramp passes unchanged to its ends; a swing at the cutoff is halved, a slow one passes, a fast one does not."""
    time = np.arange(600) / 60
    ramp = np.stack([time, 1 - time], axis=1)
    assert np.allclose(smoothed(ramp, np.ones_like(ramp), smoothing(3.0, 60)), ramp)
    swings = np.sin(2 * np.pi * time[:, None] * [0.5, 3.0, 12.0])
    middle = smoothed(swings, np.ones_like(swings), smoothing(3.0, 60))[200:400]
    assert np.allclose(np.abs(middle).max(axis=0), [1.0, 0.5, 0.0], atol=0.02)


def test_there_is_no_delay() -> None:
    """A way played backwards is smoothed to the same way backwards."""
    ways = np.random.default_rng(0).normal(size=(50, 1)).cumsum(axis=0)
    once, back = (smoothed(np.ascontiguousarray(w), np.ones_like(w), 5.0) for w in (ways, ways[::-1]))
    assert np.allclose(once, back[::-1])


def test_hurry_looks_both_ways() -> None:
    """A step is felt as far as the reach, before and after it, in units of what is calm."""
    ways = np.zeros((20, 2))
    ways[10:, 0] = 0.6
    out = np.empty_like(ways)
    hurry(ways, 3, np.array([0.3, 0.3]), out)
    assert np.array_equal(np.flatnonzero(out[:, 0]), np.arange(7, 13))
    assert out[9, 0] == pytest.approx(2.0)
    assert not out[:, 1].any()
