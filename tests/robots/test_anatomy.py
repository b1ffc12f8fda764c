"""Body plans of robots of odd build."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import odd_robots as odd
from bunraku.robots import Robot

PARTS = ("left_arm", "right_arm", "left_leg", "right_leg", "torso", "neck")


def joints(robot: Robot, part: str) -> list[str]:
    """Names of a part's joints; none where the robot lacks it."""
    return [robot.joint_names[joint] for joint in robot.semantics.joints.get(part, ())]


def place(robot: Robot, name: str) -> np.ndarray:
    """Where a point of the body is as the robot stands."""
    point = robot.semantics.points[name]
    at, rotation = robot.link_poses(robot.neutral)
    return at[point.link] + rotation[point.link] @ point.position


def test_bodies_may_have_several_joints(tmp_path: Path) -> None:
    """A ball-like joint of one body, as MuJoCo's humanoids have it: all parts are found, points at the joints."""
    robot = odd.loaded(tmp_path, odd.humanoid())
    assert [len(joints(robot, part)) for part in PARTS] == [5, 5, 6, 6, 2, 2]
    hips = place(robot, "left_thigh")
    assert place(robot, "left_shin") - hips == pytest.approx([0, 0, -0.4])
    assert place(robot, "left_upper_arm") - hips == pytest.approx([0, 0.12, 0.63])
    assert place(robot, "left_hand") - place(robot, "left_forearm") == pytest.approx([0, 0, -0.25])


def test_a_thigh_built_beside_the_hips_axes_points_where_the_thigh_does(tmp_path: Path) -> None:
    """Yaw and roll meet 11 cm further inside than the thigh: the hip is where the thigh begins."""
    robot = odd.loaded(tmp_path, odd.humanoid(below=odd.legs(beside=0.11)))
    for side in ("left", "right"):
        along = place(robot, f"{side}_shin") - place(robot, f"{side}_thigh")
        assert along == pytest.approx([0, 0, -0.4], abs=1e-6)


@pytest.mark.parametrize("around", ["0 0 90", "0 0 180", "0 0 -90", "0 0 30"])
@pytest.mark.parametrize("named", [True, False])
def test_it_may_face_any_way_in_its_base(tmp_path: Path, around: str, named: bool) -> None:
    """Left is where the limbs' names say, or else where the feet make it; the front follows."""
    if around == "0 0 30" and not named:
        pytest.skip("without names, mirror images are looked for across the base's own planes")
    text = odd.humanoid(around=around)
    robot = odd.loaded(tmp_path, text if named else odd.without_names(text))
    angle = np.radians(float(around.split()[-1]))
    assert robot.base == "free"
    assert robot.semantics.world_from_body[:, 0] == pytest.approx([np.cos(angle), np.sin(angle), 0], abs=1e-6)
    assert [len(joints(robot, part)) for part in PARTS] == [5, 5, 6, 6, 2, 2]


@pytest.mark.parametrize("lying", ["90 0 0", "-90 0 0", "0 90 0", "180 0 0"])
def test_drawn_lying_it_stands_up_without_names(tmp_path: Path, lying: str) -> None:
    """Whatever axis is up in the file, the feet come to lie below."""
    text = odd.without_names(odd.humanoid()).replace('pos="0 0 0.95"', f'pos="0 0 0.95" euler="{lying}"', 1)
    robot = odd.loaded(tmp_path, text)
    assert robot.base == "free"
    assert place(robot, "left_foot")[2] < 0.2
    assert place(robot, "left_upper_arm")[2] > 1.2


def test_an_arm_begins_behind_the_lift_and_beside_the_head(tmp_path: Path) -> None:
    """One arm and a head on a lift on wheels: each is itself, and the wheels are nothing of a person."""
    robot = odd.loaded(tmp_path, odd.on_wheels(odd.arm("right", -1.0) + odd.head()))
    assert joints(robot, "right_arm")[0] == "right_shoulder_pitch"
    assert joints(robot, "torso") == ["lift"]
    assert joints(robot, "neck") == ["neck_yaw", "neck_pitch"]
    assert not joints(robot, "left_leg") and not joints(robot, "left_arm")


def test_wheels_are_no_limbs(tmp_path: Path) -> None:
    """Two arms on wheels: a mirrored pair of wheels is neither arms nor legs."""
    robot = odd.loaded(tmp_path, odd.on_wheels(odd.arms()))
    assert [len(joints(robot, part)) for part in PARTS] == [5, 5, 0, 0, 1, 0]


def test_four_legs_are_no_arm(tmp_path: Path) -> None:
    """A quadruped has nothing that stands for a person's limb."""
    pairs = odd.legs() + odd.legs().replace("left_", "rear_left_").replace("right_", "rear_right_")
    robot = odd.loaded(tmp_path, odd.humanoid(below=pairs, above=odd.head()).replace('pos="0 0.1 -0.08"', "", 1))
    assert not robot.semantics.points


def test_what_rises_above_legs_is_trunk_then_neck(tmp_path: Path) -> None:
    """Without arms, joints named as a trunk carry the chest, and those behind them the head; none becomes an arm."""
    robot = odd.loaded(tmp_path, odd.humanoid(above=odd.head()))
    assert [len(joints(robot, part)) for part in PARTS] == [0, 0, 6, 6, 2, 2]
    assert robot.links.names[robot.semantics.links["chest"]] == "chest"
    bare = odd.loaded(tmp_path, odd.humanoid(above=""))
    assert [len(joints(bare, part)) for part in PARTS] == [0, 0, 6, 6, 2, 0]


def test_a_lone_joint_among_fingers_is_one_of_them(tmp_path: Path) -> None:
    """What is named as a hand, hangs beside fingers and carries nothing does not lengthen the arm."""
    robot = odd.loaded(tmp_path, odd.humanoid(above=odd.arms(fingers=True)))
    assert joints(robot, "left_arm")[-1] == "left_wrist_yaw"
    assert len(joints(robot, "left_fingers")) == 3


def test_collar_bones_may_begin_at_one_point(tmp_path: Path) -> None:
    """Which arm is left is told by where it lies, not by where it begins."""
    collars = "".join(
        odd.body(f"{side}_collar", (0, 0, 0), odd.joint(f"{side}_clavicle", "1 0 0", "-20 20") + odd.arm(side, sign))
        for side, sign in reversed(odd.SIDES)
    )
    robot = odd.loaded(tmp_path, odd.humanoid(above=collars))
    assert joints(robot, "left_arm")[0] == "left_clavicle"
    assert place(robot, "left_hand")[1] > 0.2


def test_toes_stay_out_of_the_leg(tmp_path: Path) -> None:
    """A toe joint moves with nothing of the person's leg; the sole is the foot's."""
    robot = odd.loaded(tmp_path, odd.humanoid(below=odd.legs(toe=True)))
    assert joints(robot, "left_leg")[-1] == "left_ankle_roll"
    assert robot.links.names[robot.semantics.links["left_foot"]] == "left_foot"
