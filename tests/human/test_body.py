"""A person's build, and forward kinematics in the canonical convention."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.human.body import ADULT, ADULT_HEIGHT, Body, local_from_world, pose_body, world_from_local
from bunraku.human.skeleton import INDEX, JOINT_COUNT, JOINTS, PARENTS
from bunraku.kinematics import rotations as rot

seeds = st.integers(0, 2**32 - 1)


def _turns(seed: int, *shape: int) -> np.ndarray:
    return rot.normalize(np.random.default_rng(seed).normal(size=(*shape, JOINT_COUNT, 4)))


def _descendants(joint: int) -> list[int]:
    found = [joint]
    for child in range(joint + 1, JOINT_COUNT):
        if PARENTS[child] in found:
            found.append(child)
    return found[1:]


def test_the_canonical_pose_stands_on_the_ground() -> None:
    """An adult in a T: 1.75 m tall, ankles at 8 cm, toe joints at 2 cm, heels on the ground behind the ankles."""
    joints = ADULT.joints
    np.testing.assert_allclose(joints[0], [0, 0, 0.98])
    assert ADULT.height == pytest.approx(ADULT_HEIGHT)
    assert ADULT.ankle_height == pytest.approx(0.08)
    assert ADULT.toe_height == pytest.approx(0.02)
    assert joints[INDEX["left_foot"], 2] + ADULT.heel[2] == pytest.approx(0)
    assert ADULT.heel[0] < 0
    assert ADULT.leg_length == pytest.approx(0.85)
    assert ADULT.arm_length == pytest.approx(0.56)
    assert joints[:, 2].min() == pytest.approx(ADULT.toe_height)


@given(st.floats(0.5, 2.5))
def test_scaled_bodies_are_as_tall_as_asked_and_in_proportion(height: float) -> None:
    """Every length grows with the height."""
    body = Body.scaled(height)
    assert body.height == pytest.approx(height)
    np.testing.assert_allclose(body.lengths, ADULT.lengths * height / ADULT_HEIGHT)
    assert body.arm_span == pytest.approx(ADULT.arm_span * height / ADULT_HEIGHT)
    np.testing.assert_allclose(body.heel, ADULT.heel * height / ADULT_HEIGHT)


@pytest.mark.parametrize("height", [0.0, -1.0, np.nan, np.inf])
def test_impossible_heights_are_refused(height: float) -> None:
    """A height that no body has is named in the error."""
    with pytest.raises(ValueError, match="height must be positive"):
        Body.scaled(height)


def test_impossible_bones_are_refused_and_good_ones_kept_read_only() -> None:
    """61 finite offsets, copied, so that nobody can change them from outside."""
    bones = np.array(ADULT.bones)
    body = Body(bones)
    bones[1] = 9
    np.testing.assert_array_equal(body.bones, ADULT.bones)
    with pytest.raises(ValueError, match="read-only"):
        body.bones[0] = 0
    with pytest.raises(ValueError, match="61 finite offsets"):
        Body(bones[:5])
    bones[3, 1] = np.nan
    with pytest.raises(ValueError, match="61 finite offsets"):
        Body(bones)


@given(seeds)
def test_bone_lengths_do_not_depend_on_the_pose(seed: int) -> None:
    """Whatever the turns, each joint is its bone's length from its parent, and the hips are where they were put."""
    positions = pose_body(ADULT, [1.0, 2.0, 3.0], _turns(seed, 3))
    np.testing.assert_allclose(
        np.linalg.norm(positions[:, 1:] - positions[:, PARENTS[1:]], axis=-1), np.tile(ADULT.lengths[1:], (3, 1))
    )
    np.testing.assert_array_equal(positions[:, 0], np.tile([1.0, 2.0, 3.0], (3, 1)))


@given(seeds, st.sampled_from(JOINTS))
def test_turning_one_segment_moves_only_what_hangs_on_it(seed: int, name: str) -> None:
    """With the world rotation of one joint changed, the joint itself and all outside its subtree stay."""
    joint = INDEX[name]
    before = _turns(seed)
    after = before.copy()
    after[joint] = rot.multiply(rot.from_axis_angle([0, 0, 1.0], 1.0), after[joint])
    moved = np.linalg.norm(pose_body(ADULT, [0, 0, 0], after) - pose_body(ADULT, [0, 0, 0], before), axis=-1) > 1e-12
    assert set(np.flatnonzero(moved)) <= set(_descendants(joint))


def test_a_turned_forearm_segment_takes_the_hand_along() -> None:
    """The left forearm turned a quarter about z points back to -x; the elbow stays: a turn is its segment's."""
    turns = np.tile(rot.IDENTITY, (JOINT_COUNT, 1))
    turns[INDEX["left_forearm"]] = rot.from_axis_angle([0, 0, 1.0], np.pi / 2)
    positions = pose_body(ADULT, ADULT.bones[0], turns)
    np.testing.assert_allclose(positions[INDEX["left_forearm"]], ADULT.joints[INDEX["left_forearm"]])
    np.testing.assert_allclose(
        positions[INDEX["left_hand"]] - positions[INDEX["left_forearm"]], [-0.26, 0, 0], atol=1e-12
    )


@given(seeds)
def test_the_whole_body_turns_and_moves_as_one(seed: int) -> None:
    """One turn and one move of hips and all rotations turn and move every joint."""
    turns, q, shift = (
        _turns(seed),
        rot.normalize(np.random.default_rng(seed).normal(size=4)),
        np.array([0.3, -2.0, 1.0]),
    )
    moved = pose_body(ADULT, shift, rot.multiply(q, turns))
    np.testing.assert_allclose(moved, rot.rotate(q, pose_body(ADULT, [0, 0, 0], turns)) + shift, atol=1e-12)


@given(seeds)
def test_local_and_world_rotations_are_inverse(seed: int) -> None:
    """There and back is the same, for stacks as well; the canonical pose is all identities in both."""
    world = _turns(seed, 2, 3)
    np.testing.assert_allclose(rot.angle_between(world_from_local(local_from_world(world)), world), 0, atol=1e-7)
    np.testing.assert_allclose(rot.angle_between(local_from_world(world_from_local(world)), world), 0, atol=1e-7)
    rest = np.tile(rot.IDENTITY, (JOINT_COUNT, 1))
    np.testing.assert_array_equal(local_from_world(rest), rest)


def test_a_local_turn_is_passed_on_to_all_descendants() -> None:
    """Bending the chest turns arms and head with it, and no leg."""
    local = np.tile(rot.IDENTITY, (JOINT_COUNT, 1))
    local[INDEX["chest"]] = rot.from_axis_angle([0, 1.0, 0], 0.3)
    turned = rot.angle_between(world_from_local(local), rot.IDENTITY) > 1e-9
    assert set(np.flatnonzero(turned)) == {INDEX["chest"], *_descendants(INDEX["chest"])}


def test_leading_axes_broadcast() -> None:
    """One hips position serves many poses, and each pose alone gives what the stack gives."""
    turns = _turns(7, 2, 3)
    stacked = pose_body(ADULT, [0, 0, 1.0], turns)
    assert stacked.shape == (2, 3, JOINT_COUNT, 3)
    for index in np.ndindex(2, 3):
        np.testing.assert_allclose(stacked[index], pose_body(ADULT, [0, 0, 1.0], turns[index]), atol=1e-12)
