"""Opening live sources, and recordings that are played as if live."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bunraku.errors import BunrakuError
from bunraku.sources import open_source, read_motion
from bunraku.sources.bvh import write_bvh
from bunraku.sources.played import PlayedSource
from bunraku.testing import check_source

S = 1_000_000_000


@pytest.mark.parametrize("uri", ["synth:walk", "synth:wave?speed=3&loop=swing", "synth:squat?seconds=1&fps=30&loop=no"])
def test_recordings_are_sources(uri: str) -> None:
    """They keep to what the session asks of any device, on any clock."""
    assert check_source(lambda: open_source(uri)) >= 30
    assert check_source(lambda: open_source(uri), start_ns=10**15, seconds=0.5) >= 15


def test_frames_come_when_they_are_due() -> None:
    """At 30 a second there are 30 in the first second, and the newest is the one of that instant."""
    source = open_source("synth:walk?seconds=5&fps=30")
    motion = read_motion("synth:walk?seconds=5&fps=30")
    source.open(7 * S)
    assert source.latest(7 * S) is None
    for tick in range(101):
        source.receive(7 * S + tick * S // 100)
    pose, health = source.latest(8 * S), source.health(8 * S)
    assert pose is not None
    assert health.received == health.accepted == 31
    assert health.connected and not health.reason
    assert np.ptp(pose.positions - motion.positions[30], axis=0).max() < 1e-9
    assert (pose.stamp_ns, pose.received_ns) == (8 * S, 8 * S)
    assert health.rate_hz == pytest.approx(30, rel=0.05)


def test_what_was_missed_is_not_replayed() -> None:
    """A session that looks again after two seconds gets the newest frame, and only that."""
    source = open_source("synth:walk?seconds=5&fps=30")
    source.open(0)
    source.receive(0)
    source.receive(2 * S)
    newest = source.latest(2 * S)
    assert newest is not None and newest.stamp_ns == 2 * S
    source.receive(2 * S + 1)
    assert source.latest(2 * S + 1) is newest


def test_a_recording_ends_or_goes_on() -> None:
    """Without a loop the device goes away at the end, in words; with one it never does."""
    motion = read_motion("synth:reach?seconds=1&fps=20")
    for loop, there in (("no", False), ("yes", True), ("swing", True)):
        source = PlayedSource(motion, loop=loop)
        source.open(0)
        for tick in range(1, 101):
            source.receive(tick * S // 20)
        health = source.health(5 * S)
        assert health.connected is there
        assert bool(health.reason) is not there
        assert (health.age_s < 0.1) is there


def test_swing_has_no_jump_and_a_hard_seam_is_a_new_epoch() -> None:
    """Back and forth is continuous; starting over where the end is elsewhere is said to be a jump."""
    motion = read_motion("synth:walk?seconds=2&fps=20")
    swing, again = PlayedSource(motion, loop="swing"), PlayedSource(motion, loop="yes")
    for source in (swing, again):
        source.open(0)
        last, furthest = None, 0.0
        for tick in range(200):
            source.receive(tick * S // 20)
            pose = source.latest(tick * S // 20)
            assert pose is not None
            if last is not None:
                furthest = max(furthest, float(np.linalg.norm(pose.positions - last, axis=-1).max()))
            last = pose.positions
        jumped = source.health(10 * S).epoch > 0
        assert jumped == (source is again)
        assert (furthest > 0.5) == (source is again)


def test_speed() -> None:
    """Twice as fast is twice as many frames."""
    source = open_source("synth:walk?speed=2&fps=30")
    source.open(0)
    source.receive(S)
    assert source.health(S).accepted == 61


def test_files_play_once(tmp_path: Path) -> None:
    """A BVH by its ending or by its scheme, from the ground up."""
    path = write_bvh(tmp_path / "a.bvh", read_motion("synth:wave?seconds=1&fps=30"))
    for uri in (str(path), f"bvh:{path}", f"bvh:{path}?loop=yes"):
        assert check_source(lambda uri=uri: open_source(uri), seconds=0.5) >= 14


@pytest.mark.parametrize(
    "uri",
    ["", "synth:wlk", "sinth:walk", "no-such.bvh", "synth:walk?loop=maybe", "synth:walk?speed=0", "synth:walk?speed=x",
     "synth:walk?sped=2", "faulty+synth:walk", "faulty+synth:walk?mode=evil", "faulty+synth:walk?mode=nan&period=0",
     "faulty+synth:walk?mode=nan&share=2", "faulty+synth:walk?mode=nan&seed=x", "faulty+nothing:?mode=off"],
)  # fmt: skip
def test_nonsense_is_one_line(uri: str) -> None:
    """Names, options and numbers that cannot be."""
    with pytest.raises(BunrakuError):
        open_source(uri)


def test_nothing_is_infinitely_old() -> None:
    """Before the first frame, age is infinite and the reason is there."""
    source = open_source("synth:walk")
    health = source.health(0)
    assert health.age_s == math.inf
    assert not health.connected
    assert health.reason == "not open"
