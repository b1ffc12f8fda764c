"""P5's serial cycle over a loop-back line: five angles and three spare values there, the angles back.

The paper ran 5 cycles a second, because the sketch lost its place among the values when it was faster; here every
packet begins with a mark and ends with a checksum, so that none is taken for another.
"""

from __future__ import annotations

import binascii
import os
import pty
import struct
import threading
import time
import tty
from collections.abc import Sequence

import numpy as np

from bunraku.errors import InputError
from bunraku.experiments.findings import Findings, Row

BAUD, BITS = 115_200, 10
"""start bit, eight bits, stop bit"""
MARK = b"\xa5\x5a"
ANGLES, SPARE = 5, 3
_SCALE = 1e4
"""counts per radian: ±3.27 rad in 16 bits"""
LEAST_HZ = 100.0


def pack(values: Sequence[float]) -> bytes:
    """A packet: mark, each value as 16 bits, CRC-16 over the values."""
    counts = np.clip(np.round(np.asarray(values, float) * _SCALE), -32768, 32767).astype("<i2").tobytes()
    return MARK + counts + struct.pack("<H", binascii.crc_hqx(counts, 0xFFFF))


def unpack(packet: bytes, count: int) -> list[float]:
    """The values of a whole packet; an InputError for anything else."""
    body = packet[len(MARK) : -2]
    if not packet.startswith(MARK) or len(body) != 2 * count:
        raise InputError(f"a packet has {len(MARK) + 2 * count + 2} bytes and begins with its mark")
    if struct.unpack("<H", packet[-2:])[0] != binascii.crc_hqx(body, 0xFFFF):
        raise InputError("a packet's checksum is wrong")
    return [float(value) / _SCALE for value in np.frombuffer(body, "<i2")]


def serial(seed: int, cycles: int = 400) -> Findings:
    """So many cycles with a stand-in for the lamp that takes as long for each byte as the line would."""
    rng = np.random.default_rng(seed)
    ours, theirs = pty.openpty()
    for end in (ours, theirs):
        tty.setraw(end)
    lamp = threading.Thread(target=_lamp, args=(theirs, cycles), daemon=True)
    lamp.start()
    sent = rng.uniform(-1.5, 1.5, (cycles, ANGLES))
    worst, started = 0.0, time.perf_counter()
    for angles in sent:
        os.write(ours, pack([*angles, *np.zeros(SPARE)]))
        back = unpack(_read(ours, len(MARK) + 2 * ANGLES + 2), ANGLES)
        worst = max(worst, float(np.abs(angles - back).max()))
    rate = cycles / (time.perf_counter() - started)
    lamp.join()
    for end in (ours, theirs):
        os.close(end)
    row = Row(
        paper="P5", quantity="serial cycle", theirs=5.0, ours=round(rate, 1), unit="Hz",
        ok=rate >= LEAST_HZ and worst < 1 / _SCALE,
        how=f"{cycles} cycles of 8 values there and 5 back on a loop-back line at {BAUD} baud, no value lost or in "
        f"another's place; at least {LEAST_HZ:g} Hz",
    )  # fmt: skip
    return Findings([row])


def _lamp(line: int, cycles: int) -> None:
    """Reads a command, and sends back the angles it set, at the line's speed."""
    for _ in range(cycles):
        command = _read(line, len(MARK) + 2 * (ANGLES + SPARE) + 2)
        reply = pack(unpack(command, ANGLES + SPARE)[:ANGLES])
        time.sleep((len(command) + len(reply)) * BITS / BAUD)
        os.write(line, reply)


def _read(line: int, count: int) -> bytes:
    out = b""
    while len(out) < count:
        out += os.read(line, count - len(out))
    return out
