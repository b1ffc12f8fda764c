"""A sender of pose datagrams."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from bunraku.errors import MissingPackageError
from bunraku.human import HumanMotion
from bunraku.sources.datagrams import PORT
from bunraku.sources.datagrams_wire import message_of, read_key, sign
from bunraku.sources.fake import Fake
from bunraku.sources.fake_network import DatagramSender


class PoseSender:
    """Any motion, one datagram a frame."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        self._motion = motion
        self._pack: Callable[[object], bytes] = _as_text
        if "msgpack" in options:
            try:
                import msgpack
            except ImportError:
                raise MissingPackageError("msgpack", "devices", "packing datagrams") from None
            self._pack = msgpack.packb
        self._key = read_key(options["key"]) if "key" in options else None
        self._session = secrets.token_bytes(8)
        self._sender = DatagramSender(host, port)
        self._uri = f"udp://{host}:{port}" + (f"?key={options['key']}" if "key" in options else "")

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
        message = message_of(self._motion.pose(frame % len(self._motion)), frame)
        payload = self._pack(message)
        self._sender.send(payload if self._key is None else sign(payload, self._key, self._session, frame))

    def close(self) -> None:
        """End."""
        self._sender.close()


def _as_text(message: object) -> bytes:
    return json.dumps(message).encode()


FAKE = Fake(
    scheme="udp",
    summary="pose datagrams (UDP)",
    example="bunraku fake udp --motion synth:walk --port 9870",
    rate_hz=60.0,
    port=PORT,
    options=MappingProxyType({"msgpack": "packed, not as text", "key": "file with the secret that signs them"}),
    make=PoseSender,
)
