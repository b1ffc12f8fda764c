"""Penetration and self-collision as figures."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.evaluate import collision, evaluate
from evaluate.bodies import mjcf, moved, read, shadow, stick, with_semantics


def test_depth_below_the_ground_in_centimetres() -> None:
    """Heights of 1, 0, -0.5 and -2.5 cm: mean depth 0.75, worst 2.5, one frame of four deeper than 1 cm."""
    lowest = np.array([0.01, 0.0, -0.005, -0.025])
    assert collision.penetration_mean_cm(lowest) == pytest.approx(0.75)
    assert collision.penetration_max_cm(lowest) == pytest.approx(2.5)
    assert collision.penetration_gt1cm_pct(lowest) == pytest.approx(25.0)


def test_overlap_in_millimetres() -> None:
    """Two frames of four touch, the worst by 4 mm."""
    overlap = np.array([0.0, 0.002, 0.004, 0.0])
    assert collision.self_collision_pct(overlap) == pytest.approx(50.0)
    assert collision.self_collision_max_mm(overlap) == pytest.approx(4.0)


def test_a_robot_two_centimetres_in_the_ground() -> None:
    """The whole motion 2 cm too low: mean and worst 2 cm, all frames deeper than 1 cm."""
    motion = moved()
    human = shadow(motion)
    motion.qpos[:, 2] -= 0.02
    result = evaluate(human, motion, stick())
    assert result["penetration_mean_cm"] == pytest.approx(2.0)
    assert result["penetration_max_cm"] == pytest.approx(2.0)
    assert result["penetration_gt1cm_pct"] == 100.0


def test_a_robot_on_the_ground_does_not_penetrate() -> None:
    """Soles on z = 0 are not below it."""
    result = evaluate(shadow(moved()), moved(), stick())
    assert result["penetration_max_cm"] == pytest.approx(0.0, abs=1e-6)
    assert result["self_collision_pct"] == 0.0


def test_links_that_collide_are_named() -> None:
    """A thigh raised into the forearm of its side: every frame collides, and the pair is told with its frames."""
    wide, narrow = ('<body name="left_upper_arm" pos="0 0.25 0.5">', '<body name="left_upper_arm" pos="0 0.1 0.5">')
    robot = with_semantics(read(mjcf().replace(wide, narrow)))
    motion = moved(robot=robot, left_hip=-1.5, left_elbow=-0.5)
    result = evaluate(shadow(motion, robot), motion, robot, skip=10)
    assert result["self_collision_pct"] == 100.0
    assert result["self_collision_max_mm"] > 5
    assert result.self_collision_pairs[("left_thigh", "left_forearm")] == 30
    assert result.to_dict()["self_collision_pairs"]["left_thigh|left_forearm"] == 30
    assert "left_thigh on left_forearm in 30 frames" in str(result)


def test_a_fixed_base_has_no_ground_under_it() -> None:
    """A robot bolted to a stand is not judged by the ground, and the reason says so."""
    robot = stick(fixed=True)
    motion = moved(robot=robot)
    result = evaluate(shadow(motion, robot), motion, robot)
    for name in ("penetration_max_cm", "float_cm", "slide_cm_s"):
        assert "fixed" in result.left_out[name]
    assert result["self_collision_pct"] == 0.0
