"""Robots by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bunraku.errors import MissingPackageError, UnknownNameError
from bunraku.robots import catalog, load_robot


def test_built_in_robots_are_the_folders():
    """A folder with a description is a robot; nothing else makes it one."""
    folders = {path.name for path in catalog.BUILTIN.iterdir() if catalog.description_in(path)}
    entries = {entry.name: entry for entry in catalog.available() if entry.origin == "built-in"}
    assert set(entries) == folders
    assert all(entry.installed and entry.description for entry in entries.values())


def test_a_new_folder_is_a_new_robot(tmp_path, monkeypatch):
    """Without any list to put it on."""
    from small_robots import arm, write

    monkeypatch.setattr(catalog, "BUILTIN", tmp_path)
    write(tmp_path, arm(), "crane/robot.urdf")
    write(tmp_path, "no robot", "notes/readme.txt")
    assert catalog.names()[0] == "crane"
    assert load_robot("crane").joint_names == ("elbow",)


def test_without_the_package_the_line_that_installs_it(monkeypatch):
    """Names stay known, are listed as not installed, and loading one says what to install."""
    monkeypatch.setattr(catalog, "data_folder", lambda: None)
    entries = {entry.name: entry for entry in catalog.available()}
    assert not entries["g1"].installed
    with pytest.raises(MissingPackageError, match=r"pip install 'bunraku\[robots\]'"):
        load_robot("g1")


def test_every_name_has_its_file():
    """No entry points to a file that the installed package does not have."""
    for entry in catalog.available():
        assert entry.path is None or entry.path.is_file(), entry.name
        assert entry.licence


def test_an_unknown_name_lists_the_valid_ones():
    """With a hint to the nearest."""
    with pytest.raises(UnknownNameError, match="Did you mean 'puppet'") as caught:
        load_robot("pupet")
    assert set(caught.value.valid) == set(catalog.names())


def test_listing_loads_no_simulator():
    """`bunraku robots list` needs neither MuJoCo nor the models."""
    code = "import sys; from bunraku.robots.catalog import available; available(); print('mujoco' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
