"""A cube in front of the tracker: which corners it sees, and where it measures them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.devices import lost, marker_noise
from bunraku.human.cube import CORNERS, cube
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]

CUBE = cube()
_NUMBERS = tuple(CORNERS)
_CORNERS = np.array([CORNERS[n] for n in _NUMBERS], float)
_PLACES = np.array([CUBE.markers[n] for n in _NUMBERS])
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
        turn = rot.to_matrix(rotation)
        way = (self.sensor - position) @ turn
        facing = (_CORNERS * way / np.linalg.norm(way)).max(axis=1)
        shown = np.flatnonzero((facing > _FACING) & ~lost((len(_CORNERS),), self.rng))
        measured = marker_noise(position + _PLACES[shown] @ turn.T, self.rng, self._phase)
        return {_NUMBERS[k]: place for k, place in zip(shown, measured, strict=True)}

    def everything(self, position: Array, rotation: Array) -> dict[int, Array]:
        """All eight corners with the tracker's noise, as if nothing hid them."""
        places = np.array([position + rot.rotate(rotation, p) for p in CUBE.markers.values()])
        return dict(zip(CUBE.markers, marker_noise(places, self.rng, self._phase), strict=True))
