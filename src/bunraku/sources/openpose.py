"""OpenPose's folders of JSON files: finished ones as recordings, and ones that are still being written, live."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion, on_ground
from bunraku.sources.camera_person import motion_of
from bunraku.sources.landmarks import COUNT
from bunraku.sources.live import Device, Source
from bunraku.sources.openpose_folder import OpenPoseFolder
from bunraku.sources.openpose_frames import OPTIONS, FrameReader, Setup, files_of, setup
from bunraku.sources.played import OPTIONS as PLAYED
from bunraku.sources.played import PlayedSource
from bunraku.sources.source import Recording, number

MAX_FRAMES = 1_000_000
_MOST_HOLES = 10
"""times as many numbers as files: then numbers are no count of frames"""
_YES = ("yes", "no")


def read_openpose(rest: str, options: Mapping[str, str]) -> HumanMotion:
    """A finished folder."""
    given = setup(rest, options)
    files = files_of(given)
    if not files:
        raise InputError(f"{given.folders[0]}: no files of keypoints (NAME_000000000000_keypoints.json)")
    first, last = min(files), max(files)
    if last - first + 1 > _MOST_HOLES * len(files):
        files, first, last = dict(enumerate(files.values())), 0, len(files) - 1
    if last - first + 1 > MAX_FRAMES:
        raise InputError(f"{given.folder}: {last - first + 1} frames; at most {MAX_FRAMES} are read")
    reader = FrameReader(given)
    nobody: tuple[list[None], None] = ([None] * len(given.folders), None)
    views = []
    for frame in range(first, last + 1):
        paths, depth = files.get(frame, nobody)
        views.append((reader.views(paths), depth))
    if given.kind == "flat":
        for (seen, *_), _depth in views:
            if seen is not None:
                reader.flat.learn(seen)
    placed = [reader.place(seen, depth) for seen, depth in views]
    unseen = np.zeros((COUNT, 3)), np.zeros(COUNT, bool)
    notes = [*_how(given), *_what(reader, sum(one is None for one in placed), len(placed))]
    if all(one is None for one in placed):
        raise InputError(f"{given.folder}: nobody is seen in {len(placed)} frames" + _because(reader))
    return motion_of(
        [unseen if one is None else one for one in placed],
        given.kind,
        fps=given.fps,
        name=given.folder.name,
        notes=notes,
    )


def _how(given: Setup) -> list[str]:
    """What the places are worth."""
    if given.cameras:
        return [f"{len(given.cameras)} calibrated cameras, triangulated"]
    if given.depth:
        return ["lifted by depth: joints lie on the skin that the camera sees"]
    return [
        f"one camera without depth: placed in a plane that faces it, at the scale of a person of {given.height:g} m"
    ]


def _what(reader: FrameReader, unseen: int, frames: int) -> list[str]:
    notes = [f"the person is not seen in {unseen} of {frames} frames"] if unseen else []
    others = sum(lock.others for lock in reader.locks)
    if others:
        notes.append(f"others in the picture were left out ({others} times)")
    return notes + [f"{count} times: {reason}" for reason, count in sorted(reader.rejected.items())]


def _because(reader: FrameReader) -> str:
    return "".join(f"; {count} times: {reason}" for reason, count in sorted(reader.rejected.items()))


def _open(rest: str, options: Mapping[str, str]) -> Source:
    own = {name: value for name, value in options.items() if name in OPTIONS}
    live = options.get("live", "no")
    if live not in _YES:
        raise UnknownNameError("live", live, _YES)
    if live == "yes":
        return OpenPoseFolder(setup(rest, own))
    speed = number(options, "speed")
    motion = read_openpose(rest, own)
    return PlayedSource(on_ground(motion), loop=options.get("loop", "no"), speed=1.0 if speed is None else speed)


SOURCE = Recording(
    scheme="openpose",
    summary="OpenPose's JSON files: with depth, with several cameras, or flat",
    example="openpose:output_jsons?fps=30&depth=depth",
    options=MappingProxyType(OPTIONS),
    read=read_openpose,
)
DEVICE = Device(
    scheme="openpose",
    summary="OpenPose, while it writes its JSON files; finished ones are played",
    example="openpose:output_jsons?live=yes",
    options=MappingProxyType({**OPTIONS, **PLAYED, "live": "yes: follow a folder that is being written (default no)"}),
    open=_open,
    priorities={"left_hand": 5, "right_hand": 5},
)
