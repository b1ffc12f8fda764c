"""Shapes around points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.kinematics import rotations
from bunraku.robots import fitting
from small_robots import box_triangles


def outside(fit: fitting.Fit, points: np.ndarray) -> float:
    """How far the farthest point lies outside of the shape."""
    local = (points - fit.position) @ fit.rotation
    if fit.kind == "box":
        return float((np.abs(local) - np.array(fit.size)).max())
    half = fit.size[1] if fit.kind == "capsule" else 0.0
    local[:, 2] -= np.clip(local[:, 2], -half, half)
    return float(np.linalg.norm(local, axis=1).max() - fit.size[0])


def turn(seed: int) -> np.ndarray:
    return rotations.to_matrix(rotations.normalize(np.random.default_rng(seed).normal(size=4)))


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 3, 10, 4000]), st.floats(1e-3, 10))
def test_every_point_is_inside(seed, count, scale):
    """Whatever the points, the shape holds all of them, and its axes are a rotation."""
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(count, 3)) * generator.uniform(0.01, 1, 3) * scale
    found = fitting.fit(points)
    assert outside(found, points) < 1e-9 + 1e-9 * scale
    assert np.allclose(found.rotation @ found.rotation.T, np.eye(3))
    assert np.linalg.det(found.rotation) == pytest.approx(1)


def test_a_limb_is_a_capsule():
    """Points on a capsule, turned any way, give that capsule to a few per cent."""
    generator = np.random.default_rng(1)
    direction = generator.normal(size=(3000, 3))
    points = 0.05 * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    points[:, 2] += np.sign(points[:, 2]) * 0.2
    found = fitting.fit(points @ turn(2).T + [1, 2, 3])
    assert found.kind == "capsule"
    assert found.size == pytest.approx((0.05, 0.2), rel=0.06)
    assert abs(found.rotation[:, 2] @ turn(2)[:, 2]) > 0.999
    assert found.position == pytest.approx([1, 2, 3], abs=0.005)


def test_a_ball_is_a_sphere():
    """Points on a ball give a sphere of that radius."""
    direction = np.random.default_rng(3).normal(size=(3000, 3))
    found = fitting.fit(0.1 * direction / np.linalg.norm(direction, axis=1, keepdims=True))
    assert (found.kind, found.size) == ("sphere", pytest.approx((0.1,), rel=0.05))


def test_a_plate_is_a_box_along_its_own_axes():
    """A box keeps its faces; a turned one is found turned."""
    plate = box_triangles((0.2, 0.1, 0.01)).reshape(-1, 3)
    assert fitting.fit(plate).size == pytest.approx((0.2, 0.1, 0.01))
    turned = fitting.fit(plate @ turn(4).T)
    assert turned.kind == "box"
    assert turned.volume == pytest.approx(8 * 0.2 * 0.1 * 0.01, rel=0.1)


def test_a_foot_stands_on_a_level_sole():
    """Upright on the given direction, turned about it to the least area, around all points."""
    up = np.array([0.0, 0.6, 0.8])
    frame = np.stack([[1, 0, 0], np.cross(up, [1, 0, 0]), up], axis=1)
    yaw = rotations.to_matrix(rotations.exp([0, 0, 0.5]))
    sole = box_triangles((0.12, 0.04, 0.03)).reshape(-1, 3) @ (frame @ yaw).T
    found = fitting.level_box(sole, up)
    assert found.kind == "box"
    assert found.rotation[:, 2] == pytest.approx(up)
    assert sorted(found.size) == pytest.approx([0.03, 0.04, 0.12], rel=0.05)
    assert outside(found, sole) < 1e-9


def test_flat_points_get_a_thickness():
    """A plane has some volume, so that distances to it are defined."""
    flat = np.random.default_rng(5).uniform(-1, 1, (50, 3)) * [1, 1, 0]
    assert min(fitting.fit(flat).size) >= fitting.THINNEST


def test_hull_points_span_the_hull():
    """Few of many points, and in no direction do they fall short by more than a small part of the size."""
    generator = np.random.default_rng(4)
    points = generator.normal(size=(4000, 3)) * [0.1, 0.05, 0.02]
    hull = fitting.hull_points(points)
    assert len(hull) <= 80
    assert {tuple(row) for row in np.float32(hull)} <= {tuple(row) for row in np.float32(points)}
    directions = fitting.spread_directions(2000)
    short = (directions @ points.T).max(axis=1) - (directions @ hull.T).max(axis=1)
    assert short.max() < 0.02 * np.ptp(points, axis=0).max()


def test_hull_points_of_a_box_are_its_corners():
    """However many points lie on its faces."""
    grid = np.stack(np.meshgrid(*([np.linspace(-1, 1, 9)] * 3)), axis=-1).reshape(-1, 3) * [0.3, 0.2, 0.1]
    assert sorted(map(tuple, np.abs(fitting.hull_points(grid)).round(6))) == [(0.3, 0.2, 0.1)] * 8
