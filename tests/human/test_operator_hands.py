"""From keypoints and depth to both hands of one operator, whatever is missing."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.experiments import rgbd
from bunraku.experiments.p4.operator import HOME, Script, keypoints
from bunraku.human.operator_hands import OperatorHands
from bunraku.human.skeleton import SIDES
from bunraku.kinematics import rotations as rot

STILL = Script({}, {}, 1.0)


@pytest.fixture
def tracker() -> OperatorHands:
    """One that has seen one good frame of an operator."""
    hands = OperatorHands(rgbd.CAMERA, rgbd.WORLD_FROM_CAMERA, rgbd.PLACE)
    hands.update(*frame(0))
    return hands


def frame(seed: int, script: Script = STILL, t: float = 0.0) -> tuple[np.ndarray, list[np.ndarray]]:
    """Depth and the operator's keypoints; the seeds used here hide no hand."""
    depth, pixels = rgbd.look(keypoints(script, t), np.random.default_rng(seed))
    return depth, [pixels]


def test_hands_are_where_they_are(tracker: OperatorHands) -> None:
    """Within 3 cm, the noise of depth at 1.2 m, and turned as they were."""
    first = {side: tracker.hands[side].turn for side in SIDES}
    hands = tracker.update(*frame(1))
    for side in SIDES:
        assert hands[side].fresh
        assert np.linalg.norm(hands[side].place - HOME[side]) < 0.03
        assert rot.angle_between(hands[side].turn, first[side]) < 0.5


@pytest.mark.parametrize("case", ["depth all NaN", "hand hidden", "nobody", "keypoints all NaN", "outside the picture"])
def test_what_is_missing_holds_the_last_good_value(tracker: OperatorHands, case: str) -> None:
    """Never NaN, never a flip; the reason is told and counted."""
    before = {side: (tracker.hands[side].place.copy(), tracker.hands[side].turn.copy()) for side in SIDES}
    depth, people = frame(1)
    if case == "depth all NaN":
        depth = np.full_like(depth, np.nan)
    elif case == "hand hidden":
        people[0][5:] = np.nan
    elif case == "nobody":
        people = []
    elif case == "keypoints all NaN":
        people[0][:] = np.nan
    else:
        people[0] += 5000.0
    hands = tracker.update(depth, people)
    for side in SIDES:
        assert not hands[side].fresh
        assert np.array_equal(hands[side].place, before[side][0])
        assert np.array_equal(hands[side].turn, before[side][1])
        assert hands[side].gate.reason == "not seen"
        assert hands[side].gate.dropped == {"not seen": 1}


def test_somebody_else_is_not_followed(tracker: OperatorHands) -> None:
    """A second person, nearer and waving: the first one's hands stay."""
    points = keypoints(STILL, 0.0)
    both = np.concatenate([points, points + [0.3, 0.9, 0.0]])
    depth, pixels = rgbd.look(points, np.random.default_rng(1))
    other = rgbd.CAMERA.project((both[len(points) :] - rgbd.PLACE) @ rgbd.WORLD_FROM_CAMERA)
    hands = tracker.update(depth, [other, pixels])
    assert all(np.linalg.norm(hands[side].place - HOME[side]) < 0.03 for side in SIDES)
