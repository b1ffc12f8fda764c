"""The Leap Motion: hands come back from what its service would say of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.health import Tally
from bunraku.sources.leap import DEVICE, LeapDecoder
from bunraku.sources.leap_fake import leap_frame
from bunraku.sources.leap_frames import MODES, LeapFrames, Mode
from shared import data, need
from sources.wires import through_the_wire


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who conducts."""
    return read_motion("synth:conduct?seconds=0.5&fps=110")


def decode(*frames: object) -> tuple[list, LeapDecoder, Tally]:
    """Poses of frames given as objects or as bytes."""
    tally = Tally()
    decoder = LeapDecoder(tally)
    raw = [frame if isinstance(frame, bytes) else json.dumps(frame).encode() for frame in frames]
    return [pose for k, data in enumerate(raw) for pose in decoder.feed(data, k)], decoder, tally


@pytest.mark.parametrize("mode", MODES)
def test_hands_come_back(motion: HumanMotion, mode: Mode) -> None:
    """Places to a tenth of a millimetre and turns of hands and forearms to 0.1°, on the desk and on a headset."""
    frames = LeapFrames(mode)
    for row in range(len(motion)):
        pose = frames.pose(leap_frame(motion, row, row, mode), 0)
        assert not isinstance(pose, str)
        np.testing.assert_allclose(
            pose.positions[pose.position_valid], motion.positions[row][pose.position_valid], atol=1e-4
        )
        for side in SIDES:
            for part in ("forearm", "hand"):
                joint = INDEX[f"{side}_{part}"]
                assert pose.rotation_valid[joint]
                assert np.degrees(rot.angle_between(pose.rotations[joint], motion.rotations[row, joint])) < 0.1
        assert pose.position_valid.sum() == 2 * 22
        assert not pose.position_valid[INDEX["head"]]


def test_over_its_websocket(motion: HumanMotion) -> None:
    """The stand-in speaks the service's protocol, every frame arrives once."""
    poses, health = through_the_wire("leap", motion, {"mode": "hmd"})
    assert health.connected
    assert health.accepted == len(motion)
    assert not health.rejected
    wrist = INDEX["left_hand"]
    np.testing.assert_allclose([p.positions[wrist] for p in poses], motion.positions[:, wrist], atol=1e-4)


def test_a_lost_hand_is_not_known(motion: HumanMotion) -> None:
    """A hand that leaves is gone from the pose at once; nothing stands in for it."""
    frame = leap_frame(motion, 0, 1, "desktop")
    frame["hands"] = frame["hands"][:1]
    (pose,), _, _ = decode(frame)
    assert pose.position_valid[INDEX["left_hand"]]
    assert not pose.position_valid[INDEX["right_hand"]]
    assert not pose.rotation_valid[INDEX["right_hand"]]
    assert not pose.position_valid[INDEX["right_index_1"]]
    _, decoder, _ = decode({"id": 2, "timestamp": 3, "hands": [], "pointables": []})
    assert decoder.reason == "no hand in sight"


def test_bases_of_left_hands_may_be_left_handed(motion: HumanMotion) -> None:
    """The across axis of a left arm's basis points either way, by the service's make: the turn is the same."""
    frame = leap_frame(motion, 3, 1, "desktop")
    mirrored = json.loads(json.dumps(frame))
    mirrored["id"] = 2
    mirrored["hands"][0]["armBasis"][0] = [-v for v in mirrored["hands"][0]["armBasis"][0]]
    poses, _, _ = decode(frame, mirrored)
    np.testing.assert_allclose(poses[0].rotations, poses[1].rotations)


@pytest.mark.parametrize(
    "frame, reason",
    [
        (b"{", "message that is no JSON"),
        ([1, 2], "frame that is no Leap's"),
        ({"id": 1, "hands": 3}, "frame without hands"),
        ({"id": 1, "hands": [{"type": "left"}], "pointables": []}, "frame that is no Leap's"),
        ({"id": 1, "hands": [{"id": 1, "type": "left", "palmNormal": [0, 0], "direction": [1, 0, 0]}]},
         "frame that is no Leap's"),
        ({"id": 1, "hands": [{"id": 1, "type": "left", "palmNormal": [0, -1, 0], "direction": [1, 0, 0],
                              "wrist": [0, 1e9, 0]}]}, "places out of reach, or no numbers"),
    ],
)  # fmt: skip
def test_what_is_no_frame_is_counted(frame: object, reason: str) -> None:
    """Nothing raises, and the reason is told."""
    poses, _, tally = decode(frame)
    assert poses == []
    assert tally.rejected == {reason: 1}


def test_frames_twice_or_late_are_not_used(motion: HumanMotion) -> None:
    """Ids only grow within a session."""
    frames = [leap_frame(motion, 0, number, "desktop") for number in (5, 6, 6, 4, 7)]
    poses, _, tally = decode(*frames)
    assert len(poses) == 3
    assert tally.rejected == {"late or sent twice": 2}


@given(st.recursive(st.none() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["id", "hands", "pointables", "type", "handId", "direction", "palmNormal", "wrist"]), inner, max_size=5)))  # fmt: skip # noqa: E501
def test_any_json_is_read_or_counted(message: object) -> None:
    """Nothing raises, and poses hold numbers."""
    poses, _, _ = decode(json.dumps(message).encode())
    for pose in poses:
        assert np.isfinite(pose.positions).all()
        assert np.isfinite(pose.rotations).all()


def test_wrong_settings_are_refused() -> None:
    """With the settings that would be right."""
    with pytest.raises(UnknownNameError, match="desktop, hmd"):
        DEVICE.open("//127.0.0.1:6437", {"mode": "table"})
    with pytest.raises(InputError, match="leap://HOST:PORT"):
        DEVICE.open("//127.0.0.1:port", {})


@pytest.mark.parametrize("path", data("leap/*.jsonl"), ids=lambda path: path.stem)
def test_real_recordings(path: object) -> None:
    """Every frame is read, and fingers keep their lengths to 2 %."""
    lines = path.read_bytes().splitlines()
    poses, _, tally = decode(*lines)
    assert len(poses) == len(lines)
    assert not tally.rejected
    places = np.array([pose.positions for pose in poses])
    for side in SIDES:
        chain = [INDEX[f"{side}_index_{part}"] for part in ("1", "2", "3")]
        known = np.array([pose.position_valid[chain].all() for pose in poses])
        if known.sum() > 10:
            bones = np.linalg.norm(np.diff(places[known][:, chain], axis=1), axis=-1)
            assert (bones.std(axis=0) < 0.02 * bones.mean(axis=0)).all()


def test_the_stand_in_replays_recorded_frames(motion: HumanMotion) -> None:
    """A file of frames goes out as it was recorded."""
    path = need(data("leap/finger-tap*.jsonl"))[0]
    poses, health = through_the_wire("leap", motion, {"frames": str(path)})
    assert health.accepted == len(motion)
    assert poses[0].position_valid[INDEX["right_hand"]]
