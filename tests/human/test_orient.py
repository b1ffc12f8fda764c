"""Turns told from places agree with the turns that the same motion knows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.human import HumanMotion
from bunraku.human.orient import oriented
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion

PARTS = ("hips", "chest", *(f"{side}_{part}" for side in SIDES for part in ("hand", "foot")))


def blind(motion: HumanMotion) -> HumanMotion:
    """The same, as one who sees places alone."""
    return replace(motion, rotations=np.tile(rot.IDENTITY, (*motion.rotation_valid.shape, 1)),
                   rotation_valid=np.zeros_like(motion.rotation_valid))  # fmt: skip


def test_the_canonical_pose_has_not_turned() -> None:
    """In a T every part is as it is there, to a hundredth of a degree."""
    motion = read_motion("synth:t-pose?seconds=0.1")
    seen = oriented(blind(motion))
    for part in PARTS:
        assert seen.rotation_valid[:, INDEX[part]].all()
        angle = rot.angle_between(seen.rotation(part), motion.rotation(part))
        assert np.degrees(angle).max() < 0.01, part


@pytest.mark.parametrize("name", ["conduct", "walk", "box"])
def test_parts_turn_as_they_did(name: str) -> None:
    """Hips and hands to 2°, a chest that bends in itself to 12°, feet that roll against their shins to 15°."""
    motion = read_motion(f"synth:{name}?seconds=3")
    seen = oriented(blind(motion))
    for part in PARTS:
        angle = np.degrees(rot.angle_between(seen.rotation(part), motion.rotation(part)))
        allowed = 2.0 if "hand" in part else 15.0 if "foot" in part else 12.0
        assert np.median(angle) < allowed, (part, np.median(angle))


def test_what_was_known_is_kept() -> None:
    """A turn that the source told is not replaced by one that places tell."""
    motion = read_motion("synth:conduct?seconds=0.5")
    np.testing.assert_allclose(oriented(motion).rotations, motion.rotations, atol=1e-12)


def test_missing_and_straight_parts_stay_unknown() -> None:
    """No shoulder, no chest; fingers in one line with the wrist, no hand; and no NaN anywhere."""
    motion = blind(read_motion("synth:conduct?seconds=0.2"))
    flags, places = motion.position_valid.copy(), motion.positions.copy()
    flags[:, INDEX["left_upper_arm"]] = False
    wrist = places[:, INDEX["right_hand"]]
    for number, finger in enumerate(("index", "middle", "little"), 1):
        places[:, INDEX[f"right_{finger}_1"]] = wrist + [0, -0.03 * number, 0]
    seen = oriented(replace(motion, positions=places, position_valid=flags))
    assert not seen.rotation_valid[:, INDEX["chest"]].any()
    assert not seen.rotation_valid[:, INDEX["right_hand"]].any()
    assert seen.rotation_valid[:, INDEX["hips"]].all()
    assert np.isfinite(seen.rotations).all()


def test_one_pose_is_as_the_motion() -> None:
    """Live and recorded alike, up to the sign that keeps neighbours together."""
    motion = blind(read_motion("synth:conduct?seconds=0.5"))
    whole = oriented(motion)
    pose = oriented(motion.pose(7))
    np.testing.assert_allclose(rot.angle_between(pose.rotations, whole.rotations[7]), 0, atol=1e-6)
