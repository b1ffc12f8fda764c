"""Cameras: a webcam, a video, or colour with depth, seen by MediaPipe in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.human import HumanMotion, HumanPose
from bunraku.sources.camera_person import Kind, level, motion_of
from bunraku.sources.camera_pictures import DepthFolder, Picture, pictures_of
from bunraku.sources.camera_wire import SIZE, Message
from bunraku.sources.camera_worker import Sees
from bunraku.sources.health import Health, Tally
from bunraku.sources.landmarks import COUNT
from bunraku.sources.live import Device, Source
from bunraku.sources.person_lock import PictureLock
from bunraku.sources.source import Recording, number

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

OPTIONS = MappingProxyType(
    {"tilt": "degrees that the camera looks down", "roll": "degrees that it is turned clockwise"}
)
_MOST_BYTES = 1 << 16
_ENDS_S = 2.0
_MAX_FRAMES = 200_000


class CameraSource:
    """A `Source`: the newest pose of a camera's process."""

    def __init__(self, command: Sequence[str]) -> None:
        """`command` starts the process, which writes messages of `camera_wire` to its standard output."""
        self._command = tuple(command)
        self._tally = Tally()
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self._newest: HumanPose | None = None
        self._reason = "not open"
        self._number = -1
        self._epoch = 0

    def open(self, now_ns: int) -> None:
        """Start the process; it loads its models for some seconds."""
        self._process = subprocess.Popen(  # noqa: S603
            self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._reason = "the camera's process is starting"

    def waits_on(self) -> Sequence[int]:
        """The pipe."""
        process = self._process
        return () if process is None or process.stdout is None else (process.stdout.fileno(),)

    def receive(self, now_ns: int) -> None:
        """What the process told."""
        if self._process is None or self._process.stdout is None:
            return
        try:
            data = os.read(self._process.stdout.fileno(), _MOST_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._ended()
            return
        self.feed(data, now_ns)

    def feed(self, data: bytes, now_ns: int) -> None:
        """Messages, or parts of them."""
        data = self._rest + data
        whole = len(data) // SIZE * SIZE
        self._rest = data[whole:]
        for begin in range(0, whole, SIZE):
            try:
                message = Message(data[begin : begin + SIZE], now_ns)
            except ValueError as error:
                self._tally.reject(str(error))
                continue
            self._take(message, now_ns)

    def _take(self, message: Message, now_ns: int) -> None:
        if message.number > self._number + 1:
            self._tally.lose(min(message.number - self._number - 1, 1000))
        self._number = message.number
        if message.epoch != self._epoch:
            self._epoch = message.epoch
            self._tally.jump()
        self._reason = message.words
        if message.pose is not None:
            self._tally.accept(now_ns)
            self._newest = message.pose

    def _ended(self) -> None:
        """The reason that it gave stays."""
        process, self._process = self._process, None
        if process is not None:
            code = _wait(process)
            self._reason = self._reason if code in (0, 2) and self._reason else f"the camera's process ended ({code})"

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest pose, of any age."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """Connected while somebody is seen."""
        return self._tally.health(now_ns, connected=not self._reason, reason=self._reason)

    def close(self) -> None:
        """The process ends."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            _wait(process)
            self._reason = "closed"


def _wait(process: subprocess.Popen[bytes]) -> int:
    if process.stdout is not None:
        process.stdout.close()
    with suppress(subprocess.TimeoutExpired):
        return process.wait(_ENDS_S)
    process.kill()
    return process.wait()


def angles(options: Mapping[str, str]) -> tuple[float, float]:
    """Tilt and roll, checked."""
    tilt, roll = (number(options, name) or 0.0 for name in ("tilt", "roll"))
    if max(abs(tilt), abs(roll)) > 180:
        raise InputError("tilt and roll are from -180 to 180 degrees")
    return tilt, roll


def _device(kind: str, summary: str, example: str) -> Device:
    def start(where: str, options: Mapping[str, str]) -> Source:
        pictures_of(kind, where).close()
        tilt, roll = angles(options)
        ends = kind == "video" or (kind == "rgbd" and where != "realsense")
        if ends and not Path(where).exists():
            raise InputError(f"{where}: no such file or folder")
        told = {"kind": kind, "where": where, "tilt": tilt, "roll": roll, "ends": ends}
        return CameraSource([sys.executable, "-m", "bunraku.sources.camera_worker", json.dumps(told)])

    return Device(
        scheme=kind, summary=summary, example=example, options=OPTIONS, open=start,
        priorities={"left_hand": 5, "right_hand": 5},
    )  # fmt: skip


CAMERA = _device("camera", "a webcam, by MediaPipe: body and hands, guessed in three dimensions", "camera:0?tilt=10")
VIDEO = _device("video", "a video file, as if it were a camera", "video:me.mp4")
RGBD = _device("rgbd", "colour with registered depth: a RealSense, its recording, or a folder", "rgbd:realsense")


def _read(kind: str, where: str, options: Mapping[str, str]) -> HumanMotion:
    """Every picture of a file, however long it takes."""
    from bunraku.sources.mediapipe_detector import Detector

    tilt, roll = angles(options)
    fps = number(options, "fps")
    if fps is not None and not 1 <= fps <= 1000:
        raise InputError(f"fps={fps:g}: it must be from 1 to 1000")
    if kind == "rgbd" and where == "realsense":
        raise InputError("rgbd:realsense: a camera has no end; it is a source of: bunraku run, bunraku sources watch")
    pictures = pictures_of(kind, where)
    if kind == "rgbd" and fps is None and Path(where).is_dir():
        fps = DepthFolder.read(Path(where)).fps
    first = next(pictures, None)
    if first is None:
        raise InputError(f"{kind}:{where}: it holds no pictures")
    with closing(Detector()) as detector:
        frames, times = _frames(where, chain([first], pictures), detector, level(tilt, roll))
    empty = sum(not known.any() for _, known in frames)
    if empty == len(frames):
        raise InputError(f"{where}: nobody is seen in {len(frames)} pictures")
    how: Kind = "measured" if kind == "rgbd" else "guessed"
    notes = ["MediaPipe; " + ("lifted by depth" if how == "measured" else "depth is its guess, the hips stay in place")]
    if empty:
        notes.append(f"the person is not seen in {empty} of {len(frames)} pictures")
    return motion_of(frames, how, fps=fps or _rate(times), name=Path(where).stem, notes=notes)


def _frames(
    where: str, pictures: Iterable[Picture], detector: Sees, turn: Array
) -> tuple[list[tuple[Array, Flags]], list[float]]:
    """Landmarks in the world, picture by picture, and when each was taken, s."""
    lock, nobody = PictureLock(), (np.zeros((COUNT, 3)), np.zeros(COUNT, bool))
    frames: list[tuple[Array, Flags]] = []
    times: list[float] = []
    stamp_ms = -1
    for picture in pictures:
        if len(frames) >= _MAX_FRAMES:
            raise InputError(f"{where}: more than {_MAX_FRAMES} pictures")
        times.append(picture.time_s or 0.0)
        stamp_ms = max(round(times[-1] * 1000), stamp_ms + 1)
        detected = detector.see(picture.colours, stamp_ms)
        seen = detected.in_picture(picture.colours.shape[1], picture.colours.shape[0])
        if lock.choose([seen] if seen.known.any() else []) is None:
            frames.append(nobody)
            continue
        points, known = detected.in_world(picture)
        frames.append((points @ turn.T, known))
    return frames, times


def _rate(times: Sequence[float]) -> float:
    """Pictures per second, by the median interval."""
    steps = np.diff(times)
    step = float(np.median(steps)) if len(steps) else 0.0
    return 1.0 / step if step > 1e-4 else 30.0


_FPS = MappingProxyType({**OPTIONS, "fps": "frames per second (default: the file's)"})
VIDEO_FILE = Recording(
    scheme="video", summary="a video of one person, by MediaPipe", example="video:me.mp4?tilt=10", options=_FPS,
    read=lambda rest, options: _read("video", rest, options), suffixes=(".mp4", ".mov", ".mkv", ".webm", ".avi"),
)  # fmt: skip
RGBD_FILE = Recording(
    scheme="rgbd", summary="colour with depth: a folder of pictures, or a RealSense's .bag", example="rgbd:recording",
    options=_FPS, read=lambda rest, options: _read("rgbd", rest, options),
)  # fmt: skip
