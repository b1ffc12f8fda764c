"""The marker cube of P5: eight identified markers on the corners of a cube that a puppeteer holds.

Its pose comes from `rigid_body`, out of any three markers. The paper's own way, by pairs of markers along the axes,
is kept for comparison: it wants pairs along two axes at least, and it goes by three angles, two of which are anyone's
guess near a quarter turn about y. Two slips are put right: Eq. 2.2 prints a product under the root where a sum
belongs, and the pair 8-7 points against its axis.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import InputError
from bunraku.human.rigid_body import RigidBody

Array = NDArray[np.float64]

RIB = 0.04
"""m"""
CORNERS = {1: (-1, -1, -1), 2: (-1, 1, -1), 3: (1, 1, -1), 4: (1, -1, -1),
           5: (-1, -1, 1), 6: (-1, 1, 1), 7: (1, 1, 1), 8: (1, -1, 1)}  # fmt: skip
"""marker → where it is from the centre, in half ribs"""
PAIRS = (
    ((4, 1), (3, 2), (8, 5), (7, 6)),
    ((2, 1), (3, 4), (6, 5), (7, 8)),
    ((5, 1), (6, 2), (7, 3), (8, 4)),
)
"""for x, y, z: pairs whose first marker is one rib along the axis from the second"""


def cube(rib: float = RIB) -> RigidBody:
    """The cube as a rigid body; its frame is in its centre."""
    return RigidBody({n: np.array(corner) * rib / 2 for n, corner in CORNERS.items()}, tolerance=0.1 * rib)


def pair_axes(seen: Mapping[int, Array], rib: float = RIB) -> Array | None:
    """(3, 3) the cube's axes as columns, as the paper finds them; None where fewer than two axes have a pair.

    Each is the mean of its pairs over the rib; a third one that has none is the cross product of the others.
    """
    axes: list[Array | None] = []
    for pairs in PAIRS:
        ways = [(seen[a] - seen[b]) / rib for a, b in pairs if a in seen and b in seen]
        axes.append(np.mean(ways, axis=0) if ways else None)
    for k in range(3):
        following, last = axes[(k + 1) % 3], axes[(k + 2) % 3]
        if axes[k] is None and following is not None and last is not None:
            axes[k] = np.cross(following, last)
    found = [axis for axis in axes if axis is not None]
    return np.column_stack(found) if len(found) == 3 else None


def pair_angles(axes: Array) -> Array:
    """(3,) ψ, θ, φ about z, y, x: the paper's Eq. 2.1 to 2.3, which its error is made of. `axes` as columns."""
    psi = np.arctan2(axes[1, 0], axes[0, 0])
    theta = np.arctan2(-axes[2, 0], np.hypot(axes[2, 1], axes[2, 2]))
    phi = np.arctan2(axes[2, 1], axes[2, 2])
    return np.array([psi, theta, phi])


def puppet_scale(reach: float, base_marker: ArrayLike, stretched: ArrayLike) -> float:
    """What the cube's way from the marker at the elbow is multiplied by: the robot's reach over the arm's, m both.

    `stretched` is the cube's centre while the arm is straight.
    """
    arm = float(np.linalg.norm(np.asarray(stretched, float) - np.asarray(base_marker, float)))
    if not 0.05 < arm < 2.0:
        raise InputError(f"the straight arm measures {arm:.3f} m from elbow to cube: 0.05 to 2 m make sense")
    return reach / arm
