"""Likeness of limbs: known angles, known distances, and what must not matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.evaluate import Evaluation, evaluate, limbs
from bunraku.evaluate.limbs import LIMBS
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations
from evaluate.bodies import FPS, moved, shadow, stick, swinging, without

SCORES = ("limb_deg", "limb_deg_p95", "limb_deg_world", "limb_deg_world_p95", "kp_root", "kp_limb", "pelvis_R_deg",
          *(f"limb_deg_{limb}" for limb in LIMBS))  # fmt: skip
SIDES = ("left", "right")
angles = st.floats(-3.1, 3.1)
metres = st.floats(-20, 20)


def scores(result: Evaluation) -> list[float]:
    return [result[name] for name in SCORES]


def turned(human: HumanMotion, yaw: float, shift: tuple[float, float, float]) -> HumanMotion:
    """The person in a world that is turned and shifted."""
    turn = rotations.from_axis_angle([0.0, 0.0, 1.0], yaw)
    return replace(
        human,
        positions=rotations.rotate(turn, human.positions) + np.array(shift),
        rotations=rotations.multiply(turn, human.rotations),
    )


def test_a_perfect_copy_scores_zero() -> None:
    """The person's joints stand where the robot's are: no angle, no distance."""
    motion = swinging()
    assert scores(evaluate(shadow(motion), motion, stick())) == pytest.approx([0.0] * len(SCORES), abs=1e-5)


def test_forearms_off_by_ten_degrees_score_ten() -> None:
    """Both elbows bent 10° further: forearms 10°, two of eight limbs, so all limbs 2.5°; the rest zero."""
    human = shadow(moved(left_elbow=-0.5, right_elbow=-0.5))
    off = -0.5 - np.radians(10)
    result = evaluate(human, moved(left_elbow=off, right_elbow=off), stick())
    assert result["limb_deg_forearm"] == pytest.approx(10.0)
    assert result["limb_deg"] == pytest.approx(2.5)
    assert result["limb_deg_world"] == pytest.approx(2.5)
    assert result["limb_deg_p95"] == pytest.approx(10.0)
    assert result["limb_deg_upper_arm"] == pytest.approx(0.0, abs=1e-5)
    # The wrist is off by a chord of 0.25 m, measured in arms of 0.55 m, and is one of the four ends with a base.
    chord = 2 * 0.25 * np.sin(np.radians(5))
    assert result["kp_limb"] == pytest.approx(chord / 0.55 / 4)
    assert result["kp_root"] == pytest.approx(chord / 0.8 / 5)


def test_a_leaning_robot_is_off_in_the_world_and_not_in_the_pelvis() -> None:
    """The robot sways by up to 20° more than the person with the same joint angles: limb_deg 0, limb_deg_world not."""
    motion, upright = swinging(80), swinging(80)
    sway = np.radians(20) * np.sin(2 * np.pi * np.arange(80) / 40)
    upright.qpos[:, 3:7] = [1.0, 0.0, 0.0, 0.0]
    motion.qpos[:, 3:7] = rotations.from_axis_angle([0.0, 1.0, 0.0], sway)
    result = evaluate(shadow(upright), motion, stick())
    assert result["limb_deg"] == pytest.approx(0.0, abs=1e-5)
    assert result["pelvis_R_deg"] == pytest.approx(float(np.degrees(np.abs(sway).mean())))
    assert result["limb_deg_world"] == pytest.approx(float(np.degrees(np.abs(sway).mean())), rel=0.01)


@settings(max_examples=12, deadline=None)
@given(angles, metres, metres, angles, metres, st.integers(0, 5))
def test_where_either_stands_and_faces_does_not_matter(
    yaw: float, x: float, y: float, robot_yaw: float, robot_x: float, seed: int
) -> None:
    """One constant heading and shift of the person, another one of the robot, change no score of likeness."""
    motion, other = swinging(12, seed), swinging(12, seed + 1)
    human = shadow(motion)
    plain = scores(evaluate(human, other, stick()))
    other.qpos[:, 0] += robot_x
    turn = rotations.from_axis_angle([0.0, 0.0, 1.0], robot_yaw)
    other.qpos[:, 3:7] = rotations.multiply(turn, other.qpos[:, 3:7])
    assert scores(evaluate(turned(human, yaw, (x, y, 0.3)), other, stick())) == pytest.approx(plain, abs=1e-6)
    assert plain[0] > 1.0


@given(st.floats(0.2, 3.0))
@settings(max_examples=8, deadline=None)
def test_size_does_not_matter(scale: float) -> None:
    """A person of another size with the same directions scores zero in every figure, positions included."""
    motion = swinging(10)
    human = shadow(motion)
    assert scores(evaluate(replace(human, positions=human.positions * scale), motion, stick())) == pytest.approx(
        [0.0] * len(SCORES), abs=1e-5
    )


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3))
@settings(max_examples=8, deadline=None)
def test_the_axes_of_the_pelvis_are_nobodys_business(vector: list[float]) -> None:
    """Whatever axes a device fixes to the person's pelvis, the scores stay."""
    human, motion = shadow(swinging(10)), swinging(10, seed=3)
    other_axes = rotations.multiply(human.rotations, rotations.exp(vector))
    plain = scores(evaluate(human, motion, stick()))
    assert scores(evaluate(replace(human, rotations=other_axes), motion, stick())) == pytest.approx(plain, abs=1e-6)


def test_what_is_flagged_unknown_does_not_count() -> None:
    """Nonsense in joints that are flagged unknown for some frames changes nothing but the frames that count."""
    motion = swinging(40)
    human = shadow(motion)
    known, positions, turn_known = human.position_valid.copy(), human.positions.copy(), human.rotation_valid.copy()
    known[10:20, INDEX["left_forearm"]] = known[5:8, INDEX["hips"]] = turn_known[25:30, INDEX["hips"]] = False
    positions[10:20, INDEX["left_forearm"]] = positions[5:8, INDEX["hips"]] = 77.0
    human = replace(human, positions=positions, position_valid=known, rotation_valid=turn_known)
    result = evaluate(human, motion, stick())
    assert scores(result) == pytest.approx([0.0] * len(SCORES), abs=1e-5)


def test_a_person_without_orientations_is_judged_in_the_world_alone() -> None:
    """Positions from a camera: limb_deg_world stands, what is seen from the pelvis is left out with the reason."""
    motion = swinging()
    result = evaluate(without(shadow(motion), rotations_of=("hips", "chest")), motion, stick())
    assert result["limb_deg_world"] == pytest.approx(0.0, abs=1e-5)
    for name in ("limb_deg", "limb_deg_thigh", "kp_limb", "kp_root", "pelvis_R_deg"):
        assert "orientation" in result.left_out[name]


def test_a_robot_with_arms_alone_is_seen_from_its_chest() -> None:
    """Arms are judged, legs and pelvis are left out, and a note says what the limbs are seen from."""
    robot = stick(legs=False, fixed=True)
    motion = swinging(robot=robot)
    result = evaluate(shadow(motion, robot), motion, robot)
    assert result["limb_deg_forearm"] == pytest.approx(0.0, abs=1e-5)
    assert result["kp_limb"] == pytest.approx(0.0, abs=1e-5)
    assert {"limb_deg_thigh", "limb_deg_shin", "kp_root", "pelvis_R_deg"} <= result.left_out.keys()
    assert any("chest" in note for note in result.notes)
    assert any("robot" in note and "left_thigh" in note for note in result.notes)


def test_a_robot_without_limbs_has_no_likeness() -> None:
    """A lamp: every figure of likeness is left out, with a reason."""
    motion = swinging(10)
    result = evaluate(shadow(motion), motion, stick(legs=False, arms=False))
    assert set(SCORES) <= result.left_out.keys()
    assert "limit_violations" in result


def test_one_unknown_arm_leaves_the_other() -> None:
    """A person with the right arm alone is judged by it."""
    human = shadow(moved(right_elbow=-0.5))
    human = without(human, "left_upper_arm", "left_forearm", "left_hand")
    result = evaluate(human, moved(left_elbow=-1.5, right_elbow=-0.5 - np.radians(10)), stick())
    assert result["limb_deg_forearm"] == pytest.approx(10.0)
    assert any("person" in note and "left_forearm" in note for note in result.notes)


def test_lengths_take_only_frames_in_which_the_whole_limb_is_known() -> None:
    """Elbow known in some frames, wrist in others: the arm has no length, and no error by its length."""
    motion = swinging(40)
    human = shadow(motion)
    known = human.position_valid.copy()
    for side in SIDES:
        known[:20, INDEX[f"{side}_forearm"]] = False
        known[20:, INDEX[f"{side}_hand"]] = False
    result = evaluate(replace(human, position_valid=known), motion, stick())
    assert result["kp_limb"] == pytest.approx(0.0, abs=1e-5)
    assert "forearm" in result.left_out["limb_deg_forearm"]


def test_heading_is_the_turn_between_two_worlds() -> None:
    """Vectors turned about the vertical by 0.7 rad, lengths and heights aside, give that turn."""
    a = np.random.default_rng(1).normal(size=(20, 3))
    turn = rotations.from_axis_angle([0.0, 0.0, 1.0], 0.7)
    b = rotations.rotate(turn, a) * [2.0, 2.0, -1.0]
    assert limbs.heading(a, b) == pytest.approx(rotations.to_matrix(turn))


def test_frames_per_second_do_not_matter() -> None:
    """Likeness has no rate in it."""
    motion, other = swinging(20), swinging(20, seed=2)
    human = shadow(motion)
    faster = replace(other, fps=4 * FPS), replace(human, fps=4 * FPS)
    assert scores(evaluate(faster[1], faster[0], stick())) == pytest.approx(scores(evaluate(human, other, stick())))
