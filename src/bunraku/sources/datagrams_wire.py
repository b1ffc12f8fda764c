"""Pose datagrams of our own, for anybody who tracks a person: one object, JSON or msgpack, and a signature if wanted.

    {"seq": 7, "t": 12.5, "epoch": 0, "joints": {"left_hand": [x, y, z], …}, "turns": {"left_hand": [w, x, y, z], …},
     "jaw": 0.2, "eyes": [yaw, pitch]}

`joints` are world positions in metres, `turns` are away from the canonical T-pose, both in a world of x forward, y
left, z up, by the names of the canonical skeleton; any of them may be left out. `seq` grows with every datagram, `t` is
the sender's time in seconds, `epoch` grows when the world jumped. Signed datagrams begin with `BKS1`, a session of 8
bytes, a number of 8 bytes that grows, and HMAC-SHA256 over session, number and object.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import InputError, MissingPackageError
from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX, JOINTS
from bunraku.sources.pose_builder import PoseBuilder

SIGNED = b"BKS1"
HEAD = struct.Struct(">4s8sQ32s")
MAX_BYTES = 1 << 16
LEAST_KEY_BYTES = 16


def sign(payload: bytes, key: bytes, session: bytes, number: int) -> bytes:
    """The payload behind its signature."""
    mac = hmac.digest(key, session + struct.pack(">Q", number) + payload, hashlib.sha256)
    return HEAD.pack(SIGNED, session, number, mac) + payload


def unsign(data: bytes, key: bytes) -> tuple[bytes, int, bytes] | str:
    """Session, number and payload; or why the datagram is not to be trusted."""
    if not data.startswith(SIGNED) or len(data) < HEAD.size:
        return "datagram without a signature"
    _, session, number, mac = HEAD.unpack_from(data)
    payload = data[HEAD.size :]
    if not hmac.compare_digest(mac, hmac.digest(key, session + struct.pack(">Q", number) + payload, hashlib.sha256)):
        return "datagram with a wrong signature"
    return session, number, payload


class ObjectReader:
    """JSON or msgpack, whichever it is."""

    def __init__(self) -> None:
        try:
            import msgpack
            import orjson
        except ImportError:
            raise MissingPackageError("orjson msgpack", "devices", "receiving datagrams") from None
        self._json, self._msgpack = orjson.loads, msgpack.unpackb

    def read(self, data: bytes) -> dict[str, Any] | None:
        """The object, or None where it is none."""
        try:
            is_text = data[:1] in b"{[ \n\r\t"
            out = self._json(data) if is_text else self._msgpack(data, strict_map_key=True)
        except (ValueError, RecursionError):
            return None
        return out if isinstance(out, dict) else None


def pose_of(message: dict[str, Any], builder: PoseBuilder, now_ns: int) -> HumanPose | str:
    """The pose of an object, or why it is none."""
    try:
        places, turns = message.get("joints") or {}, message.get("turns") or {}
        unknown = next((name for name in (*places, *turns) if name not in INDEX), None)
        if unknown is not None:
            return "joint of another skeleton"
        placed, turned = [INDEX[name] for name in places], [INDEX[name] for name in turns]
        at = np.array(list(places.values()), float).reshape(-1, 3)
        by = np.array(list(turns.values()), float).reshape(-1, 4)
        stamp = round(float(message.get("t", 0.0)) * 1e9)
        jaw = None if message.get("jaw") is None else min(max(float(message["jaw"]), 0.0), 1.0)
    except (TypeError, ValueError, AttributeError, OverflowError):
        return "object that is no pose"
    if len(at) != len(placed) or len(by) != len(turned):
        return "object that is no pose"
    return builder.pose(
        now_ns, stamp_ns=stamp, placed=np.array(placed, np.intp), places=at, turned=np.array(turned, np.intp),
        turns=by, jaw=jaw,
    )  # fmt: skip


def message_of(pose: HumanPose, number: int) -> dict[str, Any]:
    """What is sent of a pose: all that it knows."""
    out: dict[str, Any] = {
        "seq": number,
        "t": pose.stamp_ns / 1e9,
        "joints": {JOINTS[j]: pose.positions[j].tolist() for j in np.flatnonzero(pose.position_valid)},
        "turns": {JOINTS[j]: pose.rotations[j].tolist() for j in np.flatnonzero(pose.rotation_valid)},
    }
    return out | ({} if pose.jaw is None else {"jaw": pose.jaw})


def read_key(path: str) -> bytes:
    """A secret from a file; it never stands in a URI, which ends up in logs."""
    try:
        key = Path(path).read_bytes().strip()
    except OSError as error:
        raise InputError(f"{path}: the key cannot be read: {error.strerror}") from None
    if len(key) < LEAST_KEY_BYTES:
        raise InputError(
            f"{path}: a key has at least {LEAST_KEY_BYTES} bytes: head -c 32 /dev/urandom | base64 > {path}"
        )
    return key
