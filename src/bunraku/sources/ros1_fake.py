"""A stand-in for the bridge from a suit to ROS 1: any motion, published to a real master."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from bunraku.errors import UnknownNameError
from bunraku.human import HumanMotion
from bunraku.sources.axis_neuron_fake import suit_values
from bunraku.sources.fake import Fake
from bunraku.sources.ros1 import PART, PARTS, TOPIC, array_message, bridge, part_topics

SHAPES = ("360", "354", "180", "183", "3x120")
_RATE_HZ = 60.0


def arrays(row: np.ndarray, shape: str) -> list[np.ndarray]:
    """What the bridge publishes of (354,) or (180,) values of a frame, one array a topic."""
    if shape in ("360", "3x120"):
        row = np.concatenate([np.zeros(6), row])
    if shape == "183":
        row = np.concatenate([row, np.zeros(3)])
    return np.split(row, PARTS) if shape == "3x120" else [row]


class Ros1Fake:
    """The publisher."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        self._shape = options.get("values", "3x120")
        if self._shape not in SHAPES:
            raise UnknownNameError("number of values", self._shape, SHAPES)
        displaced = self._shape not in ("180", "183")
        self._rows = suit_values(motion, "legacy", "YXZ", displaced=displaced)
        self._topic = options.get("topic", TOPIC)
        self._child = bridge("say", part_topics(self._topic))
        self._now_ns, self._period_ns = 0, round(1e9 / motion.fps)

    def open(self) -> str:
        """Begin to look for the master."""
        self._child.open(self._now_ns)
        return f"ros1:{self._topic}"

    def waits_on(self) -> Sequence[int]:
        """The bridge."""
        return self._child.descriptors()

    def receive(self) -> None:
        """What the bridge says, nobody needs."""
        self._child.receive(self._now_ns)

    def send(self, frame: int) -> None:
        """One frame."""
        self._now_ns += self._period_ns
        self.receive()
        for topic, values in enumerate(arrays(self._rows[frame % len(self._rows)], self._shape)):
            self._child.send(b"D" + bytes([topic]) + b"d" + array_message(values))

    def close(self) -> None:
        """End."""
        self._child.close()


FAKE = Fake(
    scheme="ros1",
    summary="the suit's bridge to ROS 1 (needs python3-rospy and a master)",
    example="bunraku fake ros1 --motion synth:walk --option values=180",
    rate_hz=_RATE_HZ,
    port=0,
    options=MappingProxyType({"values": f"{', '.join(SHAPES)} (default: 3x{PART})", "topic": f"(default: {TOPIC})"}),
    make=Ros1Fake,
)
