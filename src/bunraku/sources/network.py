"""The two ways in which bytes come over a network, neither of which ever waits: a connection, and datagrams.

A connection that is refused or ends is looked for again. A port for datagrams listens on this machine alone unless told
otherwise, and listens to one sender at a time: the first one holds it until it falls silent.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bunraku.errors import InputError

MOST_BYTES = 1 << 18
"""read in one go; what is more waits, or is dropped by the system"""
RETRY_NS = 500_000_000
LEASE_NS = 1_000_000_000
LOCAL = "127.0.0.1"
_CHUNK = 1 << 16
_CONNECTING = (errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK)


@dataclass(frozen=True)
class Address:
    """Host and port of a URI such as `leap://127.0.0.1:6437`."""

    host: str
    port: int

    @classmethod
    def parse(cls, rest: str, *, scheme: str, host: str = LOCAL, port: int) -> Address:
        """From what follows the scheme's colon; what is missing is the default."""
        text = rest.removeprefix("//").rstrip("/")
        given_host, colon, given_port = text.rpartition(":") if not text.endswith("]") else (text, "", "")
        if not colon:
            given_host, given_port = text, ""
        try:
            number = int(given_port) if given_port else port
        except ValueError:
            number = 0
        if not 0 < number < 65536 or "/" in given_host:
            raise InputError(f"{scheme}:{rest}: write {scheme}://HOST:PORT, for instance {scheme}://{host}:{port}")
        return cls(given_host.strip("[]") or host, number)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Connection:
    """The client's end of a TCP connection."""

    def __init__(self, address: Address, *, greeting: bytes = b"", begun: Callable[[], None] = lambda: None) -> None:
        self._address, self._greeting, self._begun = address, greeting, begun
        self._socket: socket.socket | None = None
        self._retry_ns = 0
        self.connected = False
        self.reason = f"nothing answers at {address}"

    def open(self, now_ns: int) -> None:
        """Look for the other side."""
        try:
            found = socket.getaddrinfo(self._address.host, self._address.port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise InputError(f"{self._address}: no such host ({_words(error)})") from None
        self._family, self._where = found[0][0], found[0][4]
        self._retry_ns = now_ns
        self._connect(now_ns)

    def descriptors(self) -> Sequence[int]:
        """What is worth waiting for."""
        return (self._socket.fileno(),) if self._socket is not None and self.connected else ()

    def receive(self, now_ns: int) -> list[bytes]:
        """Whatever has come, in order."""
        if self._socket is None or not self.connected:
            self._connect(now_ns)
        out: list[bytes] = []
        size = 0
        while self._socket is not None and self.connected and size < MOST_BYTES:
            try:
                data = self._socket.recv(_CHUNK)
            except BlockingIOError:
                break
            except OSError as error:
                self._drop(now_ns, f"the connection to {self._address} broke: {_words(error)}")
                break
            if not data:
                self._drop(now_ns, f"{self._address} closed the connection")
                break
            out.append(data)
            size += len(data)
        return out

    def send(self, data: bytes) -> None:
        """Small messages; one that does not fit into the system's buffer at once ends the connection."""
        if self._socket is not None and self.connected:
            try:
                sent = self._socket.send(data)
            except OSError:
                sent = 0
            if sent < len(data):
                self._drop(self._retry_ns, f"{self._address} does not read what it is sent")

    def close(self) -> None:
        """End."""
        if self._socket is not None:
            self._socket.close()
        self._socket, self.connected = None, False

    def _connect(self, now_ns: int) -> None:
        if self._socket is None:
            if now_ns < self._retry_ns:
                return
            self._retry_ns = now_ns + RETRY_NS
            self._socket = socket.socket(self._family, socket.SOCK_STREAM)
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        code = self._socket.connect_ex(self._where)
        if code in (0, errno.EISCONN):
            self.connected, self.reason = True, ""
            self._begun()
            if self._greeting:
                self.send(self._greeting)
        elif code not in _CONNECTING:
            self._drop(now_ns, f"nothing answers at {self._address} ({os.strerror(code)})")

    def _drop(self, now_ns: int, reason: str) -> None:
        self.close()
        self.reason = reason
        self._retry_ns = max(self._retry_ns, now_ns + RETRY_NS)


class Datagrams:
    """A UDP port."""

    def __init__(
        self, address: Address, *, allowed: str | None = None, group: str | None = None, signed: bool = False
    ) -> None:
        """`allowed`: the one address that may send, needed where others than this machine can and what they send is
        not `signed`; `group`: multicast."""
        if not is_local(address.host) and allowed is None and group is None and not signed:
            raise InputError(
                f"listening on {address} lets any machine of the network steer the robot: name the one that may, "
                "with ?from=ADDRESS, or listen on 127.0.0.1"
            )
        self._address, self._allowed, self._group = address, allowed, group
        self._socket: socket.socket | None = None
        self._sender: tuple[str, int] | None = None
        self._heard_ns = 0
        self.connected = False
        self.strangers = 0
        """datagrams of others than the one that is listened to"""

    @property
    def reason(self) -> str:
        """Why there is nothing."""
        if self.connected:
            return ""
        return f"nothing {'has come' if self._sender is None else 'comes any more'} to port {self._address}"

    @property
    def port(self) -> int:
        """Where it listens, once it is open."""
        return int(self._socket.getsockname()[1]) if self._socket is not None else self._address.port

    def open(self, now_ns: int) -> None:
        """Take the port."""
        family = socket.AF_INET6 if ":" in self._address.host else socket.AF_INET
        port = socket.socket(family, socket.SOCK_DGRAM)
        try:
            port.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            if self._group is not None:
                port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port.bind((self._address.host, self._address.port))
            if self._group is not None:
                here = socket.inet_aton(self._address.host)
                port.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(self._group) + here)
        except OSError as error:
            port.close()
            raise InputError(f"port {self._address} cannot be listened to: {_words(error)}") from None
        port.setblocking(False)
        self._socket, self._heard_ns = port, now_ns

    def descriptors(self) -> Sequence[int]:
        """What is worth waiting for."""
        return () if self._socket is None else (self._socket.fileno(),)

    def receive(self, now_ns: int) -> list[bytes]:
        """Whatever has come from the one that is listened to, in order."""
        out: list[bytes] = []
        size = 0
        while self._socket is not None and size < MOST_BYTES:
            try:
                data, sender = self._socket.recvfrom(_CHUNK)
            except BlockingIOError:
                break
            except OSError:
                continue
            size += len(data) + 64
            if self._may(sender[:2], now_ns):
                out.append(data)
        self.connected = self._sender is not None and now_ns - self._heard_ns < LEASE_NS
        return out

    def send(self, data: bytes) -> None:
        """To the one that is listened to."""
        if self._socket is not None and self._sender is not None:
            self.send_to(data, self._sender)

    def send_to(self, data: bytes, where: tuple[str, int]) -> None:
        """To anybody; a datagram may get lost, so one that cannot be sent is."""
        if self._socket is not None:
            try:
                self._socket.sendto(data, where)
            except OSError:
                return

    def close(self) -> None:
        """End."""
        if self._socket is not None:
            self._socket.close()
        self._socket, self._sender, self.connected = None, None, False

    def _may(self, sender: tuple[str, int], now_ns: int) -> bool:
        allowed = self._allowed is None or sender[0] == self._allowed
        free = self._sender is None or now_ns - self._heard_ns >= LEASE_NS
        if allowed and (free or sender == self._sender):
            self._sender, self._heard_ns = sender, now_ns
            return True
        self.strangers += 1
        return False


def is_local(host: str) -> bool:
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _words(error: OSError) -> str:
    return error.strerror or str(error)
