"""A stand-in for Xsens MVN's Network Streamer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.sources.fake import Fake
from bunraku.sources.fake_network import DatagramSender
from bunraku.sources.mvn_wire import BODY_SEGMENTS, JOINT_OF, PORT, encode_frame

Array = NDArray[np.float64]


def segments(motion: HumanMotion, *, fingers: bool) -> tuple[Array, Array]:
    """(T, S, 3) places and (T, S, 4) turns of MVN's segments; one that is no canonical joint goes with the last one."""
    joints = JOINT_OF[: None if fingers else BODY_SEGMENTS].copy()
    for segment in range(1, len(joints)):
        if joints[segment] < 0:
            joints[segment] = joints[segment - 1]
    return motion.positions[:, joints], motion.rotations[:, joints]


class MvnFake:
    """It sends, whoever listens."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        self._places, self._turns = segments(motion, fingers="body" not in options)
        self._sender = DatagramSender(host, port)
        self._uri = f"mvn://{host}:{port}"

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
        row = frame % len(self._places)
        self._sender.send(encode_frame(frame, self._places[row], self._turns[row]))

    def close(self) -> None:
        """End."""
        self._sender.close()


FAKE = Fake(
    scheme="mvn",
    summary="Xsens MVN's Network Streamer (UDP)",
    example="bunraku fake mvn --motion synth:walk --port 9763",
    rate_hz=60.0,
    port=PORT,
    options=MappingProxyType({"body": "the body alone, without the segments of the hands"}),
    make=MvnFake,
)
