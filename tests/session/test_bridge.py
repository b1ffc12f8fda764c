"""From target to target: even steps at any rate, the way bounded, turns the short way."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.session.bridge import LONGEST_S, Bridge

S = 1_000_000_000


def follow(source_hz: float, loop_hz: float = 120.0, seconds: float = 3.0) -> np.ndarray:
    """(T,) where a target that moves at 1 rad/s is led."""
    bridge, out, frame = Bridge(0, 1 / loop_hz), [], -1
    for tick in range(round(seconds * loop_hz)):
        now = round(tick / loop_hz * S)
        due = int(tick / loop_hz * source_hz + 1e-6)
        if due > frame:
            frame = due
            bridge.aim(np.array([frame / source_hz]), now)
        out.append(float(bridge.at(now)[0]))
    return np.array(out)


@pytest.mark.parametrize("source_hz", [25.0, 30.0, 50.0, 60.0, 90.0, 120.0, 240.0])
def test_any_rate_is_followed_evenly(source_hz: float) -> None:
    """Constant motion stays constant within a third, and is late by no more than a frame of the source."""
    led = follow(source_hz)[120:]
    speed = np.diff(led) * 120
    assert speed.mean() == pytest.approx(1.0, abs=0.05)
    assert speed.min() > 0.3 and speed.max() < 1.9
    late = np.arange(120, 360) / 120 - led
    assert late.max() < 1 / source_hz + 1 / 120 + 1e-6


def test_a_source_as_fast_as_the_loop_is_not_delayed() -> None:
    """Each target is reached in its own tick."""
    bridge = Bridge(0, 0.01)
    for tick in range(20):
        bridge.aim(np.array([float(tick)]), tick * S // 100)
        assert bridge.at(tick * S // 100)[0] == tick


def test_the_way_ends() -> None:
    """A slow source is not waited for longer than LONGEST_S; then the target stands."""
    bridge = Bridge(0, 0.01)
    for tick in range(5):
        bridge.aim(np.array([float(tick)]), tick * S)
    assert bridge.at(4 * S)[0] < 4.0
    assert bridge.at(4 * S + round(LONGEST_S * S))[0] == 4.0
    assert bridge.at(99 * S)[0] == 4.0


def test_turns_go_the_short_way() -> None:
    """q and -q are one target; what comes out is a unit quaternion."""
    bridge = Bridge(7, 0.001)
    pose = np.array([0, 0, 1.0, 1, 0, 0, 0, 0.5])
    other = np.array([0, 0, 1.0, -np.cos(0.1), 0, 0, -np.sin(0.1), 0.6])
    bridge.aim(pose, 0)
    bridge.aim(other, S // 50)
    for late in range(1, 60):
        now = S // 50 + late * S // 1000
        turn = bridge.at(now)[3:7]
        assert np.linalg.norm(turn) == pytest.approx(1.0)
        assert abs(turn[0]) > np.cos(0.11)


def test_without_a_target_there_is_none() -> None:
    """Before the first, and after a reset."""
    bridge = Bridge(0, 0.01)
    assert bridge.at(0).size == 0
    bridge.aim(np.ones(2), 0)
    bridge.reset()
    assert bridge.at(0).size == 0
