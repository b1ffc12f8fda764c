"""What a device leaves out follows from the operator's build."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.human import ADULT, Body, Calibration, HumanPose
from bunraku.human.complete import completed, with_shoulders
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.synth import synthesize


def headset(chest: np.ndarray | None = None) -> HumanPose:
    """A pose of which only the head's place is known, and the chest's turn where it is given."""
    pose = HumanPose.empty()
    places, turns = np.array(pose.positions), np.array(pose.rotations)
    placed, turned = np.array(pose.position_valid), np.array(pose.rotation_valid)
    places[INDEX["head"]], placed[INDEX["head"]] = [1.0, 2.0, 1.7], True
    if chest is not None:
        turns[INDEX["chest"]], turned[INDEX["chest"]] = chest, True
    return replace(pose, positions=places, rotations=turns, position_valid=placed, rotation_valid=turned)


@pytest.mark.parametrize("height", [1.1, 1.75])
def test_shoulders_are_where_the_build_has_them(height: float) -> None:
    """A child's are nearer to its head than an adult's."""
    body = Body.scaled(height)
    seen = with_shoulders(headset(), body)
    for side, sign in zip(SIDES, (1, -1), strict=True):
        way = seen.positions[INDEX[f"{side}_upper_arm"]] - [1.0, 2.0, 1.7]
        assert np.allclose(way, body.joints[INDEX[f"{side}_upper_arm"]] - body.joints[INDEX["head"]])
        assert sign * way[1] > 0 > way[2]


def test_a_known_chest_turns_them() -> None:
    """Somebody who turned left has the left shoulder behind."""
    seen = with_shoulders(headset(rot.from_axis_angle([0, 0, 1], np.pi / 2)))
    assert seen.positions[INDEX["left_upper_arm"], 0] < 1.0 - 0.1


def test_what_was_seen_stays() -> None:
    """A shoulder that is known is left alone; without a head nothing is made up."""
    pose = headset()
    pose.positions[INDEX["left_upper_arm"]], pose.position_valid[INDEX["left_upper_arm"]] = [9.0, 9.0, 9.0], True
    assert np.array_equal(with_shoulders(pose, ADULT).positions[INDEX["left_upper_arm"]], [9.0, 9.0, 9.0])
    assert not with_shoulders(HumanPose.empty()).position_valid.any()


def test_a_recording_is_completed_and_says_so() -> None:
    """Without a calibration an average build stands in, with a note; with one, the operator's, without."""
    whole = synthesize("wave", seconds=0.2, fps=30.0)
    assert completed(whole, None) is whole
    hidden = np.array(whole.position_valid)
    hidden[:, [INDEX["left_upper_arm"], INDEX["right_upper_arm"]]] = False
    partial = replace(whole, position_valid=hidden)
    averaged = completed(partial, None)
    assert averaged.position_valid[:, INDEX["left_upper_arm"]].all()
    assert any("no calibration" in note for note in averaged.notes)
    own = completed(partial, Calibration.average(1.5))
    assert own.position_valid[:, INDEX["left_upper_arm"]].all()
    assert not own.notes


def test_a_reaching_arm_takes_its_shoulder_along() -> None:
    """The upper arm keeps its length on the line to the elbow."""
    pose = headset()
    elbow = INDEX["left_forearm"]
    pose.positions[elbow], pose.position_valid[elbow] = [1.4, 2.2, 1.5], True
    seen = with_shoulders(pose)
    length = np.linalg.norm(seen.positions[elbow] - seen.positions[INDEX["left_upper_arm"]])
    assert length == pytest.approx(ADULT.lengths[elbow])
