"""Dexterous hands: whose they are, fingertips, pinches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bunraku.human import HumanMotion
from bunraku.kinematics import rotations
from bunraku.retarget.extremities import Extremities
from bunraku.retarget.finger_joints import find_hands
from bunraku.retarget.grasp import is_dexterous
from bunraku.robots import Robot, load_robot
from gestures import gesture, pinch
from shared import need, robots

needs_data = pytest.mark.skipif(find_spec("cmeel") is None, reason="the package example-robot-data is not installed")
CLOSING = np.concatenate([np.linspace(0, 1, 40), np.ones(15)])

Change = Callable[[HumanMotion], HumanMotion]


def as_it_is(motion: HumanMotion) -> HumanMotion:
    """Positions and rotations."""
    return motion


def without_rotations(motion: HumanMotion) -> HumanMotion:
    """Seen by a camera."""
    return replace(motion, rotation_valid=np.zeros_like(motion.rotation_valid))


def without_positions(motion: HumanMotion) -> HumanMotion:
    """Felt by a glove."""
    return replace(motion, position_valid=np.zeros_like(motion.position_valid))


def of_a_child(motion: HumanMotion) -> HumanMotion:
    """Small hands, elsewhere, seen from elsewhere, by a camera."""
    turn = rotations.exp([0.4, -1.0, 2.0])
    return replace(without_rotations(motion), positions=rotations.rotate(turn, motion.positions * 0.6) + [3.0, 2, 1])


WAYS = (as_it_is, without_rotations, without_positions, of_a_child)


@cache
def extremities(name: str) -> Extremities:
    """Of a robot by name or pattern of its file."""
    return Extremities(load_robot(str(need(robots(name))[0]) if "/" in name else name))


def applied(hands: Extremities, motion: HumanMotion) -> np.ndarray:
    """(T, nq) from the neutral configuration."""
    qpos = np.tile(hands.robot.neutral, (len(motion), 1))
    clip = (motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid)
    hands.follow(hands.start(), 1 / motion.fps, clip, None, None, qpos)
    return qpos


def gaps(hands: Extremities, qpos: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """(side, human finger) → (T,) m between the tips of that finger and of the thumb."""
    position, rotation = hands.robot.tree.forward(qpos)
    out = {}
    for hand in find_hands(hands.robot):
        tips = {d.fingers[0]: position[:, d.last] + rotation[:, d.last] @ d.tip for d in hand.digits}
        out |= {(hand.side, f): np.linalg.norm(tip - tips[0], axis=1) for f, tip in tips.items() if f}
    return out


def reachable(hands: Extremities, finger: int) -> float:
    """m between the tips of the thumb and of a finger in the best pinch that the robot's hands have."""
    assert hands.grasp is not None
    grasp = hands.grasp.grasp
    return float(hands.grasp.gap[[d for d in range(len(grasp.side)) if grasp.finger[d] % 5 == finger]].max())


G1 = ("g1-hands", "unitree_g1/menagerie/g1_with_hands.xml")


@needs_data
@pytest.mark.parametrize("name", G1)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("finger", ["index", "middle"])
def test_pinches_close_on_a_hand_with_seven_joints(name: str, way: Change, finger: str) -> None:
    """Where the person's thumb and finger touch, so do the robot's within 3 mm, the other finger stays away."""
    hands, row = extremities(name), {"index": 1, "middle": 2}[finger]
    apart = gaps(hands, applied(hands, way(pinch(CLOSING, finger))))
    for side in (0, 1):
        assert apart[side, row][0] > 0.07
        assert apart[side, row][-1] < 0.003
        assert apart[side, 3 - row][-1] > 0.03


@pytest.mark.parametrize("way", WAYS)
def test_pinches_close_as_far_as_the_hand_can(way: Change) -> None:
    """The puppet's thumb comes as near to its index as its joints allow."""
    hands = extremities("puppet")
    apart, best = gaps(hands, applied(hands, way(pinch(CLOSING)))), reachable(hands, 1)
    assert best < 0.02
    for side in (0, 1):
        assert apart[side, 1][0] > 0.05
        assert apart[side, 1][-1] < best + 0.003


@needs_data
def test_flat_hands_are_straight_and_fists_shut() -> None:
    """Fingers of the G1 are straight in a flat hand and near the end of their range in a fist, thumbs bend in."""
    hands = extremities("g1-hands")
    robot = hands.robot
    curl = np.linspace(0, 1, 60)[:, None, None] * np.ones((1, 2, 5))
    for way in WAYS:
        joints = applied(hands, way(gesture(curl)))[:, robot.first_joint :]
        for finger in ("index", "middle"):
            for k, end in ((0, 1.57), (1, 1.75)):
                right = joints[:, robot.joint_index(f"right_hand_{finger}_{k}_joint")]
                assert abs(right[0]) < 0.03
                assert right[-1] > 0.75 * end
        assert abs(joints[-1, robot.joint_index("right_hand_thumb_2_joint")]) > 1.0


@settings(max_examples=25)
@given(arrays(float, (1, 2, 5), elements=st.floats(0, 1)))
def test_hands_are_mirror_images(curl: np.ndarray) -> None:
    """A person's mirrored hands give the robot's hands mirrored: tips as far from the thumb on the other side."""
    hands = extremities("puppet")
    here = gaps(hands, applied(hands, gesture(np.repeat(curl, 3, axis=0))))
    there = gaps(hands, applied(hands, gesture(np.repeat(curl[:, ::-1], 3, axis=0))))
    for (side, finger), gap in here.items():
        assert np.allclose(gap, there[1 - side, finger], atol=3e-3)


@settings(max_examples=25)
@given(arrays(float, (2, 2, 5), elements=st.floats(0, 1)))
def test_one_hand_does_not_move_the_other(curl: np.ndarray) -> None:
    """Whatever the right hand does, the left one does the same."""
    hands = extremities("puppet")
    other = curl.copy()
    other[:, 1] = 1 - other[:, 1]
    left = [hands.robot.first_joint + j for j in hands.robot.semantics.joints["left_fingers"]]
    one, two = (applied(hands, gesture(np.repeat(c, 4, axis=0))) for c in (curl, other))
    assert np.allclose(one[:, left], two[:, left], atol=0.03)


@settings(max_examples=25)
@given(arrays(float, 3, elements=st.floats(-3, 3)), st.floats(0, 1))
def test_it_does_not_matter_where_the_hands_are(turn: np.ndarray, curl: float) -> None:
    """The same gesture of a person turned anyhow gives the same joints."""
    hands = extremities("puppet")
    still = applied(hands, gesture(np.full((2, 2, 5), curl)))
    turned = applied(hands, gesture(np.full((2, 2, 5), curl), turn=rotations.exp(turn)))
    parts = hands.robot.semantics.joints
    fingers = hands.robot.first_joint + np.array([*parts["left_fingers"], *parts["right_fingers"]])
    assert np.allclose(still[:, fingers], turned[:, fingers], atol=1e-3)


def test_small_movements_stay_small() -> None:
    """A pinch that closes within two seconds moves no joint by more than a few degrees from frame to frame."""
    hands = extremities("puppet")
    out = applied(hands, pinch(np.linspace(0, 1, 120), fps=60.0))
    assert np.abs(np.diff(out, axis=0)).max() < 0.1


def test_a_fist_is_no_pinch() -> None:
    """A finger rolled up into the palm is not drawn to the thumb beside it."""
    hands = extremities("puppet")
    robot = hands.robot
    fist = applied(hands, gesture(np.ones((3, 2, 5))))[-1]
    for joint in ("left_index_1_joint", "right_middle_1_joint"):
        assert fist[robot.first_joint + robot.joint_index(joint)] > 0.9 * robot.upper[robot.joint_index(joint)]


def dexterous(robot: Robot) -> list[bool]:
    """Of each of its hands."""
    return [is_dexterous(robot, hand) for hand in find_hands(robot)]


@needs_data
def test_which_hands_are_dexterous() -> None:
    """Six servos or more with a thumb beside fingers; one servo per finger, grippers and no hands are not."""
    assert dexterous(load_robot("puppet")) == dexterous(load_robot("g1-hands")) == [True, True]
    assert dexterous(load_robot("inmoov")) == dexterous(load_robot("romeo")) == dexterous(load_robot("talos"))
    assert dexterous(load_robot("talos")) == [False, False]
    assert dexterous(load_robot("lamp")) == []


def test_a_hand_declared_on_off_is_not_led_by_its_tips() -> None:
    """The robot's YAML decides for one hand, the other stays dexterous."""
    hands = Extremities(load_robot("puppet", overrides={"hands": {"left": "on-off"}}))
    assert hands.grasp is not None
    assert set(hands.grasp.grasp.side.tolist()) == {1}
    assert {joint.side for joint in hands.fingers} == {0}
