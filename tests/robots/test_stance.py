"""Legs and wheels, and with that how a base moves."""

from __future__ import annotations

import pytest

from bunraku.robots import catalog, load_robot
from bunraku.robots.stance import rolls
from shared import need, robots
from small_robots import INERTIAL, TRUNK, joint, limb_arm, link, urdf, wheels, write

FREE = {
    "coman",
    "alexander",
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


ROLLING = {"centauro", "pr2", "tiago", "tiago-dual", "tiago-pro"}


@pytest.mark.parametrize("name", [entry.name for entry in catalog.available() if entry.installed])
def test_named_robots_stand_as_they_do(name):
    """Humanoids are free, those on wheels roll, the one with four wheeled legs among them; a pedestal is neither."""
    assert load_robot(name).base_kind == ("free" if name in FREE else "planar" if name in ROLLING else "fixed")


def test_files_stand_as_they_do():
    """Pepper and Centauro have wheels, InMoov no legs, Baxter a pedestal; the rest walks."""
    for path in need(robots("**/*.urdf")):
        fixed = path.stem in ("inmoov_expanded", "baxter", "talos_left_arm")
        rolls = path.stem in ("pepper", "centauro")
        assert load_robot(path).base_kind == ("fixed" if fixed else "planar" if rolls else "free"), path


@pytest.mark.parametrize(("names", "rolling"), [
    (["WheelFL", "WheelFR"], True), (["base", "left_wheel_joint", "caster_link"], True), (["steering_wheel"], False),
    (["flywheel_1", "flywheel_2"], False), (["left_hip", "left_knee"], False), ([], False),
])  # fmt: skip
def test_wheels_are_known_by_name(names, rolling):
    """Two parts at least: a single wheel may be one to steer with, a flywheel is none."""
    assert rolls(names) == rolling


def test_a_description_that_stands_in_the_world_does_not_roll(tmp_path):
    """A base that is welded to the world stays fixed; `base` decides otherwise."""
    robot = urdf(TRUNK, limb_arm("left"), wheels())
    assert load_robot(write(tmp_path, robot)).base_kind == "planar"
    pinned = robot.replace('<link name="torso">', '<link name="world"/><joint name="weld" type="fixed">'
        '<parent link="world"/><child link="torso"/></joint><link name="torso">')  # fmt: skip
    path = write(tmp_path, pinned, "pinned.urdf")
    assert load_robot(path).base_kind == "fixed"
    assert [load_robot(path, base=base).base_kind for base in ("free", "planar")] == ["free", "planar"]


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
        (branch("wheel", 0.1, DOWN) + branch("wheel_", -0.1, DOWN), "planar"),
        (branch("hip", 0.1, OUT) + branch("knee", -0.4, OUT), "free"),
        (branch("leg_l", 0.1, DOWN[:3]) + branch("leg_r", -0.1, DOWN[:3]), "free"),
    ],
)
def test_two_legs_make_a_base_free(tmp_path, parts, base):
    """By name, or as mirror images of four hinges that go down and end lowest; arms and wheels are none."""
    assert load_robot(write(tmp_path, urdf(link("base"), parts))).base_kind == base
