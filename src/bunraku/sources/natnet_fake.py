"""A stand-in for OptiTrack's Motive: one skeleton, sent to whoever asked."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from bunraku.errors import OutputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.sources import natnet_wire as wire
from bunraku.sources.binary import CutOffError
from bunraku.sources.fake import Fake
from bunraku.sources.natnet import BONES

VERSIONS = {"3.0": (3, 0), "3.1": (3, 1), "4.0": (4, 0), "4.1": (4, 1), "4.2": (4, 2)}
_SKELETON = 1
_MOST_CLIENTS = 16


class NatNetFake:
    """Motive's command port; frames go out from it."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        version = options.get("version", "4.2")
        if version not in VERSIONS:
            raise UnknownNameError("version", version, VERSIONS)
        self._version, self._motion = VERSIONS[version], motion
        self._where = (host, port)
        self._socket: socket.socket | None = None
        self._clients: list[tuple[str, int]] = []
        self._names = tuple(BONES)
        joints = np.array([INDEX[BONES[name]] for name in self._names])
        places, turns = motion.positions[:, joints], motion.rotations[:, joints]
        # Ours to Motive's, y up and facing z: x, y, z there are y, z, x here.
        self._places = places[..., [1, 2, 0]]
        self._turns = turns[..., [2, 3, 1, 0]]
        self._tracked = motion.position_valid[:, joints] & motion.rotation_valid[:, joints]

    def open(self) -> str:
        """Take the port."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(self._where)
        except OSError as error:
            self._socket.close()
            raise OutputError(f"port {self._where[0]}:{self._where[1]} cannot be taken: {error.strerror}") from None
        self._socket.setblocking(False)
        return f"natnet://{self._where[0]}:{self._socket.getsockname()[1]}"

    def waits_on(self) -> Sequence[int]:
        """The port."""
        return () if self._socket is None else (self._socket.fileno(),)

    def receive(self) -> None:
        """Answer who asks."""
        while self._socket is not None:
            try:
                data, client = self._socket.recvfrom(1 << 16)
                kind, _ = wire.packet(data)
            except BlockingIOError:
                return
            except (OSError, CutOffError):
                continue
            if client not in self._clients and len(self._clients) < _MOST_CLIENTS:
                self._clients.append(client)
            if kind == wire.CONNECT:
                self._send(wire.write_server_info(self._version), client)
            elif kind == wire.REQUEST_MODELS:
                bones = {number: f"Actor_{name}" for number, name in enumerate(self._names, 1)}
                models = wire.Models(skeletons={_SKELETON: "Actor"}, bones={_SKELETON: bones})
                self._send(wire.write_models(models, self._version), client)

    def send(self, frame: int) -> None:
        """One frame."""
        row = frame % len(self._motion)
        ids = np.arange(1, len(self._names) + 1) | _SKELETON << 16
        bones = wire.rigid_bodies(ids, self._places[row], self._turns[row], self._tracked[row])
        data = wire.write_frame(frame, frame / self._motion.fps, self._version, skeletons={_SKELETON: bones})
        for client in self._clients:
            self._send(data, client)

    def close(self) -> None:
        """End."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _send(self, data: bytes, client: tuple[str, int]) -> None:
        if self._socket is not None:
            try:
                self._socket.sendto(data, client)
            except OSError:
                return


FAKE = Fake(
    scheme="natnet",
    summary="OptiTrack Motive (NatNet, unicast)",
    example="bunraku fake natnet --motion synth:walk --port 1510",
    rate_hz=120.0,
    port=wire.COMMAND_PORT,
    options=MappingProxyType({"version": f"{', '.join(VERSIONS)} (default: 4.2)"}),
    make=NatNetFake,
)
