"""The canonical skeleton."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.human.skeleton import (
    ADULT_BONES,
    BODY_COUNT,
    GROUPS,
    INDEX,
    JOINT_COUNT,
    JOINTS,
    MIRROR,
    PARENTS,
    mirror_name,
)


def test_parents_come_before_children_and_the_hips_are_the_root() -> None:
    """One tree, rooted in the hips, in an order that forward kinematics can walk."""
    assert JOINTS[0] == "hips"
    assert PARENTS[0] == -1
    assert all(0 <= PARENTS[joint] < joint for joint in range(1, JOINT_COUNT))


def test_there_are_61_joints_named_once() -> None:
    """21 of the body, then 2 hands of 5 fingers of 4; INDEX is the order of JOINTS."""
    assert (JOINT_COUNT, BODY_COUNT) == (61, 21)
    assert len(set(JOINTS)) == JOINT_COUNT
    assert [INDEX[name] for name in JOINTS] == list(range(JOINT_COUNT))
    assert all(any(f in name for f in ("thumb", "index", "middle", "ring", "little")) for name in JOINTS[BODY_COUNT:])


def test_groups_hold_every_joint_once() -> None:
    """No joint is in two groups or in none."""
    assert sorted(joint for group in GROUPS.values() for joint in group) == sorted(JOINTS)


def test_mirroring_twice_is_no_mirroring_and_keeps_the_tree() -> None:
    """The other side's joint hangs on the other side's parent; the trunk mirrors to itself."""
    for joint, name in enumerate(JOINTS):
        assert mirror_name(mirror_name(name)) == name
        if PARENTS[joint] >= 0:
            assert PARENTS[INDEX[mirror_name(name)]] == INDEX[mirror_name(JOINTS[PARENTS[joint]])]
    assert mirror_name("spine") == "spine"
    assert mirror_name("left_index_2") == "right_index_2"
    assert JOINTS[MIRROR[INDEX["left_index_2"]]] == "right_index_2"
    np.testing.assert_array_equal(MIRROR[MIRROR], np.arange(JOINT_COUNT))


def test_the_average_adult_is_symmetric() -> None:
    """Left and right bones are mirror images, the trunk's lie in the middle plane."""
    mirrored = ADULT_BONES[MIRROR] * [1, -1, 1]
    np.testing.assert_array_equal(ADULT_BONES, mirrored)


def test_the_average_adult_stands_in_a_t() -> None:
    """In the canonical pose the arms point sideways, the legs down, the toes forward."""
    for side, sign in (("left", 1), ("right", -1)):
        for joint in ("forearm", "hand", "middle_2"):
            x, y, z = ADULT_BONES[INDEX[f"{side}_{joint}"]]
            assert (x, z) == (0, 0)
            assert y * sign > 0
        assert ADULT_BONES[INDEX[f"{side}_foot"], 2] == ADULT_BONES[INDEX[f"{side}_foot"]].min() < 0
        assert ADULT_BONES[INDEX[f"{side}_toe"], 0] > 0.1


def test_tables_are_read_only() -> None:
    """Nobody changes the skeleton for everybody else."""
    for table in (ADULT_BONES, PARENTS):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 1
