"""Hands: robots' fingers do what the person's do."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.skeleton import FINGERS, SIDES
from bunraku.retarget.finger_joints import WHOLE_HAND, FingerJoint
from bunraku.retarget.hands import HandMapper
from bunraku.robots import Robot, load_robot
from bunraku.sources import read_motion
from gestures import fingers_of, gesture

needs_data = pytest.mark.skipif(find_spec("cmeel") is None, reason="the package example-robot-data is not installed")

RAMP = np.linspace(0, 1, 41)[:, None, None]
ROBOTS = ("puppet", "inmoov")


@cache
def mapper(name: str) -> HandMapper:
    """Of a robot by name."""
    return HandMapper(load_robot(name))


@pytest.fixture(params=ROBOTS)
def hands(request: pytest.FixtureRequest) -> HandMapper:
    """The built-in robots with hands."""
    return mapper(request.param)


def applied(hands: HandMapper, motion: HumanMotion) -> np.ndarray:
    """(T, nq) from the neutral configuration, followers in place."""
    qpos = np.tile(hands.robot.neutral, (len(motion), 1))
    return hands.robot.tree.with_followers(hands.apply(qpos, motion))


def chains(hands: HandMapper) -> list[list[list[int]]]:
    """Nodes of each finger, by side and finger: those that the finger's joints or their followers move."""
    tree, out = hands.robot.tree, [[[] for _ in FINGERS] for _ in SIDES]
    for finger in hands.fingers:
        (row,) = finger.fingers
        out[finger.side][row] += [int(joint) + 1 for joint in np.flatnonzero(tree.leader == finger.joint)]
    return out


def tip_to_palm(hands: HandMapper, qpos: np.ndarray) -> np.ndarray:
    """(T, 2, 5) distance of each finger's last joint from the middle of the palm: of the wrist and the finger roots."""
    tree = hands.robot.tree
    position, _ = tree.forward(qpos)
    out = np.empty((len(qpos), 2, 5))
    for side, fingers in enumerate(chains(hands)):
        roots = [min(nodes) for nodes in fingers]
        wrist = int(tree.parent[roots[1]])
        palm = position[:, [wrist, *roots[1:]]].mean(axis=1)
        for row, nodes in enumerate(fingers):
            out[:, side, row] = np.linalg.norm(position[:, max(nodes)] - palm, axis=1)
    return out


def test_a_fist_closes_every_finger(hands: HandMapper) -> None:
    """While the person makes a fist every fingertip comes nearer to the palm; while the hand opens they go back."""
    curl = np.concatenate([RAMP, RAMP[::-1]]) * np.ones((1, 2, 5))
    away = tip_to_palm(hands, applied(hands, gesture(curl)))
    assert ((away[0] - away[40]) > 0.008).all()
    assert ((away[0] - away[40])[:, 1:] > 0.015).all()
    assert np.allclose(away[0], away[-1], atol=1e-3)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("finger", range(5))
def test_one_finger_moves_alone(hands: HandMapper, side: int, finger: int) -> None:
    """Curling one finger moves the joints of that finger and of no other."""
    curl = np.zeros((41, 2, 5))
    curl[:, side, finger] = RAMP[:, 0, 0]
    joints = applied(hands, gesture(curl))[:, hands.robot.first_joint :]
    moved = set(np.flatnonzero(np.ptp(joints, axis=0) > 1e-6) + 1)
    assert moved == set(chains(hands)[side][finger])
    assert np.ptp(joints, axis=0).max() > 0.9


@settings(max_examples=30, deadline=None)
@given(arrays(float, (1, 2, 5), elements=st.floats(0, 1)))
def test_hands_are_mirror_images(curl: np.ndarray) -> None:
    """A person's mirrored hands give the robot's hands mirrored: tips as far from the palm on the other side."""
    for hands in map(mapper, ROBOTS):
        here = tip_to_palm(hands, applied(hands, gesture(curl)))
        there = tip_to_palm(hands, applied(hands, gesture(curl[:, ::-1])))
        assert np.allclose(here, there[:, ::-1], atol=2e-3)


@pytest.mark.parametrize("name", ["wave", "conduct", "box", "random"])
def test_whole_performances_stay_within_limits_and_speeds(hands: HandMapper, name: str) -> None:
    """Generated motions move the fingers, and no joint beyond its range or faster than it can."""
    robot, motion = hands.robot, read_motion(f"synth:{name}?seconds=6&fps=50")
    out = applied(hands, motion)[:, robot.first_joint :]
    assert (out >= robot.lower - 1e-9).all()
    assert (out <= robot.upper + 1e-9).all()
    assert (np.abs(np.diff(out, axis=0)) * motion.fps <= robot.velocity + 1e-6).all()
    moving = [finger.joint for finger in hands.fingers]
    assert (np.ptp(out[:, moving], axis=0) > 0.02).sum() >= (0 if name == "box" else 5)


def test_a_snap_is_slowed_down(hands: HandMapper) -> None:
    """A hand that closes from one frame to the next is followed at the joints' speed, and reached."""
    curl = np.zeros((60, 2, 5))
    curl[5:] = 1.0
    motion, robot = gesture(curl, fps=200.0), hands.robot
    out = applied(hands, motion)[:, robot.first_joint :]
    steps = np.abs(np.diff(out, axis=0)) * motion.fps
    assert (steps <= robot.velocity + 1e-6).all()
    leaders = [finger.joint for finger in hands.fingers]
    assert np.allclose(out[-1, leaders], [finger.closed for finger in hands.fingers], atol=0.05)


def test_fingers_that_are_not_seen_are_left_alone(hands: HandMapper) -> None:
    """A finger without data keeps what the caller gave, one that is lost stays, and without hands nothing changes."""
    robot, motion = hands.robot, gesture(RAMP * np.ones((1, 2, 5)))
    positions, turns = motion.position_valid.copy(), motion.rotation_valid.copy()
    never, lost = fingers_of("left", "middle"), fingers_of("right", "ring")
    positions[:, never] = turns[:, never] = False
    positions[20:, lost] = turns[20:, lost] = False
    qpos = np.tile(robot.neutral, (len(motion), 1))
    first = robot.first_joint
    joint = {(f.side, f.fingers[0]): first + f.joint for f in hands.fingers}
    qpos[:, joint[0, 2]] = np.linspace(0.3, 0.4, len(motion))
    out = hands.apply(qpos, replace(motion, position_valid=positions, rotation_valid=turns))
    assert np.array_equal(out[:, joint[0, 2]], qpos[:, joint[0, 2]])
    assert np.ptp(out[:21, joint[1, 3]]) > 0.3
    assert np.ptp(out[19:, joint[1, 3]]) == 0
    assert np.ptp(out[19:, joint[1, 2]]) > 0.3
    nothing = np.zeros_like(positions)
    assert np.array_equal(hands.apply(qpos, replace(motion, position_valid=nothing, rotation_valid=nothing)), qpos)


def test_only_the_fingers_are_touched(hands: HandMapper) -> None:
    """Base, limbs and followers come out as they went in, and the input is not written to."""
    motion = gesture(np.ones((3, 2, 5)))
    qpos = np.tile(hands.robot.neutral, (3, 1))
    before = qpos.copy()
    out = hands.apply(qpos, motion)
    columns = [hands.robot.first_joint + finger.joint for finger in hands.fingers]
    others = np.setdiff1d(np.arange(qpos.shape[1]), columns)
    assert np.array_equal(qpos, before)
    assert np.array_equal(out[:, others], qpos[:, others])


def test_live_poses_give_what_the_clip_gives(hands: HandMapper) -> None:
    """Frame by frame, each from the one before, the result is that of the whole clip."""
    motion = read_motion("synth:conduct?seconds=2&fps=100")
    qpos = np.tile(hands.robot.neutral, (len(motion), 1))
    clip = hands.apply(qpos, motion)
    previous = None
    for frame, pose in enumerate(motion):
        previous = hands.apply_pose(qpos[frame], pose, previous, 1 / motion.fps)
        assert np.allclose(previous, clip[frame], atol=1e-9)
    assert np.array_equal(hands.apply_pose(qpos[0], HumanPose.empty(), None, 0.01), qpos[0])
    assert previous is not None
    assert np.array_equal(hands.apply_pose(qpos[0], HumanPose.empty(), previous, 0.01), previous)


def test_a_robot_without_hands_is_unchanged() -> None:
    """A lamp does what it did."""
    hands, motion = HandMapper(load_robot("lamp")), gesture(np.ones((3, 2, 5)))
    qpos = np.random.default_rng(0).uniform(-1, 1, (3, hands.robot.tree.qpos_size))
    assert hands.fingers == ()
    assert np.array_equal(hands.apply(qpos, motion), qpos)
    assert np.array_equal(hands.apply_pose(qpos[0], motion.pose(0), None, 0.01), qpos[0])


def grip(robot: Robot, curl: float) -> np.ndarray:
    """(2,) values of the two grippers' joints for all fingers but the thumb curled so far."""
    hands = HandMapper(robot)
    fingers = np.full((1, 2, 5), curl)
    fingers[:, :, 0] = 0.9
    out = hands.apply(robot.neutral[None], gesture(fingers))[0]
    return np.array([out[robot.first_joint + finger.joint] for finger in hands.fingers])


@needs_data
def test_grippers_follow_the_mean_of_the_fingers() -> None:
    """TALOS closes downwards and Romeo towards zero with index to little finger; the thumb has no say."""
    talos, romeo = load_robot("talos"), load_robot("romeo")
    assert np.allclose(grip(talos, 0.0), 0.0, atol=1e-6)
    assert np.allclose(grip(talos, 1.0), talos.lower[talos.joint_index("gripper_left_joint")], atol=0.03)
    assert np.allclose(grip(talos, 0.5) * 2, grip(talos, 1.0), atol=0.03)
    assert np.allclose(grip(romeo, 0.0), 1.0, atol=1e-6)
    assert np.allclose(grip(romeo, 1.0), 0.0, atol=0.03)


def test_a_gripper_takes_the_fingers_that_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean is over known fingers of the hand's own side; with none known there is no value."""
    grippers = tuple(FingerJoint(joint, side, WHOLE_HAND, 0.2, 1.2) for side, joint in ((0, 17), (1, 39)))
    monkeypatch.setattr(sys.modules[HandMapper.__module__], "find_finger_joints", lambda robot: grippers)
    hands = HandMapper(load_robot("puppet"))
    curl = np.array([[[0.9, 0.2, 0.4, 0.9, 0.9], [0.9, 0.1, 0.2, 0.3, 0.4]]])
    known = np.array([[[True, True, True, False, False], [True] * 5]])
    values, found = hands.joint_values(curl, known)
    assert found.all()
    assert np.allclose(values, [[0.2 + 0.3, 0.2 + 0.25]])
    known[0, 0, 1:] = False
    assert hands.joint_values(curl, known)[1].tolist() == [[False, True]]
