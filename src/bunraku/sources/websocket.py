"""A WebSocket to a device's service, over a connection that never waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bunraku.errors import MissingPackageError
from bunraku.sources.network import Address, Connection

if TYPE_CHECKING:
    from websockets.client import ClientProtocol

LARGEST_MESSAGE = 1 << 20


class WebSocket:
    """The client's end. Messages of more than a mebibyte end the connection; what else comes is answered by itself."""

    def __init__(
        self, address: Address, path: str, *, begun: Callable[[], None] = lambda: None, origin: str | None = None
    ) -> None:
        """`begun` is called when messages may be sent; `origin` is said to servers that ask for one."""
        try:
            from websockets.uri import parse_uri
        except ImportError:
            raise MissingPackageError("websockets", "devices", "a WebSocket device") from None
        host = f"[{address.host}]" if ":" in address.host else address.host
        self._uri = parse_uri(f"ws://{host}:{address.port}{path}")
        self._begun, self._origin = begun, origin
        self._link = Connection(address, begun=self._greet)
        self._protocol: ClientProtocol | None = None
        self._reason = ""
        self.connected = False

    @property
    def reason(self) -> str:
        """Why there is nothing."""
        return self._link.reason or self._reason

    def open(self, now_ns: int) -> None:
        """Look for the service."""
        self._link.open(now_ns)

    def descriptors(self) -> Sequence[int]:
        """What is worth waiting for."""
        return self._link.descriptors()

    def receive(self, now_ns: int) -> list[bytes]:
        """Whole messages, in order."""
        from websockets.frames import Frame, Opcode
        from websockets.http11 import Response

        out: list[bytes] = []
        for data in self._link.receive(now_ns):
            if self._protocol is None:
                break
            self._protocol.receive_data(data)
            for event in self._protocol.events_received():
                if isinstance(event, Response):
                    self.connected = self._protocol.handshake_exc is None
                    self._reason = "" if self.connected else "the service there speaks no WebSocket"
                    if self.connected:
                        self._begun()
                elif isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY) and event.fin:
                    out.append(bytes(event.data))
                elif isinstance(event, Frame) and event.opcode is Opcode.CLOSE:
                    self._reason = "the service ended the connection"
            self._flush()
            if self._protocol.close_expected():
                self._link.close()
        self.connected = self.connected and self._link.connected
        return out

    def send(self, text: str) -> None:
        """A message of text."""
        if self._protocol is not None and self.connected:
            self._protocol.send_text(text.encode())
            self._flush()

    def send_bytes(self, data: bytes) -> None:
        """A message of bytes."""
        if self._protocol is not None and self.connected:
            self._protocol.send_binary(data)
            self._flush()

    @property
    def close_code(self) -> int | None:
        """With which code the service ended the last connection."""
        return self._protocol.close_code if self._protocol is not None else None

    def close(self) -> None:
        """End."""
        self._link.close()
        self.connected = False

    def _greet(self) -> None:
        from websockets.client import ClientProtocol
        from websockets.typing import Origin

        self.connected = False
        origin = None if self._origin is None else Origin(self._origin)
        self._protocol = ClientProtocol(self._uri, max_size=LARGEST_MESSAGE, origin=origin)
        self._protocol.send_request(self._protocol.connect())
        self._flush()

    def _flush(self) -> None:
        if self._protocol is not None:
            for data in self._protocol.data_to_send():
                if data:
                    self._link.send(data)
