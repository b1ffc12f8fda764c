"""Which part of a person drives which part of a robot."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.human.skeleton import INDEX
from bunraku.retarget.correspondence import Weights, correspond, forearm_frame
from bunraku.robots import load_robot


def test_a_humanoid_has_a_counterpart_for_all_limbs() -> None:
    """Eight limb directions, and the orientations of hips, chest, head, feet and hands."""
    pairs = correspond(load_robot("puppet"), Weights())
    assert len(pairs.directions) == 8
    assert len(pairs.orientations) == 7
    assert pairs.unmatched == ()
    assert pairs.reference == -1
    assert 0.4 < pairs.leg_length < 0.8


def test_an_upper_body_says_what_it_lacks() -> None:
    """InMoov stands for a person seen from the hips; legs have no counterpart."""
    pairs = correspond(load_robot("inmoov"), Weights())
    assert len(pairs.directions) == 4
    assert pairs.reference == INDEX["hips"]
    assert {"left_thigh", "right_shin"} <= set(pairs.unmatched)


@pytest.mark.parametrize("name", ["puppet", "inmoov"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_forearm_frame_is_anatomical(name: str, side: str) -> None:
    """Along the forearm, and its flexion axis brings the hand to the front of a robot whose arm hangs down."""
    robot = load_robot(name)
    frame = forearm_frame(robot, side)
    assert frame is not None
    assert np.allclose(frame @ frame.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    sign = 1.0 if side == "left" else -1.0
    down = sign * frame[:, 1]
    assert down[2] < -0.5, "the forearm points down in the neutral configuration"
    flexion_axis = -sign * frame[:, 2]
    assert np.cross(flexion_axis, down)[0] > 0.5, "bending the elbow moves the hand forward"
