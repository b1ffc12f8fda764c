"""A stand-in for Noitom's programs: any motion as the frames that a suit's program would send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources.fake import Fake
from bunraku.sources.fake_network import Broadcast, DatagramSender
from bunraku.sources.measure import WORLD_FROM_FILE
from bunraku.sources.noitom_skeleton import (
    BONES,
    GENERATIONS,
    METRES,
    ORDERS,
    Generation,
    correspondence,
    suit_file,
)
from bunraku.sources.noitom_wire import DISPLACED, PLAIN, encode_frame, encode_text

Array = NDArray[np.float64]


def suit_values(motion: HumanMotion, generation: Generation, order: str, *, displaced: bool) -> Array:
    """(T, 354) or (T, 180) what the suit's program would send for this motion."""
    file = suit_file(generation, order, displaced=displaced)
    nodes, local = correspondence(generation)
    to_file = rot.inverse(WORLD_FROM_FILE["y"])
    joint_of = {int(node): joint for joint, node in enumerate(nodes) if 0 <= node < BONES}
    T = len(motion)
    turns = np.tile(rot.IDENTITY, (BONES, T, 1))
    values = np.zeros((T, DISPLACED if displaced else PLAIN))
    for bone, parent in enumerate(file.parents):
        above = turns[parent] if parent >= 0 else np.tile(rot.IDENTITY, (T, 1))
        joint = joint_of.get(bone, -1)
        # A bone that no canonical joint stands for moves with the one below it, and so does one that is not known.
        turns[bone] = above
        if joint >= 0:
            seen = rot.multiply(rot.multiply(to_file, motion.rotations[:, joint]), rot.inverse(local[joint]))
            turns[bone] = np.where(motion.rotation_valid[:, joint, None], seen, above)
        angles = np.degrees(rot.to_euler(order, rot.multiply(rot.inverse(above), turns[bone])))
        column = int(file.layout[bone, 0]) + (3 if displaced or bone == 0 else 0)
        values[:, column : column + 3] = angles
        if displaced:
            values[:, column - 3 : column] = file.offsets[bone]
    values[:, :3] = rot.rotate(to_file, motion.positions[:, INDEX["hips"]]) / METRES
    return values


class SuitFake:
    """The suit's program: a TCP server that broadcasts, or a sender of datagrams."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        udp, self._text = "udp" in options, "text" in options
        order = options.get("rotation", "YXZ").upper()
        if order not in ORDERS:
            raise UnknownNameError("rotation order", order, ORDERS)
        chosen = options.get("skeleton", "studio" if udp else "legacy")
        generation = next((name for name in GENERATIONS if name == chosen), None)
        if generation is None:
            raise UnknownNameError("skeleton", chosen, GENERATIONS)
        self._displaced = "plain" not in options
        self._rows = suit_values(motion, generation, order, displaced=self._displaced)
        self._server = None if udp else Broadcast(host, port)
        self._sender = DatagramSender(host, port) if udp else None
        query = "".join(f"&{name}={options[name]}" for name in ("rotation", "skeleton") if name in options)
        self._uri = f"{host}:{{port}}?udp{query}" if udp else f"{host}:{{port}}{query.replace('&', '?', 1)}"
        self._port = port

    def open(self) -> str:
        """Listen, or begin to send."""
        if self._server is not None:
            self._server.open()
            self._port = self._server.port
        if self._sender is not None:
            self._sender.open()
        return f"axis-neuron://{self._uri.format(port=self._port)}"

    def waits_on(self) -> Sequence[int]:
        """The port and its clients."""
        return self._server.descriptors() if self._server is not None else ()

    def receive(self) -> None:
        """Let clients in; what they say means nothing to the suit's program."""
        if self._server is not None:
            self._server.receive()

    def send(self, frame: int) -> None:
        """One frame."""
        row = self._rows[frame % len(self._rows)]
        data = encode_text(row) if self._text else encode_frame(row, number=frame, displaced=self._displaced)
        if self._server is not None:
            self._server.send(data)
        if self._sender is not None:
            self._sender.send(data)

    def close(self) -> None:
        """End."""
        for link in (self._server, self._sender):
            if link is not None:
                link.close()


FAKE = Fake(
    scheme="axis-neuron",
    summary="Axis Neuron's broadcast (TCP), or Axis Studio's (option udp)",
    example="bunraku fake axis-neuron --motion synth:walk --port 7001",
    rate_hz=60.0,
    port=7001,
    options=MappingProxyType(
        {
            "udp": "send datagrams to the port instead of serving it",
            "text": "frames as text",
            "plain": "angles alone, no place for each bone",
            "rotation": f"{', '.join(ORDERS)} (default: YXZ)",
            "skeleton": "legacy or studio",
        }
    ),
    make=SuitFake,
)
