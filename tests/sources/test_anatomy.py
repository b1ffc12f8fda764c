"""From any joint axes to the canonical ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.human import HumanMotion
from bunraku.human.skeleton import ADULT_BONES, BODY_COUNT, FINGER_PARTS, INDEX, JOINTS, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.anatomy import joint_frames
from bunraku.sources.bvh import motion_from_bvh, parse_bvh, posed_skeleton, read_bvh
from bunraku.sources.measure import WORLD_FROM_FILE
from bunraku.sources.skeletons import map_skeleton
from shared import data, need
from sources.people import Array, along_x, apart_deg, as_bvh, swung, walker

LIMBS = ("upper_arm", "forearm", "thigh", "shin")
TRUNK = ("hips", "spine", "chest", "neck", "head")


def unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))


def angle_deg(a: Array, b: Array) -> Array:
    return np.degrees(np.arccos(np.clip(np.sum(unit(a) * unit(b), axis=-1), -1, 1)))


def bone_error_deg(motion: HumanMotion) -> Array:
    """Mean angle, for each limb bone, between where it is and where its joint's rotation says it is."""
    errors = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part, end in zip(LIMBS, ("forearm", "hand", "shin", "foot"), strict=True):
            canonical = np.array([0.0, sign, 0.0] if "arm" in part else [0.0, 0.0, -1.0])
            bone = motion.position(f"{side}_{end}") - motion.position(f"{side}_{part}")
            errors.append(angle_deg(bone, rot.rotate(motion.rotation(f"{side}_{part}"), canonical)).mean())
    return np.array(errors)


def standing(motion: HumanMotion) -> Array:
    """Frames in which hips are over feet and head over hips within 20°."""
    feet = (motion.position("left_foot") + motion.position("right_foot")) / 2
    legs = unit(motion.position("hips") - feet)[:, 2]
    trunk = unit(motion.position("neck") - motion.position("hips"))[:, 2]
    return np.minimum(legs, trunk) > np.cos(np.radians(20))


@pytest.mark.parametrize(
    "axes",
    [swung({}), swung({"arms": 0.8}), swung({"arms": 1.5, "legs": 0.3}), swung({"arms": -1.5}), along_x],
    ids=["T", "A", "arms down, legs apart", "arms up", "bones along x"],
)
def test_any_rest(axes: Callable[[str], Array]) -> None:
    """Whatever the skeleton's rest pose, the same motion gives the same canonical rotations."""
    motion = walker(120)
    read = motion_from_bvh(as_bvh(motion, axes=axes))
    for joint in JOINTS[:BODY_COUNT]:
        assert apart_deg(motion, read, joint).max() < (0.1 if axes is along_x else 1e-5), joint


@settings(deadline=None, max_examples=15)
@given(st.floats(-np.pi, np.pi), st.sampled_from("xyz"))
def test_heading_stays(heading: float, up: str) -> None:
    """The way the person faces is as recorded, whichever axis is up, also with axes told from the motion."""
    motion = walker(60, heading=heading)
    for axes in (swung({}), along_x):
        assert apart_deg(motion, motion_from_bvh(as_bvh(motion, axes=axes, up=up)), "hips").max() < 0.1


@pytest.mark.parametrize("seed", range(6))
def test_crooked_axes(seed: int) -> None:
    """Axes that follow nothing, each joint its own: long bones agree with their rotations, the trunk is upright."""
    rng = np.random.default_rng(seed)
    own = {joint: rot.normalize(rng.normal(size=4)) for joint in JOINTS}
    motion = walker(120)
    read = motion_from_bvh(as_bvh(motion, axes=own.__getitem__))
    assert bone_error_deg(read).max() < 0.01
    for joint in ("hips", "chest", "head", "left_foot", "right_foot", *(f"{s}_{p}" for s in SIDES for p in LIMBS)):
        assert apart_deg(motion, read, joint).max() < 5, joint


def test_fingers() -> None:
    """Finger segments are turned as they are bent, from the straight hand of a T."""
    motion = walker(30, hands=True)
    for axes in (swung({}), swung({"arms": 1.2})):
        read = motion_from_bvh(as_bvh(motion, axes=axes))
        for joint in JOINTS[BODY_COUNT:]:
            if not joint.endswith("tip"):
                assert apart_deg(motion, read, joint).max() < 1e-4, joint
    assert FINGER_PARTS[-1] == "tip"
    assert not read.rotation_valid[:, INDEX["left_thumb_tip"]].any()


@pytest.mark.parametrize(("part", "says"), [("hips", "the hips lean -23°"), ("chest", "the chest leans -23°")])
def test_a_leaning_trunk_is_set_straight(part: str, says: str) -> None:
    """Parts drawn with a lean that nobody stands with are upright when the person stands, and the notes say so."""
    lean = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(0.4))
    axes = swung({"legs": 0.3})
    read = motion_from_bvh(as_bvh(walker(120), axes=lambda j: lean if j == part else axes(j)))
    assert [note for note in read.notes if "lean" in note] == [f"{says} whenever the person stands: set straight"]
    assert angle_deg(rot.rotate(read.rotation(part), [0, 0, 1.0]), np.array([0, 0, 1.0])).mean() < 6


def test_someone_who_never_stands() -> None:
    """Axes are found for a person who bends over all the time; the bones agree all the same."""
    motion = walker(60)
    bent = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(0.9))
    low = HumanMotion(
        positions=rot.rotate(bent, motion.positions), rotations=rot.multiply(bent, motion.rotations),
        position_valid=motion.position_valid, rotation_valid=motion.rotation_valid, fps=60,
    )  # fmt: skip
    read = motion_from_bvh(as_bvh(low, axes=along_x), up="y")
    assert bone_error_deg(read).max() < 0.01


def test_real_bones() -> None:
    """On every recording that is here, long bones lie where their rotations say, and hips and feet are sound."""
    for path in need(data("bvh/*/*.bvh")):
        motion = read_bvh(path)
        assert bone_error_deg(motion).max() < 0.5, path.name
        across = motion.position("left_thigh") - motion.position("right_thigh")
        assert angle_deg(rot.rotate(motion.rotation("hips"), [0, 1.0, 0]), across).mean() < 4, path.name
        shoulders = motion.position("left_upper_arm") - motion.position("right_upper_arm")
        assert angle_deg(rot.rotate(motion.rotation("chest"), [0, 1.0, 0]), shoulders).mean() < 10, path.name
        upright = standing(motion)
        if upright.mean() > 0.2:
            # The Xsens clip is of an upper body: its legs are stiff and follow the leaning hips.
            allowed = 17 if path.name == "mvn_test_mocap.bvh" else 12
            up = rot.rotate(motion.rotation("hips")[upright], [0, 0, 1.0]).mean(0)
            assert angle_deg(up, np.array([0, 0, 1.0])) < allowed, path.name


def test_real_feet_and_knees() -> None:
    """On every recording that is here, toes are ahead of ankles and knees bend backward."""
    for path in need(data("bvh/*/*.bvh")):
        motion = read_bvh(path)
        for side in SIDES:
            ahead = rot.rotate(rot.inverse(motion.rotation(f"{side}_foot")), _line(motion, side, "foot", "toe"))
            assert abs(np.degrees(np.arctan2(ahead[:, 1], ahead[:, 0]))).mean() < 3, path.name
            bend = np.cross(unit(_line(motion, side, "thigh", "shin")), unit(_line(motion, side, "shin", "foot")))
            own = rot.rotate(rot.inverse(motion.rotation(f"{side}_thigh")), bend).mean(0)
            if np.linalg.norm(own) > 0.15:
                assert unit(own)[1] > 0.97, path.name


def _line(motion: HumanMotion, side: str, a: str, b: str) -> Array:
    return motion.position(f"{side}_{b}") - motion.position(f"{side}_{a}")


def test_one_motion_on_two_skeletons() -> None:
    """A clip on a MotionBuilder and on a Daz skeleton turns pelvis, chest, thighs, shins and upper arms alike."""
    one = read_bvh(need(data("bvh/cmu_cgspeed_mb2008/05_20-mb.bvh"))[0])
    other = read_bvh(need(data("bvh/cmu_daz/05_20-daz.bvh"))[0])
    for joint in (
        "hips",
        "spine",
        "chest",
        *(f"{s}_{p}" for s in SIDES for p in ("upper_arm", "thigh", "shin", "foot")),
    ):
        assert apart_deg(one, other, joint)[1:].mean() < 7, joint
    for side in SIDES:
        # The Daz forearms lie 20° off in the file itself; their rotations are off by no more than that.
        between = angle_deg(_line(one, side, "forearm", "hand"), _line(other, side, "forearm", "hand"))
        assert abs(apart_deg(one, other, f"{side}_forearm")[1:].mean() - between[1:].mean()) < 2


def test_one_skeleton_in_many_clips() -> None:
    """What different clips tell of one skeleton's axes agrees: on limbs exactly, on the trunk of who stands to 12°."""
    for pattern in ("bandai_namco_1/*", "lafan1/*", "soma_bones/*"):
        found = []
        for path in need(data(f"bvh/{pattern}.bvh")):
            skeleton = posed_skeleton(parse_bvh(path.read_bytes()))
            mapping = map_skeleton(skeleton)
            assert mapping is not None
            frames = joint_frames(skeleton, mapping, WORLD_FROM_FILE["y"])
            assert any("told from the motion" in note for note in frames.notes)
            if "dash" not in path.name:
                found.append(frames.local)
        for joint in ("hips", "spine", "chest", *(f"{s}_{p}" for s in SIDES for p in (*LIMBS, "hand", "foot"))):
            turns = np.array([local[INDEX[joint]] for local in found])
            exact = joint.partition("_")[2] in (*LIMBS, "hand")
            assert np.degrees(rot.angle_between(turns, turns[0])).max() < (2.5 if exact else 12), joint


def test_adult_bones_are_the_reference() -> None:
    """The canonical directions that limbs are brought to are those of the canonical skeleton."""
    for side, sign in (("left", 1.0), ("right", -1.0)):
        np.testing.assert_allclose(unit(ADULT_BONES[INDEX[f"{side}_hand"]]), [0, sign, 0])
        np.testing.assert_allclose(unit(ADULT_BONES[INDEX[f"{side}_foot"]]), [0, 0, -1])
