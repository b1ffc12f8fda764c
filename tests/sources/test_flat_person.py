"""A person from one picture: the scale, and what a plane cannot tell."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.human.skeleton import SIDES
from bunraku.sources import read_motion
from bunraku.sources.flat_person import FlatPerson
from bunraku.sources.landmarks import COUNT, HANDS, ROW, Landmarks, landmarks_of


def seen(uri: str = "synth:t-pose", *, scale: float = 200.0) -> Landmarks:
    """A person straight before the camera, so many pixels a metre."""
    points, known = landmarks_of(read_motion(uri).pose(0))
    return Landmarks(np.column_stack([points[:, 1], -points[:, 2]]) * scale + [320, 400], known, np.ones(COUNT))


def test_the_scale_is_found() -> None:
    """Of a T-pose to a few percent; somebody taller is farther away."""
    flat, tall = FlatPerson(1.75), FlatPerson(1.95)
    for _ in range(5):
        flat.learn(seen())
        tall.learn(seen())
    assert flat.scale == pytest.approx(200, rel=0.05)
    assert tall.scale == pytest.approx(flat.scale * 1.75 / 1.95, rel=1e-6)


def test_arms_that_reach_forward_do_not_change_it() -> None:
    """Bones are only ever shortened: the longer ones decide."""
    short = seen()
    for side in SIDES:
        short.points[ROW[f"{side}_wrist"]] = short.points[ROW[f"{side}_elbow"]] = short.points[ROW[f"{side}_shoulder"]]
    flat, whole = FlatPerson(1.75), FlatPerson(1.75)
    flat.learn(short)
    whole.learn(seen())
    assert flat.scale == pytest.approx(whole.scale, rel=0.06)


def test_feet_and_narrow_palms_are_not_told() -> None:
    """Nothing before there is a scale; then the plane, without what it cannot show."""
    flat = FlatPerson(1.75)
    assert not flat.place(seen())[1].any()
    flat.learn(seen())
    points, known = flat.place(seen())
    assert known[ROW["left_ankle"]] and not known[ROW["left_toe"]]
    assert points[ROW["left_wrist"], 0] == 0
    # A T-pose's palms are seen from their edge.
    assert not known[HANDS["left"]].any()
