"""An operator measured in poses held still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import Body, HumanMotion
from bunraku.human.calibration import SourceOffset
from bunraku.human.calibration_poses import POSES, calibrate
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources.synth import synthesize

CHILD = Body.scaled(1.2)


def held(pose: str, body: Body = CHILD) -> HumanMotion:
    """Three seconds of a pose."""
    return synthesize(pose, seconds=3.0, fps=30.0, body=body)


def test_lengths_and_reach_of_a_child() -> None:
    """Three poses: every bone is the child's, and so is the reach along each axis."""
    found = calibrate({pose: held(pose) for pose in POSES})
    assert found.height == pytest.approx(1.2, rel=1e-6)
    assert dict(found.reach) == pytest.approx(dict.fromkeys(("sideways", "forward", "down"), CHILD.arm_length))
    assert np.allclose(found.scale_to(2 * CHILD.arm_length), 2.0)


def test_one_pose_is_enough() -> None:
    """Axes that were not measured are scaled by the arm's bones."""
    found = calibrate({"t-pose": held("t-pose")})
    assert set(found.reach) == {"sideways"}
    assert np.allclose(found.scale_to(CHILD.arm_length), 1.0)


def test_where_the_operator_stood_is_undone() -> None:
    """Somebody who faced left, three metres away, faces forward on the origin in their own world."""
    turn = rot.from_axis_angle([0, 0, 1], 1.2)
    away = SourceOffset((3.0, -1.0, 0.0), tuple(turn.tolist()))
    found = calibrate({"arms-forward": away.apply(held("arms-forward"))}, "camera")
    back = found.offsets["camera"].apply(away.apply(held("arms-forward")))
    assert np.allclose(back.positions, held("arms-forward").positions, atol=1e-9)


def test_another_pose_is_found_out() -> None:
    """Arms that hang are no T: which arm, and by how much."""
    with pytest.raises(InputError, match="left arm points 90°"):
        calibrate({"t-pose": held("arms-down")})
    with pytest.raises(UnknownNameError, match="arms-forward"):
        calibrate({"star": held("t-pose")})
    with pytest.raises(InputError, match="one pose"):
        calibrate({})


def test_the_reach_survives_the_file() -> None:
    """To a dict and back; a negative reach is refused."""
    found = calibrate({"t-pose": held("t-pose")})
    values = found.to_dict()
    assert type(found).from_dict(values).reach == found.reach
    values["reach_m"] = {"sideways": -1}
    with pytest.raises(InputError, match="sideways"):
        type(found).from_dict(values)


def test_a_hand_that_hides_its_shoulder_measures_nothing() -> None:
    """Towards a camera the two are one spot: a reach that no straight arm has is left to the arm's bones."""
    forward = held("arms-forward")
    places = forward.positions.copy()
    for side in ("left", "right"):
        places[:, INDEX[f"{side}_upper_arm"]] += [0.8 * CHILD.arm_length, 0, 0]
    hidden = replace(forward, positions=places)
    found = calibrate({"t-pose": held("t-pose"), "arms-down": held("arms-down"), "arms-forward": hidden})
    assert set(found.reach) == {"sideways", "down"}
    assert np.allclose(found.scale_to(CHILD.arm_length), 1.0, rtol=0.02)
