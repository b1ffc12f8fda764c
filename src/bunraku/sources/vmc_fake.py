"""A stand-in for a VTuber's tracker: the VMC protocol, some bones a datagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from bunraku.human import HumanMotion
from bunraku.kinematics import rotations as rot
from bunraku.sources.fake import Fake
from bunraku.sources.fake_network import DatagramSender
from bunraku.sources.osc import bundle, encode
from bunraku.sources.vmc_wire import (
    BONE,
    JOINT,
    NAMES,
    PARENT,
    PORT,
    ROOT,
    STATE,
    TIME,
    unity_from_place,
    unity_from_turn,
)

_BONES_A_DATAGRAM = 15
"""so that it fits into a packet of a network"""


def frame_of(motion: HumanMotion, row: int, number: int) -> list[bytes]:
    """The datagrams of one frame."""
    parts = [encode(ROOT, "root", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)]
    for bone, name in enumerate(NAMES):
        joint = int(JOINT[bone])
        if joint < 0 or not (motion.rotation_valid[row, joint] and motion.position_valid[row, joint]):
            continue
        above = int(PARENT[bone])
        while above >= 0 and JOINT[above] < 0:
            above = int(PARENT[above])
        place, turn = motion.positions[row, joint], motion.rotations[row, joint]
        if above >= 0:
            back = rot.inverse(motion.rotations[row, JOINT[above]])
            place, turn = rot.rotate(back, place - motion.positions[row, JOINT[above]]), rot.multiply(back, turn)
        parts.append(encode(BONE, name, *unity_from_place(np.asarray(place)), *unity_from_turn(np.asarray(turn))))
    out = [bundle(parts[k : k + _BONES_A_DATAGRAM]) for k in range(0, len(parts), _BONES_A_DATAGRAM)]
    return [*out, bundle([encode(STATE, 1), encode(TIME, number / motion.fps)])]


class VmcFake:
    """It sends, whoever listens."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        self._motion = motion
        self._sender = DatagramSender(host, port)
        self._uri = f"osc://{host}:{port}"

    def open(self) -> str:
        """Begin."""
        self._sender.open()
        return self._uri

    def waits_on(self) -> Sequence[int]:
        """Nothing."""
        return ()

    def receive(self) -> None:
        """Nothing is said to it."""

    def send(self, frame: int) -> None:
        """One frame."""
        for data in frame_of(self._motion, frame % len(self._motion), frame):
            self._sender.send(data)

    def close(self) -> None:
        """End."""
        self._sender.close()


FAKE = Fake(
    scheme="osc",
    summary="a VTuber's tracker: VMC protocol over OSC (UDP)",
    example="bunraku fake osc --motion synth:conduct",
    rate_hz=60.0,
    port=PORT,
    options=MappingProxyType({}),
    make=VmcFake,
)
