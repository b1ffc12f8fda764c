"""Walking."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.human import ADULT, Body, HumanMotion
from bunraku.human.skeleton import SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.synth import synthesize

Z = np.array([0.0, 0.0, 1.0])


def _heel(motion: HumanMotion, side: str) -> np.ndarray:
    return motion.position(f"{side}_foot") + rot.rotate(motion.rotation(f"{side}_foot"), ADULT.heel)


def _stands(walk: HumanMotion, side: str) -> list[slice]:
    """Runs of frames in which the toe joint moves slower than 1 mm/s."""
    toe = walk.position(f"{side}_toe")
    still = np.linalg.norm(np.diff(toe, axis=0), axis=-1) * walk.fps < 1e-3
    edges = np.flatnonzero(np.diff(np.concatenate([[0], still.astype(int), [0]])))
    return [slice(a, b + 1) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a > 3]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("height", [1.2, 1.75, 2.0])
def test_a_walkers_standing_feet_do_not_slide(side: str, height: float) -> None:
    """Twelve stands of at least 0.4 s, in each of which the toe moves less than 1 mm/s and keeps its height."""
    body = Body.scaled(height)
    walk = synthesize("walk", fps=120, body=body)
    stands = _stands(walk, side)
    assert len(stands) == 12
    toe = walk.position(f"{side}_toe")
    for stand in stands:
        assert (stand.stop - stand.start) / walk.fps > 0.4
        np.testing.assert_allclose(toe[stand, 2], body.toe_height, atol=1e-4)
    low = toe[:, 2] < body.toe_height + 1e-6
    assert np.linalg.norm(np.gradient(toe, axis=0), axis=-1)[low].max() * walk.fps < 0.02


def test_a_step_begins_with_the_heel_and_ends_with_the_toe() -> None:
    """Before a stand the heel is down and the ball up; while the ball still stands, the heel rises by 10 cm."""
    walk = synthesize("walk", fps=120)
    for side in SIDES:
        heel, ball = _heel(walk, side), walk.position(f"{side}_toe")
        for stand in _stands(walk, side)[2:-2]:
            strike = stand.start - 12
            assert heel[strike, 2] < 0.003
            assert ball[strike, 2] > 0.035
            assert heel[stand.stop - 1, 2] > 0.08
            assert ball[stand.stop - 1, 2] < 0.021


def test_a_walker_goes_round_and_comes_back() -> None:
    """From the origin, facing x, at walking speed, once round to the left, to where it began."""
    walk = synthesize("walk")
    hips = walk.position("hips")
    assert np.abs(hips[0, :2]).max() < 0.05
    assert np.linalg.norm(hips[-1] - hips[0]) < 0.02
    speed = np.linalg.norm(np.gradient(hips[:, :2], axis=0), axis=-1) * walk.fps
    assert 0.9 < np.median(speed[180:-180]) < 1.4
    turned = np.unwrap(rot.yaw(walk.rotation("hips")))
    assert turned[-1] - turned[0] == pytest.approx(2 * np.pi, abs=0.1)
    assert 0.02 < np.ptp(hips[180:-180, 2]) < 0.06


def test_arms_swing_against_the_legs() -> None:
    """A hand is in front where the other side's foot is: their places along the way go together."""
    walk = synthesize("walk").frames(slice(180, -180))
    back = rot.inverse(rot.from_axis_angle(Z, np.unwrap(rot.yaw(walk.rotation("chest")))))
    ahead = {
        joint: rot.rotate(back, walk.position(joint) - walk.position("hips"))[:, 0]
        for joint in ("left_hand", "right_hand", "left_foot", "right_foot")
    }
    assert np.corrcoef(ahead["left_hand"], ahead["right_foot"])[0, 1] > 0.7
    assert np.corrcoef(ahead["right_hand"], ahead["left_foot"])[0, 1] > 0.7
    assert np.ptp(ahead["left_hand"]) > 0.25
