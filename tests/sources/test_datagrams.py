"""Pose datagrams of our own, signed and not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.sources import read_motion
from bunraku.sources.datagrams import DEVICE, PoseDecoder
from bunraku.sources.datagrams_wire import message_of, sign
from bunraku.sources.health import Tally
from sources.wires import through_the_wire

KEY = b"a secret of thirty-two bytes ..."


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who waves."""
    return read_motion("synth:wave?seconds=0.3&fps=60")


def decode(*messages: Any, key: bytes | None = None) -> tuple[list, Tally, PoseDecoder]:
    """Poses, counts and the decoder."""
    tally = Tally()
    decoder = PoseDecoder(tally, key)
    raw = [m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages]
    return [pose for k, data in enumerate(raw) for pose in decoder.feed(data, k)], tally, decoder


@pytest.mark.parametrize("options", [{}, {"msgpack": ""}])
def test_a_motion_comes_back(motion: HumanMotion, options: dict[str, str]) -> None:
    """All that a pose knows, as text or packed."""
    poses, health = through_the_wire("udp", motion, options, port=19870 + len(options))
    assert (health.accepted, health.lost, health.rejected) == (len(motion), 0, {})
    for row, pose in enumerate(poses):
        np.testing.assert_array_equal(pose.position_valid, motion.position_valid[row])
        np.testing.assert_allclose(pose.positions, motion.positions[row], atol=1e-12)
        known = pose.rotation_valid
        np.testing.assert_allclose(np.abs((pose.rotations * motion.rotations[row]).sum(-1))[known], 1, atol=1e-9)


def test_a_pose_may_know_little() -> None:
    """One joint, the jaw, nothing."""
    poses, _, _ = decode({"joints": {"left_hand": [1, 2, 3]}, "jaw": 3}, {})
    assert poses[0].position_valid.sum() == 1
    assert poses[0].positions[INDEX["left_hand"]].tolist() == [1, 2, 3]
    assert poses[0].jaw == 1.0
    assert not poses[1].position_valid.any()


def test_losses_lateness_and_jumps() -> None:
    """By the running number and the epoch."""
    poses, tally, _ = decode(*({"seq": k, "epoch": e} for k, e in ((1, 0), (2, 0), (5, 0), (4, 0), (6, 1))))
    assert len(poses) == 4
    assert (tally.lost, tally.epoch) == (2, 1)
    assert tally.rejected == {"late or sent twice": 1}


@pytest.mark.parametrize(
    "message, reason",
    [
        (b"\xff\xff", "no object"),
        (b"[1]", "no object"),
        ({"joints": {"tail": [0, 0, 0]}}, "another skeleton"),
        ({"joints": {"hips": [0, 0]}}, "no pose"),
        ({"joints": {"hips": [0, 0, None]}}, "no numbers"),
        ({"joints": [1]}, "another skeleton"),
        ({"joints": 5}, "no pose"),
        ({"turns": {"hips": [0, 0, 0, 0]}}, "no quaternions"),
        ({"t": "now"}, "no pose"),
        ({"jaw": "open"}, "no pose"),
    ],
)
def test_what_is_no_pose_says_why(message: Any, reason: str) -> None:
    """Counted, and told."""
    poses, tally, _ = decode(message)
    assert poses == []
    assert reason in next(iter(tally.rejected))


def test_signed_datagrams(motion: HumanMotion) -> None:
    """Another key, none, a changed byte and a replayed datagram are not taken; another session is."""
    payload = json.dumps(message_of(motion.pose(0), 1)).encode()
    good = sign(payload, KEY, b"session1", 1)
    later = sign(b"{}", KEY, b"session1", 2)
    other = sign(b"{}", KEY, b"session2", 1)
    changed = good[:-3] + b"9" + good[-2:]
    poses, tally, decoder = decode(good, good, payload, changed, sign(payload, b"x" * 32, b"s" * 8, 9), key=KEY)
    assert len(poses) == 1
    assert tally.rejected == {
        "signed datagram that was there before": 1,
        "datagram without a signature": 1,
        "datagram with a wrong signature": 2,
    }
    assert "same key" in decoder.advice
    assert len(decode(good, later, other, key=KEY)[0]) == 3


def test_from_other_machines_only_signed(tmp_path: Path) -> None:
    """A port that is open to the network wants a key, and a key has a length."""
    with pytest.raises(InputError, match="signed"):
        DEVICE.open("//0.0.0.0:9870", {})
    short = tmp_path / "short"
    short.write_text("abc")
    with pytest.raises(InputError, match="at least 16 bytes"):
        DEVICE.open("//0.0.0.0:9870", {"key": str(short)})
    with pytest.raises(InputError, match="cannot be read"):
        DEVICE.open("//0.0.0.0:9870", {"key": str(tmp_path / "none")})
    short.write_bytes(KEY)
    DEVICE.open("//0.0.0.0:9870", {"key": str(short)})


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_counted(data: bytes) -> None:
    """Nothing raises, signed or not."""
    decode(data, b"{" + data, b"\x81\xa6joints" + data)
    decode(data, b"BKS1" + data, key=KEY)
