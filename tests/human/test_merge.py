"""Merging partial observations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import ADULT, Body, HumanMotion, HumanPose, merge_motions, pose_body
from bunraku.human.merge import merge
from bunraku.human.skeleton import GROUPS, INDEX, JOINT_COUNT, PARENTS
from bunraku.kinematics import rotations as rot

ALL = np.ones(JOINT_COUNT, bool)
NONE = ~ALL
seeds = st.integers(0, 2**32 - 1)
ranks = st.dictionaries(st.sampled_from(sorted(GROUPS)), st.integers(-2, 2), max_size=4)


def _pose(seed: int, received_ns: int = 0, share: float = 0.6) -> HumanPose:
    """A random partial pose; which joints it knows is random too."""
    rng = np.random.default_rng(seed)
    return HumanPose(
        positions=rng.normal(size=(JOINT_COUNT, 3)),
        rotations=rot.normalize(rng.normal(size=(JOINT_COUNT, 4))),
        position_valid=rng.random(JOINT_COUNT) < share,
        rotation_valid=rng.random(JOINT_COUNT) < share,
        received_ns=received_ns,
        stamp_ns=seed,
    )


def _same(a: HumanPose, b: HumanPose) -> None:
    np.testing.assert_array_equal(a.position_valid, b.position_valid)
    np.testing.assert_array_equal(a.rotation_valid, b.rotation_valid)
    np.testing.assert_allclose(a.positions[a.position_valid], b.positions[a.position_valid], atol=1e-12)
    np.testing.assert_allclose(a.rotations[a.rotation_valid], b.rotations[a.rotation_valid], atol=1e-12)


def test_nothing_merged_knows_nothing() -> None:
    """Without an observation there is no joint, and no error."""
    assert not merge([]).position_valid.any()


@given(seeds, ranks)
def test_a_pose_merged_with_itself_or_nothing_is_itself(seed: int, priorities: dict[str, int]) -> None:
    """Repetition adds nothing, whatever the priorities; an empty pose of the highest priority takes nothing away."""
    pose = _pose(seed)
    alone = merge([(pose, {})])
    _same(merge([(pose, priorities), (pose, {})]), alone)
    _same(merge([(HumanPose.empty(), dict.fromkeys(GROUPS, 9)), (pose, priorities)]), alone)


@given(seeds, seeds, seeds, st.permutations([0, 1, 2]))
def test_the_order_of_differently_new_observations_does_not_matter(a: int, b: int, c: int, order: list[int]) -> None:
    """With three different receive times, any order gives one result, stamped like the newest."""
    poses = [(_pose(seed, received_ns=time), {}) for seed, time in ((a, 10), (b, 20), (c, 30))]
    merged = merge([poses[k] for k in order])
    _same(merged, merge(poses))
    assert (merged.received_ns, merged.stamp_ns) == (30, c)


@given(seeds, seeds, ranks, ranks)
def test_each_joint_comes_from_the_best_that_knows_it(
    a: int, b: int, first: dict[str, int], second: dict[str, int]
) -> None:
    """Per joint the higher priority of its group wins if it knows the joint; among equals the newer one."""
    old, new = _pose(a, received_ns=1), _pose(b, received_ns=2)
    merged = merge([(old, first), (new, second)])
    for group, names in GROUPS.items():
        best, other = (old, new) if first.get(group, 0) > second.get(group, 0) else (new, old)
        for joint in (INDEX[name] for name in names):
            for what in ("position", "rotation"):
                source = best if getattr(best, f"{what}_valid")[joint] else other
                if getattr(source, f"{what}_valid")[joint]:
                    assert getattr(merged, f"{what}_valid")[joint]
                    np.testing.assert_array_equal(
                        getattr(merged, f"{what}s")[joint], getattr(source, f"{what}s")[joint]
                    )


def test_among_equally_new_equals_the_first_named_wins() -> None:
    """With one priority and one receive time, the order of naming decides."""
    a, b = _pose(1, share=1.0), _pose(2, share=1.0)
    np.testing.assert_array_equal(merge([(a, {}), (b, {})]).positions, a.positions)
    np.testing.assert_array_equal(merge([(b, {}), (a, {})]).positions, b.positions)


@given(seeds, seeds)
def test_nothing_is_made_up(a: int, b: int) -> None:
    """A rotation is known only where someone saw it; a position only where someone saw it or the parent's
    place and turn are both known, and then it is the bone's end."""
    poses = [_pose(a, 1, 0.3), _pose(b, 2, 0.3)]
    merged = merge([(pose, {}) for pose in poses])
    np.testing.assert_array_equal(merged.rotation_valid, poses[0].rotation_valid | poses[1].rotation_valid)
    seen = poses[0].position_valid | poses[1].position_valid
    follows = pose_body(ADULT, [0, 0, 0], merged.rotations)
    for joint in range(JOINT_COUNT):
        parent = PARENTS[joint]
        can = joint > 0 and merged.position_valid[parent] and merged.rotation_valid[parent]
        assert merged.position_valid[joint] == (seen[joint] or can)
        if can and not seen[joint]:
            step = merged.positions[joint] - merged.positions[parent]
            np.testing.assert_allclose(step, follows[joint] - follows[parent], atol=1e-12)
    assert not merged.positions[~merged.position_valid].any()


def test_a_suit_of_rotations_with_a_place_for_the_hips_becomes_a_whole_body() -> None:
    """All rotations and one position give every position, with this operator's bone lengths."""
    body = Body.scaled(1.5)
    suit = replace(_pose(3, share=1.0), position_valid=NONE)
    where = replace(
        HumanPose.empty(), positions=np.full((JOINT_COUNT, 3), 0.7), position_valid=np.arange(JOINT_COUNT) == 0
    )
    merged = merge([(suit, {}), (where, {})], body)
    assert merged.position_valid.all()
    np.testing.assert_allclose(merged.positions, pose_body(body, [0.7, 0.7, 0.7], suit.rotations), atol=1e-12)
    assert not merge([(suit, {})], body).position_valid.any()


def test_hands_from_one_device_and_the_body_from_another() -> None:
    """Hands and forearms of a hand tracker over a camera's body: each joint from where it was asked to come."""
    camera = replace(_pose(4, 2, 1.0), jaw=0.2, eyes=(0.1, 0.2))
    hands = np.zeros(JOINT_COUNT, bool)
    hands[[INDEX[name] for name in (*GROUPS["left_hand"], "left_forearm")]] = True
    leap = replace(_pose(5, 1, 1.0), position_valid=hands, rotation_valid=hands)
    merged = merge([(camera, {}), (leap, {"left_hand": 1, "left_arm": 1})])
    np.testing.assert_array_equal(merged.positions[hands], leap.positions[hands])
    np.testing.assert_array_equal(merged.positions[~hands], camera.positions[~hands])
    assert (merged.jaw, merged.eyes) == (0.2, (0.1, 0.2))


def test_jaw_and_eyes_go_by_the_heads_priority() -> None:
    """The best for the head that has a jaw gives the jaw; None never hides a value."""
    a, b = replace(_pose(1, 9), jaw=0.1), replace(_pose(2, 1), jaw=0.9, eyes=(0.0, 1.0))
    assert merge([(a, {}), (b, {})]).jaw == 0.1
    merged = merge([(a, {}), (b, {"head": 1})])
    assert (merged.jaw, merged.eyes) == (0.9, (0.0, 1.0))
    assert merge([(replace(a, jaw=None), {"head": 3}), (b, {})]).jaw == 0.9


def test_an_unknown_group_is_named() -> None:
    """A misspelt group is an error that offers the right one."""
    with pytest.raises(UnknownNameError, match="left_hand"):
        merge([(_pose(1), {"lefthand": 1})])


def _motion(seed: int, T: int = 5, fps: float = 60.0, share: float = 0.6) -> HumanMotion:
    rng = np.random.default_rng(seed)
    return HumanMotion(
        positions=rng.normal(size=(T, JOINT_COUNT, 3)),
        rotations=rng.normal(size=(T, JOINT_COUNT, 4)),
        position_valid=rng.random((T, JOINT_COUNT)) < share,
        rotation_valid=rng.random((T, JOINT_COUNT)) < share,
        fps=fps,
        name=f"m{seed}",
        notes=(f"note {seed}",),
    )


@given(seeds, seeds, ranks, ranks)
def test_motions_merge_frame_by_frame_like_poses(a: int, b: int, first: dict[str, int], second: dict[str, int]) -> None:
    """Merging two motions is merging their poses, every frame for itself."""
    motions = [(_motion(a), first), (_motion(b), second)]
    merged = merge_motions(motions)
    for frame in range(len(merged)):
        _same(merged.pose(frame), merge([(motion.pose(frame), priorities) for motion, priorities in motions]))


def test_merged_motions_keep_names_notes_and_faces() -> None:
    """The name tells both, the notes are all there, and a jaw that one of them has stays."""
    a, b = _motion(1), replace(_motion(2), jaw=np.linspace(0, 1, 5))
    merged = merge_motions([(a, {}), (b, {})])
    assert (merged.name, merged.notes, merged.fps) == ("m1+m2", ("note 1", "note 2"), 60.0)
    assert merged.jaw is not None
    assert merged.eyes is None


def test_motions_of_other_rates_or_lengths_do_not_merge() -> None:
    """The error gives both lengths and rates; no motion at all is an error as well."""
    with pytest.raises(InputError, match=r"'m2' has 4 frames at 60/s, 'm1' 5 at 60/s"):
        merge_motions([(_motion(1), {}), (_motion(2, T=4), {})])
    with pytest.raises(InputError, match="one rate"):
        merge_motions([(_motion(1), {}), (_motion(2, fps=59.0), {})])
    with pytest.raises(InputError, match="no motion"):
        merge_motions([])
