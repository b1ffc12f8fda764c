"""Raw recordings of `bunraku run` as motion: what each source gave, merged, at the rate it came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from bunraku.errors import InputError
from bunraku.human import HumanMotion, HumanPose, merge_motions
from bunraku.recording.records import RawRecording
from bunraku.sources.source import Recording, number

_RATES = (1.0, 1000.0)


def _read(rest: str, options: Mapping[str, str]) -> HumanMotion:
    path = Path(rest)
    recording = RawRecording.load(path)
    wanted, fps = number(options, "source"), number(options, "fps")
    if fps is not None and not _RATES[0] <= fps <= _RATES[1]:
        raise InputError(f"replay: fps={fps:g}: it must be from {_RATES[0]:g} to {_RATES[1]:g}")
    rows = sorted(recording.poses) if wanted is None else [int(wanted)]
    absent = [row for row in rows if row not in recording.poses]
    if absent or not rows:
        raise InputError(f"{path}: no poses of source {absent[0] if absent else 0}; it holds {sorted(recording.poses)}")
    streams = [recording.poses[row] for row in rows]
    rate = fps or max(_rate(stream) for stream in streams)
    begin = min(stream[0].received_ns for stream in streams)
    count = int((max(stream[-1].received_ns for stream in streams) - begin) / 1e9 * rate + 1e-6) + 1
    motions = [_motion(stream, begin, rate, count, path.stem) for stream in streams]
    return motions[0] if len(motions) == 1 else merge_motions([(motion, {}) for motion in motions])


def _rate(stream: Sequence[HumanPose]) -> float:
    """Of arrivals, by their median interval."""
    if len(stream) < 2:
        return 60.0
    arrivals = np.array([pose.received_ns for pose in stream])
    return float(np.clip(1e9 / max(np.median(np.diff(arrivals)), 1.0), *_RATES))


def _motion(stream: Sequence[HumanPose], begin: int, rate: float, count: int, name: str) -> HumanMotion:
    """At each instant the newest pose that had come by then; nothing is known before the first."""
    arrivals = np.array([pose.received_ns for pose in stream])
    instants = begin + np.round(np.arange(count) / rate * 1e9)
    newest = np.searchsorted(arrivals, instants + 1e9 / rate / 2, side="right") - 1
    before, rows = newest < 0, np.maximum(newest, 0)
    jaw, eyes = None, None
    if all(pose.jaw is not None for pose in stream):
        jaw = np.array([pose.jaw for pose in stream], float)[rows]
    if all(pose.eyes is not None for pose in stream):
        eyes = np.array([pose.eyes for pose in stream], float)[rows]
    return HumanMotion(
        positions=np.stack([stream[row].positions for row in rows]),
        rotations=np.stack([stream[row].rotations for row in rows]),
        position_valid=np.stack([stream[row].position_valid for row in rows]) & ~before[:, None],
        rotation_valid=np.stack([stream[row].rotation_valid for row in rows]) & ~before[:, None],
        fps=rate,
        name=name,
        jaw=jaw,
        eyes=eyes,
    )


SOURCE = Recording(
    scheme="replay",
    summary="raw recordings of bunraku run: what its sources gave",
    example="replay:session.braw",
    options=MappingProxyType(
        {
            "source": "number of one source, from 0 (default: all of them, merged)",
            "fps": "frames per second (default: as they came)",
        }
    ),
    read=_read,
    suffixes=(".braw",),
)
