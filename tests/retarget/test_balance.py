"""Centre of mass and support polygon."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.retarget.balance import centre_of_mass, convex_polygon, margin
from bunraku.robots import load_robot

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def test_the_polygon_is_the_hull() -> None:
    """Points inside and on an edge are no corners; it runs counter-clockwise."""
    hull = convex_polygon(np.concatenate([SQUARE, [[0.5, 0.5], [0.5, 0.0]]]))
    assert {tuple(corner) for corner in hull} == {tuple(corner) for corner in SQUARE}
    area = 0.5 * sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(hull, np.roll(hull, -1, axis=0), strict=True))
    assert area == pytest.approx(1.0)


@pytest.mark.parametrize(("point", "inside"), [((0.5, 0.5), 0.5), ((0.9, 0.5), 0.1), ((1.2, 0.5), -0.2)])
def test_the_margin_is_signed(point: tuple[float, float], inside: float) -> None:
    """Positive inside, negative outside; the normal points back in."""
    found, normal = margin(convex_polygon(SQUARE), np.array(point))
    assert found == pytest.approx(inside)
    assert normal @ (np.array([0.5, 0.5]) - point) >= -1e-12


def test_the_centre_of_mass_moves_with_the_base() -> None:
    """Shift a robot, and it shifts; it lies within the robot's height."""
    robot = load_robot("puppet", base="free")
    moved = robot.neutral.copy()
    moved[:3] += [1.0, -2.0, 0.5]
    both = centre_of_mass(robot, np.stack([robot.neutral, moved]))
    assert np.allclose(both[1] - both[0], [1.0, -2.0, 0.5])
