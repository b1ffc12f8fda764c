"""Human motion to BVH files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import OutputError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import BODY_COUNT, INDEX, JOINTS
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh import motion_from_bvh, parse_bvh, read_bvh, write_bvh
from bunraku.sources.bvh_export import bvh_from_motion, bvh_name
from shared import data, need
from sources.people import apart_deg, placed, walker


def again(motion: HumanMotion, folder: Path) -> HumanMotion:
    """The motion written and read."""
    return read_bvh(write_bvh(folder / "again.bvh", motion))


def test_round_trip(tmp_path: Path) -> None:
    """A motion on rigid bones comes back: rotations within 1e-4°, positions within 1 µm, the same joints known."""
    for hands in (False, True):
        motion = walker(90, hands=hands)
        read = again(motion, tmp_path)
        for joint in JOINTS:
            assert apart_deg(motion, read, joint).max() < 1e-4, joint
        known = motion.position_valid[0]
        np.testing.assert_allclose(read.positions[:, known], motion.positions[:, known], atol=1e-6)
        np.testing.assert_array_equal(read.position_valid, motion.position_valid)
        np.testing.assert_array_equal(read.rotation_valid, motion.rotation_valid)
        assert read.fps == motion.fps


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32))
def test_any_rotation(seed: int) -> None:
    """Whatever the rotations are, poles of the angles included, they come back within 1e-4°."""
    rng = np.random.default_rng(seed)
    motion = walker(12)
    turns = rot.normalize(rng.normal(size=motion.rotations.shape))
    quarter = rot.from_euler("ZYX", np.round(rng.uniform(-2, 2, (*turns.shape[:2], 3))) * np.pi / 2)
    turns = np.where(rng.random((*turns.shape[:2], 1)) < 0.3, quarter, turns)
    whirled = replace(motion, rotations=turns, positions=placed(turns))
    read = motion_from_bvh(bvh_from_motion(whirled), up="y")
    assert max(apart_deg(whirled, read, joint).max() for joint in JOINTS[:BODY_COUNT]) < 1e-4


def test_real_motions(tmp_path: Path) -> None:
    """Recordings that are here come back from the canonical skeleton: rotations within 1e-4°, body within 15 cm."""
    for path in need(data("bvh/*/*.bvh"))[::2]:
        motion = read_bvh(path)
        read = again(motion, tmp_path)
        np.testing.assert_array_equal(read.rotation_valid, motion.rotation_valid, path.name)
        for joint in JOINTS:
            if motion.rotation_valid[0, INDEX[joint]]:
                assert apart_deg(motion, read, joint).max() < 1e-4, (path.name, joint)
        off = np.linalg.norm(read.positions - motion.positions, axis=-1)[:, :BODY_COUNT]
        assert off.max() < 0.15, path.name
        assert off.mean() < 0.03, path.name


def test_text(tmp_path: Path) -> None:
    """The file is an ordinary BVH: known names, centimetres, y up, ZYX, a T at zero, an end to each chain."""
    file = parse_bvh(write_bvh(tmp_path / "walk.bvh", walker(5)).read_bytes())
    assert file.names[0] == "Hips"
    assert {"LeftUpLeg", "RightForeArm", "LeftToeBase", "Head"} <= set(file.names)
    assert file.channels[0] == ("Xposition", "Yposition", "Zposition", "Zrotation", "Yrotation", "Xrotation")
    assert set(file.channels[1:]) == {("Zrotation", "Yrotation", "Xrotation")}
    np.testing.assert_allclose(file.offsets[file.names.index("LeftForeArm")], [30, 0, 0])
    np.testing.assert_allclose(file.offsets[file.names.index("RightLeg")], [0, -43, 0])
    np.testing.assert_allclose(file.values[:, :3], np.tile([200, 95, 100], (5, 1)))
    leaves = set(range(len(file.names))) - set(file.parents.tolist())
    assert leaves <= set(file.end_parents.tolist())
    assert bvh_name("left_little_2") == "LeftHandPinky2"


def test_gaps_are_held(tmp_path: Path) -> None:
    """A joint that drops out holds still; one that is never known is not written; a place alone becomes an end."""
    motion = walker(20)
    rotations_known, positions_known = motion.rotation_valid.copy(), motion.position_valid.copy()
    rotations_known[5:10, INDEX["left_hand"]] = False
    rotations_known[:, INDEX["head"]] = positions_known[:, INDEX["head"]] = False
    rotations_known[:, INDEX["left_toe"]] = False
    read = again(replace(motion, rotation_valid=rotations_known, position_valid=positions_known), tmp_path)
    held = rot.multiply(rot.inverse(read.rotation("left_hand")[5:10]), read.rotation("left_hand")[4])
    assert np.degrees(rot.angle_between(held, rot.IDENTITY)).max() < 1e-4
    assert not read.position_valid[:, INDEX["head"]].any()
    assert read.position_valid[:, INDEX["left_toe"]].all()
    assert not read.rotation_valid[:, INDEX["left_toe"]].any()


def test_no_frames(tmp_path: Path) -> None:
    """A motion without frames is a skeleton without rows."""
    read = again(walker(5).frames(slice(0, 0)), tmp_path)
    assert len(read) == 0


def test_hips_are_needed() -> None:
    """Without hips there is no root."""
    motion = walker(3)
    known = motion.rotation_valid.copy()
    known[:, 0] = False
    with pytest.raises(OutputError, match="hips"):
        bvh_from_motion(replace(motion, rotation_valid=known))


def test_whole_or_nothing(tmp_path: Path) -> None:
    """Where the file cannot be, there is one line of error and nothing is left over."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        write_bvh(tmp_path / "taken" / "walk.bvh", walker(3))
    (tmp_path / "folder.bvh").mkdir()
    with pytest.raises(OutputError, match="cannot write"):
        write_bvh(tmp_path / "folder.bvh", walker(3))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.bvh", "taken"]
