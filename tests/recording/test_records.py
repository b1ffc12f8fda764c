"""Raw recordings: exact, readable up to any damage, and played again as motion."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import BunrakuError, InputError
from bunraku.human import HumanPose
from bunraku.recording.frames import EVENT, HEADER, LONGEST, MAGIC, POSE, TICK, frames, packed
from bunraku.recording.records import VERSION, RawRecording, Tick, pose_bytes, pose_from
from bunraku.sources import read_motion

HEAD = packed(HEADER, json.dumps({"version": VERSION, "robot": "lamp"}).encode())


def partial_pose(seed: int) -> HumanPose:
    """A pose of which half is known."""
    random = np.random.default_rng(seed)
    turns = random.normal(size=(61, 4))
    return HumanPose(
        positions=random.normal(size=(61, 3)),
        rotations=turns / np.linalg.norm(turns, axis=1, keepdims=True),
        position_valid=random.random(61) < 0.5,
        rotation_valid=random.random(61) < 0.5,
        stamp_ns=int(random.integers(1 << 62)),
        received_ns=seed * 16_666_667,
        jaw=None if seed % 2 else 0.25,
        eyes=(0.1, -0.2) if seed % 3 else None,
    )


@pytest.mark.parametrize("seed", range(6))
def test_poses_come_back_exactly(seed: int) -> None:
    """To the last bit, where they are known."""
    pose = partial_pose(seed)
    source, again = pose_from(pose_bytes(3, pose))
    assert source == 3
    assert (again.stamp_ns, again.received_ns, again.jaw, again.eyes) == (
        pose.stamp_ns, pose.received_ns, pose.jaw, pose.eyes,
    )  # fmt: skip
    for values, flags in (("positions", "position_valid"), ("rotations", "rotation_valid")):
        known = getattr(pose, flags)
        assert np.array_equal(getattr(again, flags), known)
        assert np.array_equal(getattr(again, values)[known], getattr(pose, values)[known])


def test_ticks_come_back_exactly() -> None:
    """Numbers, stamps and what was not there."""
    tick = Tick(
        now_ns=123, dt_s=1 / 120, weight=0.3, state=5, stages_ns=np.array([1, -1, 7], np.int64),
        qpos=np.array([0.1, np.nan]), measured=np.array([np.nan, 2.0]),
    )  # fmt: skip
    again = Tick.unpack(tick.pack())
    assert (again.now_ns, again.dt_s, again.weight, again.state) == (123, 1 / 120, 0.3, 5)
    assert again.stages_ns.tolist() == [1, -1, 7]
    assert np.array_equal(again.qpos, tick.qpos, equal_nan=True)
    assert np.array_equal(again.measured, tick.measured, equal_nan=True)


def written(path: Path, *parts: bytes) -> Path:
    path.write_bytes(MAGIC + b"".join(parts))
    return path


def test_damage_ends_the_reading_and_no_more(tmp_path: Path) -> None:
    """A flipped bit, a missing end or a length that cannot be: what stood before is there."""
    poses = [packed(POSE, pose_bytes(0, partial_pose(k))) for k in range(5)]
    whole = RawRecording.load(written(tmp_path / "a", HEAD, *poses))
    assert len(whole.poses[0]) == 5
    spoiled = bytearray(poses[3])
    spoiled[40] ^= 1
    for tail in (bytes(spoiled), poses[3][:-1], packed(POSE, b"")[:4], b"\xff" * 9):
        assert len(RawRecording.load(written(tmp_path / "b", HEAD, *poses[:3], tail, poses[4])).poses[0]) == 3


@pytest.mark.parametrize(
    "content",
    [b"", MAGIC, b"HIERARCHY\n", MAGIC + packed(HEADER, b"no json"), MAGIC + packed(HEADER, b"[1]"),
     MAGIC + HEAD + packed(POSE, b"short"), MAGIC + HEAD + packed(TICK, b"short"), MAGIC + HEAD + packed(EVENT, b"{")],
)  # fmt: skip
def test_what_is_no_recording_is_one_line(content: bytes, tmp_path: Path) -> None:
    """Empty, foreign and damaged files."""
    path = tmp_path / "x.braw"
    path.write_bytes(content)
    with pytest.raises(InputError):
        RawRecording.load(path)


@given(st.binary(max_size=400), st.integers(0, 3))
def test_any_bytes_are_a_recording_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, kind: int
) -> None:
    """As a file, and as the payload of a frame whose checksum is right."""
    path = tmp_path_factory.mktemp("any") / "x.braw"
    for content in (data, MAGIC + data, MAGIC + HEAD + packed(kind, data)):
        path.write_bytes(content)
        try:
            RawRecording.load(path)
        except BunrakuError as error:
            assert str(error)  # noqa: PT017


def test_another_version_is_refused(tmp_path: Path) -> None:
    """By its number."""
    other = packed(HEADER, json.dumps({"version": VERSION + 1}).encode())
    with pytest.raises(InputError, match=str(VERSION + 1)):
        RawRecording.load(written(tmp_path / "x", other))


def test_frames_are_bounded() -> None:
    """What is too long is not written, so it is never read."""
    with pytest.raises(ValueError, match="longer"):
        packed(TICK, bytes(LONGEST + 1))


def test_replay_is_what_came(tmp_path: Path) -> None:
    """At the rate it came, with its gaps as they were; by its ending or its scheme; two sources merged."""
    motion = read_motion("synth:wave?seconds=2&fps=50")
    stamped = []
    for k, pose in enumerate(motion):
        stamped.append(packed(POSE, pose_bytes(k % 2, pose)))
    path = written(tmp_path / "s.braw", HEAD, *stamped)
    one = read_motion(f"replay:{path}?source=0")
    assert one.fps == pytest.approx(25)
    assert np.array_equal(one.positions[:50], motion.positions[0:100:2])
    both = read_motion(f"replay:{path}?fps=50")
    assert len(both) == len(motion)
    assert both.position_valid.all()
    for wrong in ("?source=7", "?fps=0", "?fps=x", "?speed=1"):
        with pytest.raises(BunrakuError):
            read_motion(f"replay:{path}{wrong}")
    assert next(iter(frames(path)))[0] == HEADER
