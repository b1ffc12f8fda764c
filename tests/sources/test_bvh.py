"""BVH files to human motion."""

from __future__ import annotations

import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import BunrakuError, InputError, UnknownNameError
from bunraku.human.skeleton import BODY_COUNT, INDEX, JOINTS
from bunraku.sources.bvh import SOURCE, format_bvh, frame_rate, motion_from_bvh, parse_bvh, read_bvh
from shared import data, need
from sources.people import apart_deg, as_bvh, walker

# The manifest of the shared recordings: folder → unit, up axis.
PRODUCERS = {
    "bandai_namco_1": ("cm", "y"), "bandai_namco_2": ("cm", "y"), "cmu_cgspeed_maxhip": ("cmu", "y"),
    "cmu_cgspeed_mb2008": ("cmu", "y"), "cmu_cgspeed_mb2010": ("cmu", "y"), "cmu_daz": ("cm", "y"),
    "cmu_fair": ("cmu", "y"), "fair1": ("inch", "z"), "freebvh": ("cm", "y"), "lafan1": ("cm", "y"),
    "lafan1_resolved_geno": ("cm", "y"), "mocapbank": ("cm", "y"), "perception_neuron": ("cm", "y"),
    "pybvh": ("inch", "z"), "soma_bones": ("cm", "y"), "xsens_mvn": ("cm", "y"),
}  # fmt: skip


def written(path: Path, **changes: object) -> Path:
    """A walker's file, with its content changed."""
    path.write_bytes(format_bvh(replace(as_bvh(walker(30)), **changes)))  # type: ignore[arg-type]
    return path


def refusal(path: Path, **options: object) -> str:
    """The one line with which a file is refused; it begins with the file's name."""
    with pytest.raises(InputError) as caught:
        read_bvh(path, **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def test_every_recording() -> None:
    """Each file that is here reads with the unit, up axis, joints, frames and rate that the manifest gives."""
    manifest = need(data("MANIFEST.md"))[0].read_text()
    rows = [line.split("|")[1:-1] for line in manifest.splitlines() if line.startswith("| bvh/")]
    assert len(rows) == len(data("bvh/*/*.bvh"))
    for name, _, joints, frames, fps in ((cell.strip() for cell in row) for row in rows):
        path = data(name)[0]
        motion = read_bvh(path)
        unit, up = PRODUCERS[path.parent.name]
        assert len(parse_bvh(path.read_bytes()).names) == int(joints), name
        assert len(motion) == int(frames), name
        assert motion.fps == pytest.approx(float(fps), abs=0.01), name
        assert any(note.startswith(f"unit {unit}:") for note in motion.notes), (name, motion.notes)
        assert any(note.startswith(f"up axis {up}:") for note in motion.notes), (name, motion.notes)
        assert motion.position_valid[:, :BODY_COUNT].all(), name


def test_people_stand_on_two_feet() -> None:
    """In each recording that is here the person is of human size, and mostly head above hips above feet."""
    for path in need(data("bvh/*/*.bvh")):
        motion = read_bvh(path)
        legs = sum(
            np.linalg.norm(motion.position(f"left_{b}") - motion.position(f"left_{a}"), axis=-1).mean()
            for a, b in (("thigh", "shin"), ("shin", "foot"))
        )
        assert 0.45 < legs < 1.0, path.name
        head, hips, foot = (motion.position(joint)[:, 2] for joint in ("head", "hips", "left_foot"))
        if path.stem not in ("111_03", "90_02", "test_mocapbank"):  # crawling, a cartwheel, crouching
            assert ((head > hips) & (hips > foot)).mean() > 0.95, path.name


def test_positions_and_rotations(tmp_path: Path) -> None:
    """A written walker is read where and as it was, in metres with z up."""
    motion = walker(30)
    read = read_bvh(written(tmp_path / "walk.bvh"))
    assert read.name == "walk"
    np.testing.assert_allclose(read.positions[:, :BODY_COUNT], motion.positions[:, :BODY_COUNT], atol=1e-9)
    assert max(apart_deg(motion, read, joint).max() for joint in JOINTS[:BODY_COUNT]) < 1e-5
    assert not read.position_valid[:, BODY_COUNT:].any()


def test_unit_and_up_can_be_given(tmp_path: Path) -> None:
    """What is given is taken, and no longer said to be found."""
    path = written(tmp_path / "walk.bvh")
    found, given_ = read_bvh(path), read_bvh(path, unit="inch", up="z")
    np.testing.assert_allclose(
        given_.position("hips"), found.position("hips")[:, [1, 2, 0]] * 2.54, atol=1e-9
    )  # y up found: Z, X, Y → x, y, z
    assert not any(note.startswith(("unit", "up axis")) for note in given_.notes)
    np.testing.assert_allclose(read_bvh(path, unit=0.1).positions, found.positions * 10, atol=1e-9)


def test_options_of_the_uri(tmp_path: Path) -> None:
    """The source takes unit and up as options."""
    path = str(written(tmp_path / "walk.bvh"))
    np.testing.assert_array_equal(
        SOURCE.read(path, {"unit": "cm"}).positions, SOURCE.read(path, {"unit": "0.01"}).positions
    )
    for options in ({"unit": "ell"}, {"unit": "nan"}, {"up": "w"}):
        with pytest.raises(UnknownNameError):
            SOURCE.read(path, options)


def test_channels_anywhere() -> None:
    """Six channels on every joint, their own rotation order each, and lengths in the channels alone, change nothing."""
    motion = walker(20)
    orders = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "ZXZ")
    file = as_bvh(motion, order=lambda i: orders[i % len(orders)], everywhere=True)
    file = replace(file, offsets=np.zeros_like(file.offsets))
    read = motion_from_bvh(file)
    np.testing.assert_allclose(read.positions[:, :BODY_COUNT], motion.positions[:, :BODY_COUNT], atol=1e-9)
    assert max(apart_deg(motion, read, joint).max() for joint in JOINTS[:BODY_COUNT]) < 1e-5


def test_quaternions_are_continuous() -> None:
    """Neighbouring frames have quaternions in one hemisphere, also through many turns."""
    motion = motion_from_bvh(as_bvh(walker(400, heading=3.1)))
    assert (np.sum(motion.rotations[1:] * motion.rotations[:-1], axis=-1) > 0).all()


def test_no_frames(tmp_path: Path) -> None:
    """A file without frames is a motion without frames."""
    file = as_bvh(walker(2))
    motion = read_bvh(written(tmp_path / "empty.bvh", values=file.values[:0]))
    assert len(motion) == 0
    assert motion.fps == 60


def test_one_frame_without_time(tmp_path: Path) -> None:
    """One frame needs no frame time; two do."""
    file = as_bvh(walker(2))
    assert read_bvh(written(tmp_path / "still.bvh", values=file.values[:1], frame_time=0.0)).fps == 30
    assert "Frame Time is 0" in refusal(written(tmp_path / "two.bvh", values=file.values, frame_time=0.0))


@pytest.mark.parametrize(
    "seconds, fps",
    [(0.0333333, 30), (0.033333, 30), (0.03333, 30), (0.0083333, 120), (0.008342, 119.88), (0.016667, 60),
     (1 / 29.97, 29.97), (0.04, 25), (0.008, 125), (0.01, 100), (1 / 95.9, 95.9), (0.02, 50), (1 / 7, 7)],
)  # fmt: skip
def test_frame_rate(seconds: float, fps: float) -> None:
    """Frame times are taken for the common rate within 0.1 %, others as they are."""
    assert frame_rate(replace(as_bvh(walker(3)), frame_time=seconds))[0] == pytest.approx(fps, rel=1e-9)


def test_several_roots() -> None:
    """A prop or a second person beside the first does no harm, and the notes say who was read."""
    file = as_bvh(walker(10))
    B = len(file.names)
    two = replace(
        file, names=("Sword", *file.names),
        parents=np.concatenate([[-1], np.where(file.parents < 0, -1, file.parents + 1)]).astype(np.int32),
        offsets=np.vstack([[0, 0, 0], file.offsets]), channels=(("Xposition",), *file.channels),
        values=np.hstack([np.zeros((10, 1)), file.values]), end_parents=file.end_parents + np.int32(1),
    )  # fmt: skip
    read = motion_from_bvh(two)
    assert len(two.names) == B + 1
    np.testing.assert_allclose(read.positions, motion_from_bvh(file).positions)
    assert any("on 'Hips'" in note for note in read.notes)


def test_no_person(tmp_path: Path) -> None:
    """A skeleton without limbs is refused."""
    path = tmp_path / "rope.bvh"
    path.write_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n"
    )
    assert "no person found" in refusal(path)


def test_bad_paths(tmp_path: Path) -> None:
    """What is no readable file is refused with the reason."""
    assert "no such file" in refusal(tmp_path / "none.bvh")
    assert "not a regular file" in refusal(tmp_path)
    assert "null byte" in refusal(tmp_path / "a\0b.bvh")
    os.mkfifo(tmp_path / "pipe.bvh")
    assert "not a regular file" in refusal(tmp_path / "pipe.bvh")
    (tmp_path / "empty.bvh").write_bytes(b"")
    assert "begins with the end of the file" in refusal(tmp_path / "empty.bvh")


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    """Files of gigabytes are refused from their beginning: zeros, a skeleton without end, rows that cannot be."""
    zeros, endless, lying = (tmp_path / name for name in ("zeros.bvh", "endless.bvh", "lying.bvh"))
    text = format_bvh(as_bvh(walker(2)))
    for path, begin in (
        (zeros, b""),
        (endless, b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + b"JOINT b\n{\nOFFSET 0 0 0\n}\n" * 1000),
        (lying, text),
    ):
        with path.open("wb") as file:
            file.write(begin)
            file.truncate(1 << 30)
    plausible, over = tmp_path / "plausible.bvh", tmp_path / "over.bvh"
    width = as_bvh(walker(2)).width
    for path, rows in ((plausible, 150_000_000 // width), (over, 200_000_000 // width + 1)):
        with path.open("wb") as file:
            file.write(text.replace(b"Frames: 2", b"Frames: %d" % rows))
            file.truncate(1 << 30)
    with (tmp_path / "vast.bvh").open("wb") as file:
        file.truncate((2 << 30) + 1)
    tracemalloc.start()
    try:
        assert "not a BVH file" in refusal(zeros)
        assert "more than 512 joints" in refusal(endless)
        assert "Frames declares 2 rows" in refusal(lying)
        assert "the file holds 3" in refusal(plausible), "two rows, and what follows them up to a zero byte"
        assert "more than 200000000 numbers" in refusal(over)
        assert "at most" in refusal(tmp_path / "vast.bvh")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_numbers_beyond_sense(tmp_path: Path) -> None:
    """Places light-years away, and turns by as much, are refused by name."""
    file = as_bvh(walker(3))
    far, values = file.offsets.copy(), file.values.copy()
    far[3], values[1, 0] = 1e300, -1e12
    assert "an OFFSET goes beyond" in refusal(written(tmp_path / "far.bvh", offsets=far))
    assert "Xposition of joint 'Hips' goes beyond" in refusal(written(tmp_path / "away.bvh", values=values))
    values[1, :2] = 0.0, 0.0
    values[2, -1] = 1e300
    assert "rotation of joint" in refusal(written(tmp_path / "giddy.bvh", values=values))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32))
def test_any_skeleton(seed: int) -> None:
    """Any tree with any names and channels is a person or is refused: finite either way, never another error."""
    rng = np.random.default_rng(seed)
    B, base = int(rng.choice([2, 6, 30, 120])), as_bvh(walker(2))
    parents = np.array([-1, *(int(rng.integers(max(0, i - 4), i)) for i in range(1, B))], np.int32)
    channels = tuple(tuple(rng.permutation(base.channels[0])[: rng.integers(1, 7)].tolist()) for _ in range(B))
    scale = rng.choice([0.0, 1.0, 1e5], size=(B, 1))
    file = replace(
        base,
        names=tuple(rng.choice([*base.names, "Thing"], B).tolist()),
        parents=parents,
        offsets=rng.normal(size=(B, 3)) * scale,
        channels=channels,
        end_parents=rng.integers(0, B, 5).astype(np.int32),
        end_offsets=rng.normal(size=(5, 3)),
        values=rng.normal(size=(int(rng.integers(1, 4)), sum(map(len, channels)))) * rng.choice([0.0, 90.0]),
    )
    try:
        motion = motion_from_bvh(file)
    except BunrakuError as error:
        message = str(error)
    else:
        message = "" if np.isfinite(motion.positions).all() and np.isfinite(motion.rotations).all() else "not\nfinite"
    assert len(message.splitlines()) <= 1


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_fuzz(picked: st.DataObject) -> None:
    """A file with bytes cut out, put in or changed is a motion or is refused in one line."""
    text = bytearray(FUZZED)
    for _ in range(picked.draw(st.integers(1, 4))):
        at = picked.draw(st.integers(0, len(text) - 1))
        text[at : at + picked.draw(st.integers(0, 30))] = picked.draw(
            st.one_of(st.binary(max_size=5), st.sampled_from([b"0", b" -7e8 ", b"}", b"\n", b"1"]))
        )
    try:
        motion = motion_from_bvh(parse_bvh(bytes(text)))
    except BunrakuError as error:
        message = str(error)
    else:
        message = "" if np.isfinite(motion.positions).all() else "not\nfinite"
    assert len(message.splitlines()) <= 1


FUZZED = format_bvh(as_bvh(walker(2)))


def test_tips_have_places_only() -> None:
    """Finger tips are placed by the ends of the chains and have no rotation."""
    motion = motion_from_bvh(as_bvh(walker(5, hands=True)))
    tips = [INDEX[joint] for joint in JOINTS if joint.endswith("_tip")]
    assert motion.position_valid[:, tips].all()
    assert not motion.rotation_valid[:, tips].any()
    np.testing.assert_allclose(motion.positions[:, tips], walker(5, hands=True).positions[:, tips], atol=1e-9)
