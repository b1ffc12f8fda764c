"""Qualisys: the real-time protocol and its skeletons."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources import qtm_wire as wire
from bunraku.sources import read_motion
from bunraku.sources.binary import CutOffError
from bunraku.sources.health import Tally
from bunraku.sources.qtm import DEVICE, SEGMENTS, QtmDecoder
from sources.wires import through_the_wire

XML = (
    b"<Q><Skeletons><Skeleton Name='Ann'><Segments><Segment Name='Hips' ID='4'><DefaultTransform><Position X='0' Y='0' "
    b"Z='1000'/><Rotation X='0' Y='0' Z='0.70710678' W='0.70710678'/></DefaultTransform><Segment Name='Spine' ID='7'/>"
    b"</Segment></Segments></Skeleton></Skeletons></Q>\0"
)


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who boxes."""
    return read_motion("synth:box?seconds=0.3&fps=100")


def test_a_motion_comes_back(motion: HumanMotion) -> None:
    """Version, parameters and streaming agreed on; places and turns to the precision of float32."""
    poses, health = through_the_wire("qtm", motion)
    assert health.accepted == len(motion)
    known = poses[-1].rotation_valid
    assert known.sum() == len(SEGMENTS)
    placed, turned = (np.array([getattr(pose, name) for pose in poses]) for name in ("positions", "rotations"))
    np.testing.assert_allclose(placed[:, known], motion.positions[:, known], atol=1e-5)
    assert rot.angle_between(turned, motion.rotations)[:, known].max() < 1e-5


def test_turns_are_away_from_the_described_pose() -> None:
    """A skeleton whose own axes are turned has not turned while it stands as it is described."""
    decoder = QtmDecoder(Tally())
    decoder.names(XML)
    stands = wire.segments(np.array([4.0, 7]), np.array([[0, 0, 1000.0], [0, 0, 1100]]), np.tile([0, 0, 0.5**0.5, 0.5**0.5], (2, 1)))  # fmt: skip # noqa: E501
    pose = decoder.frame(wire.write_frame(1, 5, skeletons=[stands])[8:], 9)
    assert pose is not None
    for joint in ("hips", "spine"):
        np.testing.assert_allclose(np.abs(pose.rotations[INDEX[joint]]), rot.IDENTITY, atol=1e-6)
    np.testing.assert_allclose(pose.positions[INDEX["spine"]], [0, 0, 1.1], atol=1e-6)
    assert pose.stamp_ns == 5000


def test_people_may_face_elsewhere() -> None:
    """A skeleton described facing y faces x here."""
    decoder = QtmDecoder(Tally(), facing="y")
    decoder.names(XML)
    stands = wire.segments(np.array([4.0]), np.array([[0, 1000.0, 0]]), np.array([[0, 0, 0.5**0.5, 0.5**0.5]]))
    pose = decoder.frame(wire.write_frame(1, 0, skeletons=[stands])[8:], 0)
    assert pose is not None
    np.testing.assert_allclose(pose.positions[INDEX["hips"]], [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(np.abs(pose.rotations[INDEX["hips"]]), rot.IDENTITY, atol=1e-6)


def test_lost_segments_and_other_skeletons() -> None:
    """A segment that is NaN is not known; a skeleton that is not there says which are."""
    decoder = QtmDecoder(Tally())
    decoder.names(XML)
    rows = wire.segments(np.array([4.0, 7]), np.array([[np.nan] * 3, [0, 0, 1100]]), np.tile([0, 0, 0, 1.0], (2, 1)))
    pose = decoder.frame(wire.write_frame(1, 0, skeletons=[rows])[8:], 0)
    assert pose is not None
    assert np.flatnonzero(pose.position_valid).tolist() == [INDEX["spine"]]
    other = QtmDecoder(Tally(), skeleton="Bob")
    other.names(XML)
    assert "Ann" in other.advice
    assert not other.is_named


def test_markers_are_read_beside_skeletons() -> None:
    """Components that are there are read, others skipped."""
    markers = np.array([[1.0, 2, 3], [np.nan] * 3])
    frame = wire.read_frame(wire.write_frame(3, 4, markers=markers)[8:])
    np.testing.assert_array_equal(frame.markers, markers)
    assert (frame.number, frame.skeletons) == (3, ())


@given(st.binary(max_size=300), st.integers(0, 300))
def test_any_bytes_are_read_or_refused(data: bytes, cut: int) -> None:
    """A value or CutOffError."""
    good = wire.write_frame(1, 0, markers=np.zeros((2, 3)), skeletons=[wire.segments(np.ones(1), np.zeros((1, 3)), np.ones((1, 4)))])  # fmt: skip # noqa: E501
    for payload in (data, good[8 : 8 + cut] + data):
        with suppress(CutOffError):
            wire.read_frame(payload)
    for text in (data, XML[:cut] + data):
        with suppress(CutOffError):
            wire.read_names(text)
    packets = wire.Packets()
    with suppress(CutOffError):
        list(packets.feed(good[:cut] + data))


def test_wrong_settings_are_refused() -> None:
    """With the valid directions."""
    with pytest.raises(UnknownNameError, match="x, y, -x, -y"):
        DEVICE.open("", {"facing": "north"})
