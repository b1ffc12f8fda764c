"""From the server's process to the loop's: packets over a pair of sockets, neither of which is ever waited for.

A packet is one letter and its content: `S` and what the server says of itself (JSON), `F` and a frame as the page sent
it. Where the other side does not read, the newest of each replaces what waits.
"""

from __future__ import annotations

import asyncio
import socket

STATUS, FRAME = b"S", b"F"
LARGEST = 1 << 16
"""bytes of a message"""


def channel_pair() -> tuple[socket.socket, socket.socket]:
    """The loop's end and the server's."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in pair:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * LARGEST)
        end.setblocking(False)
    return pair


class Channel:
    """The server's end. `gone` is set when the loop's process is."""

    def __init__(self, end: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        self._end, self._loop = end, loop
        self._waiting: dict[bytes, bytes] = {}
        self._blocked = False
        self.gone = asyncio.Event()
        loop.add_reader(end, self._hear)

    def send(self, kind: bytes, content: bytes) -> None:
        """Now, or as soon as there is room, unless a newer one has come by then."""
        self._waiting[kind] = content
        if not self._blocked:
            self._flush()

    def _flush(self) -> None:
        blocked = False
        try:
            for kind in (STATUS, FRAME):
                if kind in self._waiting:
                    self._end.send(kind + self._waiting[kind])
                    del self._waiting[kind]
        except BlockingIOError:
            blocked = True
        except OSError:
            self.gone.set()
        if blocked and not self._blocked:
            self._loop.add_writer(self._end, self._flush)
        elif self._blocked and not blocked:
            self._loop.remove_writer(self._end)
        self._blocked = blocked

    def _hear(self) -> None:
        try:
            over = not self._end.recv(LARGEST)
        except BlockingIOError:
            over = False
        except OSError:
            over = True
        if over:
            self._loop.remove_reader(self._end)
            self.gone.set()
