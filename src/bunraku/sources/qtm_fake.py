"""A stand-in for Qualisys Track Manager: one solved skeleton, streamed to clients that ask as QTM wants it."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.sources import qtm_wire as wire
from bunraku.sources.binary import CutOffError
from bunraku.sources.fake import Fake
from bunraku.sources.fake_network import Broadcast
from bunraku.sources.qtm import SEGMENTS


class QtmFake:
    """The real-time server."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        self._server, self._host, self._motion = Broadcast(host, port), host, motion
        self._packets: dict[socket.socket, wire.Packets] = {}
        self._streaming: list[socket.socket] = []
        self._names = tuple(SEGMENTS)
        joints = np.array([INDEX[SEGMENTS[name]] for name in self._names])
        seen = motion.position_valid[:, joints] & motion.rotation_valid[:, joints]
        self._places = np.where(seen[..., None], 1000.0 * motion.positions[:, joints], np.nan)
        self._turns = np.where(seen[..., None], motion.rotations[:, joints][..., [1, 2, 3, 0]], np.nan)

    def open(self) -> str:
        """Listen."""
        self._server.open()
        return f"qtm://{self._host}:{self._server.port}"

    def waits_on(self) -> Sequence[int]:
        """The port and its clients."""
        return self._server.descriptors()

    def receive(self) -> None:
        """Greet who comes, answer who asks."""
        said = self._server.receive()
        for client in self._server.clients:
            if client not in self._packets:
                self._packets[client] = wire.Packets()
                self._server.send_to(client, wire.command(wire.HELLO))
        for client, data in said:
            try:
                for kind, content in self._packets.setdefault(client, wire.Packets()).feed(data):
                    if kind == wire.COMMAND:
                        self._answer(client, wire.text_of(content))
            except CutOffError:
                self._server.drop(client)
        for gone in [client for client in self._packets if client not in self._server.clients]:
            del self._packets[gone]

    def send(self, frame: int) -> None:
        """One frame, to those that stream."""
        row = frame % len(self._motion)
        segments = wire.segments(np.arange(1.0, len(self._names) + 1), self._places[row], self._turns[row])
        data = wire.write_frame(frame, round(frame * 1e6 / self._motion.fps), skeletons=[segments])
        self._streaming = [client for client in self._streaming if client in self._server.clients]
        for client in self._streaming:
            self._server.send_to(client, data)

    def close(self) -> None:
        """End."""
        self._server.close()

    def _answer(self, client: socket.socket, text: str) -> None:
        if text.startswith("version"):
            self._server.send_to(client, wire.command(f"Version set to {wire.VERSION}"))
        elif text.startswith("getparameters"):
            rows = "".join(f'<Segment Name="{name}" ID="{k}"/>' for k, name in enumerate(self._names, 1))
            xml = (
                f"<QTM_Parameters_Ver_{wire.VERSION}><Skeletons><Skeleton Name='Actor'><Segments>{rows}</Segments>"
                f"</Skeleton></Skeletons></QTM_Parameters_Ver_{wire.VERSION}>"
            )
            self._server.send_to(client, wire.packet(wire.XML, xml.encode() + b"\0"))
        elif text.startswith("streamframes"):
            self._streaming.append(client)
        else:
            self._server.send_to(client, wire.packet(wire.ERROR, b"Parse error\0"))


FAKE = Fake(
    scheme="qtm",
    summary="Qualisys Track Manager's real-time server (TCP)",
    example="bunraku fake qtm --motion synth:walk",
    rate_hz=100.0,
    port=wire.PORT,
    options=MappingProxyType({}),
    make=QtmFake,
)
