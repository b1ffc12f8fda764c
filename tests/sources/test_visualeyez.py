"""Visualeyez: markers on described bodies become joints."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import BunrakuError
from bunraku.human import HumanMotion, HumanPose
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.health import Tally
from bunraku.sources.marker_bodies import WornBodies, bodies_motion, read_bodies
from bunraku.sources.marker_sets import Markers
from bunraku.sources.visualeyez import DEVICE, VisualeyezDecoder
from bunraku.sources.visualeyez_fake import datagram, line, marker_places
from sources.wires import through_the_wire

HAND = INDEX["right_hand"]
GLOVES = """
left_hand:
  markers: {2-1: [0.05, 0, 0.02], 2-2: [-0.05, 0, 0.02], 2-3: [0, 0.08, 0.02], 2-4: [0, 0.02, 0.06]}
  place: [0.0, -0.1, 0.0]
  turn: [0.7071068, 0, 0, 0.7071068]
left_forearm: {marker: 2-9}
"""


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who waves."""
    return read_motion("synth:wave?seconds=0.5&fps=100")


@pytest.fixture
def gloves(tmp_path: Path) -> Path:
    """A description of a hand and an elbow."""
    path = tmp_path / "gloves.yaml"
    path.write_text(GLOVES)
    return path


def decoder_of(bodies: str = "cube", *, text: bool = False) -> tuple[Tally, VisualeyezDecoder]:
    """As the device makes it."""
    tally = Tally()
    return tally, VisualeyezDecoder(
        tally, WornBodies(read_bodies(bodies)), text=text, metres=0.001 if text else 1.0, world=rot.IDENTITY
    )


def agree(pose: HumanPose, motion: HumanMotion, row: int, joint: int, metres: float = 1e-6) -> None:
    """Place and turn of a joint."""
    assert pose.position_valid[joint] and pose.rotation_valid[joint]
    np.testing.assert_allclose(pose.positions[joint], motion.positions[row, joint], atol=metres)
    assert np.degrees(rot.angle_between(pose.rotations[joint], motion.rotations[row, joint])) < 1e5 * metres


@pytest.mark.parametrize("options", [{}, {"tcp": ""}])
def test_the_cube_over_the_wire(motion: HumanMotion, options: dict[str, str]) -> None:
    """Both shapes: the right hand is where the cube is."""
    port = 0 if options else 39090
    poses, health = through_the_wire("visualeyez", motion, options, port=port)
    assert health.accepted == len(motion)
    assert not health.rejected
    for row, pose in enumerate(poses):
        agree(pose, motion, row, HAND, 2e-6)
        assert pose.position_valid.sum() == 1


def test_bodies_of_a_file(motion: HumanMotion, gloves: Path) -> None:
    """A body's own frame may stand anyhow in the joint's; a single marker is a place without a turn."""
    worn = read_bodies(str(gloves))
    _, decoder = decoder_of(str(gloves))
    for row in range(0, len(motion), 10):
        (pose,) = decoder.feed(datagram(row + 1.0, marker_places(motion, row, worn)), row)
        agree(pose, motion, row, INDEX["left_hand"])
        elbow = INDEX["left_forearm"]
        np.testing.assert_allclose(pose.positions[elbow], motion.positions[row, elbow], atol=1e-9)
        assert not pose.rotation_valid[elbow]


def test_hidden_markers(motion: HumanMotion) -> None:
    """Three suffice; with two, or zeros, or none, the hand is not known and it is said why; then it is back."""
    worn = read_bodies("cube")
    tally, decoder = decoder_of()
    whole = marker_places(motion, 0, worn)
    three = dict(list(whole.items())[:3])
    (pose,) = decoder.feed(datagram(1.0, three), 1)
    agree(pose, motion, 0, HAND)
    zeros = {name: np.zeros(3) if k else place for k, (name, place) in enumerate(whole.items())}
    for k, hidden in enumerate((dict(list(whole.items())[:2]), zeros, {})):
        (pose,) = decoder.feed(datagram(2.0 + k, hidden), 2 + k)
        assert not pose.position_valid.any() and not pose.rotation_valid.any()
        assert "markers seen, 3 are needed" in decoder.advice
    (pose,) = decoder.feed(datagram(9.0, whole), 9)
    agree(pose, motion, 0, HAND)
    assert not decoder.advice
    assert tally.accepted == 5


def test_text_in_pieces(motion: HumanMotion) -> None:
    """Cut anywhere, lines come whole; one that never ends is counted and forgotten."""
    worn = read_bodies("cube")
    tally, decoder = decoder_of(text=True)
    stream = b"".join(line(marker_places(motion, row, worn)) for row in range(5))
    poses = [pose for at in range(0, len(stream), 7) for pose in decoder.feed(stream[at : at + 7], at)]
    assert len(poses) == 5
    for row, pose in enumerate(poses):
        agree(pose, motion, row, HAND, 2e-6)
    decoder.feed(b"1 " * 40000, 0)
    assert tally.rejected == {"line that does not end": 1}
    assert len(decoder.feed(line(marker_places(motion, 0, worn)), 0)) == 1


def test_late_frames(motion: HumanMotion) -> None:
    """Stamps only grow; one that is a second or more back is another session."""
    tally, decoder = decoder_of()
    places = marker_places(motion, 0, read_bodies("cube"))
    for stamp in (5.0, 5.01, 5.01, 5.0, 1.0, 1.01):
        decoder.feed(datagram(stamp, places), 0)
    assert (tally.accepted, tally.rejected) == (4, {"late or sent twice": 2})


@pytest.mark.parametrize(
    "data",
    [b"", b"1234567", bytes(9), bytes(8 + 39), struct.pack("<6d", float("nan"), 1, 1, 0, 0, 1), bytes(8 + 40 * 600),
     struct.pack("<6d", 1, 1.5, 1, 0, 0, 1), struct.pack("<6d", 1, -1, 1, 0, 0, 1),
     struct.pack("<6d", 1, 1e300, 1, 0, 0, 1)],
)  # fmt: skip
def test_what_is_no_frame_is_counted(data: bytes) -> None:
    """Nothing raises."""
    tally, decoder = decoder_of()
    assert decoder.feed(data, 0) == []
    assert tally.rejected == {"datagram that is no frame of markers": 1}


@given(st.lists(st.floats(), max_size=60), st.booleans())
def test_any_numbers_are_read_or_counted(values: list[float], text: bool) -> None:
    """Nothing raises; poses hold numbers."""
    _, decoder = decoder_of(text=text)
    data = " ".join(map(str, values)).encode() + b"\n" if text else np.array(values, "<f8").tobytes()
    for pose in decoder.feed(data, 0):
        assert np.isfinite(pose.positions).all() and np.isfinite(pose.rotations).all()


@given(st.binary(max_size=200))
def test_any_text_is_read_or_counted(data: bytes) -> None:
    """Nothing raises."""
    decoder_of(text=True)[1].feed(data, 0)


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "no bodies"), ("[1]", "no bodies"), ("{", "no YAML"), ("tail: {marker: 1}", "unknown joint 'tail'"),
        ("head: 3", "it needs"), ("head: {markers: {a: [0, 0, 0]}}", "3 markers at least"),
        ("head: {markers: {a: [0, 0], b: 1, c: x}}", "three numbers"), ("head: {markers: 1, x: 2}", "it needs"),
        ("head: {markers: {a: [0,0,0], b: [1,0,0], c: [0,1,0]}, turn: [0,0,0,0]}", "a turn four"),
        ("head: {markers: {a: [0,0,0], b: [1,0,0], c: [0,1,0]}, tolerance: -1}", "tolerance"),
        ("head: {markers: {a: [0,0,.nan], b: [1,0,0], c: [0,1,0]}}", "finite"),
    ],
)  # fmt: skip
def test_descriptions_that_are_none(tmp_path: Path, text: str, words: str) -> None:
    """One line that says what is wrong, and where."""
    path = tmp_path / "bodies.yaml"
    path.write_text(text)
    with pytest.raises(BunrakuError, match=words) as error:
        read_bodies(str(path))
    assert "\n" not in str(error.value)


def test_wrong_settings_are_refused() -> None:
    """With what would be right."""
    for options, words in (({"bodies": "nowhere.yaml"}, "cube"), ({"up": "w"}, "Valid: x, y, z"),
                           ({"facing": "up"}, "Valid: x, y"), ({"unit": "league"}, "league")):  # fmt: skip
        with pytest.raises(BunrakuError, match=words):
            DEVICE.open("//127.0.0.1:9090", options)
    with pytest.raises(BunrakuError, match="from=ADDRESS"):
        DEVICE.open("//0.0.0.0:9090", {})


def test_bodies_in_a_recording(motion: HumanMotion, gloves: Path) -> None:
    """The same description for markers of a file, in a world whose y is up; hidden frames are not known."""
    worn = read_bodies(str(gloves))
    frames = [marker_places(motion, row, worn) for row in range(len(motion))]
    names = tuple(frames[0])
    places = np.array([[frame[name] for name in names] for frame in frames])
    from bunraku.sources.measure import WORLD_FROM_FILE

    places = rot.rotate(rot.inverse(WORLD_FROM_FILE["y"]), places)
    places[3, :2] = np.nan
    result = bodies_motion(Markers(names, places), worn, 100.0, "gloves", WORLD_FROM_FILE["y"])
    hand = INDEX["left_hand"]
    assert not result.position_valid[3, hand] and not result.rotation_valid[3, hand]
    seen = result.position_valid[:, hand]
    assert seen.sum() == len(motion) - 1
    np.testing.assert_allclose(result.positions[seen, hand], motion.positions[seen, hand], atol=1e-6)
    assert np.degrees(rot.angle_between(result.rotations[seen, hand], motion.rotations[seen, hand])).max() < 0.1
    with pytest.raises(BunrakuError, match="none of the bodies"):
        bodies_motion(Markers(("A",), places[:, :1]), worn, 100.0, "other", rot.IDENTITY)


def test_bodies_of_a_trc_file(motion: HumanMotion, gloves: Path, tmp_path: Path) -> None:
    """`trc:FILE?bodies=FILE`."""
    worn = read_bodies(str(gloves))
    frames = [marker_places(motion, row, worn) for row in range(3)]
    names = tuple(frames[0])
    rows = [
        f"{k + 1}\t{k / 100}\t" + "\t".join(f"{1000 * v:.5f}" for n in names for v in f[n])
        for k, f in enumerate(frames)
    ]
    head = ["PathFileType\t4\t(X/Y/Z)\tx.trc", "DataRate\tNumFrames\tNumMarkers\tUnits", f"100\t3\t{len(names)}\tmm",
            "Frame#\tTime\t" + "\t\t\t".join(names), "\t\tX1\tY1\tZ1", ""]  # fmt: skip
    path = tmp_path / "x.trc"
    path.write_text("\n".join([*head, *rows]) + "\n")
    result = read_motion(f"trc:{path}?bodies={gloves}")
    hand = INDEX["left_hand"]
    assert result.position_valid[:, hand].all()
    np.testing.assert_allclose(result.positions[:, hand], motion.positions[:3, hand], atol=1e-5)
