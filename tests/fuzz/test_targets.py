"""No bytes whatever break a reader: good inputs, what fuzzing found once, and mutations of both."""

from __future__ import annotations

import random
import resource
import time
from pathlib import Path

import pytest

from fuzz.targets import CORPUS, TARGETS, pack, unpack

SECONDS = 60.0
HANG_S, MOST_MIB = 5.0, 256
"""longer than a second on a machine that does other work too"""


def kept(name: str) -> list[Path]:
    """Inputs of the corpus."""
    return sorted((CORPUS / name).glob("*"))


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, cut out, doubled or put in."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at, size = chance.randrange(len(out) + 1), chance.choice((1, 1, 2, 4, 8, 64))
        kind = chance.randrange(4)
        if kind == 0 and out:
            out[at % len(out)] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elif kind == 1:
            del out[at : at + size]
        elif kind == 2:
            out[at:at] = out[at : at + size]
        else:
            out[at:at] = chance.choice((b"\xff" * size, b"\0" * size, chance.randbytes(size), b"-1e999 ", b"[" * size))
    return bytes(out[:65536])


@pytest.mark.parametrize("name", TARGETS)
def test_good_and_kept_inputs(name: str) -> None:
    """They run through; poses come of the good one."""
    target = TARGETS[name]
    assert target.run(target.good()) > 0
    for path in kept(name):
        target.run(path.read_bytes())
    target.run(b"")


def test_inputs_are_pieces() -> None:
    """What is packed is unpacked; any bytes are some pieces."""
    assert unpack(pack([b"a", b"", b"ccc"])) == [b"a", b"", b"ccc"]
    assert unpack(b"\xff\xffab\x00") == [b"ab\x00"]


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_mutated_inputs(name: str) -> None:
    """A minute of all readers together: none raises, hangs or takes memory."""
    target, chance = TARGETS[name], random.Random(name)
    inputs = [target.good(), *(path.read_bytes() for path in kept(name))]
    target.run(inputs[0])
    before, end, runs = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic() + SECONDS / len(TARGETS), 0
    while time.monotonic() < end:
        data = mutated(chance.choice(inputs), chance)
        begun = time.process_time()
        try:
            target.run(data)
        except Exception as error:
            (CORPUS / name).mkdir(parents=True, exist_ok=True)
            (CORPUS / name / "raised").write_bytes(data)
            raise AssertionError(f"{name} raised after {runs} runs: corpus/{name}/raised holds the input") from error
        assert time.process_time() - begun < HANG_S
        runs += 1
    assert runs > 10
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MOST_MIB
