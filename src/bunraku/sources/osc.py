"""Open Sound Control: messages and bundles in a datagram, and the reverse."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

Argument = float | int | str | bool | bytes | None
Message = tuple[str, tuple[Argument, ...]]

BUNDLE = b"#bundle\0"
_DEEPEST = 4
_MOST_MESSAGES = 4096
_FIXED = {"i": ">i", "f": ">f", "h": ">q", "d": ">d"}
_BARE = {"T": True, "F": False, "N": None, "I": None}


def messages(data: bytes) -> Iterator[Message]:
    """All messages of a datagram, in order; ValueError where it is none."""
    left = [_MOST_MESSAGES]
    yield from _packet(memoryview(data), 0, left)


def _packet(data: memoryview, depth: int, left: list[int]) -> Iterator[Message]:
    if bytes(data[:8]) != BUNDLE:
        left[0] -= 1
        if left[0] < 0:
            raise ValueError("too many messages")
        yield _message(bytes(data))
        return
    if depth >= _DEEPEST:
        raise ValueError("bundles within bundles")
    at = 16
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at) if at + 4 <= len(data) else (1 << 31,)
        if size == 0 or at + 4 + size > len(data):
            raise ValueError("a bundle that is cut off")
        yield from _packet(data[at + 4 : at + 4 + size], depth + 1, left)
        at += 4 + size


def _message(data: bytes) -> Message:
    address, at = _text(data, 0)
    if not address.startswith("/"):
        raise ValueError("no address")
    tags, at = _text(data, at) if at < len(data) else (",", at)
    if not tags.startswith(","):
        raise ValueError("no types")
    out: list[Argument] = []
    for tag in tags[1:]:
        if tag in _FIXED:
            try:
                (value,) = struct.unpack_from(_FIXED[tag], data, at)
            except struct.error:
                raise ValueError("a message that is cut off") from None
            out.append(value)
            at += struct.calcsize(_FIXED[tag])
        elif tag in "sS":
            value, at = _text(data, at)
            out.append(value)
        elif tag in _BARE:
            out.append(_BARE[tag])
        else:
            raise ValueError(f"a type '{tag}'")
    return address, tuple(out)


def _text(data: bytes, at: int) -> tuple[str, int]:
    """A text and where the next value begins: texts end with NUL and fill up to four bytes."""
    end = data.find(b"\0", at)
    if end < 0:
        raise ValueError("a text without an end")
    return data[at:end].decode("utf-8", "replace"), (end + 4) // 4 * 4


def encode(address: str, *arguments: float | int | str) -> bytes:
    """One message."""
    tags, values = ",", b""
    for argument in arguments:
        if isinstance(argument, str):
            tags, values = tags + "s", values + _padded(argument)
        elif isinstance(argument, int):
            tags, values = tags + "i", values + struct.pack(">i", argument)
        else:
            tags, values = tags + "f", values + struct.pack(">f", argument)
    return _padded(address) + _padded(tags) + values


def bundle(parts: Sequence[bytes]) -> bytes:
    """Messages that belong together, to be used at once."""
    return BUNDLE + struct.pack(">Q", 1) + b"".join(struct.pack(">I", len(part)) + part for part in parts)


def _padded(text: str) -> bytes:
    raw = text.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)
