"""What stand-ins serve by: a TCP port that broadcasts, plain or as WebSocket, and datagrams to one place."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bunraku.errors import OutputError

if TYPE_CHECKING:
    from websockets.server import ServerProtocol

_CHUNK = 1 << 16
_MOST_CLIENTS = 16


class Broadcast:
    """A TCP port. What cannot be sent to a client at once ends it: nobody is waited for."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._wanted = host, port
        self._listener: socket.socket | None = None
        self.clients: list[socket.socket] = []

    @property
    def port(self) -> int:
        """Where it listens, once it is open."""
        return int(self._listener.getsockname()[1]) if self._listener is not None else self._wanted

    def open(self) -> None:
        """Take the port."""
        self._listener = socket.socket(socket.AF_INET6 if ":" in self._host else socket.AF_INET)
        try:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind((self._host, self._wanted))
            self._listener.listen(_MOST_CLIENTS)
        except OSError as error:
            self._listener.close()
            raise OutputError(f"port {self._host}:{self._wanted} cannot be taken: {error.strerror}") from None
        self._listener.setblocking(False)

    def descriptors(self) -> Sequence[int]:
        """What is worth waiting for."""
        listener = () if self._listener is None else (self._listener.fileno(),)
        return (*listener, *(client.fileno() for client in self.clients))

    def receive(self) -> list[tuple[socket.socket, bytes]]:
        """Let clients in, and what they say."""
        while self._listener is not None and len(self.clients) < _MOST_CLIENTS:
            try:
                client, _ = self._listener.accept()
            except BlockingIOError:
                break
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.clients.append(client)
        out = []
        for client in list(self.clients):
            try:
                data = client.recv(_CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if data:
                out.append((client, data))
            else:
                self.drop(client)
        return out

    def send(self, data: bytes) -> None:
        """To every client."""
        for client in list(self.clients):
            self.send_to(client, data)

    def send_to(self, client: socket.socket, data: bytes) -> None:
        """To one client."""
        try:
            sent = client.send(data)
        except OSError:
            sent = 0
        if sent < len(data):
            self.drop(client)

    def drop(self, client: socket.socket) -> None:
        """End one client."""
        client.close()
        if client in self.clients:
            self.clients.remove(client)

    def close(self) -> None:
        """End all."""
        for client in list(self.clients):
            self.drop(client)
        if self._listener is not None:
            self._listener.close()
        self._listener = None


class WebSocketBroadcast:
    """The same for messages of text over WebSocket."""

    def __init__(
        self, host: str, port: int, *, path: str, greeting: Sequence[str] = (),
        said: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        """`path`: the only one that is served; another one ends with code 1001. `said` hears what clients say."""
        self._link = Broadcast(host, port)
        self._path, self._greeting, self._said = path, greeting, said
        self._protocols: dict[socket.socket, ServerProtocol] = {}

    @property
    def port(self) -> int:
        """Where it listens, once it is open."""
        return self._link.port

    def open(self) -> None:
        """Take the port."""
        self._link.open()

    def descriptors(self) -> Sequence[int]:
        """What is worth waiting for."""
        return self._link.descriptors()

    def receive(self) -> None:
        """Let clients in and answer them."""
        from websockets.frames import CloseCode, Frame, Opcode
        from websockets.http11 import Request
        from websockets.server import ServerProtocol

        for client, data in self._link.receive():
            protocol = self._protocols.setdefault(client, ServerProtocol())
            protocol.receive_data(data)
            for event in protocol.events_received():
                if isinstance(event, Request):
                    protocol.send_response(protocol.accept(event))
                    if event.path != self._path:
                        protocol.send_close(CloseCode.GOING_AWAY)
                    else:
                        for text in self._greeting:
                            protocol.send_text(text.encode())
                elif isinstance(event, Frame) and event.opcode is Opcode.TEXT and self._said is not None:
                    self._said(bytes(event.data).decode("utf-8", "replace"))
            self._flush(client)
        gone = [client for client in self._protocols if client not in self._link.clients]
        for client in gone:
            del self._protocols[client]

    def send(self, text: str) -> None:
        """To every client whose connection is open."""
        from websockets.protocol import State

        for client, protocol in list(self._protocols.items()):
            if protocol.state is State.OPEN:
                protocol.send_text(text.encode())
                self._flush(client)

    def close(self) -> None:
        """End all."""
        self._link.close()
        self._protocols.clear()

    def _flush(self, client: socket.socket) -> None:
        protocol = self._protocols[client]
        for data in protocol.data_to_send():
            if data:
                self._link.send_to(client, data)
            else:
                self._link.drop(client)


class DatagramSender:
    """Datagrams to one place."""

    def __init__(self, host: str, port: int) -> None:
        self._where = (host, port)
        self._socket: socket.socket | None = None

    def open(self) -> None:
        """Begin."""
        self._socket = socket.socket(socket.AF_INET6 if ":" in self._where[0] else socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def send(self, data: bytes) -> None:
        """One datagram; where nobody listens it is lost."""
        if self._socket is not None:
            try:
                self._socket.sendto(data, self._where)
            except OSError:
                return

    def close(self) -> None:
        """End."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None
