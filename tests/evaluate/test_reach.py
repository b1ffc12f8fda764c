"""Why a limb does not point as the person's does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.evaluate import evaluate
from bunraku.evaluate.ingredients import Ingredients
from bunraku.evaluate.reach import Shortfall
from bunraku.human import HumanMotion
from bunraku.kinematics import rotations
from bunraku.robots.motion import RobotMotion
from bunraku.robots.robot import Robot
from evaluate.bodies import mjcf, moved, read, shadow, stick, swinging, with_semantics

ARM = {"left_arm": ("left_shoulder", "left_elbow"), "right_leg": ("right_hip", "right_knee", "right_ankle")}


def knowing(robot: Robot, **parts: tuple[str, ...]) -> Robot:
    """The robot, told which joints move an arm or a leg."""
    told = replace(robot)
    joints = {part: tuple(robot.joint_index(name) for name in names) for part, names in (parts or ARM).items()}
    vars(told)["semantics"] = replace(robot.semantics, joints=joints)
    return told


def found(human: HumanMotion, motion: RobotMotion, robot: Robot) -> tuple[Shortfall, ...]:
    return Ingredients(human, motion, robot, 0).shortfalls()


def test_a_perfect_copy_needs_no_reason() -> None:
    """No limb is off: no shortfall and no note."""
    motion, robot = swinging(), knowing(stick())
    assert found(shadow(motion), motion, robot) == ()


def test_the_joint_whose_range_ends_is_named() -> None:
    """The person's elbow bends backwards by 40 degrees, the robot's by no more than 20."""
    human = shadow(moved(left_elbow=np.radians(40)))
    (shortfall,) = found(human, moved(left_elbow=np.radians(20)), knowing(stick()))
    assert (shortfall.limb, shortfall.cause) == ("left arm", "left_elbow ends at 20°")
    assert shortfall.parts == (("forearm", pytest.approx(20.0)),)
    assert shortfall.share == 1.0
    result = evaluate(human, moved(left_elbow=np.radians(20)), knowing(stick()))
    assert "left arm: forearm 20° off, in 100% of such frames because left_elbow ends at 20°" in str(result)
    assert result.to_dict()["shortfalls"] == [
        {
            "limb": "left arm",
            "off_deg": {"forearm": pytest.approx(20.0)},
            "cause": "left_elbow ends at 20°",
            "share": 1.0,
        }
    ]


def test_a_joint_at_its_end_that_would_not_help_is_not_blamed() -> None:
    """The elbow stands at its end, but the person's is bent the other way: the range is no reason."""
    human = shadow(moved(left_elbow=np.radians(-20)))
    (shortfall,) = found(human, moved(left_elbow=np.radians(20)), knowing(stick()))
    assert shortfall.cause == "other aims weigh more"


def test_a_joint_at_full_speed_is_named() -> None:
    """An elbow that turns as fast as it may, and the person's is ahead."""
    motion = moved()
    robot = replace(stick(), velocity=np.full(len(stick().joint_names), 1.0))
    vars(robot)["semantics"] = stick().semantics
    column = robot.first_joint + robot.joint_index("left_elbow")
    ahead = moved()
    motion.qpos[:, column] = -np.arange(40) / 30.0
    ahead.qpos[:, column] = motion.qpos[:, column] - 0.3
    (shortfall,) = found(shadow(ahead), motion, knowing(robot))
    assert shortfall.cause == "left_elbow moves as fast as it can"


def test_what_no_joint_turns_is_said() -> None:
    """All joints of the arm turn about the robot's left: it cannot be lifted sideways."""
    human = shadow(moved())
    elbow, wrist = (human.position(f"left_{name}") for name in ("forearm", "hand"))
    wrist[:] = elbow + [0.0, 0.25 * np.sin(0.5), -0.25 * np.cos(0.5)]
    (shortfall,) = found(human, moved(), knowing(stick()))
    assert shortfall.cause == "none of its joints turns it that way"


def test_a_leg_that_stands_is_held_by_its_foot() -> None:
    """The person's knee is bent, the robot's could be: with three joints a flat foot leaves it no choice."""
    human = shadow(moved(right_knee=0.5))
    (shortfall,) = found(human, moved(), knowing(stick(), right_leg=ARM["right_leg"]))
    assert shortfall.cause == "its foot stands flat, and the leg has 3 joints"


def test_what_is_in_the_way_is_named() -> None:
    """A post a centimetre in front of the forearm keeps it from bending."""
    post = (
        '<body name="post" pos="0.08 0.25 0.1"><inertial mass="1" pos="0 0 0" diaginertia="0.01 0.01 0.01"/>'
        '<joint name="a" axis="1 0 0" range="-1 1"/><body name="top"><joint name="b" axis="0 1 0" range="-1 1"/>'
        '<inertial mass="1" pos="0 0 0" diaginertia="0.01 0.01 0.01"/><geom type="box" size="0.005 0.1 0.1"/>'
        "</body></body>"
    )
    begins = '<freejoint name="root"/>'
    robot = read(mjcf().replace(begins, begins + post))
    robot = with_semantics(
        robot,
        {name: name for name in stick().semantics.points},
        hips="pelvis",
        chest="pelvis",
    )
    motion = moved(robot=robot, left_elbow=-0.17)
    human = shadow(moved(robot=robot, left_elbow=-0.6), robot)
    (shortfall,) = found(human, motion, knowing(robot))
    assert shortfall.cause == "top is in the way"


def test_a_fixed_base_is_seen_from_the_trunk() -> None:
    """A person who leans forward as a whole asks nothing of a robot that stands for the chest."""
    robot = stick(fixed=True)
    motion = swinging(robot=robot)
    human = shadow(motion, robot)
    lean = rotations.from_axis_angle([0.0, 1.0, 0.0], 0.5)
    leaning = replace(
        human,
        positions=rotations.rotate(lean, human.positions),
        rotations=rotations.multiply(lean, human.rotations),
    )
    result = evaluate(leaning, motion, robot)
    assert result["limb_deg"] == pytest.approx(0.0, abs=1e-4)
    assert "pelvis_R_deg" in result.left_out
    assert any("the robot's fixed base stands for" in note for note in result.notes)
