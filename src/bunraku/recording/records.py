"""What stands in the frames of a raw recording: poses as they came, ticks of the loop, events. Exact."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.human import HumanPose
from bunraku.human.skeleton import JOINT_COUNT
from bunraku.recording.frames import EVENT, HEADER, POSE, TICK, frames

Array = NDArray[np.float64]

VERSION = 1
_POSE = struct.Struct("<BBqqddd")  # source, what is known, stamp, received, jaw, gaze
_HAS_JAW, _HAS_EYES = 1, 2
_FLAG_BYTES = (JOINT_COUNT + 7) // 8
_TICK = struct.Struct("<qddBB")  # instant, time step, weight, state, stages


def pose_bytes(source: int, pose: HumanPose) -> bytes:
    """One source's pose; joints that are not known take no room."""
    known = _HAS_JAW * (pose.jaw is not None) | _HAS_EYES * (pose.eyes is not None)
    yaw, pitch = pose.eyes or (0.0, 0.0)
    return b"".join(
        (
            _POSE.pack(source, known, pose.stamp_ns, pose.received_ns, pose.jaw or 0.0, yaw, pitch),
            np.packbits(pose.position_valid).tobytes(),
            np.packbits(pose.rotation_valid).tobytes(),
            pose.positions[pose.position_valid].tobytes(),
            pose.rotations[pose.rotation_valid].tobytes(),
        )
    )


def pose_from(data: bytes) -> tuple[int, HumanPose]:
    """The source's number and the pose."""
    try:
        source, known, stamp, received, jaw, yaw, pitch = _POSE.unpack_from(data)
        at = _POSE.size
        flags = []
        for _ in range(2):
            bits = np.frombuffer(data, np.uint8, _FLAG_BYTES, at)
            flags.append(np.unpackbits(bits, count=JOINT_COUNT).astype(bool))
            at += _FLAG_BYTES
        pose = HumanPose.empty()
        for values, valid in zip((pose.positions, pose.rotations), flags, strict=True):
            count = int(valid.sum()) * values.shape[1]
            values[valid] = np.frombuffer(data, float, count, at).reshape(-1, values.shape[1])
            at += 8 * count
    except (struct.error, ValueError) as error:
        raise InputError(f"a recorded pose is not whole: {error}") from None
    return source, HumanPose(
        positions=pose.positions,
        rotations=pose.rotations,
        position_valid=flags[0],
        rotation_valid=flags[1],
        stamp_ns=stamp,
        received_ns=received,
        jaw=jaw if known & _HAS_JAW else None,
        eyes=(yaw, pitch) if known & _HAS_EYES else None,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Tick:
    """One turn of the loop."""

    now_ns: int
    dt_s: float
    weight: float
    state: int
    """row of the header's `states`"""
    stages_ns: NDArray[np.int64]
    """(S,) as in the header's `stages`; -1 where there was none"""
    qpos: Array
    """(nq,) what was sent; NaN where nothing was"""
    measured: Array
    """(nq,) NaN where nothing is known"""

    def pack(self) -> bytes:
        """As bytes."""
        head = _TICK.pack(self.now_ns, self.dt_s, self.weight, self.state, len(self.stages_ns))
        return b"".join((head, self.stages_ns.tobytes(), self.qpos.tobytes(), self.measured.tobytes()))

    @classmethod
    def unpack(cls, data: bytes) -> Tick:
        """From bytes."""
        try:
            now, dt, weight, state, stages = _TICK.unpack_from(data)
            at = _TICK.size + 8 * stages
            both = np.frombuffer(data, float, -1, at).reshape(2, -1)
            stamps = np.frombuffer(data, np.int64, stages, _TICK.size)
        except (struct.error, ValueError) as error:
            raise InputError(f"a recorded tick is not whole: {error}") from None
        return cls(
            now_ns=now, dt_s=dt, weight=weight, state=state, stages_ns=stamps, qpos=both[0], measured=both[1]
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class RawRecording:
    """All of a file, up to its last whole frame."""

    header: Mapping[str, Any]
    """version, robot, rate_hz, sources, outputs, joint_names, states, stages"""
    poses: Mapping[int, Sequence[HumanPose]]
    """source → poses in the order of their arrival, also those that were turned away"""
    ticks: Sequence[Tick]
    events: Sequence[Mapping[str, Any]] = field(default_factory=list)
    """each with `now_ns` and `what`"""

    @classmethod
    def load(cls, path: Path) -> RawRecording:
        """Read it; a file of another version, or none at all, is an InputError."""
        header: dict[str, Any] | None = None
        poses: dict[int, list[HumanPose]] = {}
        ticks, events = [], []
        for kind, payload in frames(path):
            if kind == HEADER:
                header = _json(payload, path)
                if header.get("version") != VERSION:
                    raise InputError(f"{path}: version {header.get('version')} of recordings; this reads {VERSION}")
            elif kind == POSE:
                source, pose = pose_from(payload)
                poses.setdefault(source, []).append(pose)
            elif kind == TICK:
                ticks.append(Tick.unpack(payload))
            elif kind == EVENT:
                events.append(_json(payload, path))
        if header is None:
            raise InputError(f"{path}: it holds nothing, not even what was recorded")
        return cls(header=header, poses=poses, ticks=ticks, events=events)


def _json(payload: bytes, path: Path) -> dict[str, Any]:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: damaged: a header or an event is not JSON") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: damaged: a header or an event is no object")
    return value
