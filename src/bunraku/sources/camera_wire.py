"""What a camera's process tells the session: one message a picture, of one size, so that a pipe keeps it whole."""

from __future__ import annotations

import struct

import numpy as np

from bunraku.human import HumanPose
from bunraku.human.skeleton import JOINT_COUNT
from bunraku.kinematics import rotations as rot

_MAGIC = b"BKC1"
_HEAD = struct.Struct("<4sQIq?160s")
"""magic, number, epoch, instant of the picture in ns, whether there is a pose, words"""
_WORDS = 160
_POSITIONS, _ROTATIONS = JOINT_COUNT * 3 * 4, JOINT_COUNT * 4 * 4
SIZE = _HEAD.size + _POSITIONS + _ROTATIONS + 2 * JOINT_COUNT
"""bytes; below the 4096 that a pipe takes whole or not at all"""
_FARTHEST_M = 1000.0


def pack(number: int, epoch: int, taken_ns: int, pose: HumanPose | None, words: str = "") -> bytes:
    """A message; without a pose the words say why."""
    shown = pose if pose is not None else HumanPose.empty()
    text = words.encode()[:_WORDS]
    head = _HEAD.pack(_MAGIC, number, epoch, taken_ns, pose is not None, text)
    flags = shown.position_valid.astype(np.uint8).tobytes() + shown.rotation_valid.astype(np.uint8).tobytes()
    return head + shown.positions.astype("<f4").tobytes() + shown.rotations.astype("<f4").tobytes() + flags


class Message:
    """One message, checked."""

    def __init__(self, data: bytes, now_ns: int) -> None:
        """`data` has SIZE bytes; ValueError where they are no message."""
        magic, self.number, self.epoch, taken_ns, has_pose, words = _HEAD.unpack_from(data)
        if magic != _MAGIC or len(data) != SIZE:
            raise ValueError("no message of a camera")
        self.words = words.rstrip(b"\0").decode(errors="replace")
        self.pose: HumanPose | None = None
        if has_pose:
            self.pose = _pose(data[_HEAD.size :], taken_ns, now_ns)


def _pose(data: bytes, taken_ns: int, now_ns: int) -> HumanPose:
    positions = np.frombuffer(data, "<f4", JOINT_COUNT * 3).reshape(-1, 3).astype(float)
    rotations = np.frombuffer(data, "<f4", JOINT_COUNT * 4, _POSITIONS).reshape(-1, 4).astype(float)
    flags = np.frombuffer(data, np.uint8, 2 * JOINT_COUNT, _POSITIONS + _ROTATIONS).reshape(2, -1) != 0
    with np.errstate(invalid="ignore", over="ignore"):
        norms = np.linalg.norm(rotations, axis=1)
        good = (np.abs(positions) < _FARTHEST_M).all() and ((norms > 0.5) & (norms < 2.0)).all()
    if not good:
        raise ValueError("a pose that is none")
    return HumanPose(
        positions=positions, rotations=rot.normalize(rotations), position_valid=flags[0], rotation_valid=flags[1],
        stamp_ns=taken_ns, received_ns=now_ns,
    )  # fmt: skip
