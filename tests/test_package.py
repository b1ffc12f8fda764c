"""The package's face: public names, version, layers."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import bunraku

ROOT = Path(__file__).resolve().parents[1]


def test_all_public_names_exist() -> None:
    """`__all__` is what can be imported, and a doc string comes with each."""
    for name in bunraku.__all__:
        assert getattr(bunraku, name).__doc__, name
    assert set(bunraku.__all__) <= set(dir(bunraku))


def test_functions_win_over_rooms() -> None:
    """`bunraku.retarget` and `bunraku.evaluate` are functions, also after their rooms were imported."""
    from bunraku.evaluate.report import evaluate
    from bunraku.retarget.whole_body import retarget

    assert bunraku.retarget is retarget
    assert bunraku.evaluate is evaluate


def test_unknown_names_are_attribute_errors() -> None:
    """A misspelt name is what Python users expect."""
    with pytest.raises(AttributeError, match="load_robots"):
        bunraku.load_robots  # noqa: B018


def test_one_version() -> None:
    """The package and its metadata agree."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == bunraku.__version__


def test_every_source_entry_point_loads() -> None:
    """Each scheme in the metadata names an object of that scheme, with an example that begins with it."""
    from bunraku.sources import recordings

    for scheme, kind in recordings().items():
        assert kind.scheme == scheme
        assert kind.example.startswith(f"{scheme}:")
