"""Balance: how far the centre of mass is from where it may be, over the polygon that the robot stands on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.robots import Robot

Array = NDArray[np.float64]


def centre_of_mass(robot: Robot, qpos: Array) -> Array:
    """(…, 3) in the world, m, for configurations (…, nq)."""
    at, turn = robot.link_poses(qpos)
    places = at + np.einsum("...lij,lj->...li", turn, robot.links.centre_of_mass)
    total = float(robot.links.mass.sum())
    return np.asarray(np.einsum("...li,l->...i", places, robot.links.mass) / max(total, 1e-9))


def convex_polygon(points: Array) -> Array:
    """(k, 2) corners of the convex hull of points (n, 2), counter-clockwise (Andrew's monotone chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    halves = []
    for run in (ordered, ordered[::-1]):
        chain: list[Array] = []
        for point in run:
            while len(chain) > 1 and _left(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        halves += chain[:-1]
    return np.array(halves).reshape(-1, 2)


def margin(polygon: Array, point: Array) -> tuple[float, Array]:
    """Distance of a point (2,) from the nearest edge, positive inside, and that edge's inward normal (2,)."""
    start, end = polygon, np.roll(polygon, -1, axis=0)
    along = (end - start) / np.linalg.norm(end - start, axis=-1, keepdims=True)
    inward = np.column_stack([-along[:, 1], along[:, 0]])
    inside = np.sum(inward * (point - start), axis=-1)
    k = int(np.argmin(inside))
    return float(inside[k]), inward[k]


def _left(a: Array, b: Array, c: Array) -> float:
    """Positive where c lies to the left of the way from a to b."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
