"""How alike two poses are, in numbers and in words; and the offsets of a clutch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bunraku.kinematics import rotations
from bunraku.robots import load_robot
from bunraku.safety.match import PARTS, WITHIN_RAD, Clutch, Matching, PoseMatch, yaw
from small_robots import joint, link, urdf, write

PUPPET = load_robot("puppet")
ARM = 7 + np.array(PUPPET.semantics.joints["left_arm"])


def test_the_same_pose_is_wholly_alike() -> None:
    """Every limb, whatever the base and the fingers do."""
    target = PUPPET.neutral.copy()
    target[:7] += 3.0
    target[7 + np.array(PUPPET.semantics.joints["left_fingers"])] += 1.0
    matching = PoseMatch(PUPPET).of(target, PUPPET.neutral)
    assert matching.share == 1.0
    assert set(matching.limbs) == set(PARTS)
    assert matching.enough
    assert matching.words == "100 % alike"


@pytest.mark.parametrize("apart, share", [(1.0, 1.0), (2.0, 0.5), (3.0, 0.0), (9.0, 0.0), (-2.0, 0.5)])
def test_a_joint_counts_less_the_further_it_is(apart: float, share: float) -> None:
    """Wholly within 25 degrees, not at all beyond 75, evenly between."""
    target = PUPPET.neutral.copy()
    target[ARM] += apart * WITHIN_RAD
    matching = PoseMatch(PUPPET).of(target, PUPPET.neutral)
    assert matching.limbs["left_arm"] == pytest.approx(share)
    assert matching.limbs["right_arm"] == 1.0
    assert matching.enough == (share == 1.0)


def test_one_limb_that_is_far_is_enough_to_refuse() -> None:
    """A quarter of it at most; the words say which, the furthest first."""
    assert Matching(0.95, {"left_arm": 0.75, "torso": 1.0}).enough
    assert not Matching(0.95, {"left_arm": 0.74, "torso": 1.0}).enough
    assert not Matching(0.89, {"left_arm": 0.9}).enough
    assert Matching(0.9, {}).enough
    matching = Matching(0.623, {"left_arm": 0.4, "neck": 0.2, "torso": 0.75})
    assert matching.words == "62 % alike; neck 20 %, left arm 40 %"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_not_alike(bad: float) -> None:
    """Nothing of it."""
    target = PUPPET.neutral.copy()
    target[ARM] = bad
    assert PoseMatch(PUPPET).of(target, PUPPET.neutral).limbs["left_arm"] == 0.0


def test_joints_that_turn_without_end_are_alike_a_turn_later(tmp_path: Any) -> None:
    """Two full turns away is the same place; a joint with limits is not; a slide is measured in metres."""
    slide = '<axis xyz="0 0 1"/><limit lower="0" upper="1" velocity="1" effort="1"/>'
    robot = load_robot(write(tmp_path, urdf(
        link("base"), link("a"), link("b"), link("c"), joint("wheel", "base", "a", "continuous", '<axis xyz="0 0 1"/>'),
        joint("elbow", "a", "b", inside='<axis xyz="0 1 0"/><limit lower="-9" upper="9" velocity="3" effort="4"/>'),
        joint("lift", "b", "c", "prismatic", slide),
    )))  # fmt: skip
    neutral = robot.neutral

    def share(wheel: float, elbow: float, lift: float) -> float:
        return PoseMatch(robot).of(neutral + [wheel, elbow, lift], neutral).share

    assert share(4 * np.pi, 0.0, 0.0) == pytest.approx(1.0)
    one = 1.0 - share(np.pi, 0.0, 0.0)
    assert 1.0 - share(0.0, 2 * np.pi, 0.0) == pytest.approx(one)
    assert one > 0.3
    assert 1.0 - share(0.0, 0.0, 0.1) in (pytest.approx(0.0), pytest.approx(0.5 * one))


def pose(x: float, y: float, z: float, turn: Any) -> np.ndarray:
    return np.concatenate([[x, y, z], rotations.exp(turn), np.zeros(2)])


def test_a_clutch_puts_the_base_where_the_robot_is() -> None:
    """Place and heading are the robot's; height and lean stay the person's; the way is turned along."""
    clutch, out = Clutch(7), np.empty(9)
    person, robot = pose(3.0, 4.0, 0.8, [0.0, 0.0, 0.5]), pose(-1.0, 2.0, 0.7, [0.0, 0.0, -1.0])
    clutch.latch(person, robot)
    clutch.apply(person, out)
    np.testing.assert_allclose(out[:7], [-1.0, 2.0, 0.8, *robot[3:7]], atol=1e-12)
    ahead = person.copy()
    ahead[:2] += [np.cos(0.5), np.sin(0.5)]
    ahead[3:7] = rotations.multiply(rotations.exp([0.1, 0.2, 0.3]), person[3:7])
    clutch.apply(ahead, out)
    np.testing.assert_allclose(out[:2], [-1.0 + np.cos(1.0), 2.0 - np.sin(1.0)], atol=1e-12)
    turned = rotations.multiply(rotations.exp([0.0, 0.0, -1.5]), ahead[3:7])
    np.testing.assert_allclose(out[3:7], turned, atol=1e-12)


def test_a_clutch_that_was_never_latched_changes_nothing() -> None:
    """Nor one of a fixed robot that follows the pose."""
    target, out = pose(1.0, 2.0, 3.0, [0.1, 0.2, 0.3]), np.empty(9)
    Clutch(7).apply(target, out)
    np.testing.assert_allclose(out, target, atol=1e-15)
    fixed = Clutch(0)
    fixed.latch(target, target + 1)
    fixed.apply(target, out)
    np.testing.assert_array_equal(out, target)


def test_a_relative_clutch_keeps_the_difference_of_joints() -> None:
    """What the person does from here on is added to where the robot was."""
    clutch, out = Clutch(0, relative=True), np.empty(3)
    clutch.latch(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    clutch.apply(np.array([1.1, 2.0, 2.5]), out)
    np.testing.assert_allclose(out, [0.1, 0.0, -0.5])
    clutch.latch(np.zeros(3), np.ones(3))
    clutch.apply(np.zeros(3), out)
    np.testing.assert_array_equal(out, np.ones(3))


def test_yaw_is_that_of_the_rotations() -> None:
    """For any rotation."""
    for q in rotations.exp(np.random.default_rng(0).normal(size=(50, 3))):
        assert yaw(q) == pytest.approx(float(rotations.yaw(q)))
