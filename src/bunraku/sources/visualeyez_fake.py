"""A stand-in for a Visualeyez system's bridge: the markers of described bodies that move as a person's joints do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources.fake import Fake
from bunraku.sources.fake_network import Broadcast, DatagramSender
from bunraku.sources.marker_bodies import CUBE, Worn, read_bodies
from bunraku.sources.visualeyez import TCP_PORT, UDP_PORT

Array = NDArray[np.float64]

_RATE_HZ = 100.0


def marker_places(motion: HumanMotion, row: int, worn: Sequence[Worn]) -> dict[str, Array]:
    """Where the markers of these bodies are, name → (3,) m; those on joints that are not known are left out."""
    out: dict[str, Array] = {}
    for part in worn:
        joint = INDEX[part.joint]
        if not motion.position_valid[row, joint]:
            continue
        place = motion.positions[row, joint]
        if part.body is None:
            out[part.names[0]] = place
        elif motion.rotation_valid[row, joint]:
            turn = rot.multiply(motion.rotations[row, joint], rot.inverse(part.turn))
            origin = place - rot.rotate(turn, part.place)
            for number, at in part.body.markers.items():
                out[part.names[number]] = origin + rot.rotate(turn, at)
    return out


def datagram(stamp_s: float, places: Mapping[str, Array]) -> bytes:
    """Of markers called `TCM-LED`."""
    rows = [[*map(float, name.split("-")), *place] for name, place in places.items()]
    return np.array([stamp_s, *np.ravel(rows)], "<f8").tobytes()


def line(places: Mapping[str, Array]) -> bytes:
    """The same as text."""
    groups = [f"{name.split('-')[1]} " + " ".join(f"{1000 * v:.3f}" for v in place) for name, place in places.items()]
    return (" ".join([*groups, "0"]) + "\n").encode()


class VisualeyezFake:
    """The bridge."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        bodies = options.get("bodies", CUBE)
        self._motion, self._worn = motion, read_bodies(bodies)
        self._server = Broadcast(host, port) if "tcp" in options else None
        self._sender = None if "tcp" in options else DatagramSender(host, port)
        self._host, self._port = host, port
        self._query = f"?bodies={bodies}" + ("&tcp" if "tcp" in options else "")

    def open(self) -> str:
        """Listen, or begin to send."""
        if self._server is not None:
            self._server.open()
            self._port = self._server.port
        if self._sender is not None:
            self._sender.open()
        return f"visualeyez://{self._host}:{self._port}{self._query}"

    def waits_on(self) -> Sequence[int]:
        """The port and its clients."""
        return self._server.descriptors() if self._server is not None else ()

    def receive(self) -> None:
        """Let clients in."""
        if self._server is not None:
            self._server.receive()

    def send(self, frame: int) -> None:
        """One frame."""
        places = marker_places(self._motion, frame % len(self._motion), self._worn)
        if self._server is not None:
            self._server.send(line(places))
        if self._sender is not None:
            self._sender.send(datagram(frame / self._motion.fps, places))

    def close(self) -> None:
        """End."""
        for link in (self._server, self._sender):
            if link is not None:
                link.close()


FAKE = Fake(
    scheme="visualeyez",
    summary=f"a Visualeyez bridge: datagrams, or text (option tcp, port {TCP_PORT})",
    example="bunraku fake visualeyez --motion synth:wave --option bodies=cube",
    rate_hz=_RATE_HZ,
    port=UDP_PORT,
    options=MappingProxyType(
        {"tcp": "serve text lines instead of sending datagrams", "bodies": "as the source's option (default: cube)"}
    ),
    make=VisualeyezFake,
)
