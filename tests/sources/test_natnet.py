"""OptiTrack's NatNet in every version that is read."""

from __future__ import annotations

import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources import natnet_wire as wire
from bunraku.sources import read_motion
from bunraku.sources.binary import CutOffError
from bunraku.sources.health import Tally
from bunraku.sources.natnet import DEVICE, MotiveDecoder
from bunraku.sources.natnet_fake import VERSIONS
from sources.wires import through_the_wire

MARKERS = wire.labelled_markers(np.array([1 << 16 | 2, 3]), np.array([[0.1, 0.2, 0.3], [4, 5, 6]]), np.array([0, 1]))
BODIES = wire.rigid_bodies(np.array([7]), np.array([[1.0, 2, 3]]), np.array([[0, 0, 0, 1.0]]), np.array([1]))


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who walks."""
    return read_motion("synth:walk?seconds=0.25&fps=120")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_motion_comes_back(motion: HumanMotion, version: str) -> None:
    """Asked for, named and sent by the server's version; places and turns to the precision of float32."""
    poses, health = through_the_wire("natnet", motion, {"version": version})
    assert health.accepted >= len(motion) - 1
    known = poses[-1].rotation_valid
    assert known.sum() == 51
    np.testing.assert_allclose(poses[-1].positions[known], motion.positions[-1][known], atol=1e-5)
    assert rot.angle_between(poses[-1].rotations, motion.rotations[-1])[known].max() < 1e-5


@pytest.mark.parametrize("version", VERSIONS.values())
def test_frames_are_read_to_their_end(version: wire.Version) -> None:
    """Rigid bodies, skeletons and markers, with and without each other."""
    for bodies, skeletons, markers in (
        (BODIES, {}, None),
        (None, {5: BODIES}, MARKERS),
        (BODIES, {1: BODIES}, MARKERS),
    ):
        data = wire.write_frame(3, 1.5, version, bodies=bodies, skeletons=skeletons, markers=markers)
        kind, payload = wire.packet(data)
        frame = wire.read_frame(payload, version)
        assert (kind, frame.number, frame.stamp_s) == (wire.FRAME, 3, 1.5)
        assert len(frame.bodies) == (bodies is not None)
        assert list(frame.skeletons) == list(skeletons)
        if markers is not None:
            np.testing.assert_array_equal(frame.markers, markers)
        for cut in range(len(payload) - 6):
            with pytest.raises(CutOffError):
                wire.read_frame(payload[:cut], version)


def test_rigid_bodies_called_like_joints(motion: HumanMotion) -> None:
    """A body named head is the head; one that is not tracked is not known; other names mean nothing."""
    decoder = MotiveDecoder(Tally())
    models = wire.Models(bodies={1: "head", 2: "left_hand", 3: "chair"})
    decoder.models(wire.packet(wire.write_models(models, wire.NEWEST))[1])
    bodies = wire.rigid_bodies(np.arange(1, 4), np.eye(3), np.tile([0, 0, 0, 1.0], (3, 1)), np.array([1, 0, 1]))
    pose = decoder.frame(wire.packet(wire.write_frame(1, 0.0, wire.NEWEST, bodies=bodies))[1], 5)
    assert pose is not None
    assert np.flatnonzero(pose.position_valid).tolist() == [INDEX["head"]]
    # x of Motive is to the left.
    np.testing.assert_allclose(pose.positions[INDEX["head"]], [0, 1, 0])


def test_z_up_is_a_switch() -> None:
    """With z up, Motive's people face along -y."""
    for up, place in (("y", [3.0, 1.0, 2.0]), ("z", [-2.0, 1.0, 3.0])):
        decoder = MotiveDecoder(Tally(), up=up)
        models = wire.Models(bodies={7: "hips"})
        decoder.models(wire.packet(wire.write_models(models, wire.NEWEST))[1])
        pose = decoder.frame(wire.packet(wire.write_frame(1, 0.0, wire.NEWEST, bodies=BODIES))[1], 5)
        assert pose is not None
        np.testing.assert_allclose(pose.positions[INDEX["hips"]], place)


def test_names_are_asked_for_again_when_they_change() -> None:
    """A frame that says so makes the source ask; frames before any names are counted."""
    tally = Tally()
    decoder = MotiveDecoder(tally, skeleton="Ann")
    data = wire.packet(wire.write_frame(1, 0.0, wire.NEWEST, bodies=BODIES))[1]
    assert decoder.frame(data, 0) is None
    assert sum(tally.rejected.values()) == 1
    models = wire.Models(skeletons={1: "Bob"}, bones={1: {}})
    decoder.models(wire.packet(wire.write_models(models, wire.NEWEST))[1])
    assert not decoder.wants_models
    assert "Bob" in decoder.advice
    decoder.frame(wire.packet(wire.write_frame(2, 0.0, wire.NEWEST, models_changed=True))[1], 0)
    assert decoder.wants_models


@given(st.binary(max_size=400), st.sampled_from(sorted(VERSIONS.values())))
def test_any_bytes_are_read_or_refused(data: bytes, version: wire.Version) -> None:
    """A value or CutOffError, nothing else."""
    whole = wire.packet(wire.write_frame(1, 0.0, version, bodies=BODIES, markers=MARKERS))[1]
    for read in (wire.read_frame, wire.read_models):
        for payload in (data, whole[:12] + data, whole[: len(data)] + data):
            with suppress(CutOffError):
                read(payload, version)
    with suppress(CutOffError):
        wire.packet(struct.pack("<HH", 7, 9) + data)
    with suppress(CutOffError):
        wire.server_version(data)


def test_wrong_settings_are_refused() -> None:
    """Another machine wants to know by which of this machine's addresses."""
    with pytest.raises(InputError, match="interface=ADDRESS"):
        DEVICE.open("//192.168.1.10", {})
    with pytest.raises(UnknownNameError, match="y, z"):
        DEVICE.open("", {"up": "x"})
    source = DEVICE.open("//127.0.0.1:1", {})
    source.open(0)
    source.receive(0)
    assert "no answer from Motive" in source.health(0).reason
    source.close()
