"""Suits by ROS 1: what the papers' bridges publish becomes poses."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import BunrakuError
from bunraku.human import HumanMotion, HumanPose
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources import open_source, read_motion
from bunraku.sources.axis_neuron_fake import suit_values
from bunraku.sources.fake import find_fake
from bunraku.sources.health import Tally
from bunraku.sources.ros1 import DEVICE, Ros1Decoder, array_message
from bunraku.sources.ros1_fake import SHAPES, arrays

PATIENCE_S = 40.0
PARTS = ("hips", "chest", "left_upper_arm", "left_forearm", "right_hand", "left_shin")


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who walks."""
    return read_motion("synth:walk?seconds=0.5&fps=60")


def decode(packets: list[bytes], **options: str) -> tuple[list[HumanPose], Tally, Ros1Decoder]:
    """All poses."""
    tally = Tally()
    decoder = Ros1Decoder(tally, **options)  # type: ignore[arg-type]
    return [pose for k, packet in enumerate(packets) for pose in decoder.feed(packet, k)], tally, decoder


def published(motion: HumanMotion, shape: str) -> list[bytes]:
    """Packets as the bridge makes them."""
    rows = suit_values(motion, "legacy", "YXZ", displaced=shape not in ("180", "183"))
    return [
        b"D" + bytes([topic]) + b"d" + array_message(values)
        for row in rows
        for topic, values in enumerate(arrays(row, shape))
    ]


def agree(poses: list[HumanPose], motion: HumanMotion) -> None:
    """Turns of the body, to a hundredth of a degree."""
    for row, pose in enumerate(poses):
        for part in PARTS:
            joint = INDEX[part]
            assert pose.rotation_valid[joint]
            assert np.degrees(rot.angle_between(pose.rotations[joint], motion.rotations[row, joint])) < 0.01


@pytest.mark.parametrize("shape", SHAPES)
def test_all_lengths(motion: HumanMotion, shape: str) -> None:
    """Poses come back from every shape."""
    poses, tally, _ = decode(published(motion, shape))
    assert len(poses) == len(motion)
    assert not tally.rejected
    agree(poses, motion)


def test_single_precision(motion: HumanMotion) -> None:
    """As the InMoov's authors send it."""
    (values,) = arrays(suit_values(motion, "legacy", "YXZ", displaced=False)[0], "183")
    wide = array_message(values)
    narrow = wide[: len(wide) - 8 * len(values)] + values.astype("<f4").tobytes()
    poses, _, _ = decode([b"D\x00f" + narrow])
    agree(poses, motion)


def test_without_reference_the_last_six_are_stale(motion: HumanMotion) -> None:
    """Then 360 values begin with the hips; the legs tell."""
    rows = suit_values(motion, "legacy", "YXZ", displaced=True)
    poses, _, _ = decode([b"D\x00d" + array_message(np.concatenate([row, np.full(6, 77.0)])) for row in rows])
    assert len(poses) == len(motion)
    agree(poses, motion)
    flat = b"D\x00d" + array_message(np.zeros(360))
    poses, tally, _ = decode([flat])
    assert not poses
    assert "reference=yes" in next(iter(tally.rejected))
    poses, _, _ = decode([flat], reference="yes")
    assert len(poses) == 1


def test_a_part_that_is_missing(motion: HumanMotion) -> None:
    """Two thirds of a frame are none; the next whole one is."""
    packets = published(motion, "3x120")[:9]
    del packets[4]
    poses, tally, _ = decode(packets)
    assert len(poses) == 2
    assert tally.lost == 1


@pytest.mark.parametrize(
    "packet",
    [b"", b"D", b"D\x00", b"D\x09d", b"D\x00x" + bytes(20), b"D\x00d" + b"\xff" * 40, b"D\x00d" + bytes(12),
     b"D\x00d" + array_message(np.full(180, np.nan)), b"D\x00d" + array_message(np.full(180, 1e30)),
     b"D\x00d" + array_message(np.zeros(179)), b"D\x00d" + array_message(np.zeros(180))[:-1]],
)  # fmt: skip
def test_what_is_no_frame_is_counted(packet: bytes) -> None:
    """Nothing raises."""
    poses, tally, _ = decode([packet])
    assert not poses
    assert sum(tally.rejected.values()) == 1


@given(st.binary(max_size=100))
def test_any_packet_is_read_or_counted(data: bytes) -> None:
    """Nothing raises."""
    decode([data, b"D\x00d" + data, b"E" + data])


def test_wrong_settings_are_refused() -> None:
    """With what would be right."""
    for rest, options in (("", {"rotation": "XYX"}), ("", {"skeleton": "x"}), ("", {"reference": "x"}),
                          ("data", {}), ("/a b", {}), ("/ä", {})):  # fmt: skip
        with pytest.raises(BunrakuError, match=r"Valid|ros1:/perception"):
            DEVICE.open(rest, options)


def has_ros() -> bool:
    """Whether Debian's packages are there."""
    python = shutil.which("python3", path="/usr/bin")
    command = [python or "false", "-c", "import rospy, rosgraph, std_msgs"]
    return shutil.which("rosmaster") is not None and subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.slow
def test_through_a_real_master(motion: HumanMotion, monkeypatch: pytest.MonkeyPatch) -> None:
    """Published, heard, decoded; a master that is not there yet is waited for, and its absence is told."""
    if not has_ros():
        pytest.skip("ROS 1 is not on this machine: ./dev ros")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    monkeypatch.setenv("ROS_MASTER_URI", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("ROS_IP", "127.0.0.1")
    source = open_source("ros1:/perception_neuron/data_1")
    device = find_fake("ros1").make(motion, "", 0, {})
    source.open(1)
    device.open()
    master = None
    begun, frame, now = time.monotonic(), 0, 1
    poses: list[HumanPose] = []
    try:
        while len(poses) < 20:
            assert time.monotonic() - begun < PATIENCE_S, source.health(now)
            if master is None and "no ROS master answers" in source.health(now).reason:
                command = [str(shutil.which("rosmaster")), "--core", "-p", str(port)]
                master = subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
                )
            now += 16_000_000
            device.send(frame % 3)
            frame += 1
            time.sleep(0.016)
            before = source.latest(now)
            source.receive(now)
            newest = source.latest(now)
            if newest is not None and newest is not before:
                poses.append(newest)
        assert source.health(now).connected
        joint = INDEX["left_upper_arm"]
        for pose in poses:
            near = [
                np.degrees(rot.angle_between(pose.rotations[joint], motion.rotations[row, joint])) for row in range(3)
            ]
            assert min(near) < 0.01
    finally:
        source.close()
        device.close()
        if master is not None:
            os.killpg(master.pid, signal.SIGTERM)
            master.wait(10)
