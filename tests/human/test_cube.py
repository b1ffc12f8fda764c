"""P5's cube, the paper's way by pairs, and the scale from a straight arm."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.human.cube import CORNERS, PAIRS, cube, pair_angles, pair_axes, puppet_scale
from bunraku.kinematics import rotations as rot

CUBE = cube()


def test_each_pair_points_along_its_axis() -> None:
    """One rib from the second marker to the first."""
    for axis, pairs in enumerate(PAIRS):
        for a, b in pairs:
            assert np.array_equal(np.subtract(CORNERS[a], CORNERS[b]), 2 * np.eye(3)[axis])


def test_pairs_give_the_rotation() -> None:
    """All markers, or a face's four, whose third axis is a cross product; away from a quarter turn about y."""
    turn = rot.from_euler("ZYX", [0.4, -0.7, 0.2])
    seen = {n: rot.rotate(turn, p) for n, p in CUBE.markers.items()}
    for numbers in (range(1, 9), (1, 2, 3, 4)):
        axes = pair_axes({n: seen[n] for n in numbers})
        assert axes is not None
        assert np.allclose(axes, rot.to_matrix(turn))
        assert np.allclose(pair_angles(axes), [0.4, -0.7, 0.2])


def test_pairs_need_two_axes() -> None:
    """Three markers that have no two pairs are not enough for the paper's way; they are for ours."""
    three = {n: CUBE.markers[n] for n in (1, 3, 6)}
    assert pair_axes(three) is None
    assert not isinstance(CUBE.fit(three), str)


def test_angles_fail_at_a_quarter_turn_about_y() -> None:
    """What the paper saw: a tenth of a millimetre of noise makes ψ jump by radians."""
    rng = np.random.default_rng(0)
    turn = rot.from_axis_angle([0, 1, 0], np.pi / 2)
    psi = []
    for _ in range(50):
        seen = {n: rot.rotate(turn, p) + 1e-4 * rng.standard_normal(3) for n, p in CUBE.markers.items()}
        axes = pair_axes(seen)
        assert axes is not None
        psi.append(pair_angles(axes)[0])
    assert np.std(psi) > 1.0


def test_scale_from_a_straight_arm() -> None:
    """0.400 m of lamp for 0.32 m of forearm; an arm of no length is refused."""
    assert puppet_scale(0.4, [0, 0, 0], [0, 0, 0.32]) == pytest.approx(1.25)
    with pytest.raises(InputError, match="straight arm"):
        puppet_scale(0.4, [0, 0, 0], [0, 0, 0.01])
