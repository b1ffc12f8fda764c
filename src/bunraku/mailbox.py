"""Shared memory between processes: one writes, others read the newest, nobody waits.

The writer counts up before and after each value, so a reader that comes in between sees an odd or a changed count and
looks again; a checksum stands in for the memory order that Python does not promise. Memory goes when all are gone.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import zlib
from multiprocessing.sharedctypes import RawArray
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEAD = 3  # count, length, checksum
_TRIES = 8

processes = multiprocessing.get_context("spawn")
"""how every process of a session begins: clean, without a copy of the parent's threads"""


def shared_array(shape: tuple[int, ...] | int, dtype: type[np.generic]) -> Shared:
    """Zeros that travel to a process as an argument of its start, and stay shared."""
    return Shared(tuple(np.atleast_1d(shape)), dtype)


class Shared:
    """A numpy array in shared memory."""

    def __init__(self, shape: tuple[int, ...], dtype: type[np.generic]) -> None:
        self._shape, self._dtype = shape, dtype
        self._memory = RawArray(ctypes.c_byte, max(int(np.prod(shape)), 1) * np.dtype(dtype).itemsize)
        self.array = self._view()

    def _view(self) -> NDArray[Any]:
        flat = np.frombuffer(memoryview(self._memory).cast("B"), self._dtype, int(np.prod(self._shape)))
        return flat.reshape(self._shape)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "array"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.array = self._view()


class Mailbox:
    """The newest of some values of at most so many bytes. One process puts, any number get."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._head = shared_array(_HEAD, np.int64)
        self._body = shared_array(size, np.uint8)

    @property
    def count(self) -> int:
        """How many values have been put."""
        return int(self._head.array[0]) // 2

    def put(self, value: bytes | NDArray[Any]) -> None:
        """Replace the value."""
        data = value if isinstance(value, bytes) else value.tobytes()
        if len(data) > self.size:
            raise ValueError(f"{len(data)} bytes do not go into a mailbox of {self.size}")
        head = self._head.array
        head[0] += 1
        self._body.array[: len(data)] = np.frombuffer(data, np.uint8)
        head[1], head[2] = len(data), zlib.crc32(data)
        head[0] += 1

    def get(self) -> bytes | None:
        """The newest value; None before the first, and where the writer is always faster."""
        head = self._head.array
        for _ in range(_TRIES):
            before = int(head[0])
            if before == 0:
                return None
            length, checksum = int(head[1]), int(head[2])
            if before % 2 or not 0 <= length <= self.size:
                continue
            data = self._body.array[:length].tobytes()
            if int(head[0]) == before and zlib.crc32(data) == checksum:
                return data
        return None
