"""Where a robot's feet will stand."""

from __future__ import annotations

import numpy as np

from bunraku.human.contacts import find_contacts, measured_clearance
from bunraku.retarget.correspondence import Weights, correspond
from bunraku.retarget.ground import leg_length
from bunraku.retarget.steps import patch_paths
from bunraku.robots import load_robot
from bunraku.sources.synth import synthesize


def test_what_stands_alone_stays_and_what_swings_moves() -> None:
    """The toe of a walker's only standing foot creeps by less than 4 mm a frame; the other one gets on."""
    robot, walk = load_robot("puppet"), synthesize("walk", fps=60, seconds=6)
    still = find_contacts(walk, measured_clearance(walk)).still
    scale = correspond(robot, Weights()).leg_length / leg_length(walk)
    pace = np.linalg.norm(np.diff(patch_paths(robot, walk, still, scale).mean(axis=2), axis=0), axis=-1)
    alone = still[1:, 0] & still[:-1, 0] & ~still[1:, 2:4].any(axis=1)
    swings = alone & (np.abs(np.diff(walk.position("right_toe")[:, 0])) > 0.02)
    assert alone.sum() > 30 and swings.sum() > 10
    assert pace[alone, 0].max() < 4e-3
    assert pace[swings, 2].min() > 0.01


def test_without_contacts_the_way_is_the_persons() -> None:
    """A hand's way, seen from where it began, is the person's times the scale."""
    robot, walk = load_robot("puppet"), synthesize("walk", fps=60, seconds=4)
    paths = patch_paths(robot, walk, np.zeros((len(walk), 8), bool), 0.5)
    hand = walk.position("left_hand")[:, :2]
    np.testing.assert_allclose(paths[:, 4, 0] - paths[0, 4, 0], 0.5 * (hand - hand[0]), atol=1e-9)
