"""Films."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bunraku.errors import MissingPackageError, OutputError
from bunraku.outputs.video import write_video

Image = NDArray[np.uint8]


def greys(count: int, height: int = 64, width: int = 96) -> Iterator[Image]:
    for k in range(count):
        yield np.full((height, width, 3), 8 * k, np.uint8)


def test_a_film_has_its_frames_in_order(tmp_path: Path) -> None:
    """H.264 at the given rate, as many frames as were given, each with its brightness; odd sizes lose a row."""
    av = pytest.importorskip("av")
    path = write_video(tmp_path / "a" / "film.mp4", greys(20, 65, 97), 29.97)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert (stream.height, stream.width) == (64, 96)
        assert float(stream.average_rate) == pytest.approx(29.97)
        means = [frame.to_ndarray(format="rgb24").mean() for frame in container.decode(video=0)]
    np.testing.assert_allclose(means, 8.0 * np.arange(20), atol=3)


def test_no_part_of_a_film_is_left(tmp_path: Path) -> None:
    """Whatever breaks it off, the folder stays as it was."""
    pytest.importorskip("av")

    def interrupted() -> Iterator[Image]:
        yield from greys(3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_video(tmp_path / "film.mp4", interrupted(), 30)
    with pytest.raises(OutputError, match="one size"):
        write_video(tmp_path / "film.mp4", [*greys(2), *greys(1, 32)], 30)
    with pytest.raises(OutputError, match="at least one frame"):
        write_video(tmp_path / "film.mp4", [], 30)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "taken.mp4").mkdir()
    with pytest.raises(OutputError, match="cannot write"):
        write_video(tmp_path / "taken.mp4", greys(2), 30)
    assert [p.name for p in tmp_path.iterdir()] == ["taken.mp4"]


def test_refuses_other_formats_and_rates(tmp_path: Path) -> None:
    """Only .mp4, and only rates that mean something."""
    with pytest.raises(OutputError, match="mp4"):
        write_video(tmp_path / "film.avi", greys(2), 30)
    for fps in (0, -1, float("nan"), 1e6):
        with pytest.raises(OutputError, match="frames a second"):
            write_video(tmp_path / "film.mp4", greys(2), fps)


def test_without_the_package_the_line_that_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyAV is an extra."""
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingPackageError, match=r"bunraku\[video\]"):
        write_video(tmp_path / "film.mp4", greys(2), 30)
