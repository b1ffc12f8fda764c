"""A camera's process: pictures to poses, each told through a pipe as soon as it is there.

Run as `python -m bunraku.sources.camera_worker JSON`. It ends with its pictures, or when nobody reads any more.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from bunraku.errors import BunrakuError
from bunraku.human import HumanPose
from bunraku.sources.camera_person import CameraPerson, level
from bunraku.sources.camera_pictures import Colours, Picture, pictures_of
from bunraku.sources.camera_wire import pack
from bunraku.sources.mediapipe_detector import Detected, Detector
from bunraku.sources.person_lock import PictureLock

NOBODY = "nobody in the picture"
_AGAIN_S = 1.0
"""until a camera that is not there is looked for again"""
_LATE_S = 0.1
_GRACE_MS = 1


class Sees(Protocol):
    """A detector."""

    def see(self, colours: Colours, time_ms: int) -> Detected:
        """What is in a picture; times grow."""


@dataclass(eq=False)
class Follower:
    """Pictures of one camera to poses of one person."""

    detector: Sees
    tilt_deg: float = 0.0
    roll_deg: float = 0.0
    epoch: int = 0
    """rises when the person is another one"""
    lock: PictureLock = field(default_factory=PictureLock)
    _person: CameraPerson | None = None
    _changes: int = 0
    _last_ms: int = -1

    def pose(self, picture: Picture, taken_ns: int) -> HumanPose | None:
        """The pose in a picture that was taken at an instant; None where the person is not in it."""
        self._last_ms = max(taken_ns // 1_000_000, self._last_ms + _GRACE_MS)
        detected = self.detector.see(picture.colours, self._last_ms)
        height, width = picture.colours.shape[:2]
        seen = detected.in_picture(width, height)
        if self.lock.choose([seen] if seen.known.any() else []) is None:
            return None
        if self.lock.changes != self._changes or self._person is None:
            self.epoch += self._person is not None
            self._changes = self.lock.changes
            self._person = CameraPerson("guessed" if picture.depth is None else "measured")
        points, known = detected.in_world(picture)
        return self._person.pose(points @ level(self.tilt_deg, self.roll_deg).T, known, stamp_ns=taken_ns)


def follow(
    pictures: Iterator[Picture], follower: Follower, send: Callable[[bytes], None], *, number: int = 0,
    clock: Callable[[], int] = time.monotonic_ns, wait: Callable[[float], None] = time.sleep,
) -> int:  # fmt: skip
    """Until the pictures end; those of a file come at their own pace from the second on (with the first one models
    are made ready), and late ones are left out. Returns the number of the next message."""
    begun: int | None = None
    for picture in pictures:
        if picture.time_s is not None and begun is not None:
            early = picture.time_s - (clock() - begun) / 1e9
            if early > 0:
                wait(early)
            elif early < -_LATE_S:
                continue
        taken = clock()
        pose = follower.pose(picture, taken)
        send(pack(number, follower.epoch, taken, pose, "" if pose is not None else NOBODY))
        number += 1
        begun = clock() - round((picture.time_s or 0.0) * 1e9) if begun is None else begun
    return number


def main(argument: str) -> int:
    """The process."""
    pipe = os.dup(1)
    os.dup2(2, 1)  # what libraries print goes elsewhere
    os.set_blocking(pipe, False)

    def send(data: bytes) -> None:
        try:
            os.write(pipe, data)
        except BlockingIOError:
            return  # whoever reads is behind, and wants the newest anyway

    told = json.loads(argument)
    number = 0
    try:
        follower = Follower(Detector(), tilt_deg=told["tilt"], roll_deg=told["roll"])
        while True:
            words = "the recording has ended"
            try:
                number = follow(pictures_of(told["kind"], told["where"]), follower, send, number=number)
                words = words if told["ends"] else "the camera gives no more pictures"
            except BunrakuError as error:
                words = str(error)
            send(pack(number, follower.epoch, time.monotonic_ns(), None, words))
            number += 1
            if told["ends"]:
                return 0
            time.sleep(_AGAIN_S)
    except BunrakuError as error:
        send(pack(number, 0, time.monotonic_ns(), None, str(error)))
        return 2
    except BrokenPipeError:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
