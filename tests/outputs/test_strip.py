"""Strips of pictures and PNG files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bunraku.errors import OutputError
from bunraku.outputs.strip import save_png, strip

RED, BLUE = (np.full((60, 80, 3), colour, np.uint8) for colour in ([200, 0, 0], [0, 0, 200]))


def test_frames_stand_side_by_side_on_white() -> None:
    """All frames appear in order; captions and a title add lines of text below and above."""
    plain = strip([RED, BLUE], [0, 1.5])
    reds, blues = ((plain == colour).all(axis=2).nonzero()[1] for colour in ([200, 0, 0], [0, 0, 200]))
    assert len(reds) > 0.9 * 60 * 80
    assert reds.max() < blues.min()
    assert (plain[0] == 255).all()
    full = strip([RED, BLUE], [0, 1.5], title="wave on puppet", captions=("human", "puppet"))
    assert full.shape[0] > plain.shape[0]
    assert full.shape[1] == plain.shape[1]
    below = full[-30:]
    assert (below < 128).any()


def test_times_are_written_into_the_frames() -> None:
    """The same frame at another time looks different in its corner only."""
    first, second = strip([RED], [0.0]), strip([RED], [1.5])
    rows, columns = (first != second).any(axis=2).nonzero()
    assert len(rows)
    assert rows.max() < first.shape[0] / 2
    assert columns.min() > first.shape[1] / 2


def test_labels_may_stand_where_times_do() -> None:
    """In words of their own."""
    assert (strip([RED], ["0.0 s"]) == strip([RED], [0.0])).all()
    assert (strip([RED], ["at rest"]) != strip([RED], [0.0])).any()


def test_refuses_frames_that_do_not_fit_together() -> None:
    """No frames, other sizes, or a time too few."""
    for frames, times in (([], []), ([RED, RED[:30]], [0, 1]), ([RED], [0, 1])):
        with pytest.raises(OutputError, match="strip"):
            strip(frames, times)


def test_png_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """What was written reads back; where it cannot be written, one line says so and nothing is left."""
    path = save_png(RED, tmp_path / "new" / "red.png")
    np.testing.assert_array_equal(np.asarray(Image.open(path)), RED)
    assert [p.name for p in path.parent.iterdir()] == ["red.png"]
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        save_png(RED, blocked / "red.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(OutputError, match="cannot write"):
        save_png(RED, tmp_path / "folder.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder.png", "new"]
