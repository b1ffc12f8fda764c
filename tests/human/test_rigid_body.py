"""A body's pose from its markers, however few are seen, and whoever of them lies."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.human.cube import cube
from bunraku.human.rigid_body import BodyTracker, RigidBody, RigidPose, rigid_move
from bunraku.kinematics import rotations as rot

CUBE = cube()
SEEDS = st.integers(0, 2**32 - 1)


def seen_at(position: np.ndarray, rotation: np.ndarray, noise: float = 0.0, seed: int = 0) -> dict[int, np.ndarray]:
    """All eight markers of the cube, at a pose."""
    rng = np.random.default_rng(seed)
    return {n: position + rot.rotate(rotation, p) + noise * rng.standard_normal(3) for n, p in CUBE.markers.items()}


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_any_three_markers_suffice(seed: int) -> None:
    """Every choice of three corners gives the pose back, whatever the rotation."""
    rng = np.random.default_rng(seed)
    position, rotation = rng.uniform(-1, 1, 3), rot.normalize(rng.standard_normal(4))
    everything = seen_at(position, rotation)
    for three in combinations(everything, 3):
        pose = CUBE.fit({n: everything[n] for n in three})
        assert isinstance(pose, RigidPose)
        assert np.allclose(pose.position, position, atol=1e-9)
        assert rot.angle_between(pose.rotation, rotation) < 1e-6


def test_three_points_on_a_line_are_no_pose() -> None:
    """A turn about the line would be anyone's guess: there is none."""
    line = np.outer([0.0, 1.0, 2.0], [0.1, 0.2, 0.3])
    assert rigid_move(line, line + 1.0) is None
    assert rigid_move(line[:2], line[:2]) is None


def test_two_swapped_markers_are_found_out() -> None:
    """The six that agree decide; the swapped ones are not used."""
    rotation = rot.from_euler("ZYX", [0.3, -0.8, 0.5])
    seen = seen_at(np.ones(3), rotation, 1e-4)
    seen[2], seen[7] = seen[7], seen[2]
    pose = CUBE.fit(seen)
    assert isinstance(pose, RigidPose)
    assert pose.used == (1, 3, 4, 5, 6, 8)
    assert rot.angle_between(pose.rotation, rotation) < 0.02


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (dict.clear, "0 of its markers seen"),
        (lambda seen: [seen.pop(n) for n in range(3, 9)], "2 of its markers seen"),
        (lambda seen: seen.update({n: np.full(3, np.nan) for n in range(2, 9)}), "1 of its markers seen"),
        (lambda seen: ([seen.pop(n) for n in range(5, 9)], seen.update({1: seen[3], 3: seen[1]})), "swapped"),
        (lambda seen: ([seen.pop(n) for n in range(4, 9)], seen.update({1: seen[2], 2: seen[1]})), "contradict"),
    ],
)
def test_a_frame_without_a_pose_holds_the_last(change, says: str) -> None:  # type: ignore[no-untyped-def]
    """Markers hidden, NaN or swapped: the last good pose stands, the reason is told and counted."""
    tracker = BodyTracker(CUBE)
    rotation = rot.from_euler("ZYX", [0.3, -0.8, 0.5])
    first = tracker.update(seen_at(np.ones(3), rotation))
    seen = seen_at(np.zeros(3), rotation)
    change(seen)
    assert tracker.update(seen) is first
    assert says in tracker.reason
    assert (tracker.held, sum(tracker.rejected.values())) == (1, 1)


def test_unknown_ids_are_not_looked_at() -> None:
    """A marker of another body changes nothing."""
    seen = seen_at(np.ones(3), rot.IDENTITY)
    pose = CUBE.fit({**seen, 77: np.zeros(3)})
    assert isinstance(pose, RigidPose)
    assert pose.used == tuple(range(1, 9))


def test_rotations_stay_on_one_side() -> None:
    """Turning on and on, the quaternion never jumps to its negative."""
    tracker = BodyTracker(CUBE)
    turns = []
    for angle in np.linspace(0, 4 * np.pi, 200):
        pose = tracker.update(seen_at(np.zeros(3), rot.from_axis_angle([0, 1, 0], angle)))
        assert pose is not None
        turns.append(pose.rotation.copy())
    assert (np.sum(np.diff(turns, axis=0) ** 2, axis=-1) < 0.01).all()


def test_a_body_needs_three_markers() -> None:
    """Two markers, or one that is not a place, are no body."""
    with pytest.raises(InputError, match="3 markers"):
        RigidBody({1: np.zeros(3), 2: np.ones(3)})
    with pytest.raises(InputError, match="finite"):
        RigidBody({1: np.zeros(3), 2: np.ones(3), 3: np.full(3, np.nan)})
