"""A robot tried on gestures."""

from __future__ import annotations

from pathlib import Path

import odd_robots as odd
from bunraku.robots import load_robot
from bunraku.session.trial import GESTURES, tried


def test_a_humanoid_follows_every_gesture() -> None:
    """The puppet's limbs come within 3 degrees of the person's, and nothing has to be explained."""
    trials = tried(load_robot("puppet"))
    assert [trial.gesture for trial in trials] == list(GESTURES)
    assert all(trial.limb_deg is not None and trial.limb_deg < 3 and not trial.shortfalls for trial in trials)


def test_an_elbow_that_ends_early_is_named(tmp_path: Path) -> None:
    """An arm that bends by no more than 50 degrees cannot box: its elbow is named."""
    text = odd.humanoid().replace('axis="0 -1 0" range="-5 140"', 'axis="0 -1 0" range="-5 50"')
    robot = odd.loaded(tmp_path, text)
    (box,) = (trial for trial in tried(robot) if trial.gesture == "box")
    assert box.limb_deg is not None and box.limb_deg > 5
    assert {(s.limb, s.cause) for s in box.shortfalls} >= {
        ("left arm", "left_elbow ends at 50°"),
        ("right arm", "right_elbow ends at 50°"),
    }


def test_a_robot_without_limbs_is_tried_too(tmp_path: Path) -> None:
    """A head on a post has no limb in common with a person, and that is the answer."""
    text = odd.humanoid(below="", above=odd.head())
    trials = tried(odd.loaded(tmp_path, text))
    assert all(trial.limb_deg is None and not trial.shortfalls for trial in trials)
