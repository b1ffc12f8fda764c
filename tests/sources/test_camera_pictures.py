"""Pictures from files: videos, and folders of colour and depth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from bunraku.errors import InputError, MissingPackageError
from bunraku.sources.camera_pictures import DepthFolder, pictures_of, realsense, video
from shared import data, need
from sources.rgbd import CAMERA, folder


def test_colour_and_depth_by_number(tmp_path: Path) -> None:
    """Pictures of one number belong together; one without the other, or of another size, is left out."""
    place = folder(tmp_path)
    (place / "depth" / "000001.png").unlink()
    Image.fromarray(np.zeros((9, 9, 3), np.uint8)).save(place / "color" / "000002.png")
    seen = list(pictures_of("rgbd", str(place)))
    assert [(int(p.colours[0, 0, 0]), p.time_s) for p in seen] == [(0, 0.0), (3, 3 / 15)]
    assert seen[1].depth is not None and seen[1].camera is not None
    assert seen[1].depth[5, 5] == pytest.approx(4.0)
    assert (seen[1].camera.fx, seen[1].camera.width) == (60.0, 64)


def test_a_video_is_read() -> None:
    """Pictures in order, RGB, contiguous, times from zero."""
    path = need(data("video/sign*.mp4"))[0]
    pytest.importorskip("av")
    seen = list(video(path))
    assert len(seen) == 58
    assert seen[0].time_s == 0
    assert all(p.colours.flags.c_contiguous and p.colours.shape == (720, 540, 3) for p in seen)
    assert np.all(np.diff([p.time_s or 0.0 for p in seen]) > 0)


def test_without_the_package_it_is_named() -> None:
    """RealSense's package is asked for by the line that installs it."""
    try:
        import pyrealsense2  # noqa: F401
    except ImportError:
        with pytest.raises(MissingPackageError, match=r"bunraku\[realsense\]"):
            next(realsense())
    else:
        with pytest.raises(InputError):
            next(realsense(Path("nowhere.bag")))


@given(st.binary(max_size=200))
def test_any_description_is_a_camera_or_refused(tmp_path_factory: pytest.TempPathFactory, junk: bytes) -> None:
    """Nothing but an InputError."""
    place = tmp_path_factory.mktemp("r")
    (place / "camera.json").write_bytes(junk)
    with pytest.raises(InputError):
        DepthFolder.read(place)


@given(st.fixed_dictionaries({n: st.none() | st.floats() | st.text(max_size=2) | st.integers() for n in CAMERA}))
def test_any_numbers_are_a_camera_or_refused(tmp_path_factory: pytest.TempPathFactory, told: dict) -> None:
    """Sizes and angles that no camera has."""
    place = tmp_path_factory.mktemp("r")
    (place / "camera.json").write_text(json.dumps(told))
    try:
        camera = DepthFolder.read(place).camera
    except InputError:
        return
    assert camera.fx > 0 and camera.width >= 1


@given(st.binary(max_size=400))
def test_any_bytes_are_no_video(tmp_path_factory: pytest.TempPathFactory, junk: bytes) -> None:
    """Pictures, or an InputError."""
    pytest.importorskip("av")
    path = tmp_path_factory.mktemp("v") / "v.mp4"
    path.write_bytes(junk)
    try:
        list(video(path))
    except InputError:
        return
