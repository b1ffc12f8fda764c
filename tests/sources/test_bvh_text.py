"""BVH text to content and back."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh_file import CHANNELS, BvhFile
from bunraku.sources.bvh_kernels import parse_numbers
from bunraku.sources.bvh_text import format_bvh, parse_bvh
from shared import data, need
from sources.people import as_bvh, walker

SMALL = b"""HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 1 2 10 20 30 40 50 60
0 1 2 11 21 31 41 51 61
"""


def refusal(text: bytes) -> str:
    """The one line with which a text is refused."""
    with pytest.raises(InputError) as caught:
        parse_bvh(text)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_parse_small() -> None:
    """Names, tree, offsets, channels, ends, time and rows come out as written."""
    file = parse_bvh(SMALL)
    assert file.names == ("Hips", "Spine")
    assert file.parents.tolist() == [-1, 0]
    assert file.offsets.tolist() == [[1, 2, 3], [0, 10, 0]]
    assert file.channels[0] == ("Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation")
    assert file.channels[1] == ("Zrotation", "Xrotation", "Yrotation")
    assert (file.end_parents.tolist(), file.end_offsets.tolist()) == ([1], [[0, 5, 0]])
    assert file.frame_time == 0.0333333
    assert file.values.tolist() == [[0, 1, 2, 10, 20, 30, 40, 50, 60], [0, 1, 2, 11, 21, 31, 41, 51, 61]]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace(b"\n", b"\r\n"),
        lambda t: t.replace(b"\n", b"\r"),
        lambda t: t.replace(b"  ", b"\t"),
        lambda t: t.rstrip(),
        lambda t: b"\xef\xbb\xbf" + t,
        lambda t: t.replace(b"Frames:", b"Frames"),
        lambda t: t.replace(b"Frames:", b"Frames :"),
        lambda t: t.replace(b"Frames: 2\nFrame Time:", b"\n\nframes:\t2\n\nFRAME TIME :"),
        lambda t: t.replace(b"rotation", b"Rotation").replace(b"Xposition", b"XPOSITION"),
        lambda t: t.replace(b"0 1 2 10", b"+0.0 1e0 .2e+1\n 100E-1 "),
        lambda t: t.replace(b"0 1 2 10", b"-0.00 1. 2.000000000000000000000 00010"),
        lambda t: t.replace(b"Hips\n{\n", b"Hips {"),
        lambda t: t.replace(b"End Site\n", b"End Site Tip of spine\n"),
        lambda t: t.replace(b"60\n", b"60 \t\n\n"),
    ],
)
def test_parse_same_content(change) -> None:
    """Line ends, tabs, marks, case, spelling of numbers and wrapped rows change nothing."""
    text = change(SMALL)
    assert text != SMALL
    file, plain = parse_bvh(text), parse_bvh(SMALL)
    assert (file.names, file.channels) == (plain.names, plain.channels)
    np.testing.assert_array_equal(file.values, plain.values)
    np.testing.assert_array_equal(file.offsets, plain.offsets)


def test_parse_liberties() -> None:
    """Names with blanks, colons, dots; equal names; ends without place or not at all; several roots; odd channels."""
    text = SMALL.replace(b"JOINT Spine", b"JOINT  mixamorig:Spine 1.b ").replace(b"      OFFSET 0 5 0\n", b"")
    text = text.replace(b"CHANNELS 3 Zrotation Xrotation Yrotation", b"CHANNELS 2 Yrotation Zposition")
    text = text.replace(b"MOTION", b"ROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION")
    file = parse_bvh(text)
    assert file.names == ("Hips", "mixamorig:Spine 1.b", "Hips")
    assert file.parents.tolist() == [-1, 0, -1]
    assert file.channels[1:] == (("Yrotation", "Zposition"), ("Xrotation",))
    assert file.end_offsets.tolist() == [[0, 0, 0]]


def test_parse_no_frames() -> None:
    """`Frames: 0` is a skeleton without motion."""
    file = parse_bvh(SMALL[: SMALL.index(b"0 1 2")].replace(b"Frames: 2", b"Frames: 0"))
    assert file.values.shape == (0, 9)


@pytest.mark.parametrize(
    "change, says",
    [
        (lambda t: b"", "begins with the end of the file"),
        (lambda t: b"\x00\xff\x7fELF" * 100, "not a BVH file"),
        (lambda t: SMALL.decode().encode("utf-16"), "not a BVH file"),
        (lambda t: t[:100], "line 5"),
        (lambda t: t.replace(b"MOTION", b""), "line 17: 'Frames:' where ROOT or MOTION belongs"),
        (lambda t: t.replace(b"  }\n}\n", b"  }\n"), "before the closing brace of joint 'Hips'"),
        (lambda t: t.replace(b"    OFFSET 0 10 0\n", b""), "joint 'Spine' has no OFFSET"),
        (lambda t: t.replace(b"0 10 0", b"0 1O 0"), "line 8: '1O' is no number"),
        (lambda t: t.replace(b"0 10 0", b"0 10,5 0"), "line 8: '10,5' is no number; decimals are written with a point"),
        (lambda t: t.replace(b"0 10 0", b"0 nan 0"), "line 8: 'nan' is no number"),
        (lambda t: t.replace(b"0 10 0", b"0 1e999 0"), "line 8: '1e999' is no number"),
        (lambda t: t.replace(b"3 Zrotation", b"3 Wrotation"), "'Wrotation' is no channel; valid: Xposition"),
        (lambda t: t.replace(b"CHANNELS 6", b"CHANNELS 7"), "'7' channels; a joint has 0 to 6"),
        (lambda t: t.replace(b"Xposition Y", b"Yposition Y"), "each position channel once"),
        (lambda t: t.replace(b"JOINT", b"ROOT"), "a ROOT inside a joint"),
        (lambda t: t.replace(b"ROOT", b"JOINT"), "a JOINT outside"),
        (lambda t: t.replace(b"Frames: 2", b"Frames: two"), "Frames is 'two'"),
        (lambda t: t.replace(b"Frames: 2", b"Frames: -2"), "Frames is '-2'"),
        (lambda t: t.replace(b"0.0333333", b"0,0333333"), "decimals are written with a point"),
        (lambda t: t.replace(b"Frame Time: 0.0333333\n", b""), "Frame Time: <seconds>"),
        (lambda t: t.replace(b"41 51", b"nan 51"), "line 20: 'nan' for Zrotation of joint 'Spine' in frame 1"),
        (lambda t: t.replace(b"41 51", b"41 -inf"), "'-inf' for Xrotation of joint 'Spine' in frame 1"),
        (lambda t: t.replace(b"41 51", b"41 1e999"), "'1e999' for Xrotation of joint 'Spine'"),
        (
            lambda t: t.replace(b"2 10 20", b"2 10,5 20"),
            "line 19: '10,5' for Zrotation of joint 'Hips' in frame 0; decimals",
        ),
        (lambda t: t.replace(b"Frames: 2", b"Frames: 3"), "declares 3 rows of 9 numbers, the file holds 2"),
        (lambda t: t.replace(b"Frames: 2", b"Frames: 1"), "declares 1 rows of 9 numbers, the file holds 2"),
        (lambda t: t.replace(b"Frames: 2", b"Frames: 1000000000"), "the file holds 2"),
        (lambda t: t[: t.rindex(b" 61")], "line 20: 8 numbers in a row, the channels demand 9"),
        (lambda t: t.replace(b"50 60\n", b"50\n").replace(b"61\n", b"61 7\n"), "line 19: 8 numbers in a row"),
        (lambda t: t + b"and more\n", "line 21: 'and' after the last row"),
        (lambda t: t.replace(b"Spine", b"S" * 300), "name has more than 256 bytes"),
    ],
)
def test_parse_refuses(change, says: str) -> None:
    """Broken text is refused with one line: where, what is wrong, what would be right."""
    assert says in refusal(change(SMALL))


def test_parse_bounds() -> None:
    """A million joints, a depth of ten thousand, and counts beyond the bytes are refused without being taken in."""
    many = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + b"JOINT b\n{\nOFFSET 0 0 0\n}\n" * 1_000_000
    deep = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + b"JOINT b\n{\nOFFSET 0 0 0\n" * 10_000
    wide = SMALL.replace(b"Frames: 2", b"Frames: 999999999999999999")
    tracemalloc.start()
    try:
        assert "more than 512 joints" in refusal(many)
        assert "more than 64 deep" in refusal(deep)
        assert "declares 999999999999999999 rows of 9 numbers, the file holds 2" in refusal(wide)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_large_files_are_checked_first() -> None:
    """Of a large file with a fault at its end, no numbers are kept: memory stays near the text's own."""
    rows = 150_000
    text = SMALL[: SMALL.index(b"0 1 2")].replace(b"Frames: 2", b"Frames: %d" % rows) + b"0 1 2 3 4 5 6 7 8\n" * rows
    assert parse_bvh(text).values[-1].tolist() == list(range(9))
    text = text[:-2] + b"x\n"
    tracemalloc.start()
    try:
        assert f"'x' for Yrotation of joint 'Spine' in frame {rows - 1}" in refusal(text)
        assert tracemalloc.get_traced_memory()[1] < 2 * len(text)
    finally:
        tracemalloc.stop()


def test_frames_of_nothing() -> None:
    """Rows without channels cannot be declared."""
    text = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 5\nFrame Time: 1\n"
    assert "no joint has CHANNELS" in refusal(text)


def content(file: BvhFile) -> dict[str, object]:
    """All that a file says of each joint, by name, whatever the order of the joints."""
    out: dict[str, object] = {}
    for joint, name in enumerate(file.names):
        columns = file.layout[joint, 0] + np.arange(len(file.channels[joint]))
        above = file.names[file.parents[joint]] if file.parents[joint] >= 0 else ""
        ends = file.end_offsets[file.end_parents == joint].tolist()
        values = file.values[:, columns].tolist()
        out[name] = (above, file.offsets[joint].tolist(), file.channels[joint], ends, values)
    return out


ORDINARY = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda v: v == 0 or abs(v) > 1e-4)


@settings(deadline=None)
@given(st.lists(ORDINARY, min_size=1, max_size=30))
def test_numbers_are_exact(values: list[float]) -> None:
    """Numbers of ordinary size come back as the very doubles that were written."""
    text = np.frombuffer(" ".join(map(repr, values)).encode(), np.uint8)
    out = np.empty(len(values))
    assert parse_numbers(text, 0, len(values), out)[0] == len(values)
    assert out.tolist() == values


@settings(deadline=None)
@given(st.from_regex(r"\A[+-]?[0-9]{0,30}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?\Z"))
def test_numbers_agree_with_float(word: str) -> None:
    """What Python takes for a finite number is read within 1e-12 of it; nothing else is read."""
    out = np.empty(1)
    count, stop, _, _ = parse_numbers(np.frombuffer(word.encode() + b" ", np.uint8), 0, 1, out)
    try:
        expected = float(word)
    except ValueError:
        expected = np.inf
    if np.isinf(expected):
        assert count == 0
    else:
        assert (count, stop) == (1, len(word) + 1)
        assert abs(out[0] - expected) <= 1e-12 * abs(expected) + 1e-320


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_round_trip(seed: int, frames: int) -> None:
    """Content → text → content is exact, with joints in any order of channels."""
    rng = np.random.default_rng(seed)
    file = as_bvh(walker(3))
    channels = tuple(tuple(CHANNELS[c] for c in rng.permutation(6)[: rng.integers(1, 7)]) for _ in file.names)
    values = rng.normal(size=(frames, sum(map(len, channels)))) * 100
    file = replace(file, channels=channels, values=values, frame_time=1 / 120)
    text = format_bvh(file)
    again = parse_bvh(text)
    assert format_bvh(again) == text
    assert again.frame_time == file.frame_time
    assert content(again) == content(file)


@settings(deadline=None, max_examples=25)
@given(st.permutations("XYZ"), st.booleans(), st.tuples(*[st.floats(-400, 400)] * 6))
def test_poses(order: list[str], positions_last: bool, numbers: tuple[float, ...]) -> None:
    """A joint is at its parent's T·R times its position channels, and turned by R1·R2·R3 in the channels' order."""
    turns, moves = [f"{axis}rotation" for axis in order], ["Xposition", "Zposition"]
    channels = (tuple(turns), tuple([*turns, *moves] if positions_last else [*moves, *turns]))
    angles = numbers[:3]
    row = [*angles, *([*angles, *numbers[3:5]] if positions_last else [*numbers[3:5], *angles])]
    offsets = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    file = replace(
        parse_bvh(SMALL),
        channels=channels,
        offsets=offsets,
        end_parents=np.array([1], np.int32),
        values=np.array([row]),
    )
    positions, rotations = file.poses()
    turn = rot.from_euler("".join(order), np.radians(angles))
    child = np.array([numbers[3], 5.0, numbers[4]])
    np.testing.assert_allclose(positions[0], [offsets[0], offsets[0] + rot.rotate(turn, child)], atol=1e-9)
    assert rot.angle_between(rotations[0], np.stack([turn, rot.multiply(turn, turn)])).max() < 1e-6


def test_real_files_round_trip() -> None:
    """Every recording that is here comes back from its own text exactly."""
    for path in need(data("bvh/*/*.bvh"))[::3]:
        file = parse_bvh(path.read_bytes())
        again = parse_bvh(format_bvh(file))
        assert (again.names, again.channels) == (file.names, file.channels)
        np.testing.assert_array_equal(again.values, file.values)
        np.testing.assert_array_equal(again.offsets, file.offsets)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_fuzz(picked: st.DataObject) -> None:
    """Whatever is cut out of, put into or moved within a file: content, or one line of refusal."""
    text = bytearray(SMALL)
    for _ in range(picked.draw(st.integers(1, 5))):
        at = picked.draw(st.integers(0, len(text)))
        text[at : at + picked.draw(st.integers(0, 40))] = picked.draw(
            st.one_of(
                st.binary(max_size=20),
                st.sampled_from(
                    [b"{", b"}", b" nan ", b"1e400", b"JOINT a {", b"MOTION", b"End Site", b"\x00", b"9" * 40]
                ),
            )
        )
    try:
        file = parse_bvh(bytes(text))
    except InputError as error:
        message = str(error)
    else:
        message = "" if np.isfinite(file.values).all() else "two\nlines"
    assert len(message.splitlines()) <= 1


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_fuzz_bytes(text: bytes) -> None:
    """Bytes that are no BVH are refused."""
    refusal(text)
