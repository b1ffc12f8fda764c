"""The face: jaw and eyes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bunraku.human import HumanMotion
from bunraku.retarget.extremities import Extremities
from bunraku.retarget.face import JAW, PITCH, YAW, find_face_joints
from bunraku.robots import load_robot
from bunraku.sources import read_motion
from gestures import gesture

ROBOTS = ("puppet", "inmoov")


@cache
def mapper(name: str) -> Extremities:
    """Of a robot by name."""
    return Extremities(load_robot(name))


@pytest.fixture(params=ROBOTS)
def face(request: pytest.FixtureRequest) -> Extremities:
    """The built-in robots with a face."""
    return mapper(request.param)


def person(jaw: np.ndarray | None, eyes: np.ndarray | None, fps: float = 10.0) -> HumanMotion:
    """Someone who only moves the face."""
    frames = len(jaw if jaw is not None else eyes if eyes is not None else ())
    return replace(gesture(np.zeros((frames, 2, 5)), fps=fps), jaw=jaw, eyes=eyes)


def applied(face: Extremities, motion: HumanMotion) -> np.ndarray:
    """(T, nq) from the neutral configuration."""
    qpos = np.tile(face.robot.neutral, (len(motion), 1))
    clip = (motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid)
    face.follow(face.start(), 1 / motion.fps, clip, motion.jaw, motion.eyes, qpos)
    return qpos


def gaze(face: Extremities, qpos: np.ndarray) -> np.ndarray:
    """(T, k, 3) where the k nodes of the eyes' last joints look: what was forward in the neutral configuration."""
    tree, body = face.robot.tree, face.robot.semantics.world_from_body
    driven = {joint.joint for joint in face.face if joint.signal == YAW}
    eyes = [int(j) + 1 for j in range(tree.joint_count) if int(tree.leader[j]) in driven]
    _, rotation = tree.forward(qpos)
    _, rest = tree.forward(face.robot.neutral)
    return rotation[:, eyes] @ np.swapaxes(rest[eyes], -1, -2) @ body[:, 0]


def test_the_jaw_opens_downwards(face: Extremities) -> None:
    """A jaw opens further the further the person's does, its chin goes down, and closed is where it rests."""
    robot = face.robot
    qpos = applied(face, person(np.linspace(0, 1, 5), None))
    (jaw,) = (joint for joint in face.face if joint.signal == JAW)
    at, rotation = robot.link_poses(qpos)
    links = np.flatnonzero((robot.links.node == jaw.joint + 1) & (robot.links.mass > 0))
    chin = np.array([at[:, k] + rotation[:, k] @ robot.links.centre_of_mass[k] for k in links]).mean(axis=0)
    assert (np.diff(chin[:, 2]) < -1e-4).all()
    assert chin[0, 2] - chin[-1, 2] > 0.003
    assert qpos[0, robot.first_joint + jaw.joint] == pytest.approx(0.0)
    assert qpos[-1, robot.first_joint + jaw.joint] == pytest.approx(robot.upper[jaw.joint])


def test_a_mouth_wide_open_is_open(face: Extremities) -> None:
    """Values beyond closed and open count as closed and open."""
    (jaw,) = (joint for joint in face.face if joint.signal == JAW)
    column = face.robot.first_joint + jaw.joint
    values = applied(face, person(np.array([-0.5, 0.0, 1.0, 1.5]), None, fps=1.0))[:, column]
    assert np.array_equal(values[[0, 3]], values[[1, 2]])
    assert np.ptp(values) > 0.05


@pytest.mark.parametrize(("yaw", "pitch"), [(0.3, 0.0), (-0.3, 0.0), (0.0, 0.2), (0.0, -0.2), (0.2, 0.15)])
def test_eyes_look_where_the_person_looks(face: Extremities, yaw: float, pitch: float) -> None:
    """Both eyes turn by the person's angles: yaw to the left, pitch down, seen from the robot's head."""
    qpos = applied(face, person(None, np.array([[yaw, pitch]])))
    for way in gaze(face, qpos)[0]:
        forward, left, up = way @ face.robot.semantics.world_from_body
        assert np.arctan2(left, forward) == pytest.approx(yaw, abs=0.02)
        assert np.arctan2(-up, np.hypot(forward, left)) == pytest.approx(pitch, abs=0.02)


@pytest.mark.parametrize("name", ["wave", "box", "conduct", "random"])
def test_whole_performances_stay_within_limits_and_speeds(face: Extremities, name: str) -> None:
    """Generated motions move the face, no joint beyond its range or faster than it can."""
    robot, motion = face.robot, read_motion(f"synth:{name}?seconds=10&fps=50")
    out = applied(face, motion)[:, robot.first_joint :]
    assert (out >= robot.lower - 1e-9).all()
    assert (out <= robot.upper + 1e-9).all()
    assert (np.abs(np.diff(out, axis=0)) * motion.fps <= robot.velocity + 1e-6).all()
    assert np.ptp(out[:, [joint.joint for joint in face.face]], axis=0).max() > 0.05


def test_eyes_that_jump_are_slowed_down(face: Extremities) -> None:
    """A saccade at 1000 frames per second is followed at the joints' speed."""
    eyes = np.zeros((300, 2))
    eyes[3:] = [0.4, -0.2]
    robot = face.robot
    out = applied(face, person(None, eyes, fps=1000.0))[:, robot.first_joint :]
    assert (np.abs(np.diff(out, axis=0)) * 1000.0 <= robot.velocity + 1e-6).all()
    for joint in face.face:
        if joint.signal != JAW:
            assert out[-1, joint.joint] == pytest.approx({YAW: 0.4, PITCH: -0.2}[joint.signal])


def test_what_is_not_known_stays(face: Extremities) -> None:
    """Closed and straight ahead until something is known; a number that is none holds the last value."""
    (jaw,) = (face.robot.first_joint + joint.joint for joint in face.face if joint.signal == JAW)
    held = applied(face, person(np.array([np.nan, 0.4, np.nan, np.nan]), None, fps=1.0))[:, jaw]
    assert held[0] == 0.0
    assert held[1] == held[2] == held[3] != 0.0


HEAD = """<mujoco><compiler angle="radian"/><worldbody><body name="torso"><geom type="box" size="0.1 0.1 0.2"/>
  {arms}<body name="head" pos="0 0 0.4"><geom type="sphere" size="0.1"/>
    <joint name="neck_yaw" axis="0 0 1" range="-1 1"/>
    <body name="jaw" pos="0 0 -0.05"><joint name="jaw" axis="0 -1 0" range="{jaw}"/>{chin}</body>
    <body name="eyes" pos="0.09 0 0.03"><joint name="eyes_pitch" axis="0 -1 0" range="-0.5 0.5"/>{ball}
      <body name="l"><joint name="left_eye_yaw" axis="0 0 -1" range="-0.5 0.5"/>{ball}</body>
      <body name="r"><joint name="right_eye_yaw" axis="0 0 1" range="-0.5 0.5"/>{ball}</body></body>
    <body name="lid" pos="0.1 0 0.03"><joint name="left_eye_lid" axis="0 1 0" range="0 1"/>{ball}</body>
    <body name="lip" pos="0.1 0 -0.06"><joint name="mouth_corner" axis="0 0 1" range="0 0.3"/>{lip}</body>
  </body></body></worldbody></mujoco>"""


def arms() -> str:
    """A mirrored pair, so that the head has shoulders to stand above."""
    return "".join(
        f"""<body name="{side}_arm" pos="0 {y} 0.2"><joint name="{side}_shoulder" axis="0 1 0" range="-1 1"/>
          <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2"/>
          <body name="{side}_forearm" pos="0 0 -0.2"><joint name="{side}_elbow" axis="0 1 0" range="-1 0"/>
          <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2"/></body></body>"""
        for side, y in (("left", 0.15), ("right", -0.15))
    )


@pytest.mark.parametrize(("jaw", "closed", "opened"), [("-0.4 0", 0.0, -0.4), ("-0.4 0.1", 0.0, -0.4)])
@pytest.mark.parametrize(
    "chin", ['<geom type="sphere" size="0.02" pos="0.06 0 0"/>', '<geom type="sphere" size="0.02"/>']
)
def test_signs_come_from_geometry(tmp_path: Path, jaw: str, closed: float, opened: float, chin: str) -> None:
    """Reversed axes reverse the values; eyelids and mouth corners are neither eyes nor jaw."""
    ball, lip = '<geom type="sphere" size="0.01"/>', '<geom type="sphere" size="0.01" pos="0.02 0 0"/>'
    file = tmp_path / "head.xml"
    file.write_text(HEAD.format(arms=arms(), jaw=jaw, chin=chin, ball=ball, lip=lip))
    robot = load_robot(str(file))
    found = {robot.joint_names[j.joint]: (j.signal, j.rest, j.rest + j.gain) for j in find_face_joints(robot)}
    assert found == {
        "jaw": (JAW, closed, pytest.approx(opened)),
        "eyes_pitch": (PITCH, 0.0, -1.0),
        "left_eye_yaw": (YAW, 0.0, -1.0),
        "right_eye_yaw": (YAW, 0.0, 1.0),
    }
