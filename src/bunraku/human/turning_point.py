"""The point that a part turns about, from the places that one of its markers went through.

Markers sit on the skin, beside the joint and moving over it; what swings about the joint stays on a sphere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import InputError

Array = NDArray[np.float64]

_LEAST_SPREAD = 0.1
"""of the third direction beside the first: places on a line or in a plane do not fix a centre"""


def turning_point(places: ArrayLike) -> tuple[Array, float]:
    """Centre (3,) and radius of the sphere nearest to `places` (T, 3), which must go round it in two ways."""
    places = np.asarray(places, float)
    if places.ndim != 2 or places.shape[1] != 3 or len(places) < 10 or not np.isfinite(places).all():
        raise InputError("a turning point needs ten places (T, 3) at least, all of them finite")
    middle = places.mean(axis=0)
    away = places - middle
    spread = np.linalg.svd(away, compute_uv=False)
    if spread[2] < _LEAST_SPREAD * spread[0] ** 2 / np.linalg.norm(spread):
        raise InputError("a turning point needs places that go up and down as well as left and right")
    square = np.sum(away**2, axis=-1)
    solution, *_ = np.linalg.lstsq(np.column_stack([2 * away, np.ones(len(away))]), square, rcond=None)
    radius = float(np.sqrt(max(solution[3] + solution[:3] @ solution[:3], 0.0)))
    return middle + solution[:3], radius
