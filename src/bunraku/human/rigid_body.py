"""Where a rigid body is, from the places of its identified markers: any three that do not lie on one line suffice.

A marker that lies (its id swapped with another's, a reflection) does not fit the others: the largest set of markers
that agree decides. Where none does, or fewer than three are seen, the last good pose is held and said to be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import InputError
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]

LEAST = 3
"""markers that fix a body's pose"""
_FASTEST_TURN = 0.5
"""rad between frames; markers swapped across a mirror plane fit perfectly, and differ from a pose by more than this"""
_DEEP = 0.2
"""share of the widest spread that the narrowest must be"""
_FLAT = 1e-3
"""points whose second spread is this share of the first, or less, lie on one line"""


@dataclass(frozen=True, eq=False)
class RigidPose:
    """world_from_body, and how well the markers agree with it."""

    position: Array
    """(3,) m"""
    rotation: Array
    """(4,) wxyz"""
    residual: float
    """m, root mean square distance of the markers used from where the pose puts them"""
    used: tuple[int, ...]
    """markers that decided it, ascending"""


def rigid_move(points: ArrayLike, seen: ArrayLike) -> tuple[Array, Array] | None:
    """Position (3,) and rotation (4,) that bring `points` (k, 3) nearest to `seen` (k, 3) by least squares.

    None where fewer than three points are given or they lie on one line: a turn about it would be anyone's guess.
    """
    points, seen = np.asarray(points, float), np.asarray(seen, float)
    if len(points) < LEAST:
        return None
    centre, middle = points.mean(axis=0), seen.mean(axis=0)
    U, spread, Vt = np.linalg.svd((seen - middle).T @ (points - centre))
    if not np.isfinite(spread).all() or spread[1] <= _FLAT**2 * max(spread[0], 1e-12):
        return None
    proper = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))])
    rotation = rot.from_matrix(U @ proper @ Vt)
    return middle - rot.rotate(rotation, centre), rotation


@dataclass(frozen=True, eq=False)
class RigidBody:
    """Markers fixed to one body."""

    markers: Mapping[int, Array]
    """marker id → its place in the body's frame, m"""
    tolerance: float = 0.004
    """m; markers that agree lie this near to where the pose puts them"""

    def __post_init__(self) -> None:
        if len(self.markers) < LEAST:
            raise InputError(f"a rigid body needs {LEAST} markers at least, not {len(self.markers)}")
        places = {number: np.array(place, float) for number, place in sorted(self.markers.items())}
        if any(place.shape != (3,) or not np.isfinite(place).all() for place in places.values()):
            raise InputError("a marker's place is three finite numbers, in metres")
        object.__setattr__(self, "markers", MappingProxyType(places))

    def fit(self, seen: Mapping[int, Array]) -> RigidPose | str:
        """The body's pose from the markers seen (id → place in the world, m), or why there is none."""
        known = [n for n in self.markers if n in seen and np.isfinite(seen[n]).all()]
        if len(known) < LEAST:
            return f"{len(known)} of its markers seen, {LEAST} are needed"
        whole = self._pose(tuple(known), seen)
        if whole is not None and (self._distances(whole, seen, known) <= self.tolerance).all():
            return whole
        return self._without_liars(known, seen)

    def has_depth(self, numbers: tuple[int, ...]) -> bool:
        """Whether these markers lie well off any plane, so that no two of them can be swapped unnoticed."""
        places = np.array([self.markers[n] for n in numbers])
        spread = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
        return len(numbers) > LEAST and bool(spread[2] > _DEEP * spread[0])

    def _without_liars(self, known: list[int], seen: Mapping[int, Array]) -> RigidPose | str:
        """The pose that most markers agree with; three that decide it must be joined by one more that agrees."""
        best: tuple[int, ...] = ()
        for three in combinations(known, LEAST):
            pose = self._pose(three, seen)
            if pose is None or not (self._distances(pose, seen, three) <= self.tolerance).all():
                continue
            near = self._distances(pose, seen, known) <= self.tolerance
            best = max(best, tuple(n for n, fits in zip(known, near, strict=True) if fits), key=len)
        pose = self._pose(best, seen) if len(best) > LEAST else None
        return pose if pose is not None else "its markers contradict each other"

    def _pose(self, numbers: tuple[int, ...], seen: Mapping[int, Array]) -> RigidPose | None:
        move = rigid_move([self.markers[n] for n in numbers], [seen[n] for n in numbers])
        if move is None:
            return None
        away = self._distances(RigidPose(*move, 0.0, numbers), seen, numbers)
        return RigidPose(*move, float(np.sqrt(np.mean(away**2))), numbers)

    def _distances(self, pose: RigidPose, seen: Mapping[int, Array], numbers: Sequence[int]) -> Array:
        """(k,) m, of markers from where the pose puts them."""
        places = np.array([self.markers[n] for n in numbers]) @ rot.to_matrix(pose.rotation).T + pose.position
        return np.asarray(np.linalg.norm(places - np.array([seen[n] for n in numbers]), axis=-1))


@dataclass(eq=False)
class BodyTracker:
    """Follows one body from frame to frame: a frame without a pose keeps the last one, says why, and is counted.

    A pose that is turned too far from the last one is none either, unless its markers span all three directions, so
    that no mirror image fits them; the more frames saw no pose, the farther it may be.
    """

    body: RigidBody
    pose: RigidPose | None = None
    """the last good one"""
    held: int = 0
    """frames since then"""
    reason: str = "not seen yet"
    """why the pose is held; empty where it is fresh"""
    rejected: dict[str, int] = field(default_factory=dict)
    """reason → frames"""
    _hidden: int = 0

    def update(self, seen: Mapping[int, Array]) -> RigidPose | None:
        """The body's pose after one more frame of markers; None until it was seen once."""
        found = self.body.fit(seen)
        if isinstance(found, str):
            self._hidden += 1
            return self._hold(found)
        if self.pose is not None:
            turned = float(rot.angle_between(found.rotation, self.pose.rotation))
            if turned > _FASTEST_TURN * (1 + self._hidden) and not self.body.has_depth(found.used):
                return self._hold("it would have turned too far between frames: are markers swapped?")
            found.rotation[:] = found.rotation if found.rotation @ self.pose.rotation >= 0 else -found.rotation
        self.pose, self.held, self.reason, self._hidden = found, 0, "", 0
        return self.pose

    def _hold(self, reason: str) -> RigidPose | None:
        self.held, self.reason = self.held + 1, reason
        self.rejected[reason] = self.rejected.get(reason, 0) + 1
        return self.pose
