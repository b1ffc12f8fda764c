"""Joints that follow signals: limits, speeds, gaps, hands that are open or shut, eyes beyond the neck's range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations
from bunraku.retarget import retarget
from bunraku.retarget.extremities import Extremities
from bunraku.retarget.follow_kernels import (
    CLOSES_AT,
    JAW,
    OPENS_AT,
    SIGNALS,
    YAW,
    Followers,
    FollowMemory,
    follow,
)
from bunraku.retarget.joint_group import JointGroup
from bunraku.robots import Robot, load_robot
from bunraku.sources import read_motion
from gestures import gesture

NAMES = ("left_index_1_joint", "jaw_joint", "left_eye_yaw_joint")
DRIVEN_BY = (1, JAW, YAW)
VALUES = arrays(float, (12, 3), elements=st.floats(-4, 4))
KNOWN = arrays(bool, (12, 3))


@cache
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


@cache
def group() -> JointGroup:
    """A finger, the jaw and an eye."""
    return JointGroup(puppet(), [puppet().joint_index(name) for name in NAMES])


def followed(values: np.ndarray, known: np.ndarray, dt_s: float, side: int = -1) -> np.ndarray:
    """(T, 3) values of the three joints for one signal each, all of gain 1; of a hand that is open or shut, by side."""
    drives = np.zeros((3, SIGNALS))
    drives[range(3), DRIVEN_BY] = 1.0
    followers = Followers(
        group().columns.astype(np.int32), drives, np.zeros(3), np.ones(3), np.zeros(3),
        np.array([side, -1, -1], np.int32), group().lower, group().upper, group().speed, np.zeros(0, np.int32),
    )  # fmt: skip
    memory = FollowMemory(
        np.zeros(3), np.zeros(2, bool), np.zeros(SIGNALS), np.zeros(SIGNALS, bool), np.zeros(1, bool),
        np.zeros((4, 3, 3)),
    )  # fmt: skip
    out = np.empty((len(values), 3))
    for t in range(len(values)):
        memory.signal[list(DRIVEN_BY)], memory.known[list(DRIVEN_BY)] = values[t], known[t]
        follow(followers, memory, dt_s)
        out[t] = memory.value
    return out


@settings(max_examples=60)
@given(VALUES, KNOWN, st.floats(1e-3, 0.2))
def test_no_limit_and_no_speed_is_exceeded(values: np.ndarray, known: np.ndarray, dt_s: float) -> None:
    """Whatever is asked for, with gaps or without: joints and what follows them stay in range, no step is too long."""
    qpos = np.tile(puppet().neutral, (len(values), 1))
    qpos[:, group().columns] = followed(values, known, dt_s)
    joints = puppet().tree.with_followers(qpos)[:, puppet().first_joint :]
    assert (joints >= puppet().lower - 1e-9).all()
    assert (joints <= puppet().upper + 1e-9).all()
    assert (np.abs(np.diff(joints, axis=0)) <= puppet().velocity * dt_s + 1e-9).all()


def test_slow_signals_pass_unchanged() -> None:
    """A signal within limits and speeds comes out as it is."""
    values = np.linspace(0, 1, 12)[:, None] * [1.0, 0.2, -0.4]
    assert np.allclose(followed(values, np.ones(values.shape, bool), 0.02), values, atol=1e-12)


def test_a_jump_is_followed_at_full_speed_until_it_is_caught() -> None:
    """A step becomes a ramp at the joint's speed, and then stays; the first frame is met at once."""
    values = np.zeros((12, 3))
    values[3:, 0] = 1.0
    dt_s = 0.25 / group().speed[0]
    known = np.ones(values.shape, bool)
    assert np.allclose(followed(values, known, dt_s)[:, 0], [0, 0, 0, 0.25, 0.5, 0.75, 1, 1, 1, 1, 1, 1])
    assert (followed(values[3:], known[3:], dt_s)[:, 0] == 1.0).all()


def test_gaps_hold() -> None:
    """A lost joint stays where it was, and where it started before it is first known."""
    values, known = np.full((12, 3), 0.15), np.zeros((12, 3), bool)
    values[6:, 0] = 0.2
    known[[2, 8], 0] = True
    out = followed(values, known, 1.0)
    assert np.allclose(out[:, 0], [0.0] * 2 + [0.15] * 6 + [0.2] * 4)
    assert (out[:, 1:] == 0.0).all()


def test_an_on_off_hand_keeps_its_state_between_the_thresholds() -> None:
    """It shuts above one curl, opens below a lower one, and neither in between, nor where no finger is seen."""
    curl = np.array([0.5, CLOSES_AT + 0.01, 0.5, OPENS_AT + 0.01, 0.1, OPENS_AT - 0.01, 0.5, 0.9, 0.5])
    known = np.ones((len(curl), 3), bool)
    known[4] = False
    values = np.zeros((len(curl), 3))
    values[:, 0] = curl
    assert followed(values, known, 1.0, side=0)[:, 0].tolist() == [0, 1, 1, 1, 1, 0, 0, 1, 1]
    assert np.allclose(followed(values, known, 1.0)[known[:, 0], 0], curl[known[:, 0]])


@pytest.mark.parametrize("side", [0, 1])
def test_a_robots_file_makes_a_hand_on_off(side: int) -> None:
    """The hand that the YAML names has two states; the other one, and both by default, are proportional."""
    name = ("left", "right")[side]
    ramp = gesture(np.linspace(0, 1, 60)[:, None, None] * np.ones((1, 2, 5)), fps=1.0)
    robot = load_robot("inmoov", overrides={"hands": {name: "on-off"}})
    hands, out = Extremities(robot), np.tile(robot.neutral, (60, 1))
    hands.follow(hands.start(), 1.0, clip_of(ramp), None, None, out)
    for joint in hands.fingers:
        levels = len(np.unique(out[:, robot.first_joint + joint.joint].round(6)))
        assert (levels == 2) if joint.side == side else (levels > 40)


def clip_of(motion: HumanMotion) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The arrays of a motion."""
    return motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid


def looking(turns: Sequence[tuple[float, float]], eyes: np.ndarray | None = None, frames: int = 40) -> HumanMotion:
    """Someone whose head turns by (yaw, pitch) for a while each."""
    motion = gesture(np.zeros((frames * len(turns), 2, 5)))
    world = motion.rotations.copy()
    for k, (yaw, pitch) in enumerate(turns):
        world[frames * k : frames * (k + 1), INDEX["head"]] = rotations.from_euler("ZY", [yaw, pitch])
    return replace(motion, rotations=world, eyes=eyes)


def yaw_of(robot: Robot, qpos: np.ndarray, part: str) -> float:
    """How far a part looks to the left of where the robot faces, rad."""
    node = max(j for j in range(robot.tree.joint_count) if part in robot.joint_names[j]) + 1
    _, rotation = robot.tree.forward(qpos)
    _, rest = robot.tree.forward(robot.neutral)
    body = robot.semantics.world_from_body
    forward, left, _ = body.T @ rotation[node] @ rest[node].T @ body[:, 0]
    return float(np.arctan2(left, forward))


def columns(robot: Robot, *names: str) -> list[int]:
    """Of joints by name."""
    return [robot.first_joint + robot.joint_index(name) for name in names]


@pytest.mark.parametrize(("name", "wanted", "short"), [("puppet", 1.65, 0.1), ("inmoov", 2.9, 0.2)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_eyes_take_what_the_neck_leaves(name: str, wanted: float, short: float, sign: int) -> None:
    """Where the head turns further than trunk and neck can, eyes go on: the line of sight is the person's."""
    robot = load_robot(name)
    qpos = retarget(looking([(sign * wanted, 0.0)]), robot).qpos[-1]
    head = "neck_pitch" if name == "puppet" else "head_pan"
    assert sign * yaw_of(robot, qpos, head) < wanted - short
    assert sign * yaw_of(robot, qpos, "eye") == pytest.approx(wanted, abs=0.03)


def test_eyes_rest_while_the_neck_can_follow() -> None:
    """Within the neck's range the eyes stay nearly straight, and without a head's rotation fully."""
    robot = puppet()
    eyes = columns(robot, "left_eye_yaw_joint", "eyes_pitch_joint")
    out = retarget(looking([(0.3, 0.1)]), robot).qpos
    assert np.abs(out[-1, eyes]).max() < 0.08
    motion = looking([(2.0, 0.5)])
    blind = motion.rotation_valid.copy()
    blind[:, INDEX["head"]] = False
    assert (retarget(replace(motion, rotation_valid=blind), robot).qpos[:, eyes] == 0.0).all()


def test_a_gaze_adds_to_what_the_neck_leaves() -> None:
    """A person who looks further than the head points moves the eyes by as much more, up to their limits."""
    robot, turn = puppet(), (float(puppet().upper[puppet().joint_index("neck_yaw_joint")]) + 0.1, 0.0)
    (eye,) = columns(robot, "left_eye_yaw_joint")
    without = retarget(looking([turn]), robot).qpos[-1, eye]
    more = retarget(looking([turn], np.full((40, 2), [0.2, 0.0])), robot).qpos[-1, eye]
    most = retarget(looking([turn], np.full((40, 2), [1.5, 0.0])), robot).qpos[-1, eye]
    assert more - without == pytest.approx(0.2, abs=0.02)
    assert most == pytest.approx(robot.upper[robot.joint_index("left_eye_yaw_joint")])


def test_a_gaze_is_relative_to_the_head() -> None:
    """The person may stand turned anywhere: eyes on a free base see the same."""
    robot, eyes = puppet(), np.full((40, 2), [0.15, 0.1])
    ahead = looking([(0.0, 0.0)], eyes)
    turned = replace(gesture(np.zeros((40, 2, 5)), turn=rotations.from_axis_angle([0.0, 0.0, 1.0], 2.0)), eyes=eyes)
    at = columns(robot, "left_eye_yaw_joint", "eyes_pitch_joint")
    assert np.allclose(retarget(ahead, robot).qpos[-1, at], [0.15, 0.1], atol=0.03)
    assert np.allclose(retarget(turned, robot).qpos[-1, at], [0.15, 0.1], atol=0.03)


def test_eyes_are_mirror_images() -> None:
    """Turning the other way turns the eyes the other way."""
    robot = puppet()
    (eye,) = columns(robot, "left_eye_yaw_joint")
    one, two = (retarget(looking([(sign * 1.9, 0.0)]), robot).qpos[-1, eye] for sign in (1, -1))
    assert one == pytest.approx(-two, abs=0.02)
    assert abs(one) > 0.2


def test_performances_keep_the_faces_speed() -> None:
    """A person who turns about all the time: eyes and jaw stay within ranges and speeds."""
    robot, motion = puppet(), read_motion("synth:random?seconds=4&fps=60")
    joints = retarget(motion, robot).joints[:, list(robot.semantics.joints["face"])]
    own = [robot.velocity[j] for j in robot.semantics.joints["face"]]
    assert (np.abs(np.diff(joints, axis=0)) * motion.fps <= np.array(own) + 1e-6).all()
