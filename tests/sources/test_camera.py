"""A camera's process and its source: messages, pace, loss, and what happens when the process ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.human import HumanMotion, HumanPose
from bunraku.human.depth import Pinhole
from bunraku.human.skeleton import INDEX
from bunraku.sources import open_source, read_motion
from bunraku.sources.camera import CameraSource
from bunraku.sources.camera_pictures import Colours, Picture
from bunraku.sources.camera_wire import SIZE, Message, pack
from bunraku.sources.camera_worker import NOBODY, Follower, follow
from bunraku.sources.landmarks import WORLD_FROM_CAMERA, landmarks_of
from bunraku.sources.mediapipe_detector import Detected
from bunraku.sources.mediapipe_landmarks import _NUMBERS, _ROWS, POSE_POINTS
from bunraku.sources.openpose_fake import AWAY_M, depth_of, ring
from bunraku.testing import check_source
from sources.rgbd import folder

BLACK = np.zeros((48, 64, 3), np.uint8)
WRITER = """
import sys, time
from bunraku.sources import read_motion
from bunraku.sources.camera_wire import pack
out = sys.stdout.buffer
for number, pose in enumerate(read_motion("synth:wave?seconds=0.2&fps=50")):
    out.write(pack(number, 0, number, pose))
    out.flush()
    time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who waves."""
    return read_motion("synth:wave?seconds=0.5&fps=20")


class Seen:
    """A detector that knows what is in the pictures."""

    def __init__(self, motion: HumanMotion, hidden: frozenset[int] = frozenset()) -> None:
        self._poses, self._hidden, self.times = list(motion), hidden, list[int]()

    def see(self, colours: Colours, time_ms: int) -> Detected:
        """The next pose as MediaPipe would tell it."""
        frame = len(self.times)
        self.times.append(time_ms)
        if frame in self._hidden:
            return Detected(None, None, {}, {})
        points, _ = landmarks_of(self._poses[frame % len(self._poses)])
        world = np.zeros((POSE_POINTS, 4))
        world[_NUMBERS, :3], world[:, 3] = (points @ WORLD_FROM_CAMERA)[_ROWS], 1.0
        picture = world.copy()
        picture[:, :2] = (world[:, :2] + [1.0, 2.5]) / 3.0
        hands: Mapping[str, np.ndarray] = {}
        return Detected(picture, world, hands, hands)


def pictures(count: int, step_s: float | None = 0.05) -> Iterator[Picture]:
    """Black ones."""
    return (Picture(BLACK, None if step_s is None else k * step_s) for k in range(count))


def test_messages_come_back(motion: HumanMotion) -> None:
    """Positions to float32, turns unit, flags, words; below what a pipe takes whole."""
    pose = motion.pose(3)
    told = Message(pack(7, 2, 55, pose), 99)
    assert (told.number, told.epoch, told.words) == (7, 2, "")
    assert told.pose is not None
    assert (told.pose.stamp_ns, told.pose.received_ns) == (55, 99)
    np.testing.assert_allclose(told.pose.positions, pose.positions, atol=1e-6)
    np.testing.assert_array_equal(told.pose.position_valid, pose.position_valid)
    assert Message(pack(0, 0, 0, None, "ä" * 300), 0).pose is None
    assert SIZE <= 4096


def test_a_follower_gives_the_person_back(motion: HumanMotion) -> None:
    """What the detector says becomes a person who stands on the ground with the arm where it was."""
    follower = Follower(Seen(motion))
    sent: list[bytes] = []
    clock = iter(range(0, 10**12, 10**7))
    waited: list[float] = []
    follow(pictures(10), follower, sent.append, clock=lambda: next(clock), wait=waited.append)
    told = [Message(data, 0) for data in sent]
    assert [message.number for message in told] == list(range(10))
    assert all(message.pose is not None for message in told)
    pose, meant = told[-1].pose, motion.pose(9)
    assert isinstance(pose, HumanPose)
    arm = pose.positions[INDEX["left_hand"]] - pose.positions[INDEX["left_upper_arm"]]
    np.testing.assert_allclose(
        arm, meant.positions[INDEX["left_hand"]] - meant.positions[INDEX["left_upper_arm"]], atol=0.02
    )
    assert waited, "a file's pictures come at their own pace"


def test_pictures_that_are_late_are_left_out(motion: HumanMotion) -> None:
    """A detector that needs 200 ms for pictures 50 ms apart sees some, and keeps up."""
    now = [0]

    class Slow(Seen):
        def see(self, colours: Colours, time_ms: int) -> Detected:
            now[0] += 200_000_000
            return super().see(colours, time_ms)

    def wait(seconds: float) -> None:
        now[0] += round(seconds * 1e9)

    sent: list[bytes] = []
    follow(pictures(40), Follower(Slow(motion)), sent.append, clock=lambda: now[0], wait=wait)
    assert 9 <= len(sent) <= 14
    assert now[0] < 2.7e9


def test_depth_lifts_what_the_detector_sees(motion: HumanMotion) -> None:
    """With a depth picture places are measured: a person three metres away, before a wall."""
    camera, view = Pinhole(), ring(1, Pinhole())[0]
    poses = list(motion)

    class InPicture(Seen):
        def see(self, colours: Colours, time_ms: int) -> Detected:
            self.times.append(time_ms)
            pixels = camera.project(landmarks_of(poses[len(self.times) - 1])[0] @ view.R.T + view.t)
            pose = np.zeros((POSE_POINTS, 4))
            pose[_NUMBERS, :2], pose[:, 3] = pixels[_ROWS] / [camera.width, camera.height], 1.0
            return Detected(pose, None, {}, {})

    follower, away = Follower(InPicture(motion)), []
    for k, meant in enumerate(poses):
        points, known = landmarks_of(meant)
        depth = depth_of(camera, points @ view.R.T + view.t, known)
        colours = np.zeros((camera.height, camera.width, 3), np.uint8)
        pose = follower.pose(Picture(colours, None, depth, camera), k * 10**8)
        assert pose is not None
        both = pose.position_valid & meant.position_valid
        away.append(np.linalg.norm(pose.positions - meant.positions + [AWAY_M, 0, 0], axis=1)[both])
    assert np.median(np.concatenate(away)) < 0.01


def test_nobody_is_told(motion: HumanMotion) -> None:
    """A picture without the person is a message with a reason, and no pose."""
    sent: list[bytes] = []
    follow(pictures(6, None), Follower(Seen(motion, frozenset({2, 3}))), sent.append, wait=lambda _: None)
    told = [Message(data, 0) for data in sent]
    assert [message.pose is None for message in told] == [False, False, True, True, False, False]
    assert told[2].words == NOBODY


def test_times_grow_for_the_detector(motion: HumanMotion) -> None:
    """MediaPipe refuses equal times."""
    seen = Seen(motion)
    follower = Follower(seen)
    for _ in range(5):
        follower.pose(Picture(BLACK, None), 1_000_000)
    assert np.all(np.diff(seen.times) > 0)


def test_a_source_reads_its_process() -> None:
    """Poses arrive through the pipe, in order, without waiting; when the process has ended it says so."""
    source = CameraSource([sys.executable, "-c", WRITER])
    assert source.latest(0) is None and source.health(0).reason == "not open"
    source.open(1)
    shown, now, begun = [], 1, time.monotonic()
    while source.waits_on() and time.monotonic() - begun < 60:
        now += 5_000_000
        source.receive(now)
        pose = source.latest(now)
        if pose is not None and (not shown or pose is not shown[-1]):
            assert pose.received_ns <= now
            shown.append(pose)
        time.sleep(0.002)
    health = source.health(now)
    assert health.accepted >= 10
    assert shown and not health.connected
    assert "ended" in health.reason
    source.close()
    source.close()
    source.receive(now + 1)


def test_a_camera_keeps_to_the_rules(motion: HumanMotion, tmp_path: Path) -> None:
    """`check_source` on a process that tells everything at once."""
    told = tmp_path / "told"
    told.write_bytes(b"".join(pack(k, 0, k, motion.pose(k)) for k in range(len(motion))) + b"junk")

    class Patient(CameraSource):
        def receive(self, now_ns: int) -> None:
            time.sleep(0.005)
            super().receive(now_ns)

    assert check_source(lambda: Patient(["cat", str(told)]), seconds=0.5) >= 1


def test_a_process_that_fails_is_told() -> None:
    """It ends with an error before it says anything."""
    source = CameraSource([sys.executable, "-c", "raise SystemExit(3)"])
    source.open(0)
    begun = time.monotonic()
    while source.waits_on() and time.monotonic() - begun < 60:
        source.receive(1)
        time.sleep(0.005)
    assert source.health(2).reason == "the camera's process ended (3)"
    source.close()


def test_lost_and_jumps_are_counted(motion: HumanMotion) -> None:
    """Numbers that are missing, and an epoch that rises."""
    source = CameraSource(["none"])
    for number, epoch in ((0, 0), (1, 0), (4, 0), (5, 1)):
        source.feed(pack(number, epoch, 0, motion.pose(0)), number)
    health = source.health(9)
    assert (health.accepted, health.lost, health.epoch) == (4, 2, 1)


@given(st.lists(st.binary(max_size=300) | st.just(b"whole") | st.integers(0, SIZE - 1), max_size=8))
def test_any_bytes_are_counted(parts: list[bytes | int]) -> None:
    """Whole messages, parts of them, changed bytes, junk: nothing raises, poses are numbers."""
    whole = pack(1, 0, 0, HumanPose.empty())
    source = CameraSource(["none"])
    for part in parts:
        if isinstance(part, int):
            data = bytearray(whole)
            data[part] ^= 0xFF
            source.feed(bytes(data), 0)
        else:
            source.feed(whole if part == b"whole" else part, 0)
    health = source.health(1)
    assert health.accepted + sum(health.rejected.values()) == health.received
    pose = source.latest(1)
    assert pose is None or (np.isfinite(pose.positions).all() and np.isfinite(pose.rotations).all())


@pytest.mark.parametrize(
    "uri, words",
    [
        ("camera:front", "number"), ("video:nowhere.mp4", "no such file"), ("rgbd:nowhere", "cannot be read"),
        ("video:", "name a file"), ("camera:0?tilt=999", "tilt"), ("rgbd:x.bag", "no such file"),
    ],
)  # fmt: skip
def test_bad_uris_are_refused_at_once(uri: str, words: str) -> None:
    """Before any process is started."""
    with pytest.raises(InputError, match=words):
        open_source(uri)


@pytest.mark.parametrize(
    "uri, words", [("rgbd:realsense", "no end"), ("video:x.mp4?fps=0", "fps"), ("video:x.mp4", "no such")]
)
def test_bad_recordings_are_refused(uri: str, words: str) -> None:
    """Before any model is loaded."""
    with pytest.raises(InputError, match=words):
        read_motion(uri)


def test_without_models_it_is_said_how_to_make_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, also as the source's reason."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    uri = f"rgbd:{folder(tmp_path)}"
    with pytest.raises(InputError, match="doctor --models"):
        read_motion(uri)
    source = open_source(uri)
    source.open(0)
    begun = time.monotonic()
    while source.waits_on() and time.monotonic() - begun < 60:
        source.receive(1)
        time.sleep(0.01)
    assert "doctor --models" in source.health(1).reason
    source.close()
