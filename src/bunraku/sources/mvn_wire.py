"""What Xsens MVN sends over the network: datagrams of segments with places and turns, and the reverse.

Big-endian; a header of 24 bytes, then 32 bytes a segment. In MVN's T-pose every segment's axes are the world's: x
forward, y left, z up. So its turns are those away from the canonical pose.
"""

from __future__ import annotations

import struct
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import FINGERS, INDEX

PORT = 9763
HEADER = struct.Struct(">6sIBBIBBBBHH")
SEGMENT = np.dtype([("id", ">i4"), ("place", ">f4", 3), ("turn", ">f4", 4)])
POSE = b"MXTP02"
LAST = 0x80
"""in the counter of datagrams: no more follow for this frame"""
BODY_SEGMENTS, FINGER_SEGMENTS = 23, 40

_BODY = (
    "hips", "spine", "", "", "chest", "neck", "head",
    "right_clavicle", "right_upper_arm", "right_forearm", "right_hand",
    "left_clavicle", "left_upper_arm", "left_forearm", "left_hand", "right_thigh", "right_shin", "right_foot",
    "right_toe", "left_thigh", "left_shin", "left_foot", "left_toe",
)  # fmt: skip
"""canonical joint of each segment: pelvis, L5, L3, T12, T8, neck, head, …"""


def _hand(side: str) -> list[str]:
    """Twenty segments: the carpus, three of the thumb, then metacarpal and three phalanges of each finger."""
    names = ["", *(f"{side}_thumb_{part}" for part in "123")]
    for finger in FINGERS[1:]:
        names += ["", *(f"{side}_{finger}_{part}" for part in "123")]
    return names


_NAMES = [*_BODY, *_hand("left"), *_hand("right")]
JOINT_OF = np.array([INDEX[name] if name else -1 for name in _NAMES])
"""(63,) row of the canonical skeleton for each segment of the body and the hands, -1 where there is none"""
JOINT_OF.setflags(write=False)
IGNORED = MappingProxyType(
    {b"MXTP01": "angles", b"MXTP03": "points", b"MXTP05": "turns for Unity", b"MXTP10": "", b"MXTP11": "",
     b"MXTP12": "", b"MXTP13": "", b"MXTP20": "", b"MXTP21": "", b"MXTP22": "", b"MXTP23": "", b"MXTP24": "",
     b"MXTP25": ""}
)  # fmt: skip
"""other datagrams, and for those that carry a pose in another form what it is made of"""


class Part(NamedTuple):
    """One datagram's share of a frame."""

    sample: int
    number: int
    is_last: bool
    character: int
    props: int
    segments: NDArray[np.void]
    """(n,) of SEGMENT"""


def parse_part(data: bytes) -> Part | str:
    """A datagram of poses, or why it is none."""
    if len(data) < HEADER.size:
        return "datagram that is too short"
    name, sample, counter, items, _, character, _, props, _, _, size = HEADER.unpack_from(data)
    if name != POSE:
        return "datagram of another kind" if name in IGNORED else "datagram that is not MVN's"
    available = (len(data) - HEADER.size) // SEGMENT.itemsize
    if items > available or (size and size > len(data) - HEADER.size):
        return "datagram that is cut off"
    segments = np.frombuffer(data, SEGMENT, items, HEADER.size)
    return Part(sample, counter & ~LAST, bool(counter & LAST), character, props, segments)


def encode_frame(sample: int, places: NDArray[np.float64], turns: NDArray[np.float64], *, character: int = 0) -> bytes:
    """One frame in one datagram: (S, 3) m and (S, 4) wxyz of the body's, or all, segments."""
    count = len(places)
    segments = np.empty(count, SEGMENT)
    segments["id"], segments["place"], segments["turn"] = np.arange(1, count + 1), places, turns
    payload = segments.tobytes()
    fingers = max(count - BODY_SEGMENTS, 0)
    milliseconds = round(sample * 1000 / 60)
    head = HEADER.pack(
        POSE, sample & 0xFFFFFFFF, LAST, count, milliseconds & 0xFFFFFFFF, character, BODY_SEGMENTS, 0, fingers, 0,
        len(payload),
    )  # fmt: skip
    return head + payload
