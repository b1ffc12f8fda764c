"""The stage, and meshes made lighter for it."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from bunraku.outputs.stage import FLOOR, MESH_FACES, lighter, stage_model
from bunraku.robots import load_robot
from bunraku.robots.meshes import to_stl


def ball(rings: int) -> NDArray[np.float64]:
    """(n, 3, 3) triangles of a unit sphere."""
    a = np.linspace(0, np.pi, rings)[:, None]
    b = np.linspace(0, 2 * np.pi, 2 * rings)[None]
    grid = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a) + 0 * b], axis=-1).round(9)
    p, q, r, s = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    both = np.concatenate([np.stack([p, q, r], axis=2), np.stack([p, r, s], axis=2)])
    return both.reshape(-1, 3, 3)


def test_large_meshes_become_light_and_keep_their_form() -> None:
    """About the agreed number of faces remains of many, on the same surface; small meshes stay as they are."""
    pytest.importorskip("fast_simplification")
    heavy = to_stl(ball(60))
    light = lighter(heavy)
    count = (len(light) - 84) // 50
    assert (len(heavy) - 84) // 50 > 5 * MESH_FACES
    assert 0.5 * MESH_FACES < count < 1.1 * MESH_FACES
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
    corners = np.frombuffer(light, kind, count, 84)["corners"]
    np.testing.assert_allclose(np.linalg.norm(corners, axis=-1), 1, atol=0.02)
    small = to_stl(ball(8))
    assert lighter(small) is small


def test_what_is_no_binary_stl_is_left_alone() -> None:
    """Other formats, cut files, and a machine without the package."""
    heavy = to_stl(ball(60))
    for content in (b"", b"solid" * 40000, heavy[:-7]):
        assert lighter(content) is content


def test_without_the_package_meshes_are_drawn_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra makes pictures faster, it is not needed for them."""
    monkeypatch.setitem(sys.modules, "fast_simplification", None)
    heavy = to_stl(ball(60))
    assert lighter(heavy) is heavy


def test_the_stage_adds_nothing_to_the_robot() -> None:
    """The stage's qpos is the robot's; floor and lights are there besides."""
    robot = load_robot("lamp")
    model = stage_model(robot, 64, 48, shadows=False)
    assert model.nq == len(robot.neutral)
    assert model.geom(FLOOR).bodyid == 0
    assert model.nlight == 2
