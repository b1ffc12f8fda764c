"""A file of frames that can be read up to the last whole one, whatever happened to whoever wrote it.

`BUNRAKU-RAW-1\\n`, then frames: length of the payload (u32), kind (u8), checksum of kind and payload (u32), payload.
Little-endian. The first frame is of kind HEADER and holds JSON.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bunraku.errors import InputError

MAGIC = b"BUNRAKU-RAW-1\n"
HEADER, POSE, TICK, EVENT = 0, 1, 2, 3
LONGEST = 1 << 20
"""bytes of one frame; what claims to be longer is damage"""
_FRAME = struct.Struct("<IBI")


def packed(kind: int, payload: bytes) -> bytes:
    """One frame as bytes."""
    if len(payload) > LONGEST:
        raise ValueError(f"a frame of {len(payload)} bytes is longer than {LONGEST}")
    return _FRAME.pack(len(payload), kind, _checksum(kind, payload)) + payload


def write_start(file: BinaryIO) -> None:
    """What a file begins with."""
    file.write(MAGIC)


def frames(path: Path) -> Iterator[tuple[int, bytes]]:
    """(kind, payload) one after the other; ends at the end of the file or at the first frame that is not whole."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise InputError(f"{path}: not a recording of bunraku run (it begins otherwise)")
            while True:
                head = file.read(_FRAME.size)
                if len(head) < _FRAME.size:
                    return
                length, kind, checksum = _FRAME.unpack(head)
                if length > LONGEST:
                    return
                payload = file.read(length)
                if len(payload) < length or _checksum(kind, payload) != checksum:
                    return
                yield kind, payload
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _checksum(kind: int, payload: bytes) -> int:
    return zlib.crc32(payload, kind)
