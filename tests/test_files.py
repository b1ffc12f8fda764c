"""Files appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from bunraku.errors import OutputError
from bunraku.files import need_writable, whole_file


def test_a_finished_file_is_there_and_nothing_else(tmp_path: Path) -> None:
    """Folders are made, an older file is replaced."""
    target = tmp_path / "a" / "b.txt"
    for text in ("old", "new"):
        with whole_file(target) as part:
            part.write_text(text)
    assert target.read_text() == "new"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file(tmp_path: Path, problem: type[BaseException]) -> None:
    """Also Ctrl-C in the middle of writing."""
    target = tmp_path / "b.txt"
    target.write_text("old")
    with pytest.raises(problem), whole_file(target) as part:
        part.write_text("half")
        raise problem
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_what_the_system_refuses_is_one_error(tmp_path: Path) -> None:
    """A plain file where a folder is needed."""
    (tmp_path / "plain").write_text("")
    with pytest.raises(OutputError, match="cannot write"), whole_file(tmp_path / "plain" / "x") as part:
        part.write_text("")


def test_places_that_cannot_be_written_are_refused_before(tmp_path: Path) -> None:
    """A folder in the file's place, a file in a folder's; what could be written is not touched."""
    (tmp_path / "plain").write_text("")
    need_writable(tmp_path / "a" / "b" / "c.txt")
    need_writable(tmp_path / "plain")
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]
    with pytest.raises(OutputError, match="plain is not a folder"):
        need_writable(tmp_path / "plain" / "a" / "x")
    with pytest.raises(OutputError, match="it is a folder"):
        need_writable(tmp_path)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder where nobody, root included, may write")
def test_a_folder_nobody_may_write_to_is_refused_before() -> None:
    """Found by trying, not from permission bits."""
    with pytest.raises(OutputError, match="cannot write /proc/new/x"):
        need_writable("/proc/new/x")
