"""Contacts of the person, and what the robot's soles do meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.evaluate import evaluate, feet
from bunraku.evaluate.metric import MissingError
from evaluate.bodies import FPS, moved, shadow, stick, swinging, without, without_shapes

ALWAYS = np.ones((6, 2), bool)


def test_speed_is_known_only_where_the_neighbours_are() -> None:
    """An unknown frame makes its neighbours' speeds unknown too; elsewhere 0.3 m/s stays 0.3 m/s."""
    positions = np.zeros((6, 2, 3))
    positions[:, :, 0] = np.arange(6)[:, None] * 0.01
    known = ALWAYS.copy()
    known[2, 0] = False
    speed, speed_known = feet.speed(positions, known, 30.0)
    assert speed[:, 1] == pytest.approx(0.3)
    assert speed_known[:, 0].tolist() == [True, False, False, False, True, True]


def test_a_toe_stands_when_it_is_slow_and_low() -> None:
    """Fast or lifted toes are not in contact; the floor is where the lowest toes are, not z = 0."""
    height = np.full((6, 2), 0.5)
    height[3:, 0] = 0.54
    speed = np.zeros((6, 2))
    speed[:, 1] = 0.2
    contact = feet.contacts(height, speed, ALWAYS)
    assert contact[:, 0].tolist() == [True, True, True, False, False, False]
    assert not contact[:, 1].any()


def test_contact_metrics_of_arrays() -> None:
    """Two of four contacts are kept; sliding counts only those, floating counts all by distance."""
    contact = np.array([[True, True], [True, True], [False, False]])
    height = np.array([[0.0, 0.01], [-0.03, 0.05], [9.0, 9.0]])
    speed = np.array([[0.02, 0.04], [0.06, 0.5], [9.0, 9.0]])
    assert feet.contact_kept_pct(contact, height) == pytest.approx(75.0)
    assert feet.slide_cm_s(contact, height, speed) == pytest.approx(4.0)
    assert feet.slide_all_cm_s(contact, speed) == pytest.approx(15.5)
    assert feet.float_cm(contact, height) == pytest.approx(2.25)
    assert feet.human_contact_frames(contact) == 4


def test_no_contact_is_a_reason() -> None:
    """A person who floats through the clip gives no mean of nothing."""
    none = np.zeros((3, 2), bool)
    for compute in (feet.human_slide_cm_s, feet.slide_all_cm_s, feet.float_cm, feet.contact_kept_pct):
        with pytest.raises(MissingError, match="never stand"):
            compute(none, np.zeros((3, 2)))
    with pytest.raises(MissingError, match="never stand"):
        feet.slide_cm_s(none, np.zeros((3, 2)), np.zeros((3, 2)))
    with pytest.raises(MissingError, match="near the ground"):
        feet.slide_cm_s(np.ones((3, 2), bool), np.full((3, 2), 0.1), np.zeros((3, 2)))


def test_a_foot_that_slides_at_5_cm_s_scores_5() -> None:
    """The robot glides over the ground at 5 cm/s while the person stands still."""
    motion = moved(50)
    human = shadow(motion)
    motion.qpos[:, 0] += 0.03 * np.arange(50) / FPS
    motion.qpos[:, 1] += 0.04 * np.arange(50) / FPS
    result = evaluate(human, motion, stick())
    assert result["slide_cm_s"] == pytest.approx(5.0)
    assert result["slide_all_cm_s"] == pytest.approx(5.0)
    assert result["human_slide_cm_s"] == pytest.approx(0.0)
    assert result["human_contact_frames"] == 100


def test_a_robot_that_hovers_floats_and_keeps_no_contact() -> None:
    """3 cm above the ground: float 3 cm, no contact kept, nothing slides near the ground."""
    motion = moved()
    human = shadow(motion)
    motion.qpos[:, 2] += 0.03
    result = evaluate(human, motion, stick())
    assert result["float_cm"] == pytest.approx(3.0)
    assert result["contact_kept_pct"] == 0.0
    assert "slide_cm_s" in result.left_out


def test_sliding_is_judged_at_the_material_point_that_is_lowest() -> None:
    """A foot that only turns about its ankle moves its lowest point at angle rate times distance."""
    motion = moved(21)
    human, rate = shadow(motion), 0.3
    angle = rate * (np.arange(21) - 10) / FPS + 0.5
    for side in ("left", "right"):
        motion.qpos[:, 7 + stick().joint_index(f"{side}_ankle")] = angle
    result = evaluate(human, motion, stick())
    # The toe's corner (0.15, ±0.04, -0.06) turns about the ankle's y axis: horizontal speed = rate · depth below it.
    depth = 0.15 * np.sin(angle) + 0.06 * np.cos(angle)
    assert result["slide_all_cm_s"] == pytest.approx(float(np.mean(rate * depth)) * 100, rel=1e-3)
    assert result["float_cm"] == pytest.approx(float(np.mean(depth - 0.06)) * 100, rel=1e-6)


def test_the_person_is_sampled_at_the_robots_times() -> None:
    """A person recorded at four times the rate has the same contacts and slides at the same speed."""
    fast = swinging(121)
    human = shadow(fast)
    slow = moved(31, fps=FPS / 4)
    slow.qpos[:] = fast.qpos[::4]
    every = evaluate(human.frames(slice(None)), fast, stick())
    fourth = evaluate(human, slow, stick())
    assert fourth["limb_deg"] == pytest.approx(0.0, abs=1e-5)
    assert fourth["human_contact_frames"] == pytest.approx(every["human_contact_frames"] / 4, abs=4)


def test_without_toes_or_feet_the_figures_are_left_out() -> None:
    """A person without toes has no contacts; a robot without legs has no soles. Both reasons are told."""
    motion = moved()
    toeless = evaluate(without(shadow(motion), "left_toe", "right_toe"), motion, stick())
    assert "toes" in toeless.left_out["float_cm"]
    assert "toes" in toeless.left_out["human_contact_frames"]
    legless = evaluate(shadow(motion), motion, stick(legs=False))
    assert "feet" in legless.left_out["float_cm"]
    assert legless["human_contact_frames"] == 80


def test_a_foot_without_shapes_has_no_sole() -> None:
    """One foot stripped of its collision shapes: no sole to judge, and that is the reason."""
    robot = without_shapes(stick(), "left_foot")
    motion = moved(robot=robot)
    result = evaluate(shadow(motion, robot), motion, robot)
    assert "collision shapes" in result.left_out["float_cm"]
    assert result["penetration_max_cm"] == pytest.approx(0.0, abs=1e-6)
