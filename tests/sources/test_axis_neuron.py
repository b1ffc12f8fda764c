"""Noitom's suits: any motion comes back from the bytes that their programs would send for it."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.axis_neuron import DEVICE, SuitDecoder
from bunraku.sources.axis_neuron_fake import suit_values
from bunraku.sources.bvh import parse_bvh, read_bvh
from bunraku.sources.health import Tally
from bunraku.sources.noitom_skeleton import GENERATIONS, ORDERS, Generation
from bunraku.sources.noitom_wire import encode_frame
from shared import data, need
from sources.wires import through_the_wire


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who conducts."""
    return read_motion("synth:conduct?seconds=1&fps=60")


def decoded(frames: list[bytes], **options: object) -> tuple[list, Tally]:
    """The poses, and what became of everything."""
    tally = Tally()
    decoder = SuitDecoder(tally, **options)
    return [pose for number, frame in enumerate(frames) for pose in decoder.feed(frame, number)], tally


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("order", ORDERS)
def test_a_motion_comes_back(motion: HumanMotion, generation: Generation, order: str) -> None:
    """Whatever the order of rotations and the generation, every joint turns as it did, to the precision of float32."""
    for displaced in (False, True):
        rows = suit_values(motion, generation, order, displaced=displaced)
        frames = [encode_frame(row, number=k, displaced=displaced) for k, row in enumerate(rows)]
        poses, tally = decoded(frames, generation=generation, order=order)
        assert len(poses) == len(motion)
        assert tally.accepted == len(motion)
        known = poses[0].rotation_valid
        assert known.sum() > 40
        turned = np.array([pose.rotations for pose in poses])
        assert rot.angle_between(turned, motion.rotations)[:, known].max() < 1e-4
        hips = np.array([pose.positions[0] for pose in poses])
        assert np.abs(hips - motion.positions[:, 0]).max() < 1e-6


def test_angles_are_read_in_the_order_of_their_name(motion: HumanMotion) -> None:
    """10, 20, 30 with YXZ is the turn that the maker's own library gives: (0.9515, 0.1893, 0.0381, 0.2393)."""
    golden = {
        "YXZ": (0.9515, 0.1893, 0.0381, 0.2393),
        "XYZ": (0.9437, 0.1277, 0.1449, 0.2685),
        "ZXY": (0.9437, 0.1449, 0.2685, 0.1277),
    }
    for order, (w, x, y, z) in golden.items():
        row = np.zeros(180)
        row[3:6] = 10, 20, 30
        (pose,), _ = decoded([encode_frame(row, number=0, displaced=False)], order=order)
        # Theirs in our axes: Z, X, Y become x, y, z.
        np.testing.assert_allclose(np.abs(pose.rotations[0]), np.abs((w, z, x, y)), atol=1e-4)


def test_lost_and_late_frames_are_counted(motion: HumanMotion) -> None:
    """Gaps of the running number are losses; what comes late or twice is not used."""
    rows = suit_values(motion, "legacy", "YXZ", displaced=False)
    numbers = [0, 1, 4, 3, 4, 5]
    poses, tally = decoded([encode_frame(rows[k], number=k, displaced=False) for k in numbers])
    assert len(poses) == 4
    assert tally.lost == 2
    assert tally.rejected == {"late or sent twice": 2}


def test_a_new_session_is_followed(motion: HumanMotion) -> None:
    """A number far back is a program that was started anew, and the counter may run over."""
    rows = suit_values(motion, "legacy", "YXZ", displaced=False)
    for numbers in ([5000, 5001, 0, 1], [2**32 - 2, 2**32 - 1, 0, 1]):
        poses, _ = decoded([encode_frame(rows[0], number=k, displaced=False) for k in numbers])
        assert len(poses) == len(numbers)


def test_one_person_is_followed(motion: HumanMotion) -> None:
    """Of several people the first one, or the one that was named; a name that is not sent says which there are."""
    row = suit_values(motion, "legacy", "YXZ", displaced=False)[0]
    frames = [encode_frame(row + 10 * k, number=0, displaced=False, avatar=k, name=f"Person{k}") for k in (0, 1)]
    first, tally = decoded(frames)
    assert tally.rejected == {"of another person": 1}
    for name in ("Person1", "1"):
        second, _ = decoded(frames, avatar=name)
        assert abs(second[0].positions[0] - first[0].positions[0]).max() > 0.05
    decoder = SuitDecoder(Tally(), avatar="Nobody")
    for frame in frames:
        assert decoder.feed(frame, 0) == []
    assert "Person0, Person1" in decoder.advice


def test_the_new_header_says_what_to_switch(motion: HumanMotion) -> None:
    """Version 2 is not public: the user is told the one setting that helps, until frames can be read."""
    row = suit_values(motion, "studio", "YXZ", displaced=True)[0]
    good = encode_frame(row, number=0, displaced=True)
    decoder = SuitDecoder(Tally(), generation="studio")
    assert decoder.feed(good[:2] + bytes([4, 0, 1, 2]) + good[6:], 0) == []
    assert "Use old header format" in decoder.advice
    assert len(decoder.feed(good, 1)) == 1
    assert decoder.advice == ""


@pytest.mark.parametrize(
    "rest, options, message",
    [
        ("//127.0.0.1:99999", {}, "axis-neuron://HOST:PORT"),
        ("//127.0.0.1:7001", {"rotation": "XXY"}, "Valid: XYZ"),
        ("//127.0.0.1:7001", {"skeleton": "old"}, "Valid: legacy, studio"),
        ("//0.0.0.0:7012", {"udp": ""}, "from=ADDRESS"),
    ],
)
def test_wrong_settings_are_refused(rest: str, options: dict[str, str], message: str) -> None:
    """Each with the settings that would be right."""
    with pytest.raises((InputError, UnknownNameError), match=message):
        DEVICE.open(rest, options)


def test_a_real_recording_streams_as_it_reads() -> None:
    """What the suit's program wrote to a file, sent as it would have been, turns as the file does, to 0.1°."""
    (path,) = need(data("bvh/perception_neuron/axis_neuron_test_nodisp.bvh"))
    file, motion = parse_bvh(path.read_bytes()), read_bvh(path)
    poses, _ = decoded([encode_frame(row, number=k, displaced=False) for k, row in enumerate(file.values)])
    assert len(poses) == len(motion)
    turned = np.array([pose.rotations for pose in poses])
    known = poses[0].rotation_valid & motion.rotation_valid[0]
    assert np.degrees(rot.angle_between(turned, motion.rotations)[:, known].mean(axis=0)).max() < 0.1


@pytest.mark.parametrize("options", [{}, {"text": ""}, {"plain": "", "rotation": "XYZ"}, {"skeleton": "studio"}])
def test_over_tcp(motion: HumanMotion, options: dict[str, str]) -> None:
    """The stand-in speaks the program's protocol; every frame arrives once, and turns as it did."""
    poses, health = through_the_wire("axis-neuron", motion, options)
    assert (health.accepted, health.lost, health.rejected) == (len(motion), 0, {})
    turned = np.array([pose.rotations for pose in poses])
    known = poses[0].rotation_valid
    assert rot.angle_between(turned, motion.rotations)[:, known].max() < 2e-4


def test_over_udp(motion: HumanMotion) -> None:
    """Datagrams of Axis Studio, one frame each."""
    poses, health = through_the_wire("axis-neuron", motion, {"udp": ""}, port=17012)
    assert health.accepted == len(motion)
    assert poses[0].rotation_valid.sum() > 40
