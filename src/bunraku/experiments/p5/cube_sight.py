"""A cube in front of the tracker: which corners it sees, and where it measures them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.devices import lost, marker_noise
from bunraku.human.cube import CORNERS, cube
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]

CUBE = cube()
SENSOR = np.array([2.0, 0.0, 0.4])
"""m; where the tracker stands, opposite the puppeteer"""
_FACING = 0.1
"""least cosine between a face's normal and the way to the tracker at which its corners' lights are seen"""


class CubeSight:
    """One recording's tracker."""

    def __init__(self, rng: np.random.Generator, sensor: Array = SENSOR) -> None:
        self.rng, self.sensor = rng, sensor
        self._phase = rng.uniform(0, 2 * np.pi, (3, 3))

    def measure(self, position: Array, rotation: Array) -> dict[int, Array]:
        """Markers seen of a cube at a pose: id → place, m."""
        return self.at({n: position + rot.rotate(rotation, p) for n, p in CUBE.markers.items()}, position, rotation)

    def at(self, places: dict[int, Array], position: Array, rotation: Array) -> dict[int, Array]:
        """The same, with the corners' true places given."""
        way = rot.rotate(rot.inverse(rotation), self.sensor - position)
        facing = way / np.linalg.norm(way)
        missed = lost((len(places),), self.rng)
        seen = [n for k, n in enumerate(places) if (np.array(CORNERS[n]) * facing).max() > _FACING and not missed[k]]
        measured = marker_noise(np.array([places[n] for n in seen]).reshape(-1, 3), self.rng, self._phase)
        return dict(zip(seen, measured, strict=True))

    def everything(self, position: Array, rotation: Array) -> dict[int, Array]:
        """All eight corners with the tracker's noise, as if nothing hid them."""
        places = np.array([position + rot.rotate(rotation, p) for p in CUBE.markers.values()])
        return dict(zip(CUBE.markers, marker_noise(places, self.rng, self._phase), strict=True))
