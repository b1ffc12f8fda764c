"""Hands cut off at the palm."""

from __future__ import annotations

import numpy as np

from bunraku.retarget.finger_joints import find_hands
from bunraku.retarget.hand_model import HandModel
from bunraku.robots import Robot, load_robot


def model() -> tuple[Robot, HandModel]:
    """Both hands of the puppet."""
    robot = load_robot("puppet")
    return robot, HandModel(robot, find_hands(robot))


def test_tips_are_those_of_the_whole_robot() -> None:
    """Seen from the palm, fingertips are where the robot's own tree has them, at any curl."""
    robot, hands = model()
    for curl in (0.0, 0.4, 1.0):
        own = hands.curled(curl)
        qpos = robot.neutral.copy()
        qpos[robot.first_joint + np.array(hands.joints)] = own[hands.tree.independent]
        position, rotation = robot.tree.forward(robot.tree.with_followers(qpos))
        for tip, digit in zip(hands.tips(own), hands.digits, strict=True):
            palm = int(robot.tree.parent[digit.root])
            world = position[digit.last] + rotation[digit.last] @ digit.tip
            assert np.allclose(position[palm] + rotation[palm] @ tip, world, atol=1e-9)


def test_palms_face_where_fingers_close_to() -> None:
    """The frame of each palm is a rotation, fingers lie along it as a person's in a T-pose, and close away from z."""
    _, hands = model()
    straight, fist = hands.tips(hands.curled(0.0)), hands.tips(hands.curled(0.4))
    for d, frame in enumerate(hands.palms()):
        assert np.allclose(frame.T @ frame, np.eye(3), atol=1e-9) and np.linalg.det(frame) > 0.99
        if hands.thumb(d) != d:
            sign = 1.0 if hands.side[d] == 0 else -1.0
            along = frame.T @ (straight[d] - hands.root(d)) / hands.length[d]
            assert along @ [0.0, sign, 0.0] > 0.9
            assert (frame.T @ (fist[d] - straight[d]))[2] < -0.01


def test_thumbs_and_fingers_belong_together() -> None:
    """Each hand has one thumb that its four fingers share, and lengths of digits are a hand's."""
    _, hands = model()
    thumbs = {hands.thumb(d) for d in range(len(hands.digits))}
    assert len(thumbs) == 2
    assert all(len(hands.fingers(d)) == 4 and not set(hands.fingers(d)) & thumbs for d in range(len(hands.digits)))
    assert ((hands.length > 0.03) & (hands.length < 0.15)).all()
    assert hands.is_shaped()
