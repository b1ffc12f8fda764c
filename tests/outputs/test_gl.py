"""Choosing what to draw with."""

from __future__ import annotations

import pytest

from bunraku.errors import OutputError
from bunraku.outputs import gl


def test_the_user_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """MUJOCO_GL wins over what is found."""
    monkeypatch.setenv("MUJOCO_GL", "OSMesa")
    assert gl.backend() == "osmesa"


def test_a_machine_without_graphics_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither EGL nor OSMesa: one line with the packages."""
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl.sys, "platform", "linux")
    monkeypatch.setattr(gl, "_library", lambda name: None)
    with pytest.raises(OutputError, match="apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri") as caught:
        gl.backend()
    assert "\n" not in str(caught.value)


def test_osmesa_is_the_second_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where EGL has no device and OSMesa is there, it is OSMesa."""
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl.sys, "platform", "linux")
    monkeypatch.setattr(gl, "_egl_devices", lambda: 0)
    monkeypatch.setattr(gl, "_library", lambda name: object() if "OSMesa" in name else None)
    assert gl.backend() == "osmesa"
