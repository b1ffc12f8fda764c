"""The fifth paper's angle method: each angle by itself, on the desk light."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms import pose
from bunraku.human import HumanPose
from bunraku.kinematics import rotations as rot
from bunraku.retarget.angles import AngleMapper, angle_by_cosines, arm_angles, define
from bunraku.robots import load_robot

TURN, ELEVATION = st.floats(-0.65, 0.65), st.floats(0.05, 1.4)
TWIST, BEND, DEVIATION = st.floats(-1.0, 1.3), st.floats(-1.0, 0.75), st.floats(-0.4, 0.4)
PALM_DOWN = {"right": rot.from_axis_angle([0, 0, 1.0], np.pi / 2), "left": rot.from_axis_angle([0, 0, 1.0], -np.pi / 2)}
"""turn of a canonical arm to one that lies forward, palm down"""


@cache
def mapper() -> AngleMapper:
    return AngleMapper(load_robot("lamp"))


def forearm(turn: float, elevation: float, twist: float) -> np.ndarray:
    """Turn of a forearm away from lying forward, palm down."""
    return rot.from_euler("ZYX", [turn, -elevation, twist])


def posed(
    turn: float, elevation: float, twist: float, bend: float, deviation: float = 0.0, side: str = "right",
    heading: float = 0.0,
) -> HumanPose:  # fmt: skip
    """An arm of someone who faces along `heading`, with these angles."""
    faces = rot.from_axis_angle([0.0, 0, 1], heading)
    fore = rot.multiply(faces, forearm(turn, elevation, twist))
    hand = rot.multiply(fore, rot.from_euler("YZX", [bend, deviation, 0.0]))
    down = PALM_DOWN[side]
    return pose({"chest": faces, f"{side}_forearm": rot.multiply(fore, down), f"{side}_hand": rot.multiply(hand, down)})


@settings(max_examples=100, deadline=None)
@given(TURN, ELEVATION, TWIST, BEND, DEVIATION, st.sampled_from(["left", "right"]), st.floats(-3.0, 3.0))
def test_every_angle_drives_its_own_joint_and_no_other(
    turn: float, elevation: float, twist: float, bend: float, deviation: float, side: str, heading: float
) -> None:
    """Turn, elevation, twist and bend come out as they went in, whatever the others are and wherever one faces."""
    target = mapper().solve(posed(turn, elevation, twist, bend, deviation, side, heading), mapper().start())
    np.testing.assert_allclose(target.qpos, [turn, -elevation, 0.0, twist, bend], atol=1e-9)


@given(TURN, ELEVATION, TWIST, BEND)
def test_five_markers_show_the_same_angles(turn: float, elevation: float, twist: float, bend: float) -> None:
    """Elbow, wrist, its two sides and the hand, anywhere on the table."""
    fore = forearm(turn, elevation, twist)
    elbow = np.array([0.2, -0.1, 0.03])
    wrist = elbow + rot.rotate(fore, [0.25, 0, 0])
    left, right = (wrist + rot.rotate(fore, [0.005, y, 0]) for y in (0.03, -0.03))
    hand = wrist + rot.rotate(rot.multiply(fore, rot.from_axis_angle([0, 1.0, 0], bend)), [0.09, 0, 0])
    np.testing.assert_allclose(arm_angles(elbow, wrist, left, right, hand), [turn, elevation, twist, bend], atol=1e-9)


def test_the_law_of_cosines() -> None:
    """A right angle, a straight line, and many at once."""
    corner, a, b = np.zeros(3), np.array([[2.0, 0, 0]] * 2), np.array([[0, 0.5, 0], [-1.0, 0, 0]])
    np.testing.assert_allclose(angle_by_cosines(a, corner, b), [np.pi / 2, np.pi])


def test_an_arm_that_goes_over_the_vertical_does_not_turn_about() -> None:
    """Straight up nothing says where the arm is turned: the first joint stays, and so it does beyond."""
    state, last = mapper().start(), None
    for elevation in np.linspace(1.2, 1.9, 71):
        qpos = mapper().solve(posed(0.3, elevation, 0.2, 0.1), state).qpos
        assert qpos[0] == pytest.approx(0.3, abs=1e-3)
        assert qpos[3] == pytest.approx(0.2, abs=1e-3)
        if last is not None:
            assert np.abs(qpos - last).max() < 0.02
        last = qpos
    assert state.held.keys() == {"turn_undetermined"}


def test_what_is_missing_is_held_and_counted() -> None:
    """Without the hand the bend stays; without the forearm everything does; the other arm does not take over."""
    state = mapper().start()
    before = mapper().solve(posed(0.2, 0.5, 0.3, 0.4), state).qpos
    full = posed(-0.2, 0.7, 0.1, -0.5)
    part = pose({"chest": rot.IDENTITY, "right_forearm": full.rotations[_row("right_forearm")]})
    without_hand = mapper().solve(part, state).qpos
    np.testing.assert_allclose(without_hand, [-0.2, -0.7, 0.0, 0.1, before[4]], atol=1e-9)
    nothing = mapper().solve(posed(0.5, 0.9, 0.0, 0.0, side="left"), state).qpos
    np.testing.assert_array_equal(nothing, without_hand)
    assert state.held == {"turn_missing": 1, "elevation_missing": 1, "twist_missing": 1, "bend_missing": 2}


def test_joints_keep_their_speeds_and_ranges() -> None:
    """An arm that jumps and asks for too much."""
    lamp, state = load_robot("lamp"), mapper().start()
    last = mapper().solve(posed(0.0, 0.2, 0.0, 0.0), state).qpos
    for k in range(40):
        wild = posed(2.0 * (-1) ** k, 2.5 * (k % 3), 3.0 * (-1) ** (k // 2), -2.0)
        qpos = mapper().solve(wild, state, dt_s=0.02).qpos
        assert np.all(np.abs(qpos - last) <= lamp.velocity * 0.02 + 1e-9)
        assert np.all((qpos >= lamp.lower - 1e-9) & (qpos <= lamp.upper + 1e-9))
        last = qpos


def test_the_mapping_is_named() -> None:
    """Five ways to move on either side, four of them paired."""
    definition = define(load_robot("lamp"))
    assert definition.kind == "properly defined"
    assert dict(definition.pairs) == {
        "turn": "joint_1", "elevation": "joint_2", "twist": "joint_4", "bend": "joint_5",
    }  # fmt: skip
    assert definition.person_alone == ("deviation",) and definition.robot_alone == ("joint_3",)


def _row(joint: str) -> int:
    from bunraku.human.skeleton import INDEX

    return INDEX[joint]
