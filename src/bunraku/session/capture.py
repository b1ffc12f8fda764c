"""Some seconds of a live source as a motion: for calibration, and to keep what a device showed."""

from __future__ import annotations

import select
import time
from collections.abc import Callable

import numpy as np

from bunraku.errors import InputError
from bunraku.human import HumanMotion, HumanPose
from bunraku.sources.live import Source

RATE_HZ = 60.0
PATIENCE_S = 5.0
"""how long the first pose of a source is waited for"""


def capture(
    source: Source, seconds: float, name: str, *, patience_s: float = PATIENCE_S,
    clock_ns: Callable[[], int] = time.monotonic_ns,
) -> HumanMotion:  # fmt: skip
    """What an open source shows from now on, at RATE_HZ; each frame is the newest pose then.

    An InputError says why where nothing comes, or where it stops coming.
    """
    begun = clock_ns()
    _wait(source, begun + round(patience_s * 1e9), clock_ns)
    count, poses = max(1, round(seconds * RATE_HZ)), []
    first = clock_ns()
    for frame in range(count):
        due = first + round(frame / RATE_HZ * 1e9)
        while (now := clock_ns()) < due:
            select.select(list(source.waits_on()), (), (), (due - now) / 1e9)
            source.receive(clock_ns())
        now = clock_ns()
        source.receive(now)
        health, pose = source.health(now), source.latest(now)
        if pose is None or health.age_s > 1.0:
            raise InputError(f"{name}: it fell silent: {health.reason or 'no frame for a second'}")
        poses.append(pose)
    return _motion(poses, name)


def _wait(source: Source, until_ns: int, clock_ns: Callable[[], int]) -> None:
    """For a pose that is not old."""
    while True:
        now = clock_ns()
        source.receive(now)
        # The first frames of a device may take their time to be understood.
        now = clock_ns()
        health = source.health(now)
        if source.latest(now) is not None and health.age_s < 0.5:
            return
        if now >= until_ns:
            raise InputError(f"nothing to calibrate by: {health.reason or 'no frame came'}")
        select.select(list(source.waits_on()), (), (), 0.01)


def _motion(poses: list[HumanPose], name: str) -> HumanMotion:
    return HumanMotion(
        positions=np.stack([pose.positions for pose in poses]),
        rotations=np.stack([pose.rotations for pose in poses]),
        position_valid=np.stack([pose.position_valid for pose in poses]),
        rotation_valid=np.stack([pose.rotation_valid for pose in poses]),
        fps=RATE_HZ,
        name=name,
    )
