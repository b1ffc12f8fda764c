"""Bone lengths of an operator, and where their sources stand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.human import (
    ADULT,
    Body,
    Calibration,
    HumanMotion,
    HumanPose,
    SourceOffset,
    fit_offset,
    floor_height,
    measure,
)
from bunraku.human.skeleton import BODY_COUNT, INDEX, JOINT_COUNT, JOINTS
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh import read_bvh
from bunraku.sources.synth import synthesize
from shared import data, need

NAMES = JOINTS[1:]


def _reach(body: Body = ADULT) -> HumanMotion:
    return synthesize("reach", seconds=3, fps=20, body=body)


def _without(motion: HumanMotion, *joints: str) -> HumanMotion:
    valid = motion.position_valid.copy()
    valid[:, [INDEX[joint] for joint in joints]] = False
    return replace(motion, position_valid=valid)


def _close(calibration: Calibration, body: Body, names: tuple[str, ...] = NAMES) -> None:
    measured = [calibration.lengths[name] for name in names]
    np.testing.assert_allclose(measured, body.lengths[[INDEX[name] for name in names]], rtol=1e-9)


@given(st.floats(0.6, 2.3))
@settings(max_examples=10)
def test_lengths_height_and_span_of_a_moving_person_are_recovered(height: float) -> None:
    """From a motion of somebody of any size: all bones, the whole build, standing height and arm span."""
    body = Body.scaled(height)
    calibration = measure(_reach(body))
    _close(calibration, body)
    np.testing.assert_allclose(calibration.body.bones, body.bones, atol=1e-9)
    assert calibration.height == pytest.approx(height)
    assert calibration.arm_span == pytest.approx(body.arm_span)
    assert calibration.assumed == calibration.mirrored == ()


def test_one_pose_is_enough() -> None:
    """A single pose gives what a motion gives."""
    _close(measure(_reach(Body.scaled(1.6)).pose(30)), Body.scaled(1.6))


def test_the_median_ignores_a_third_of_wild_frames() -> None:
    """Frames of garbage, and frames without the joint, do not move the result."""
    motion = _reach()
    positions, valid = motion.positions.copy(), motion.position_valid.copy()
    positions[::3, INDEX["left_hand"]] += 5.0
    valid[1::5, INDEX["left_hand"]] = False
    _close(measure(replace(motion, positions=positions, position_valid=valid)), ADULT)


def test_unequal_sides_are_measured_as_they_are() -> None:
    """A longer left forearm stays on the left."""
    bones = np.array(ADULT.bones)
    bones[INDEX["left_hand"]] *= 1.2
    calibration = measure(_reach(Body(bones)))
    assert calibration.lengths["left_hand"] == pytest.approx(0.26 * 1.2)
    assert calibration.lengths["right_hand"] == pytest.approx(0.26)


def test_a_side_that_is_not_seen_is_the_other_sides() -> None:
    """Bones that end in an unseen joint take the other side's length, and are named as mirrored."""
    bones = np.array(ADULT.bones)
    for side in ("left", "right"):
        bones[INDEX[f"{side}_shin"]] *= 1.3
    calibration = measure(_without(_reach(Body(bones)), "left_shin"))
    _close(calibration, Body(bones))
    assert set(calibration.mirrored) == {"left_shin", "left_foot"}
    assert calibration.assumed == ()


def test_what_is_not_seen_is_average_at_this_persons_size() -> None:
    """Without hands, a small person's fingers are a small person's, and they are named as assumed."""
    body = Body.scaled(1.2)
    calibration = measure(_without(_reach(body), *JOINTS[BODY_COUNT:]))
    _close(calibration, body)
    assert set(calibration.assumed) == set(JOINTS[BODY_COUNT:])


def test_a_missing_joint_of_the_trunk_leaves_the_distance_to_its_neighbours() -> None:
    """With the spine joint unseen, hips to chest stays what it is; the two bones share it and are named."""
    bones = np.array(ADULT.bones)
    bones[[INDEX["spine"], INDEX["chest"]]] *= 1.25
    still = synthesize("t-pose", body=Body(bones))
    calibration = measure(_without(still, "spine"))
    _close(calibration, Body(bones))
    assert set(calibration.assumed) == {"spine", "chest"}


def test_nothing_seen_is_an_average_adult() -> None:
    """A pose that knows nothing gives the average, all of it assumed, and no warning."""
    calibration = measure(HumanPose.empty())
    _close(calibration, ADULT)
    assert calibration.assumed == NAMES


def test_an_impossible_length_is_not_believed() -> None:
    """A bone measured at ten metres (a wrong unit, a lost marker) is assumed instead."""
    motion = _reach()
    positions = motion.positions.copy()
    positions[:, [INDEX["left_toe"], INDEX["right_toe"]], 0] += 10.0
    calibration = measure(replace(motion, positions=positions))
    _close(calibration, ADULT)
    assert set(calibration.assumed) == {"left_toe", "right_toe"}


@given(st.floats(0.5, 2.5))
def test_the_height_alone_gives_an_average_person(height: float) -> None:
    """Of somebody of whom only the height is known."""
    calibration = Calibration.average(height)
    assert calibration.height == pytest.approx(height)
    assert calibration.assumed == NAMES


def test_a_calibration_survives_a_file() -> None:
    """to_dict is plain enough for JSON, and from_dict gives an equal value back."""
    offset = SourceOffset((0.1, 0.0, -0.21), (0.6, 0.0, 0.8, 0.0))
    calibration = measure(_without(_reach(), "left_shin", "spine")).with_offset("leap", offset)
    again = Calibration.from_dict(json.loads(json.dumps(calibration.to_dict())))
    assert again == calibration
    assert again.offsets["leap"] == offset


def _damaged(**changes: object) -> dict[str, object]:
    return {**Calibration.average().to_dict(), **changes}


LENGTHS = Calibration.average().to_dict()["lengths_m"]


@pytest.mark.parametrize(
    "values, message",
    [
        (None, "a calibration must be a mapping, not NoneType"),
        ([1, 2], "must be a mapping"),
        ({}, "lengths_m must be a mapping"),
        (_damaged(extra=1), "unknown entry 'extra'"),
        (_damaged(lengths_m={}), "lengths_m lacks 'spine' and 59 more"),
        (_damaged(lengths_m={**LENGTHS, "tail": 1.0}), "unknown entry 'tail'"),
        (_damaged(lengths_m={**LENGTHS, "head": "long"}), "length of head"),
        (_damaged(lengths_m={**LENGTHS, "head": float("nan")}), "length of head"),
        (_damaged(lengths_m={**LENGTHS, "head": -0.1}), "length of head must not be negative"),
        (_damaged(lengths_m={**LENGTHS, "head": 10**5000}), "length of head"),
        (_damaged(lengths_m={**LENGTHS, "head": True}), "length of head"),
        (_damaged(assumed=["tail"]), "assumed must be a list of joint names"),
        (_damaged(mirrored=[["head"]]), "mirrored must be a list of joint names"),
        (_damaged(offsets={"leap": 3}), "offset of 'leap' must be a mapping"),
        (_damaged(offsets={"leap": {"position_m": [1, 2]}}), "position_m of 'leap' must be 3 numbers"),
        (_damaged(offsets={"leap": {"rotation_wxyz": [0, 0, 0, 0]}}), "unit quaternion"),
    ],
)
def test_damaged_files_are_refused_in_one_line(values: object, message: str) -> None:
    """Whatever a file holds, the error says what is wrong."""
    with pytest.raises(InputError, match=message) as error:
        Calibration.from_dict(values)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_an_offset_is_found_from_what_both_sources_see(seed: int) -> None:
    """A source that sees the right arm in its own world is brought onto the body: position, turn and all."""
    rng = np.random.default_rng(seed)
    world = _reach()
    true = SourceOffset(tuple(rng.normal(size=3)), tuple(rot.normalize(rng.normal(size=4))))
    back = rot.inverse(true.rotation)
    arm = np.isin(np.arange(JOINT_COUNT), [INDEX[f"right_{j}"] for j in ("forearm", "hand", "index_1", "little_1")])
    source = replace(
        world,
        positions=rot.rotate(back, world.positions - np.array(true.position)),
        rotations=rot.multiply(back, world.rotations),
        position_valid=world.position_valid & arm,
    )
    found = fit_offset(world, source)
    moved = found.apply(source)
    np.testing.assert_allclose(moved.positions[:, arm], world.positions[:, arm], atol=1e-6)
    assert np.max(rot.angle_between(moved.rotations, world.rotations)) < 1e-5
    np.testing.assert_allclose(found.apply(source.pose(3)).positions[arm], world.positions[3, arm], atol=1e-6)


def test_offsets_need_enough_to_go_by() -> None:
    """Other lengths, too few common points, and points on one line are told apart."""
    motion = synthesize("t-pose", seconds=1, fps=10)
    with pytest.raises(InputError, match="11 and 5 frames"):
        fit_offset(motion, motion.frames(slice(5)))
    with pytest.raises(InputError, match="there are 0"):
        fit_offset(motion, _without(motion, *JOINTS))
    one = _without(motion, *(name for name in JOINTS if name not in ("left_forearm", "left_hand", "left_middle_1")))
    with pytest.raises(InputError, match="one line"):
        fit_offset(one, _without(one, "left_middle_1"))


@pytest.mark.parametrize(
    "pattern", ["lafan1/*walk.bvh", "bandai_namco_1/*walk*.bvh", "soma_bones/*.bvh", "cmu_cgspeed_mb2010/02_01.bvh"]
)
def test_recorded_people_are_as_tall_as_they_stand(pattern: str) -> None:
    """The head joint of the body that was measured is as high as the recorded one over its ground, to 6 %."""
    for path in need(data(f"bvh/{pattern}")):
        motion = read_bvh(path)
        stands = np.percentile(motion.position("head")[:, 2], 90) - floor_height(motion)
        assert measure(motion).body.joints[INDEX["head"], 2] == pytest.approx(stands, rel=0.06), path.name
