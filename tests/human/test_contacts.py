"""What of a person touches the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.human import HumanMotion
from bunraku.human.contacts import FEET, PATCHES, find_contacts, measured_clearance, resting_clearance
from bunraku.human.skeleton import INDEX
from bunraku.sources.synth import synthesize


def _toes(fps: float) -> np.ndarray:
    """(n,) times at which a toe is put down or lifted, s."""
    walk = synthesize("walk", fps=fps, seconds=6)
    flags = find_contacts(walk, measured_clearance(walk)).flags[:, [0, 2]]
    return np.argwhere(np.diff(flags.T.astype(int), axis=1))[:, 1] / fps


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_contacts_do_not_depend_on_the_frame_rate(fps: float) -> None:
    """As many steps, and each begins and ends at the same time to within two of the coarser frames."""
    other, ours = _toes(60.0), _toes(fps)
    assert len(ours) == len(other) > 10
    assert np.abs(ours - other).max() <= 2 / 30 + 1e-9


def _with(motion: HumanMotion, joint: str, height: float, known: bool = True) -> HumanMotion:
    positions, valid = motion.positions.copy(), motion.position_valid.copy()
    positions[:, INDEX[joint], 2], valid[:, INDEX[joint]] = height, known
    return replace(motion, positions=positions, position_valid=valid)


@pytest.mark.parametrize("patch", PATCHES[FEET:])
def test_hands_and_knees_touch_when_they_are_low_and_known(patch: str) -> None:
    """On the ground they do, 20 cm above it or unseen they do not; nobody else's patch does."""
    pose = synthesize("t-pose", fps=30, seconds=1)
    column = PATCHES.index(patch)
    low = find_contacts(_with(pose, patch, 0.05), resting_clearance())
    assert low.flags[:, column].all()
    assert not np.delete(low.flags, column, axis=1)[:, FEET:].any()
    assert not find_contacts(_with(pose, patch, 0.25), resting_clearance()).flags[:, column].any()
    assert not find_contacts(_with(pose, patch, 0.05, known=False), resting_clearance()).flags[:, column].any()


def test_a_runners_foot_may_roll_faster() -> None:
    """A foot at 0.25 m/s under hips at 6 m/s stands; under hips that rest it does not."""
    pose = synthesize("t-pose", fps=60, seconds=1)
    t = np.arange(len(pose)) / 60
    for pace, stands in ((6.0, True), (0.0, False)):
        positions = pose.positions.copy()
        positions[:, :, 0] += pace * t[:, None]
        positions[:, INDEX["left_toe"], 0] = 0.25 * t
        moving = replace(pose, positions=positions)
        assert find_contacts(moving, measured_clearance(moving)).flags[:, 0].all() == stands


def test_clearances_of_feet_are_measured() -> None:
    """Ankles and toes as they are in this motion, all others an adult's; a finger never carries."""
    walk = synthesize("walk", fps=30)
    clearance = measured_clearance(walk)
    assert clearance[INDEX["left_foot"]] == pytest.approx(np.percentile(walk.position("left_foot")[:, 2], 2), abs=0.02)
    assert clearance[INDEX["left_hand"]] == resting_clearance()[INDEX["left_hand"]]
    assert np.isinf(clearance[INDEX["left_index_2"]])
    assert find_contacts(walk.frames(slice(0)), clearance).flags.shape == (0, len(PATCHES))
