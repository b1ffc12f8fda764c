"""What was found, written as YAML: passed back it changes nothing, and one entry changed has that effect alone."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
import yaml

from bunraku.errors import RobotError, UnknownNameError
from bunraku.robots import load_robot
from bunraku.robots.notes import notes_text
from bunraku.robots.overrides import check
from shared import need, robots
from small_robots import TRUNK, limb_arm, limb_head, limb_leg, urdf, wheels, write

SMALL = urdf(TRUNK, limb_arm("left"), limb_arm("right"), limb_leg("left"), limb_leg("right"), limb_head())
ROLLS = urdf(TRUNK, limb_arm("left"), limb_arm("right"), wheels())
DATA = ("g1-hands", "talos-full", "romeo", "centauro", "icub", "pr2")
needs_data = pytest.mark.skipif(find_spec("cmeel") is None, reason="the package example-robot-data is not installed")
NUMBERS = ("neutral", "lower", "upper", "velocity", "effort")


def as_found(robot):
    """Everything that could differ, in plain values."""
    parts = robot.semantics
    return {
        "base": robot.base_kind, "name": robot.name, "reasons": parts.reasons, "links": dict(parts.links),
        "joints": dict(parts.joints), "hinges": dict(parts.hinges), "facing": parts.world_from_body.tolist(),
        "points": {part: (p.link, p.position.tolist()) for part, p in parts.points.items()},
        "soles": {part: corners.tolist() for part, corners in parts.soles.items()},
        **{key: getattr(robot, key).tolist() for key in NUMBERS},
    }  # fmt: skip


def edited(folder, robot, described, edit):
    """The robot after an edit of its YAML, made in place."""
    content = yaml.safe_load(notes_text(robot, described))
    edit(content)
    path = write(folder, yaml.safe_dump(content), "edited.yaml")
    return load_robot(path)


@pytest.mark.parametrize("name", [
    "puppet", "inmoov", "lamp", *(pytest.param(name, marks=needs_data) for name in DATA),
])  # fmt: skip
def test_passed_back_it_changes_nothing(tmp_path, name):
    """To the last bit, on robots of every kind."""
    robot = load_robot(name)
    text = notes_text(robot, name)
    check(yaml.safe_load(text))
    again = load_robot(write(tmp_path, text, "again.yaml"))
    assert as_found(again) == as_found(robot)
    assert notes_text(again, name) == text


@pytest.mark.parametrize("text", [SMALL, ROLLS])
def test_beside_a_description(tmp_path, text):
    """The description is seen from the YAML's folder, wherever the program runs."""
    robot = load_robot(write(tmp_path, text, "robots/my robot.urdf"))
    again = load_robot(write(tmp_path, notes_text(robot, "my robot.urdf"), "robots/mine.yaml"))
    assert as_found(again) == as_found(robot)


def test_a_shared_robot(tmp_path):
    """Pepper, with its fingers that follow and its wheels."""
    (path,) = need(robots("pepper/*/pepper.urdf"))
    robot = load_robot(path)
    assert as_found(load_robot(write(tmp_path, notes_text(robot, str(path)), "p.yaml"))) == as_found(robot)


def test_a_velocity(tmp_path):
    """Changes that joint's alone."""
    robot = load_robot("puppet")
    name, joint = "left_elbow_joint", robot.joint_index("left_elbow_joint")
    other = edited(tmp_path, robot, "puppet", lambda content: content["velocity"].update({name: 1.25}))
    before, after = as_found(robot), as_found(other)
    assert after["velocity"][joint] == 1.25
    after["velocity"][joint] = before["velocity"][joint]
    assert after == before


def test_a_fixed_base(tmp_path):
    """Takes the base's columns away and nothing else."""
    robot = load_robot("puppet")
    other = edited(tmp_path, robot, "puppet", lambda content: content.update(base="fixed"))
    assert other.base == "fixed" and np.array_equal(other.neutral, robot.neutral[7:])
    assert as_found(other) | {"base": 0, "neutral": 0} == as_found(robot) | {"base": 0, "neutral": 0}


def test_an_arm_that_is_left_out(tmp_path):
    """Its points and its hand go with it; everything else stays, other limbs' parts among it."""
    robot = load_robot("puppet")
    other = edited(tmp_path, robot, "puppet", lambda content: content["semantics"]["joints"].update(left_arm=[]))
    before, after = as_found(robot), as_found(other)
    for key in ("links", "points", "joints", "hinges"):
        mine = {part for part in before[key] if part.startswith("left_") and part.split("_", 1)[1] in (
            "arm", "upper_arm", "forearm", "hand")}  # fmt: skip
        assert mine
        assert after[key] == {part: value for part, value in before[key].items() if part not in mine}
    assert "left_arm: none, as the robot's YAML says" in after["reasons"]
    for key in ("hinges", "links", "points", "joints", "reasons"):
        del before[key], after[key]
    assert before == after


def test_another_hand(tmp_path):
    """Another link stands for the hand, and the wrist is at it; nothing else changes."""
    robot = load_robot("puppet")
    link = robot.links.names[robot.links.node.tolist().index(robot.joint_index("left_wrist_yaw_joint") + 1)]
    other = edited(tmp_path, robot, "puppet", lambda content: content["semantics"]["links"].update(left_hand=link))
    before, after = as_found(robot), as_found(other)
    assert after["links"].pop("left_hand") == robot.links.index(link) != before["links"].pop("left_hand")
    assert after["points"].pop("left_hand") == (robot.links.index(link), [0.0, 0.0, 0.0])
    before["points"].pop("left_hand")
    assert after.pop("reasons")[-1] == f"left_hand: {link}, as the robot's YAML says"
    before.pop("reasons")
    assert before == after


def test_the_other_way_round(tmp_path):
    """A robot whose front was not found: forward says where it is, and left with it."""
    robot = load_robot(write(tmp_path, SMALL))
    other = edited(tmp_path, robot, "robot.urdf", lambda content: content["semantics"].update(forward=[-2, 0, 0]))
    assert np.allclose(other.semantics.world_from_body, robot.semantics.world_from_body * [-1, -1, 1])


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda c: c["velocity"].update(left_elbow=1), "unknown joint 'left_elbow'.*Did you mean 'left_elbow_joint'"),
        (lambda c: c["semantics"]["links"].update(left_hand="hand"), "unknown link 'hand'.*Valid: "),
        (lambda c: c["semantics"]["links"].update(left_paw="torso"), "unknown part under links 'left_paw'.*left_hand"),
        (lambda c: c["semantics"]["joints"].update(left_arm=["elbow"]), "unknown joint 'elbow'.*left_elbow_joint"),
        (lambda c: c["semantics"]["joints"].update(left_arm="x"), "must be a list of names"),
        (lambda c: c["semantics"]["joints"]["left_arm"].reverse(), "joints of left_arm: '.*' does not come after"),
        (lambda c: c["semantics"].update(limbs={}), "unknown key under semantics 'limbs'.*links, joints, points"),
        (lambda c: c["semantics"]["points"].update(left_forearm={"link": "torso"}), "must be {link: NAME, at:"),
        (lambda c: c["semantics"].update(forward=[0, 0, 1]), "forward under semantics must be"),
        (lambda c: c.update(base="floating"), "base must be free, fixed or planar, not floating"),
        (lambda c: c.update(velocities={}), "unknown key of a robot's YAML 'velocities'.*Did you mean 'velocity'"),
        (lambda c: c.pop("robot"), "does not say whose it is"),
        (lambda c: c.update(robot="other.yaml"), "its robot is another YAML file"),
        (lambda c: c.update(robot="gone.urdf"), "no such file"),
    ],
)
def test_typos_are_refused(tmp_path, edit, says):
    """In one line, with the valid names."""
    robot = load_robot(write(tmp_path, SMALL))
    with pytest.raises((RobotError, UnknownNameError), match=says) as caught:
        edited(tmp_path, robot, "robot.urdf", edit)
    assert "\n" not in str(caught.value)
