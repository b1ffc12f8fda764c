"""Which joints of a robot's hands are which fingers, and what opens and closes them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bunraku.human.skeleton import FINGERS
from bunraku.retarget.finger_joints import WHOLE_HAND, FingerJoint, find_hands
from bunraku.robots import Robot, load_robot
from shared import need, robots

needs_data = pytest.mark.skipif(find_spec("cmeel") is None, reason="the package example-robot-data is not installed")


def two_arms(hand: Callable[[str, int], str], tail: str = "") -> str:
    """MJCF of a torso with two hanging arms; `hand(side, sign)` fills the palms, which face inwards."""
    arms = "".join(
        f"""<body name="{side}_upper" pos="0 {0.2 * sign} 1.4">
          <joint name="{side}_shoulder_pitch" axis="0 1 0" range="-2 2"/><geom type="sphere" size="0.04"/>
          <body name="{side}_upper_arm">
            <joint name="{side}_shoulder_roll" axis="1 0 0" range="-2 2"/>
            <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.25"/>
            <body name="{side}_forearm" pos="0 0 -0.28">
              <joint name="{side}_elbow" axis="0 -1 0" range="0 2"/>
              <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2"/>
              <body name="{side}_palm" pos="0 0 -0.25">
                <joint name="{side}_wrist" axis="0 1 0" range="-1 1"/>
                <geom type="box" size="0.04 0.01 0.04" pos="0 0 -0.04"/>{hand(side, sign)}
              </body></body></body></body>"""
        for side, sign in (("left", 1), ("right", -1))
    )
    return f"""<mujoco><compiler angle="radian"/><worldbody><body name="torso">
        <geom type="box" size="0.1 0.15 0.2" pos="0 0 1.2"/>{arms}</body></worldbody>{tail}</mujoco>"""


def digit(name: str, at: str, way: str, axis: str, ranges: str = "0 1.5") -> str:
    """Two segments of 4 cm each; the second hinge goes along with the first one's range."""
    end = " ".join(str(0.04 * float(v)) for v in way.split())
    bone = f'<geom type="capsule" size="0.006" fromto="0 0 0 {end}"/>'
    return f"""<body name="{name}_a" pos="{at}"><joint name="{name}_1" axis="{axis}" range="{ranges}"/>{bone}
        <body name="{name}_b" pos="{end}"><joint name="{name}_2" axis="{axis}" range="{ranges}"/>{bone}</body></body>"""


def load(tmp_path: Path, xml: str) -> Robot:
    """A robot from a file."""
    file = tmp_path / "robot.xml"
    file.write_text(xml)
    return load_robot(str(file))


def by_name(robot: Robot) -> dict[str, FingerJoint]:
    """Joint name → what was found of it."""
    return {robot.joint_names[finger.joint]: finger for hand in find_hands(robot) for finger in hand.joints}


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [("puppet", "left_{}_1_joint", "right_{}_1_joint"), ("inmoov", "l_{}_joint", "r_{}_joint")],
)
def test_built_in_hands_have_five_servos_a_side(name: str, left: str, right: str) -> None:
    """Each finger is driven by the one joint named after it, and ends of ranges are open and closed."""
    robot = load_robot(name)
    found = by_name(robot)
    assert len(found) == 10
    for side, pattern in enumerate((left, right)):
        for row, finger in enumerate(FINGERS[1:], start=1):
            joint = found[pattern.format("pinky" if (name, finger) == ("inmoov", "little") else finger)]
            assert (joint.side, joint.fingers) == (side, (row,))
            assert joint.open == 0.0
            assert joint.closed == pytest.approx(robot.upper[joint.joint], abs=1e-3)
    assert sum(joint.fingers == (0,) for joint in found.values()) == 2


def test_nameless_fingers_are_told_by_their_places(tmp_path: Path) -> None:
    """The odd one out is the thumb, the rest follow in order; a reversed range closes at its lower end.

    Which end closes is told by the tips coming nearer to the palm, whatever the sign of the axis.
    """

    def hand(side: str, sign: int) -> str:
        fingers = [
            digit(f"{side}_d{k}", f"{x} 0 -0.08", "0 0 -1", f"{-sign * flip} 0 0", "0 1.5" if flip > 0 else "-1.5 0.2")
            for k, (x, flip) in enumerate([(-0.03, 1), (0.03, -1), (-0.01, 1), (0.01, 1)])
        ]
        return "".join(fingers) + digit(f"{side}_d4", "0.04 0 -0.03", "1 0 0", f"0 0 {-sign}")

    robot = load(tmp_path, two_arms(hand))
    found = by_name(robot)
    assert len(found) == 20
    for side, name in enumerate(("left", "right")):
        for number, finger in enumerate((4, 1, 3, 2, 0)):
            for joint in (found[f"{name}_d{number}_1"], found[f"{name}_d{number}_2"]):
                assert (joint.side, joint.fingers) == (side, (finger,))
                assert joint.open == 0.0
                assert joint.closed == (-1.5 if number == 1 else 1.5)


def test_joints_that_spread_fingers_are_left_alone(tmp_path: Path) -> None:
    """A hinge across the others at a finger's root, or along a thumb, is not among those that curl."""

    def hand(side: str, sign: int) -> str:
        bone = '<geom type="capsule" size="0.006" fromto="0 0 0 0 0 -0.04"/>'
        fingers = "".join(
            f"""<body name="{side}_{name}_base" pos="{x} 0 -0.08">
              <joint name="{side}_{name}_0" axis="0 1 0" range="-0.4 0.4"/><geom type="sphere" size="0.006"/>
              {digit(f"{side}_{name}", "0 0 0", "0 0 -1", f"{-sign} 0 0")}{bone}</body>"""
            for name, x in (("index", 0.02), ("ring", -0.02))
        )
        return f"""{fingers}<body name="{side}_thumb_base" pos="0.04 0 -0.03">
          <joint name="{side}_thumb_0" axis="1 0 0" range="-1 1"/><geom type="sphere" size="0.006"/>
          {digit(f"{side}_thumb", "0 0 0", "1 0 0", f"0 0 {-sign}")}</body>"""

    found = by_name(load(tmp_path, two_arms(hand)))
    assert set(found) == {f"{s}_{f}_{k}" for s in ("left", "right") for f in ("index", "ring", "thumb") for k in (1, 2)}


def slides(side: str, _: int) -> str:
    """Two jaws that slide towards each other, open at 3 cm each."""
    return "".join(
        f"""<body name="{side}_jaw_{k}" pos="{way * 0.005} 0 -0.08">
          <joint name="{side}_slide_{k}" type="slide" axis="{way} 0 0" range="0 0.03"/>
          <geom type="box" size="0.004 0.01 0.03" pos="0 0 -0.03"/></body>"""
        for k, way in ((1, 1), (2, -1))
    )


@pytest.mark.parametrize("coupled", [False, True])
def test_a_gripper_closes_with_the_whole_hand(tmp_path: Path, coupled: bool) -> None:
    """Two jaws, each with its motor or one following the other, close together with index to little finger."""
    pairs = "".join(f'<joint joint1="{s}_slide_2" joint2="{s}_slide_1"/>' for s in ("left", "right"))
    robot = load(tmp_path, two_arms(slides, f"<equality>{pairs}</equality>" if coupled else ""))
    found = by_name(robot)
    assert len(found) == (2 if coupled else 4)
    for joint in found.values():
        assert joint.fingers == WHOLE_HAND
        assert (joint.open, joint.closed) == (pytest.approx(0.03), pytest.approx(0.0))


def test_a_single_jaw_closes_away_from_rest(tmp_path: Path) -> None:
    """Where geometry cannot tell, the end of the range further from the neutral value is closed."""

    def hand(side: str, _: int) -> str:
        return f"""<body name="{side}_jaw" pos="0.02 0 -0.08">
          <joint name="{side}_gripper" axis="0 1 0" range="-0.1 0.9"/>
          <geom type="box" size="0.004 0.01 0.03" pos="0 0 -0.03"/></body>"""

    found = by_name(load(tmp_path, two_arms(hand)))
    assert {joint.fingers for joint in found.values()} == {WHOLE_HAND}
    assert [(joint.open, round(joint.closed, 6)) for joint in found.values()] == [(0.0, 0.9)] * 2


def test_three_nameless_digits_share_five_fingers(tmp_path: Path) -> None:
    """A thumb and two fingers: one goes with index and middle, the other with ring and little finger."""

    def hand(side: str, sign: int) -> str:
        return (
            digit(f"{side}_a", "0.02 0 -0.08", "0 0 -1", f"{-sign} 0 0")
            + digit(f"{side}_b", "-0.02 0 -0.08", "0 0 -1", f"{-sign} 0 0")
            + digit(f"{side}_c", "0.04 0 -0.03", "1 0 0", f"0 0 {-sign}")
        )

    found = by_name(load(tmp_path, two_arms(hand)))
    assert found["left_a_1"].fingers == found["right_a_2"].fingers == (1, 2)
    assert found["left_b_1"].fingers == (3, 4)
    assert found["left_c_1"].fingers == (0,)


def test_robots_without_hands_have_no_finger_joints() -> None:
    """A lamp has nothing to close."""
    assert find_hands(load_robot("lamp")) == ()


@needs_data
def test_hands_of_other_makers() -> None:
    """A hand that is one motor and open at 1, a gripper that closes downwards, and three-finger hands."""
    romeo = by_name(load_robot("romeo"))
    assert {(j.fingers, j.open, j.closed) for j in romeo.values()} == {(WHOLE_HAND, 1.0, 0.0)}
    talos = by_name(load_robot("talos"))
    assert {j.fingers for j in talos.values()} == {WHOLE_HAND}
    assert all(j.open == 0.0 and j.closed < -0.9 for j in talos.values())
    g1 = by_name(load_robot("g1-hands"))
    assert {name.split("hand_")[1] for name in g1} == {
        f"{finger}_{k}_joint" for finger, ks in (("thumb", (1, 2)), ("index", (0, 1)), ("middle", (0, 1))) for k in ks
    }
    for name, joint in g1.items():
        left_thumb = name.startswith("left") == ("thumb" in name)
        assert np.sign(joint.closed) == (1 if left_thumb else -1)


def test_all_joints_of_a_thumb_close_the_same_way() -> None:
    """The end of a thumb bends as its root does, though a bent root brings the tip past the fingers."""
    found = by_name(load_robot(str(need(robots("unitree_g1/menagerie/g1_with_hands.xml"))[0])))
    for side, sign in (("left", 1), ("right", -1)):
        assert all(np.sign(found[f"{side}_hand_thumb_{k}_joint"].closed) == sign for k in (1, 2))


def test_pepper_closes_at_zero() -> None:
    """Pepper's hand is one motor, open at its upper end."""
    found = by_name(load_robot(str(need(robots("pepper/**/pepper.urdf"))[0])))
    assert set(found) == {"LHand", "RHand"}
    assert all(joint.closed < 0.1 < 0.9 < joint.open for joint in found.values())
