"""Frames of Noitom's programs, however the bytes arrive."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.sources.health import Tally
from bunraku.sources.noitom_wire import DISPLACED, PLAIN, SuitParser, encode_frame, encode_text

ROW = np.arange(PLAIN, dtype=float) / 7
LONG = np.arange(DISPLACED, dtype=float) / 7
GOLDEN_A = bytes.fromhex("ffdd00000101620101000000000041766174617230" + "00" * 25 + "07000000" + "00" * 12 + "ffee")
GOLDEN_B = bytes.fromhex("ffdd02000001b400000000000000000000000000000041766174617230" + "00" * 25 + "00" * 8 + "ffee")


def parse(*chunks: bytes, datagrams: bool = False) -> tuple[list, Tally]:
    """All frames, and what became of the rest."""
    tally = Tally()
    parser = SuitParser(tally)
    read = parser.datagram if datagrams else parser.feed
    return [frame for chunk in chunks for frame in read(chunk)], tally


def test_headers_are_the_makers() -> None:
    """Both layouts, byte by byte."""
    assert encode_frame(LONG, number=7, displaced=True)[:64] == GOLDEN_A
    assert encode_frame(ROW, number=0, displaced=False, header="B")[:64] == GOLDEN_B


@pytest.mark.parametrize("header", ["A", "B"])
@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("row", [ROW, LONG], ids=["plain", "displaced"])
def test_what_was_sent_is_read(header: str, reference: bool, row: np.ndarray) -> None:
    """Values, name and number; a reference is left out."""
    data = encode_frame(row, number=9, displaced=len(row) == DISPLACED, name="小明", avatar=3, reference=reference,
                        header=header)  # fmt: skip
    (frame,), tally = parse(data)
    np.testing.assert_allclose(frame.values, row, rtol=1e-6)
    assert (frame.name, frame.avatar, frame.number) == ("小明", 3, 9 if header == "A" else None)
    assert not tally.rejected


def test_a_stream_may_break_anywhere() -> None:
    """Cut at every byte, and byte by byte."""
    data = encode_frame(ROW, number=0, displaced=False) + encode_frame(ROW, number=1, displaced=False)
    for cut in range(len(data)):
        frames, tally = parse(data[:cut], data[cut:])
        assert [frame.number for frame in frames] == [0, 1]
        assert not tally.rejected
    frames, _ = parse(*(data[k : k + 1] for k in range(len(data))))
    assert len(frames) == 2


@pytest.mark.parametrize("junk", [b"\x00\x01\x02", b"\xff", b"\xff\xdd", b"123 hello", b"\xff\xdd" + b"\x00" * 70])
def test_junk_before_a_frame_is_skipped(junk: bytes) -> None:
    """What follows is read, what went before is counted."""
    frames, tally = parse(junk + encode_frame(ROW, number=5, displaced=False))
    assert [frame.number for frame in frames] == [5]
    assert sum(tally.rejected.values()) > 0


def test_a_count_that_lies_is_refused() -> None:
    """Nothing is read past the end of a frame that is shorter than its flags say."""
    data = encode_frame(ROW, number=0, displaced=False)
    frames, tally = parse(data[:8] + b"\x01" + data[9:] + encode_frame(ROW, number=1, displaced=False))
    assert [frame.number for frame in frames] == [1]
    assert tally.rejected["count of values does not fit the header's flags"] == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e9])
def test_values_that_are_no_angles_are_refused(bad: float) -> None:
    """Not numbers, infinite, and beyond any body."""
    row = ROW.copy()
    row[20] = bad
    frames, tally = parse(encode_frame(row, number=0, displaced=False))
    assert frames == []
    assert sum(tally.rejected.values()) == 1


def test_a_frame_in_two_datagrams() -> None:
    """Header and values apart are put together; a new header ends what was left open."""
    data = encode_frame(LONG, number=1, displaced=True)
    frames, _ = parse(data[:64], data[64:], data[:64], data, datagrams=True)
    assert [frame.number for frame in frames] == [1, 1]


def test_text_is_read() -> None:
    """The string mode of Axis Neuron, cut anywhere, with marks and line ends between."""
    data = encode_text(ROW, avatar=2, name="Ann") + b"\r\n" + encode_text(LONG)
    for cut in range(0, len(data), 37):
        frames, tally = parse(data[:cut], data[cut:])
        assert [(frame.avatar, frame.displaced) for frame in frames] == [(2, False), (0, True)]
        np.testing.assert_allclose(frames[0].values, ROW, atol=1e-4)
        assert not tally.rejected


@given(st.binary(max_size=4000), st.integers(0, 4000))
def test_any_bytes_are_read_or_counted(data: bytes, cut: int) -> None:
    """Nothing raises, nothing is kept beyond one frame, and a good frame after them is found."""
    tally = Tally()
    parser = SuitParser(tally)
    parser.feed(data[:cut])
    parser.feed(data[cut:])
    assert len(parser._left) <= 64 + 4 * (DISPLACED + 12) + 16 * DISPLACED
    good = encode_frame(ROW, number=77, displaced=False)
    assert any(frame.number == 77 for frame in [*parser.feed(good), *parser.feed(good), *parser.feed(good)])
