"""Depth pictures in files, and people lifted from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from bunraku.errors import InputError
from bunraku.human.depth import Pinhole
from bunraku.sources.depth_pictures import CAMERA_HEIGHT_M, lifted, pinhole, read_depth, write_depth
from bunraku.sources.landmarks import COUNT, Landmarks


def test_millimetres_come_back(tmp_path: Path) -> None:
    """Zero is unknown."""
    depth = np.random.default_rng(0).uniform(0.5, 8, (48, 64))
    depth[3, 4] = np.nan
    write_depth(tmp_path / "d.png", depth)
    back = read_depth(tmp_path / "d.png")
    assert not isinstance(back, str)
    assert np.isnan(back[3, 4])
    np.testing.assert_allclose(back, depth, atol=0.0006)


def test_what_is_no_depth_is_told(tmp_path: Path) -> None:
    """A photograph, a text, nothing."""
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(tmp_path / "rgb.png")
    (tmp_path / "text.png").write_text("no")
    assert "16 bits" in str(read_depth(tmp_path / "rgb.png"))
    assert "cannot be read" in str(read_depth(tmp_path / "text.png"))
    assert "cannot be read" in str(read_depth(tmp_path / "none.png"))


def test_intrinsics_are_all_or_none() -> None:
    """Scaled with the picture where none are given."""
    assert pinhole({}, 1280, 960).fx == pytest.approx(1050)
    assert pinhole({"fx": "600", "fy": "601", "cx": "320", "cy": "240"}, 640, 480).fy == 601
    with pytest.raises(InputError, match="cx, cy missing"):
        pinhole({"fx": "600", "fy": "600"}, 640, 480)
    with pytest.raises(InputError, match="above 0"):
        pinhole({"fx": "0", "fy": "1", "cx": "1", "cy": "1"}, 640, 480)


def test_a_point_is_where_the_camera_sees_it() -> None:
    """Two metres before the middle of the picture; a hole is filled from around; outside the picture is unknown."""
    camera, depth = Pinhole(), np.full((480, 640), 2.0)
    depth[239:242, 319:322] = np.nan
    seen = Landmarks.none(2)
    seen.points[:3] = [[320, 240], [420, 240], [900, 10]]
    seen.known[:3] = True
    points, known = lifted(camera, depth, seen)
    assert known[:4].tolist() == [True, True, False, False]
    np.testing.assert_allclose(points[0], [-2.0, 0.0, CAMERA_HEIGHT_M], atol=0.01)
    assert points[1, 1] == pytest.approx(100.5 / 525 * 2)
    assert len(points) == COUNT


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_depth_or_a_reason(tmp_path_factory: pytest.TempPathFactory, junk: bytes, begun: bool) -> None:
    """Also behind the beginning of a PNG."""
    path = tmp_path_factory.mktemp("d") / "d.png"
    write_depth(path, np.ones((8, 8)))
    path.write_bytes(path.read_bytes()[:40] + junk if begun else junk)
    assert isinstance(read_depth(path), str | np.ndarray)
