"""OSC, and the VMC protocol on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.health import Tally
from bunraku.sources.osc import bundle, encode, messages
from bunraku.sources.vmc import VmcDecoder
from bunraku.sources.vmc_fake import frame_of
from bunraku.sources.vmc_wire import BONE, turn_from_unity
from sources.wires import through_the_wire


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who conducts."""
    return read_motion("synth:conduct?seconds=0.3&fps=60")


def test_messages_are_those_of_the_standard() -> None:
    """The example of the OSC 1.0 specification, byte by byte, and the reverse."""
    golden = (
        b"/foo\0\0\0\0,iisff\0\0"
        + bytes.fromhex("000003e8ffffffff")
        + b"hello\0\0\0"
        + bytes.fromhex("3f9df3b640b5b22d")
    )
    assert encode("/foo", 1000, -1, "hello", 1.234, 5.678) == golden
    ((address, values),) = messages(golden)
    assert address == "/foo"
    assert values[:3] == (1000, -1, "hello")
    np.testing.assert_allclose(values[3:], [1.234, 5.678], rtol=1e-6)
    assert [m[0] for m in messages(bundle([encode("/a"), bundle([encode("/b", 1)])]))] == ["/a", "/b"]


def test_a_motion_comes_back(motion: HumanMotion) -> None:
    """Turns and places through local bones of a left-handed world, to the precision of float32."""
    poses, health = through_the_wire("osc", motion, port=19539)
    assert not health.rejected
    turned, placed = (np.array([getattr(pose, name) for pose in poses]) for name in ("rotations", "positions"))
    known = poses[-1].rotation_valid
    assert known.sum() == 51
    newest = len(motion) - 1
    assert rot.angle_between(turned[newest], motion.rotations[newest])[known].max() < 1e-5
    np.testing.assert_allclose(placed[newest][known], motion.positions[newest][known], atol=1e-5)


def test_a_frame_is_whole_at_once(motion: HumanMotion) -> None:
    """From the second frame on a pose is there with the datagram that brings the last bone."""
    decoder = VmcDecoder(Tally())
    first = [pose for data in frame_of(motion, 0, 0) for pose in decoder.feed(data, 0)]
    assert len(first) == 1
    counts = [len(decoder.feed(data, 1)) for data in frame_of(motion, 1, 1)]
    assert sum(counts) == 1
    assert counts[-2] == 1, "it does not wait for the time stamp behind it"


def test_without_stamps_a_bone_that_comes_again_begins_a_frame() -> None:
    """Senders that never say that a frame is over."""
    decoder = VmcDecoder(Tally())
    hips = encode(BONE, "Hips", 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert decoder.feed(hips, 0) == []
    (first, *rest) = decoder.feed(hips, 1)
    assert first.positions[INDEX["hips"]].tolist() == [0, 0, 1]
    assert len(rest) <= 1


def test_hands_of_the_world() -> None:
    """A turn to the right in Unity, positive about y, is one about -z here."""
    s, c = np.sin(0.2), np.cos(0.2)
    np.testing.assert_allclose(turn_from_unity(0, s, 0, c), rot.from_axis_angle([0, 0, 1], -0.4))
    np.testing.assert_allclose(turn_from_unity(s, 0, 0, c), rot.from_axis_angle([0, 1, 0], 0.4))


@pytest.mark.parametrize(
    "data",
    [b"", b"abc", b"/a", b"/a\0\0,q\0\0", b"#bundle\0" + b"\0" * 8 + b"\0\0\1\0abc", encode(BONE, "Hips", 1.0),
     encode(BONE, "Tail", *[0.0] * 7), encode(BONE, 5, *[0.0] * 7), encode(BONE, "Hips", *[float("nan")] * 7)],
)  # fmt: skip
def test_what_is_no_bone_is_counted(data: bytes) -> None:
    """Nothing raises."""
    tally = Tally()
    assert VmcDecoder(tally).feed(data, 0) == []
    assert sum(tally.rejected.values()) == 1


def test_bundles_within_bundles_end() -> None:
    """Depth and number are bounded."""
    deep = encode("/a")
    for _ in range(50):
        deep = bundle([deep])
    tally = Tally()
    VmcDecoder(tally).feed(deep, 0)
    VmcDecoder(tally).feed(bundle([encode("/a")] * 5000), 0)
    assert tally.rejected["datagram that is no OSC"] == 2


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_counted(data: bytes) -> None:
    """Nothing raises, and poses hold numbers."""
    decoder = VmcDecoder(Tally())
    for datagram in (data, b"/VMC/Ext/Bone/Pos\0\0\0" + data, bundle([data])):
        for pose in decoder.feed(datagram, 0):
            assert np.isfinite(pose.positions).all()
