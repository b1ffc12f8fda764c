"""The last look at a command: what each promise lets pass, and what it does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.kinematics import rotations
from bunraku.safety.bounds import BaseBounds, Bounds, bounds_of_joints
from bunraku.safety.promises import broken_promise

DT_S = 0.01
JOINTS = bounds_of_joints(np.array([-1.0, 0.5]), np.array([1.0, 2.0]), np.array([3.0, 1.0]), np.ones(2))
BODY = replace(JOINTS, base=BaseBounds(linear_velocity=1.0, angular_velocity=2.0))
STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.2, 1.0])


def after(before: tuple[float, float], now: tuple[float, float], bounds: Bounds = JOINTS) -> str:
    return broken_promise(bounds, np.array(before), np.array(now), DT_S)


@pytest.mark.parametrize("joint", [0, 1])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers(joint: int, bad: float) -> None:
    """Every one must be one."""
    command = np.array([0.0, 1.0])
    command[joint] = bad
    assert broken_promise(JOINTS, np.array([0.0, 1.0]), command, DT_S) == "a number that is none"


def test_limits() -> None:
    """Up to the limit; beyond it not, but what began outside may stay, or come back."""
    words = "a joint beyond its limit"
    assert after((0.99, 1.99), (1.0, 2.0)) == ""
    assert after((-0.99, 0.501), (-1.0, 0.5)) == ""
    assert after((0.99, 1.0), (1.001, 1.0)) == words
    assert after((-0.99, 1.0), (-1.001, 1.0)) == words
    assert after((0.0, 0.501), (0.0, 0.499)) == words
    assert after((0.0, 1.999), (0.0, 2.001)) == words
    for outside in (1.2, -1.2):
        assert after((outside, 1.0), (outside, 1.0)) == ""
        assert after((outside, 1.0), (outside - 0.01 * np.sign(outside), 1.0)) == ""
        assert after((outside, 1.0), (outside + 0.001 * np.sign(outside), 1.0)) == words
    assert after((0.0, 0.3), (0.0, 0.301)) == ""
    assert after((0.0, 0.3), (0.0, 0.299)) == words
    assert after((0.0, 2.3), (0.0, 2.301)) == words


def test_speed() -> None:
    """Each joint its own, both ways."""
    words = "a joint faster than its limit"
    assert after((0.0, 1.0), (0.03, 1.01)) == ""
    assert after((0.0, 1.0), (-0.03, 0.99)) == ""
    assert after((0.0, 1.0), (0.0301, 1.0)) == words
    assert after((0.0, 1.0), (-0.0301, 1.0)) == words
    assert after((0.0, 1.0), (0.0, 1.0101)) == words


def test_the_base() -> None:
    """Its place by the length of its way, its turn by the angle, whatever the sign; joints are no part of either."""
    for way, words in (([0.006, 0.0079, 0.0], ""), ([0.006, 0.0, -0.0081], "the base faster than its limit")):
        command = STILL.copy()
        command[:3] = way
        assert broken_promise(BODY, STILL, command, DT_S) == words
        assert broken_promise(BODY, command, STILL, DT_S) == words
    for angle, words in ((0.0199, ""), (0.0201, "the base turning faster than its limit")):
        for sign in (1.0, -1.0):
            command = STILL.copy()
            command[3:7] = sign * rotations.exp([0.0, 0.6 * angle, 0.8 * angle])
            command[7] += 0.02
            assert broken_promise(BODY, STILL, command, DT_S) == words
