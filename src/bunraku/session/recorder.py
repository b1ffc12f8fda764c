"""The raw recorder: a process of its own that writes what it is handed. The loop never waits for it.

The queue between the two is a socket of the system with a bounded buffer. What does not fit is dropped and counted,
and the gap is written down. When the loop is gone, however it went, the recorder writes what was on its way and ends.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from bunraku.files import need_writable
from bunraku.mailbox import Shared, processes, shared_array
from bunraku.recording.frames import EVENT, HEADER, LONGEST, packed, write_start

FLUSH_S, SYNC_S = 0.25, 1.0
_BUFFER = 4 << 20
WRITTEN, DROPPED, FAILED, BYTES = range(4)
"""rows of the shared counts: frames written, frames dropped, errno of what stopped it, bytes"""


class RecorderLink:
    """The loop's end of the line. It travels to the loop's process; the other end to the recorder's."""

    def __init__(self, line: socket.socket, counts: Shared) -> None:
        self._line, self.counts = line, counts
        self._gap = 0

    def put(self, kind: int, payload: bytes) -> None:
        """Hand a frame over, or drop it."""
        if self._gap and not self._hand(EVENT, json.dumps({"what": "gap", "frames": self._gap}).encode()):
            self._drop()
            return
        self._gap = 0
        if not self._hand(kind, payload):
            self._drop()

    def close(self) -> None:
        """No more comes."""
        self._line.close()

    def _drop(self) -> None:
        self._gap += 1
        self.counts.array[DROPPED] += 1

    def _hand(self, kind: int, payload: bytes) -> bool:
        try:
            self._line.send(packed(kind, payload), socket.MSG_DONTWAIT)
        except OSError:  # full, or nobody is there any more
            return False
        return True


def begin_recording(path: Path, header: Mapping[str, object]) -> tuple[RecorderLink, BaseProcess]:
    """Start the recorder; what cannot be written is refused here."""
    need_writable(path)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
    counts = shared_array(4, np.int64)
    first = packed(HEADER, json.dumps(header).encode())
    process = processes.Process(target=record, args=(path, theirs, counts, first), name="bunraku-recorder", daemon=True)
    process.start()
    theirs.close()
    return RecorderLink(ours, counts), process


def record(path: Path, line: socket.socket, counts: Shared, first: bytes) -> None:
    """The recorder's process: until the line is closed at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tally = counts.array
    try:
        with path.open("wb", buffering=1 << 16) as file:
            write_start(file)
            file.write(first)
            file.flush()
            line.settimeout(FLUSH_S)
            flushed = synced = time.monotonic()
            while True:
                try:
                    data = line.recv(LONGEST + 64)
                    if not data:
                        return
                    file.write(data)
                    tally[WRITTEN] += 1
                    tally[BYTES] += len(data)
                except TimeoutError:
                    pass
                now = time.monotonic()
                if now - flushed > FLUSH_S:
                    file.flush()
                    flushed = now
                if now - synced > SYNC_S:
                    os.fdatasync(file.fileno())
                    synced = now
    except OSError as error:
        tally[FAILED] = error.errno or -1
