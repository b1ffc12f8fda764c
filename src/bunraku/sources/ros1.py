"""Noitom's suits by ROS 1: the topics /perception_neuron/data_1 … 3 of the papers' bridges.

Three topics of 120 values each, or one of 180, 183, 354 or 360: bones with or without displacement, in the order of the
suit's own stream. Messages carry no time and no number.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanPose
from bunraku.sources.binary import doubles
from bunraku.sources.child import Child
from bunraku.sources.health import Health, Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.noitom_skeleton import GENERATIONS, ORDERS, Generation, suit_rows
from bunraku.sources.noitom_wire import DISPLACED, PLAIN

Array = NDArray[np.float64]

TOPIC = "/perception_neuron/data_1"
PART, PARTS = 120, 3
REFERENCES = ("auto", "yes", "no")
_SLOT = 6
_SHORTEST_CM = 15.0
"""of a shin or a thigh: how a skeleton's legs are found among the slots"""
_MOST_VALUES = 4096
_FARTHEST_CM = 1e5


class Ros1Decoder:
    """Packets of the bridge to poses."""

    def __init__(self, tally: Tally, *, generation: Generation = "legacy", order: str = "YXZ",
                 reference: str = "auto") -> None:  # fmt: skip
        self._tally, self._generation, self._order, self._reference = tally, generation, order, reference
        self.reset()

    def reset(self) -> None:
        """The bridge began anew."""
        self.advice = ""
        self._parts: dict[int, Array] = {}
        self._shift = {"yes": _SLOT, "no": 0}.get(self._reference)
        self._before: HumanPose | None = None

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """The pose of one packet, if it completes one."""
        if data[:1] == b"E":
            self.advice = data[1:400].decode("utf-8", "replace")
            return []
        values = _values(data)
        if isinstance(values, str):
            self._tally.reject(values)
            return []
        row = self._row(values, data[1])
        if isinstance(row, str):
            self._tally.reject(row)
        if row is None or isinstance(row, str):
            return []
        self._tally.accept(now_ns)
        self.advice = ""
        return [self._pose(row, now_ns)]

    def _row(self, values: Array, topic: int) -> Array | str | None:
        """(354,) or (180,) of one frame; None as long as parts of it are to come."""
        if not (np.abs(values) < _FARTHEST_CM).all():
            return "places beyond any room, or no numbers"
        if len(values) == PART:
            if topic in self._parts:
                self._tally.lose()
                self._parts.clear()
            self._parts[topic] = values
            if set(self._parts) != set(range(PARTS)):
                return None
            values = np.concatenate([self._parts[number] for number in range(PARTS)])
            self._parts.clear()
        if len(values) in (PLAIN, PLAIN + 3):
            return values[:PLAIN]
        if len(values) == DISPLACED:
            return values
        if len(values) != DISPLACED + _SLOT:
            return "array of another length: 3 of 120, or 180, 183, 354 or 360 values are a suit's"
        if self._reference == "auto" and (found := _reference_slots(values)) is not None:
            self._shift = found
        if self._shift is None:
            return "whether it begins with a reference cannot be told: say ?reference=yes or no"
        return values[self._shift : self._shift + DISPLACED]

    def _pose(self, row: Array, now_ns: int) -> HumanPose:
        rows = suit_rows(self._generation, self._order, len(row) == DISPLACED)
        positions, rotations = rows.poses(row[None])
        if self._before is not None:
            rotations[0][(rotations[0] * self._before.rotations).sum(axis=1) < 0] *= -1.0
        self._before = HumanPose(
            positions=positions[0], rotations=rotations[0], position_valid=rows.placed, rotation_valid=rows.turning,
            stamp_ns=now_ns, received_ns=now_ns,
        )  # fmt: skip
        return self._before


def _values(data: bytes) -> Array | str:
    """Numbers of a MultiArray as ROS serialises it, after the packet's three letters."""
    bad = "packet that is no array of ROS"
    if len(data) < 3 or data[:1] != b"D" or data[1] >= PARTS or data[2:3] not in (b"f", b"d"):
        return bad
    try:
        at = 7
        for _ in range(min(struct.unpack_from("<I", data, 3)[0], 16)):
            at += struct.unpack_from("<I", data, at)[0] + 12
        count = struct.unpack_from("<I", data, at + 4)[0]
        if count > _MOST_VALUES:
            return bad
        values = np.frombuffer(data, "<f4" if data[2:3] == b"f" else "<f8", count, at + 8)
    except (struct.error, ValueError):
        return bad
    return doubles(values)


def array_message(values: Array) -> bytes:
    """A Float64MultiArray of one dimension, as the papers' bridges send it."""
    label = b"PerceptionNeuronData"
    head = struct.pack("<II", 1, len(label)) + label + struct.pack("<IIII", len(values), len(values), 0, len(values))
    return head + values.astype("<f8").tobytes()


def _reference_slots(values: Array) -> int | None:
    """How many values stand before the hips: bones keep their places, and shins hang below thighs."""
    heights = values.reshape(-1, _SLOT)[:5, 1]
    if (heights[2:4] < -_SHORTEST_CM).all():
        return 0
    return _SLOT if (heights[3:5] < -_SHORTEST_CM).all() else None


def bridge(what: str, topics: Sequence[str]) -> Child:
    """The process that speaks with ROS: by the system's own Python, for which ROS's packages are."""
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin") or shutil.which("python3")
    if python is None:
        raise InputError("ROS 1 needs the system's Python: sudo apt-get install python3-rospy")
    script = str(Path(__file__).with_name("ros1_bridge.py"))
    return Child(lambda number: (python, script, str(number), what, *topics))


def part_topics(topic: str) -> tuple[str, ...]:
    """The topic, and those of the other parts where its name says that it is the first."""
    return tuple(f"{topic[:-1]}{k + 1}" for k in range(PARTS)) if topic.endswith("_1") else (topic,)


class Ros1Source:
    """A `Source`."""

    def __init__(self, topic: str, decoder: Ros1Decoder, tally: Tally) -> None:
        self._decoder, self._tally = decoder, tally
        self._child = bridge("hear", part_topics(topic))
        self._newest: HumanPose | None = None

    def open(self, now_ns: int) -> None:
        """Begin to look for the master."""
        self._child.open(now_ns)

    def waits_on(self) -> Sequence[int]:
        """The channel."""
        return self._child.descriptors()

    def receive(self, now_ns: int) -> None:
        """Decode what is there."""
        for data in self._child.receive(now_ns):
            for pose in self._decoder.feed(data, now_ns):
                self._newest = pose

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest pose, of any age."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """Counts, and what is wrong in words."""
        reason = self._decoder.advice if self._child.lives else "the bridge to ROS ended; it begins again"
        if not reason and self._newest is None:
            reason = "the bridge to ROS begins"
        return self._tally.health(now_ns, connected=self._child.lives and not reason, reason=reason)

    def close(self) -> None:
        """End."""
        self._child.close()


def _open(rest: str, options: Mapping[str, str]) -> Source:
    order = options.get("rotation", "YXZ").upper()
    if order not in ORDERS:
        raise UnknownNameError("rotation order", order, ORDERS)
    generation = next((name for name in GENERATIONS if name == options.get("skeleton", "legacy")), None)
    if generation is None:
        raise UnknownNameError("skeleton", options["skeleton"], GENERATIONS)
    reference = options.get("reference", "auto")
    if reference not in REFERENCES:
        raise UnknownNameError("reference", reference, REFERENCES)
    topic = rest or TOPIC
    if not topic.startswith("/") or not topic.replace("/", "").replace("_", "").isalnum() or not topic.isascii():
        raise InputError(f"ros1:{rest}: write the topic's name, for instance ros1:{TOPIC}")
    tally = Tally()
    decoder = Ros1Decoder(tally, generation=generation, order=order, reference=reference)
    return Ros1Source(topic, decoder, tally)


DEVICE = Device(
    scheme="ros1",
    summary="Noitom suits by ROS 1: Float32/64MultiArray of 3 × 120, 180, 183, 354 or 360 values",
    example=f"ros1:{TOPIC}",
    options=MappingProxyType(
        {
            "rotation": f"the order set in the suit's program: {', '.join(ORDERS)} (default: YXZ)",
            "skeleton": "legacy (Axis Neuron, default) or studio (Axis Studio)",
            "reference": "whether 360 values begin with a reference: auto (default), yes or no",
        }
    ),
    open=_open,
    priorities={"torso": 10, "left_arm": 10, "right_arm": 10},
)
