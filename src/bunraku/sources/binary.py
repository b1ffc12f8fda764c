"""Little-endian fields one after the other, never beyond the end."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

_I32, _I16, _U32 = struct.Struct("<i"), struct.Struct("<h"), struct.Struct("<I")


class CutOffError(ValueError):
    """The bytes end before what they promise."""


class Reader:
    """A place in a block of bytes."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    @property
    def left(self) -> int:
        """Bytes that are not read yet."""
        return len(self.data) - self.at

    def skip(self, count: int) -> None:
        """Move on."""
        if not 0 <= count <= self.left:
            raise CutOffError(f"{count} bytes promised, {self.left} there")
        self.at += count

    def i32(self) -> int:
        """A signed number of four bytes."""
        self.skip(4)
        return int(_I32.unpack_from(self.data, self.at - 4)[0])

    def u32(self) -> int:
        """An unsigned number of four bytes."""
        self.skip(4)
        return int(_U32.unpack_from(self.data, self.at - 4)[0])

    def i16(self) -> int:
        """A signed number of two bytes."""
        self.skip(2)
        return int(_I16.unpack_from(self.data, self.at - 2)[0])

    def floats(self, count: int) -> tuple[float, ...]:
        """So many numbers of four bytes."""
        self.skip(4 * count)
        return struct.unpack_from(f"<{count}f", self.data, self.at - 4 * count)

    def text(self) -> str:
        """Up to a NUL, which is skipped."""
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise CutOffError("a text without an end")
        out = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end + 1
        return out

    def count(self, least_bytes: int) -> int:
        """How many follow, each of at least so many bytes."""
        number = self.i32()
        if not 0 <= number <= self.left // max(least_bytes, 1):
            raise CutOffError(f"{number} of {least_bytes} bytes promised, {self.left} bytes there")
        return number


def doubles(values: NDArray[Any]) -> NDArray[np.float64]:
    """The same numbers in double precision; some of those that are none would warn on the way."""
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64)
