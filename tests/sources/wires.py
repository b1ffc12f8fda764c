"""A stand-in and its source, joined over this machine's own network on a clock that the test moves."""

from __future__ import annotations

import time
from collections.abc import Mapping

from bunraku.human import HumanMotion, HumanPose
from bunraku.sources.fake import FakeDevice, find_fake
from bunraku.sources.health import Health
from bunraku.sources.live import Source, open_source

_PATIENCE_S = 10.0
"""for the network of this machine, which needs some milliseconds"""


def through_the_wire(
    name: str, motion: HumanMotion, options: Mapping[str, str] | None = None, *, port: int = 0
) -> tuple[list[HumanPose], Health]:
    """All frames of the motion, as the source gives them when the stand-in sends them; and the source's health."""
    device = find_fake(name).make(motion, "127.0.0.1", port, options or {})
    uri = device.open()
    source = open_source(uri)
    try:
        return _exchange(device, source, len(motion))
    finally:
        source.close()
        device.close()


def _exchange(device: FakeDevice, source: Source, frames: int) -> tuple[list[HumanPose], Health]:
    poses: list[HumanPose] = []
    now = 1
    source.open(now)
    begun = time.monotonic()
    # What only sends datagrams has nobody to wait for.
    while device.waits_on() and not source.health(now).connected:
        now += 600_000_000
        device.receive()
        source.receive(now)
        assert time.monotonic() - begun < _PATIENCE_S, source.health(now).reason
    for frame in range(frames):
        now += 8_000_000
        device.receive()
        device.send(frame)
        before, waited = source.latest(now), time.monotonic()
        while source.latest(now) is before and time.monotonic() - waited < _PATIENCE_S:
            device.receive()
            source.receive(now)
        newest = source.latest(now)
        assert newest is not None, source.health(now)
        poses.append(newest)
    return poses, source.health(now)
