"""A process of a source's own, which sends packets over a pair of sockets: for servers, and for what needs another
Python. It is never waited for, and begun again where it ended."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress

from bunraku.errors import InputError
from bunraku.headset.channel import LARGEST, channel_pair
from bunraku.sources.network import MOST_BYTES, RETRY_NS

_PATIENCE_S = 1.0
"""for its end, before it is killed"""


class Child:
    """The process, while it lives. It ends by itself when our end of the channel does."""

    def __init__(
        self, command: Callable[[int], Sequence[str]], *, shared: Sequence[int] = (), first: bytes = b"",
        ended: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        """`command`: from the number of its end of the channel; `shared`: further descriptors that it gets; `first`: a
        packet that it is sent; `ended` is called when it has."""
        self._command, self._shared, self._first, self._ended = command, tuple(shared), first, ended
        self._channel: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._retry_ns = 0

    @property
    def lives(self) -> bool:
        """As far as is known."""
        return self._channel is not None

    @property
    def number(self) -> int:
        """Of the process; 0 where there is none."""
        return self._process.pid if self._process is not None else 0

    def open(self, now_ns: int) -> None:
        """Begin it."""
        ours, its = channel_pair()
        with its:
            try:
                self._process = subprocess.Popen(  # noqa: S603  a command of ours
                    self._command(its.fileno()), pass_fds=(its.fileno(), *self._shared), stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip
                if self._first:
                    ours.send(self._first)
            except OSError as error:
                ours.close()
                raise InputError(f"a process of this source cannot begin: {error.strerror or error}") from None
        self._channel = ours
        self._retry_ns = now_ns + RETRY_NS

    def descriptors(self) -> Sequence[int]:
        """What is worth waiting for."""
        return () if self._channel is None else (self._channel.fileno(),)

    def receive(self, now_ns: int) -> list[bytes]:
        """Packets that are there, a bounded number of bytes."""
        if self._channel is None and now_ns >= self._retry_ns:
            self.open(now_ns)
        out: list[bytes] = []
        size = 0
        while self._channel is not None and size < MOST_BYTES:
            try:
                data = self._channel.recv(LARGEST + 1)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self._retry_ns = max(self._retry_ns, now_ns + RETRY_NS)
                self.close()
                self._ended()
                break
            out.append(data)
            size += len(data)
        return out

    def send(self, packet: bytes) -> None:
        """To the process; where it does not read, the packet is lost."""
        if self._channel is not None:
            with suppress(OSError):
                self._channel.send(packet)

    def close(self) -> None:
        """End it."""
        if self._channel is not None:
            self._channel.close()
        self._channel = None
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None
