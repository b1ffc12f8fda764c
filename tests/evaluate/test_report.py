"""The evaluation as a whole: every metric or a reason, as a table and as JSON; what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import bunraku
from bunraku.errors import InputError, UnknownNameError
from bunraku.evaluate import METRICS, evaluate
from bunraku.robots.load import load_robot
from bunraku.robots.motion import RobotMotion
from evaluate.bodies import moved, shadow, stick, swinging, without_shapes

JUDGED = ("limit_violations limit_max_rad at_limit_pct joint_vel_p99 joint_vel_max jump_max_rad jumps_gt_0.5 "
          "joint_acc_p99 penetration_mean_cm penetration_max_cm penetration_gt1cm_pct self_collision_pct "
          "self_collision_max_mm "
          "human_contact_frames slide_cm_s slide_all_cm_s human_slide_cm_s float_cm contact_kept_pct limb_deg "
          "limb_deg_world limb_deg_upper_arm limb_deg_forearm limb_deg_thigh limb_deg_shin limb_deg_world_p95 "
          "limb_deg_p95 kp_root kp_limb pelvis_R_deg velocity_violations")  # fmt: skip


def test_the_names_are_those_of_the_neutral_judge() -> None:
    """One name for one thing, here and there; the velocity limits and the third paper's warping beside them."""
    assert set(METRICS) == {*JUDGED.split(), "dtw_system", "dtw_score"}


def test_each_value_is_finite_and_in_its_declared_range() -> None:
    """A whole humanoid's motion has every metric, each within the range of its declaration."""
    human, motion = shadow(swinging(seed=1)), swinging(seed=2)
    human.positions[:20, :, 2] = shadow(moved()).positions[:20, :, 2]
    human.positions[:20] = human.positions[0]
    motion.qpos[:20] = moved().qpos[:20]
    result = evaluate(human, motion, stick())
    assert result.left_out == {}
    assert set(result) == set(METRICS)
    for name, metric in METRICS.items():
        assert metric.low <= result[name] <= metric.high, name


def test_the_dictionary_is_json() -> None:
    """Numbers and strings alone, with units, nothing that is not a number."""
    result = evaluate(shadow(swinging()), swinging(seed=3), stick())
    back = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert back["metrics"]["limb_deg"] == {
        "value": result["limb_deg"], "unit": "°", "better": "lower", "meaning": METRICS["limb_deg"].meaning,
    }  # fmt: skip
    assert (back["robot"], back["human"], back["frames"], back["fps"]) == ("stick", "shadow", 40, 30.0)


def test_the_table_has_each_figure_and_each_reason() -> None:
    """A person reads names, values and units; what is left out stands below with its reason."""
    robot = stick(legs=False, fixed=True)
    motion = swinging(robot=robot)
    text = str(evaluate(shadow(motion, robot), motion, robot))
    assert "stick after shadow: 40 frames at 30 /s" in text
    for name in METRICS:
        assert name in text
    assert "the robot's base is fixed" in text
    assert max(len(line) for line in text.splitlines()) < 240


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_short_motions_give_what_they_can(frames: int) -> None:
    """One frame has limits and likeness but no speed; nothing crashes, nothing is not a number."""
    motion = swinging(frames)
    result = evaluate(shadow(motion), motion, stick())
    assert {"limit_violations", "limb_deg", "penetration_max_cm"} <= set(result)
    assert ("joint_vel_max" in result) == (frames > 1)
    assert ("joint_acc_p99" in result) == (frames > 2)
    assert all(np.isfinite(result[name]) for name in result)


def test_an_empty_person_leaves_the_robot_to_be_judged_alone() -> None:
    """No human frames: joints and ground are judged, the rest is left out with a reason."""
    motion = swinging()
    result = evaluate(shadow(motion).frames(slice(0)), motion, stick())
    assert {"limit_violations", "penetration_max_cm", "self_collision_pct"} <= set(result)
    assert {"limb_deg", "float_cm", "kp_root"} <= result.left_out.keys()


def test_frames_that_are_skipped_do_not_count() -> None:
    """A start-up with a jump, in the ground, is left out by `skip`; the rest is judged as before."""
    motion = swinging(60)
    human = shadow(motion)
    motion.qpos[:20, 2] -= 0.1
    motion.qpos[:20, 7] += 1.0
    assert evaluate(human, motion, stick())["jumps_gt_0.5"] == 1
    result = evaluate(human, motion, stick(), skip=20)
    assert result["jumps_gt_0.5"] == 0
    assert result["penetration_max_cm"] < 5.0
    assert result["limb_deg"] == pytest.approx(0.0, abs=1e-4)
    assert result.frames == 40


def test_joints_are_found_by_name() -> None:
    """A motion that lists its joints in another order has the same scores."""
    motion = swinging(seed=4)
    human, order = shadow(swinging(seed=5)), list(reversed(range(len(motion.joint_names))))
    shuffled = replace(
        motion,
        qpos=np.concatenate([motion.qpos[:, :7], motion.joints[:, order]], axis=1),
        joint_names=tuple(motion.joint_names[i] for i in order),
    )
    assert evaluate(human, shuffled, stick()).to_dict() == evaluate(human, motion, stick()).to_dict()


def test_a_robot_without_shapes_is_judged_by_its_joints() -> None:
    """No collision shapes: ground and self are left out with the reason, the rest stands."""
    robot = without_shapes(stick())
    motion = moved(robot=robot)
    result = evaluate(shadow(motion, robot), motion, robot)
    assert {"limit_violations", "joint_vel_p99"} <= set(result)
    assert "shapes" in result.left_out["self_collision_pct"]
    assert "shapes" in result.left_out["penetration_max_cm"]


def test_a_motion_that_outlasts_the_person_is_noted() -> None:
    """The robot moves on for a second after the person's last frame: judged against that pose, and said."""
    motion = swinging(60)
    result = evaluate(shadow(motion).frames(slice(30)), motion, stick())
    assert any("1.00 s longer" in note for note in result.notes)
    assert evaluate(shadow(motion), motion, stick()).notes == ()


def test_asking_for_a_figure_that_is_not_there() -> None:
    """A metric that was left out tells why; a name that is none tells the names."""
    result = evaluate(shadow(moved()), moved(), stick(legs=False))
    with pytest.raises(InputError, match="feet"):
        result["float_cm"]
    with pytest.raises(UnknownNameError, match="limb_deg"):
        result["limb_degs"]


def test_motions_that_do_not_fit_the_robot_are_refused() -> None:
    """Unknown or absent joints, the wrong base, numbers that are not finite, too long a skip: one line each."""
    motion = moved()
    human = shadow(motion)
    with pytest.raises(UnknownNameError, match="left_wing"):
        evaluate(human, replace(motion, joint_names=("left_wing", *motion.joint_names[1:])), stick())
    with pytest.raises(InputError, match=motion.joint_names[-1]):
        evaluate(human, replace(motion, joint_names=motion.joint_names[:-1], qpos=motion.qpos[:, :-1]), stick())
    with pytest.raises(InputError, match='base="free"'):
        evaluate(human, motion, stick(fixed=True))
    with pytest.raises(InputError, match="finite"):
        evaluate(human, replace(motion, qpos=motion.qpos * np.nan), stick())
    for skip in (-1, 40, 1000):
        with pytest.raises(InputError, match="skip"):
            evaluate(human, motion, stick(), skip=skip)


@pytest.mark.parametrize("size", [1e6, 1e160, 1e300])
def test_absurd_numbers_give_figures_or_reasons(size: float) -> None:
    """Finite numbers that overflow when squared: every value that is reported is finite, the rest says why."""
    motion = swinging()
    human = shadow(motion)
    human.positions[7] *= size
    motion.qpos[9] *= size
    result = evaluate(human, motion, stick())
    json.dumps(result.to_dict(), allow_nan=False)
    assert set(result) | set(result.left_out) == set(METRICS)
    assert any("too large" in why for why in result.left_out.values()) == (size > 1e100)


def test_without_a_robot_the_one_that_the_motion_names_is_loaded() -> None:
    """The built-in puppet by its name, on the base that the motion has; a motion that names none is refused."""
    puppet = load_robot("puppet", base="fixed")
    motion = RobotMotion(
        qpos=np.tile(puppet.neutral, (5, 1)), joint_names=puppet.joint_names, fps=30.0, robot="puppet", root="fixed"
    )
    human = shadow(moved(5))
    assert evaluate(human, motion).to_dict() == evaluate(human, motion, puppet).to_dict()
    with pytest.raises(InputError, match="which robot"):
        evaluate(human, replace(motion, robot=""))


def test_the_package_offers_it() -> None:
    """`bunraku.evaluate` is this function."""
    assert bunraku.evaluate is evaluate
