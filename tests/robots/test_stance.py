"""Legs, and with that whether a base is free."""

from __future__ import annotations

import pytest

from bunraku.robots import catalog, load_robot
from shared import need, robots
from small_robots import INERTIAL, joint, link, urdf, write

FREE = {
    "coman",
    "alexander",
    "centauro",
    "g1",
    "g1-hands",
    "human",
    "icub",
    "puppet",
    "romeo",
    "romeo-small",
    "talos",
    "talos-full",
}


@pytest.mark.parametrize("name", [entry.name for entry in catalog.available() if entry.installed])
def test_named_robots_stand_as_they_do(name):
    """Humanoids and the four-legged one are free, arms on a pedestal or wheels are not."""
    assert load_robot(name).base == ("free" if name in FREE else "fixed")


def test_files_stand_as_they_do():
    """Pepper has one leg, InMoov none, Baxter a pedestal; the rest walks."""
    for path in need(robots("**/*.urdf")):
        fixed = path.stem in ("pepper", "inmoov_expanded", "baxter", "talos_left_arm")
        assert load_robot(path).base == ("fixed" if fixed else "free"), path


def branch(prefix: str, y: float, steps: tuple[tuple[float, float, float], ...], at: str = "base") -> str:
    """A chain of hinges with names that say nothing."""
    out, above = "", at
    for k, (x, dy, z) in enumerate(steps):
        name = f"{prefix}{k}"
        origin = f'<origin xyz="{x} {y if k == 0 else dy} {z}"/><axis xyz="0 1 0"/>'
        out += link(name, INERTIAL) + joint(f"j_{name}", above, name, "continuous", origin)
        above = name
    return out


DOWN = ((0, 0, 0.0), (0, 0, -0.05), (0, 0, -0.4), (0, 0, -0.4))
OUT = ((0, 0, 0.4), (0.1, 0, 0), (0.3, 0, 0), (0.3, 0, 0))


@pytest.mark.parametrize(
    "parts, base",
    [
        (branch("p", 0.1, DOWN) + branch("q", -0.1, DOWN), "free"),
        (branch("p", 0.1, DOWN) + branch("q", -0.1, DOWN) + branch("r", 0.2, OUT) + branch("s", -0.2, OUT), "free"),
        (branch("p", 0.1, DOWN), "fixed"),
        (branch("p", 0.1, DOWN[:3]) + branch("q", -0.1, DOWN[:3]), "fixed"),
        (branch("p", 0.2, OUT) + branch("q", -0.2, OUT), "fixed"),
        (branch("p", 0.1, DOWN) + branch("q", -0.4, DOWN), "fixed"),
        (branch("hand", 0.1, DOWN) + branch("arm", -0.1, DOWN), "fixed"),
        (branch("wheel", 0.1, DOWN) + branch("wheel_", -0.1, DOWN), "fixed"),
        (branch("hip", 0.1, OUT) + branch("knee", -0.4, OUT), "free"),
        (branch("leg_l", 0.1, DOWN[:3]) + branch("leg_r", -0.1, DOWN[:3]), "free"),
    ],
)
def test_two_legs_make_a_base_free(tmp_path, parts, base):
    """By name, or as mirror images of four hinges that go down and end lowest; arms and wheels are none."""
    assert load_robot(write(tmp_path, urdf(link("base"), parts))).base == base
