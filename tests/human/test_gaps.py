"""Hips that are lost for a while."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.gaps import TURN_SPEED, Sight, gently, without_gaps
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations
from bunraku.sources import read_motion

DT_S = 1 / 30


@pytest.fixture(scope="module")
def walk() -> HumanMotion:
    """Three seconds."""
    return read_motion("synth:walk?seconds=3&fps=30")


def without_hips(motion: HumanMotion, frames: slice, *, places: bool = True, turns: bool = True) -> HumanMotion:
    """The motion, hips unknown in some frames."""
    placed, turned = motion.position_valid.copy(), motion.rotation_valid.copy()
    placed[frames, 0] &= not places
    turned[frames, 0] &= not turns
    return replace(motion, position_valid=placed, rotation_valid=turned)


def test_a_whole_motion_is_left_alone(walk: HumanMotion) -> None:
    """The very same object, and each pose too; so is a motion that never knows the hips."""
    assert without_gaps(walk) is walk
    nowhere = without_hips(walk, slice(None))
    assert without_gaps(nowhere) is nowhere
    sight = Sight()
    for pose in walk:
        assert gently(pose, sight, DT_S) is pose


def test_gaps_are_filled_in(walk: HumanMotion) -> None:
    """Straight on between frames that know the hips, at rest before the first and after the last."""
    filled = without_gaps(without_hips(walk, slice(40, 50)))
    assert filled.position_valid[:, 0].all() and filled.rotation_valid[:, 0].all()
    assert np.abs(filled.positions[:, 0] - walk.positions[:, 0]).max() < 0.06
    assert rotations.angle_between(filled.rotations[:, 0], walk.rotations[:, 0]).max() < 0.2
    assert np.array_equal(filled.positions[:, 1:], walk.positions[:, 1:])
    late = without_gaps(without_hips(walk, slice(0, 20)))
    assert np.array_equal(late.positions[:20, 0], np.tile(walk.positions[20, 0], (20, 1)))
    assert rotations.angle_between(late.rotations[:20, 0], walk.rotations[20, 0]).max() < 1e-6
    early = without_gaps(without_hips(walk, slice(70, None)))
    assert np.array_equal(early.positions[70:, 0], np.tile(walk.positions[69, 0], (len(walk) - 70, 1)))


def elsewhere(pose: HumanPose, shift: tuple[float, float], yaw: float) -> HumanPose:
    """The same person, turned and somewhere else."""
    turn = rotations.from_axis_angle([0.0, 0.0, 1.0], yaw)
    return replace(
        pose,
        positions=rotations.rotate(turn, pose.positions) + [*shift, 0.0],
        rotations=rotations.multiply(turn, pose.rotations),
    )


def test_who_comes_back_is_where_they_were(walk: HumanMotion) -> None:
    """Over the floor for good; the turn is taken back at its speed, the whole body alike, until nothing is left."""
    pose, sight = walk.pose(0), Sight()
    gently(pose, sight, DT_S)
    for _ in range(10):
        gently(HumanPose.empty(), sight, DT_S)
    moved = elsewhere(pose, (3.0, -2.0), 1.0)
    back = gently(moved, sight, DT_S)
    assert back.positions[0] == pytest.approx(pose.positions[0], abs=1e-9)
    assert np.abs(back.positions - pose.positions).max() < 1e-9
    assert rotations.angle_between(back.rotations, pose.rotations).max() < 1e-6
    for _ in range(5):
        back = gently(moved, sight, DT_S)
    assert rotations.angle_between(back.rotations[0], pose.rotations[0]) == pytest.approx(5 * TURN_SPEED * DT_S)
    for _ in range(20):
        back = gently(moved, sight, DT_S)
    assert rotations.angle_between(back.rotations, moved.rotations).max() < 1e-9
    assert back.positions[0] == pytest.approx(pose.positions[0], abs=1e-9)


def test_hips_that_are_lost_stay_turned(walk: HumanMotion) -> None:
    """As they were last, while the limbs go on: else they alone would turn the robot's base, somewhere."""
    sight = Sight()
    poses = [gently(pose, sight, DT_S) for pose in without_hips(walk, slice(10, 40), places=False)]
    for pose in poses[10:40]:
        assert pose.rotation_valid[0]
        assert np.allclose(pose.rotations[0], walk.rotations[9, 0], atol=1e-12)
    assert np.allclose(poses[20].rotations[1:], walk.rotations[20, 1:], atol=1e-12)
    assert not gently(HumanPose.empty(), Sight(), DT_S).rotation_valid[0], "of nobody seen yet nothing is known"


def test_a_frame_that_is_lost_is_nothing(walk: HumanMotion) -> None:
    """The way of the hips during a short loss is not taken away."""
    sight, lost = Sight(), without_hips(walk, slice(10, 12))
    poses = [gently(pose, sight, DT_S) for pose in lost]
    assert np.array_equal(poses[-1].positions, walk.positions[-1])
    assert np.allclose(poses[-1].rotations, walk.rotations[-1], atol=1e-12)


def test_hips_that_come_late_are_turned_to(walk: HumanMotion) -> None:
    """A robot that stood there facing forward is not spun round by the first frame that knows the hips."""
    sight, pose = Sight(), elsewhere(walk.pose(0), (0.0, 0.0), 2.0)
    gently(HumanPose.empty(), sight, DT_S)
    first = gently(pose, sight, DT_S)
    assert rotations.angle_between(first.rotations[0], rotations.IDENTITY) < 1e-6


def test_what_is_not_finite_is_not_known(walk: HumanMotion) -> None:
    """Also where a pose says that it is."""
    pose = walk.pose(0)
    positions = pose.positions.copy()
    positions[INDEX["head"]] = np.nan
    seen = gently(replace(pose, positions=positions), Sight(), DT_S)
    assert np.isfinite(seen.positions).all()
    assert not seen.position_valid[INDEX["head"]] and seen.position_valid.sum() == len(positions) - 1
