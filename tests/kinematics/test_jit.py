"""Compiled kernels are kept per file, and compiled anew when anything that they are made of changes."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest

from bunraku.kinematics import jit


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of three kernel files: a imports b, c stands alone."""
    room = tmp_path / "room"
    room.mkdir()
    (room / "a_kernels.py").write_text("from bunraku.room.b_kernels import half\n")
    (room / "b_kernels.py").write_text("half = 0.5\n")
    (room / "c_kernels.py").write_text("whole = 1.0\n")
    monkeypatch.setattr(jit, "PACKAGE", tmp_path)
    return room


def test_a_change_in_an_imported_file_is_noticed(package: Path) -> None:
    """Numba itself would go on with the old code of the file that imports."""
    before = jit._fingerprint(package / "a_kernels.py")
    (package / "b_kernels.py").write_text("half = 0.25\n")
    assert jit._fingerprint(package / "a_kernels.py") != before


def test_a_change_elsewhere_compiles_nothing_anew(package: Path) -> None:
    """Only what imports the changed file is compiled again."""
    before = jit._fingerprint(package / "a_kernels.py")
    (package / "c_kernels.py").write_text("whole = 2.0\n")
    assert jit._fingerprint(package / "a_kernels.py") == before


def test_files_that_import_each_other_end(package: Path) -> None:
    """Following imports comes to an end."""
    (package / "b_kernels.py").write_text("from bunraku.room.a_kernels import x\n")
    assert len(jit._fingerprint(package / "a_kernels.py")) == 12


def test_old_versions_are_removed(package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What an older version of a file left does not pile up."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    jit.cache_folder.cache_clear()
    jit._folder_of.cache_clear()
    try:
        stale = tmp_path / "kept" / "room.c_kernels-000000000000"
        other = tmp_path / "kept" / "room.a_kernels-000000000000"
        stale.mkdir(parents=True)
        other.mkdir()
        jit._folder_of(package / "c_kernels.py")
        assert not stale.exists()
        assert other.exists()
    finally:
        jit.cache_folder.cache_clear()
        jit._folder_of.cache_clear()


def test_compiling_is_told_once() -> None:
    """At the first kernel that is compiled; not for calls, nor for what was compiled before."""
    told: list[str] = []

    def twice(x: float) -> float:
        return 2 * x

    fresh = numba.njit(twice)
    jit.when_compiling(lambda: told.append("compiling"))
    assert not told
    assert fresh(1.0) == 2.0
    assert fresh(2.0) == 4.0
    assert fresh(2) == 4
    assert told == ["compiling"]
