"""Faults around a source: each mode does its harm while it is on, and none before."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from bunraku.faults import MODES
from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX, MIRROR
from bunraku.sources import open_source

S = 1_000_000_000
Shown = list[tuple[int, HumanPose]]


def shown(mode: str, seconds: float = 2.0, extra: str = "") -> tuple[Shown, Shown]:
    """What the faulty and the sound source show at 120 Hz; the fault is on in the second half of each second."""
    faulty = open_source(f"faulty+synth:box?fps=60&mode={mode}&period=1&share=0.5{extra}")
    sound = open_source("synth:box?fps=60")
    out: tuple[Shown, Shown] = ([], [])
    for source, list_ in zip((faulty, sound), out, strict=True):
        source.open(0)
        for tick in range(round(seconds * 120)):
            now = tick * S // 120
            source.receive(now)
            pose = source.latest(now)
            assert pose is not None
            list_.append((now, pose))
    return out


def test_every_mode_begins_well() -> None:
    """In the first half of the period the frames are the source's own."""
    for mode in MODES:
        faulty, sound = shown(mode, 0.49)
        for (_, a), (_, b) in zip(faulty, sound, strict=True):
            assert np.array_equal(a.positions, b.positions)
            assert a.received_ns == b.received_ns


def both(mode: str) -> list[tuple[int, HumanPose, HumanPose]]:
    """(now, faulty, sound) while the fault is on, its first two frames left out."""
    faulty, sound = shown(mode, 1.0)
    return [(now, a, b) for (now, a), (_, b) in zip(faulty, sound, strict=True) if now > 0.54 * S]


HARM: dict[str, Callable[[int, HumanPose, HumanPose], bool]] = {
    "off": lambda now, a, b: a.received_ns < 0.51 * S,
    "stuck": lambda now, a, b: a.received_ns == b.received_ns and not np.array_equal(a.positions, b.positions),
    "garbage": lambda now, a, b: float(np.abs(a.positions).max()) > 100,
    "wrong": lambda now, a, b: np.allclose(a.positions, 100 * b.positions),
    "delayed": lambda now, a, b: a.stamp_ns < b.stamp_ns,
    "duplicate": lambda now, a, b: a.received_ns == now and a.stamp_ns == b.stamp_ns,
    "nan": lambda now, a, b: not np.isfinite(a.positions).all(),
    "flip": lambda now, a, b: bool((np.einsum("ji,ji->j", a.rotations, b.rotations) < 0).any()),
    "swap": lambda now, a, b: np.array_equal(a.positions, b.positions[MIRROR]),
    "teleport": lambda now, a, b: float(np.linalg.norm(a.positions - b.positions, axis=-1).max()) > 1.9,
}


@pytest.mark.parametrize("mode", HARM)
def test_harm(mode: str) -> None:
    """Every frame of the second half is harmed as the mode says."""
    frames = both(mode)
    assert len(frames) > 50
    assert all(HARM[mode](*frame) for frame in frames)


def test_slow_intermittent_and_reorder_harm_some() -> None:
    """Fewer frames, missing frames, older frames after newer ones."""
    assert len({a.stamp_ns for _, a, _ in both("slow")}) <= 4
    assert 5 < len({a.stamp_ns for _, a, _ in both("intermittent")}) < 25
    stamps = [a.stamp_ns for _, a, _ in both("reorder")]
    assert any(later < earlier for earlier, later in pairwise(stamps))


def test_a_device_that_is_off_says_so_and_missing_frames_are_lost() -> None:
    """Health tells what can be told."""
    source = open_source("faulty+synth:walk?mode=off&period=1&share=1")
    source.open(0)
    source.receive(S)
    assert not source.health(S).connected
    assert "faulty+" in source.health(S).reason
    source = open_source("faulty+synth:walk?mode=intermittent&period=1&share=1")
    source.open(0)
    for tick in range(60):
        source.receive(tick * S // 60)
    assert source.health(S).lost > 10


def test_the_seed_decides() -> None:
    """The same seed does the same harm, another one another."""
    first, again, other = (both_hands(seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def both_hands(seed: int) -> np.ndarray:
    faulty, _ = shown("teleport", 1.0, f"&seed={seed}")
    return np.array([pose.positions[[INDEX["left_hand"], INDEX["right_hand"]]] for _, pose in faulty])
