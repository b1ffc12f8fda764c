"""A stand-in for OpenPose: any motion seen by cameras, as the JSON files that it would write."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, OutputError
from bunraku.files import whole_file
from bunraku.human import HumanMotion
from bunraku.human.depth import Pinhole
from bunraku.human.skeleton import SIDES
from bunraku.sources.calibrated import Camera
from bunraku.sources.depth_pictures import CAMERA_HEIGHT_M, write_depth
from bunraku.sources.fake import Fake
from bunraku.sources.landmarks import HANDS, LANDMARKS, WORLD_FROM_CAMERA, landmarks_of
from bunraku.sources.openpose_json import MODELS
from bunraku.sources.source import number

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

AWAY_M = 3.0
"""how far before the person's world the cameras stand"""
_WALL_M = 4.5
_MOST_CAMERAS = 8
_RADIUS = np.array([0.006 if "hand" in name else 0.015 if "wrist" in name else 0.04 for name in LANDMARKS])
"""m, of what is around each landmark"""


def ring(count: int, camera: Pinhole) -> tuple[Camera, ...]:
    """Level cameras on an arc before the person, each looking at where they stand."""
    out = []
    K = np.array([[camera.fx, 0.0, camera.cx], [0.0, camera.fy, camera.cy], [0.0, 0.0, 1.0]])
    for k, angle in enumerate(np.linspace(-0.6, 0.6, count) if count > 1 else [0.0]):
        place = np.array([AWAY_M * np.cos(angle), AWAY_M * np.sin(angle), CAMERA_HEIGHT_M])
        turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
        R = (turn @ WORLD_FROM_CAMERA).T
        name = f"cam{k + 1:02d}"
        out.append(Camera(name=name, folder=name, K=K, R=R, t=-R @ place, distortion=np.zeros(5)))
    return tuple(out)


def frame_of(pixels: Array, known: Flags, model: str = "BODY_25") -> dict[str, object]:
    """The object of a file, for the pixels (K, 2) of one person."""
    count, numbers = MODELS[model]
    body = np.zeros((count, 3))
    for place, row in numbers.items():
        body[place] = [*pixels[row], 0.9] if known[row] else 0.0
    person: dict[str, object] = {"person_id": [-1], "pose_keypoints_2d": body.round(3).ravel().tolist()}
    for side in SIDES:
        hand = np.column_stack([pixels[HANDS[side]], np.full(21, 0.9)])
        person[f"hand_{side}_keypoints_2d"] = np.where(known[HANDS[side], None], hand, 0.0).round(3).ravel().tolist()
    return {"version": 1.3, "people": [person]}


def depth_of(camera: Pinhole, in_camera: Array, known: Flags) -> Array:
    """(H, W) m: a wall, and before it a patch around each landmark; what is nearer hides what is behind."""
    depth = np.full((camera.height, camera.width), _WALL_M + AWAY_M)
    pixels = camera.project(in_camera)
    for k in np.argsort(-in_camera[:, 2]):
        if known[k] and np.isfinite(pixels[k]).all():
            u, v = round(float(pixels[k, 0])), round(float(pixels[k, 1]))
            reach = max(1, round(camera.fx * float(_RADIUS[k]) / float(in_camera[k, 2])))
            depth[max(v - reach, 0) : max(v + reach + 1, 0), max(u - reach, 0) : max(u + reach + 1, 0)] = in_camera[
                k, 2
            ]
    return depth


class OpenPoseFake:
    """It writes files into a folder."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        self._motion, self._camera = motion, Pinhole()
        count = number(options, "cameras") or 1.0
        if count != int(count) or not 1 <= count <= _MOST_CAMERAS:
            raise InputError(f"cameras={count:g}: it must be from 1 to {_MOST_CAMERAS}")
        self._cameras, self._with_depth = ring(int(count), self._camera), "depth" in options
        if count > 1 and self._with_depth:
            raise InputError("openpose: depth is of one camera")
        self._model = options.get("model", "BODY_25")
        if self._model not in MODELS:
            raise InputError(f"model={self._model}: it must be {' or '.join(MODELS)}")
        self._folder = Path(options.get("folder") or tempfile.mkdtemp(prefix="openpose_"))

    def open(self) -> str:
        """Make the folders."""
        self._several = len(self._cameras) > 1
        self._folders = [self._folder / c.folder for c in self._cameras] if self._several else [self._folder]
        try:
            for folder in (*self._folders, *([self._folder / "depth"] if self._with_depth else [])):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot write {self._folder}: {error.strerror}") from None
        extra = ""
        if self._several:
            with whole_file(self._folder / "cameras.json") as path:
                path.write_text(json.dumps({c.name: _table(c) for c in self._cameras}, indent=1))
            extra = f"&cameras={self._folder / 'cameras.json'}"
        elif self._with_depth:
            extra = f"&depth={self._folder / 'depth'}"
        return f"openpose:{self._folder}?live=yes{extra}"

    def waits_on(self) -> Sequence[int]:
        """Nothing."""
        return ()

    def receive(self) -> None:
        """Nothing is said to it."""

    def send(self, frame: int) -> None:
        """One file for each camera; the depth picture comes first."""
        points, known = landmarks_of(self._motion.pose(frame % len(self._motion)))
        for camera, folder in zip(self._cameras, self._folders, strict=True):
            pixels = camera.project(points)
            size = (self._camera.width, self._camera.height)
            inside = known & np.isfinite(pixels).all(axis=1) & (pixels >= 0).all(axis=1) & (pixels < size).all(axis=1)
            if self._with_depth:
                with whole_file(self._folder / "depth" / f"video_{frame:012d}.png") as path:
                    write_depth(path, depth_of(self._camera, points @ camera.R.T + camera.t, known))
            with whole_file(folder / f"video_{frame:012d}_keypoints.json") as path:
                path.write_text(json.dumps(frame_of(np.nan_to_num(pixels), inside, self._model)))

    def close(self) -> None:
        """The files stay."""


def _table(camera: Camera) -> dict[str, object]:
    return {"folder": camera.folder, "K": camera.K.tolist(), "R": camera.R.tolist(), "t": camera.t.tolist()}


FAKE = Fake(
    scheme="openpose",
    summary="OpenPose's JSON files of a motion before one camera or several, with depth if wanted",
    example="bunraku fake openpose --motion synth:walk --option folder=out/openpose --option depth",
    rate_hz=30.0,
    port=0,
    options=MappingProxyType(
        {
            "folder": "where to write (default: a new one)", "depth": "depth pictures too", "cameras": "how many",
            "model": "BODY_25 (default) or COCO_18",
        }
    ),
    make=OpenPoseFake,
)  # fmt: skip
