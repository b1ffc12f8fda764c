"""Xsens MVN: the network stream and the exported file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.health import Tally
from bunraku.sources.mvn import DEVICE, MvnDecoder
from bunraku.sources.mvn_fake import segments
from bunraku.sources.mvn_wire import HEADER, LAST, POSE, SEGMENT, encode_frame
from sources.wires import through_the_wire


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who walks."""
    return read_motion("synth:walk?seconds=0.5&fps=60")


def frames(motion: HumanMotion, *, fingers: bool = True) -> list[bytes]:
    """The datagrams of a motion."""
    places, turns = segments(motion, fingers=fingers)
    return [encode_frame(k, places[k], turns[k]) for k in range(len(motion))]


def decode(*data: bytes, character: int | None = None) -> tuple[list, Tally, MvnDecoder]:
    """Poses, counts and the decoder."""
    tally = Tally()
    decoder = MvnDecoder(tally, character)
    return [pose for k, datagram in enumerate(data) for pose in decoder.feed(datagram, k)], tally, decoder


def test_a_motion_comes_back_over_udp(motion: HumanMotion) -> None:
    """Places and turns of body and fingers, to the precision of float32."""
    poses, health = through_the_wire("mvn", motion, port=19763)
    assert (health.accepted, health.lost) == (len(motion), 0)
    known = poses[0].rotation_valid
    assert known.sum() == 21 + 30
    turned = np.array([pose.rotations for pose in poses])
    assert rot.angle_between(turned, motion.rotations)[:, known].max() < 1e-5
    np.testing.assert_allclose(
        np.array([pose.positions for pose in poses])[:, known], motion.positions[:, known], atol=1e-5
    )


def test_a_frame_in_several_datagrams(motion: HumanMotion) -> None:
    """It is whole with the last one; one that misses its beginning is counted and left out."""
    whole = frames(motion)[0]
    head, body = list(HEADER.unpack_from(whole)), whole[HEADER.size :]
    half = 30 * SEGMENT.itemsize
    first = HEADER.pack(*head[:2], 0, 30, *head[4:10], half) + body[:half]
    second = HEADER.pack(*head[:2], 1 | LAST, 33, *head[4:10], len(body) - half) + body[half:]
    poses, tally, _ = decode(first, second)
    assert len(poses) == 1
    np.testing.assert_allclose(poses[0].positions[INDEX["right_index_1"]], motion.positions[0, INDEX["right_index_1"]], atol=1e-5)  # fmt: skip # noqa: E501
    poses, tally, _ = decode(second, *frames(motion)[1:3])
    assert len(poses) == 2
    assert sum(tally.rejected.values()) == 1


def test_props_stand_between_body_and_hands(motion: HumanMotion) -> None:
    """A sword is no finger."""
    places, turns = segments(motion, fingers=True)
    with_prop = [np.insert(values[0], 23, values[0][0], axis=0) for values in (places, turns)]
    data = encode_frame(0, *with_prop)
    head = list(HEADER.unpack_from(data))
    head[7] = 1
    poses, _, _ = decode(HEADER.pack(*head) + data[HEADER.size :])
    joint = INDEX["left_thumb_1"]
    np.testing.assert_allclose(poses[0].positions[joint], motion.positions[0, joint], atol=1e-5)


def test_losses_lateness_and_others_are_counted(motion: HumanMotion) -> None:
    """Gaps are losses, late frames are not used, another person's neither."""
    data = frames(motion)
    places, turns = segments(motion, fingers=False)
    other = encode_frame(9, places[0], turns[0], character=1)
    poses, tally, _ = decode(data[0], data[4], data[2], other)
    assert len(poses) == 2
    assert tally.lost == 3
    assert tally.rejected == {"late or sent twice": 1, "of another person": 1}


def test_other_forms_say_what_to_switch(motion: HumanMotion) -> None:
    """A stream of Euler angles names the setting, until a pose comes that can be read."""
    data = frames(motion)[0]
    _, _, decoder = decode(b"MXTP01" + data[6:])
    assert "Position + Orientation" in decoder.advice
    decoder.feed(data, 1)
    assert decoder.advice == ""


@given(st.binary(max_size=200), st.booleans(), st.integers(0, 24 + 63 * 32))
def test_any_bytes_are_read_or_counted(data: bytes, named: bool, cut: int) -> None:
    """Nothing raises; whatever pose comes out holds numbers."""
    places, turns = np.zeros((63, 3)), np.tile([1.0, 0, 0, 0], (63, 1))
    whole = encode_frame(1, places, turns)
    poses, _, _ = decode(POSE + data if named else data, whole[:cut], whole[:6] + data + whole[6 + len(data) :])
    assert all(np.isfinite(pose.positions).all() and np.isfinite(pose.rotations).all() for pose in poses)


def test_wrong_settings_are_refused() -> None:
    """A character is a number; the port is this machine's unless one sender is named."""
    with pytest.raises(InputError, match="character"):
        DEVICE.open("", {"character": "Ann"})
    with pytest.raises(InputError, match="from=ADDRESS"):
        DEVICE.open("//0.0.0.0:9763", {})


def mvnx(motion: HumanMotion, *, fingers: bool = True) -> str:
    """The motion as MVN would export it."""
    labels = ["Pelvis", "L5", "L3", "T12", "T8", "Neck", "Head", "RightShoulder", "RightUpperArm", "RightForeArm",
              "RightHand", "LeftShoulder", "LeftUpperArm", "LeftForeArm", "LeftHand", "RightUpperLeg", "RightLowerLeg",
              "RightFoot", "RightToe", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToe"]  # fmt: skip
    places, turns = segments(motion, fingers=True)
    text = ['<?xml version="1.0"?><mvnx version="4" xmlns="http://www.xsens.com/mvn/mvnx">']
    text.append(f'<subject label="A" frameRate="{motion.fps:g}" segmentCount="23"><segments>')
    text += [f'<segment label="{label}" id="{k}"><points/></segment>' for k, label in enumerate(labels, 1)]
    text.append('</segments><frames><frame type="tpose"><orientation>1 0 0 0</orientation></frame>')

    def words(values: np.ndarray) -> str:
        return " ".join(f"{v:.6f}" for v in values.ravel())

    for k in range(len(motion)):
        text.append(f'<frame type="normal" index="{k}">')
        parts = {"": slice(0, 23)} | ({"FingersLeft": slice(23, 43), "FingersRight": slice(43, 63)} if fingers else {})
        for suffix, rows in parts.items():
            text.append(f"<orientation{suffix}>{words(turns[k, rows])}</orientation{suffix}>")
            text.append(f"<position{suffix}>{words(places[k, rows])}</position{suffix}>")
        text.append("</frame>")
    return "\n".join([*text, "</frames></subject></mvnx>"])


@pytest.mark.parametrize("fingers", [False, True])
def test_a_file_comes_back(motion: HumanMotion, tmp_path: Path, fingers: bool) -> None:
    """Every frame, with its rate; calibration frames are left out."""
    path = tmp_path / "take.mvnx"
    path.write_text(mvnx(motion, fingers=fingers))
    read = read_motion(path)
    assert (len(read), read.fps) == (len(motion), motion.fps)
    known = read.rotation_valid[0]
    assert known.sum() == (51 if fingers else 21)
    assert rot.angle_between(read.rotations, motion.rotations)[:, known].max() < 1e-5
    np.testing.assert_allclose(read.positions[:, known], motion.positions[:, known], atol=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("<orientation>", "<orientation>7 ", 2),
        lambda text: text.replace('frameRate="60"', 'frameRate="none"'),
        lambda text: text.replace('frameRate="60"', 'frameRate="0"'),
        lambda text: text.replace('type="normal"', 'type="npose"'),
        lambda text: text.replace("label=", "name="),
        lambda text: '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>' + text.split("?>", 1)[1],
        lambda text: "no xml",
        lambda text: "",
    ],
)
def test_broken_files_are_refused(motion: HumanMotion, tmp_path: Path, change: object) -> None:
    """Each with one line that begins with its name."""
    path = tmp_path / "take.mvnx"
    path.write_text(change(mvnx(motion.frames(slice(0, 3)), fingers=False)))
    with pytest.raises(InputError):
        read_motion(path)
    with pytest.raises(InputError, match="no such file"):
        read_motion(tmp_path / "none.mvnx")
