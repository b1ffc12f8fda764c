"""Which joint is which: by names of many schemes, and without any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.human.skeleton import BODY_COUNT, FINGERS, INDEX, JOINTS, SIDES
from bunraku.sources.bvh import parse_bvh, posed_skeleton
from bunraku.sources.bvh_file import BvhFile
from bunraku.sources.posed import PosedSkeleton
from bunraku.sources.skeletons import SkeletonMap, map_skeleton
from shared import data, need
from sources.people import along_x, as_bvh, swung, walker

_SIDED = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
SCHEMES = {
    "mixamo": "mixamorig:{Side}Shoulder mixamorig:{Side}Arm mixamorig:{Side}ForeArm mixamorig:{Side}Hand "
    "mixamorig:{Side}UpLeg mixamorig:{Side}Leg mixamorig:{Side}Foot mixamorig:{Side}ToeBase",
    "soma": "{Side}Shoulder {Side}Arm {Side}ForeArm {Side}Hand {Side}Leg {Side}Shin {Side}Foot {Side}ToeBase",
    "xsens": "{Side}Collar {Side}Shoulder {Side}Elbow {Side}Wrist {Side}Hip {Side}Knee {Side}Ankle {Side}Toe",
    "smpl": "{S}_Collar {S}_Shoulder {S}_Elbow {S}_Wrist {S}_Hip {S}_Knee {S}_Ankle {S}_Foot",
    "biped": "Bip01#{S}#Clavicle Bip01#{S}#UpperArm Bip01#{S}#Forearm Bip01#{S}#Hand Bip01#{S}#Thigh Bip01#{S}#Calf "
    "Bip01#{S}#Foot Bip01#{S}#Toe0",
    "unreal": "clavicle_{s} upperarm_{s} lowerarm_{s} hand_{s} thigh_{s} calf_{s} foot_{s} ball_{s}",
    "vrm": "J_Bip_{S}_Shoulder J_Bip_{S}_UpperArm J_Bip_{S}_LowerArm J_Bip_{S}_Hand J_Bip_{S}_UpperLeg "
    "J_Bip_{S}_LowerLeg J_Bip_{S}_Foot J_Bip_{S}_ToeBase",
    "bandai": "Shoulder_{S} UpperArm_{S} LowerArm_{S} Hand_{S} UpperLeg_{S} LowerLeg_{S} Foot_{S} Toes_{S}",
    "daz": "{s}Collar {s}Shldr {s}ForeArm {s}Hand {s}Thigh {s}Shin {s}Foot {s}Toe",
    "blender": "shoulder.{S} upper_arm.{S} forearm.{S} hand.{S} thigh.{S} shin.{S} foot.{S} toe.{S}",
}  # fmt: skip


def mapped(file: BvhFile) -> SkeletonMap:
    """The file's mapping, which must exist."""
    found = map_skeleton(posed_skeleton(file))
    assert found is not None
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes(scheme: str) -> None:
    """Each program's names are understood without a look at the shape, 'Leg' as what it is in that scheme."""
    words = dict(zip(_SIDED, SCHEMES[scheme].split(), strict=True))

    def name(joint: str) -> str:
        side, _, part = joint.partition("_")
        if side not in SIDES:
            return joint.capitalize()
        return words[part].format(Side=side.capitalize(), S=side[0].upper(), s=side[0]).replace("#", " ")

    file = as_bvh(walker(8), name=name)
    found = mapped(file)
    assert found.notes == ()
    for joint in JOINTS[:BODY_COUNT]:
        assert file.names[found.node(joint)] == name(joint)


@pytest.mark.parametrize("axes", [along_x, swung({}), swung({"arms": 0.8}), swung({"arms": 1.5, "legs": 0.3})])
@pytest.mark.parametrize("per_metre", [1.0, 100.0])
def test_without_names(axes, per_metre: float) -> None:
    """Joints called j0, j1 … are told by topology and geometry, sides too; the notes say what was taken for what."""
    motion = walker(60, hands=True)
    motion = replace(motion, rotation_valid=motion.rotation_valid & ~_is_finger())
    motion = replace(motion, position_valid=motion.position_valid & ~_is_finger())
    file = as_bvh(motion, axes=axes, name=lambda joint: f"j{INDEX[joint]}", per_metre=per_metre)
    found = mapped(file)
    for joint in JOINTS[:BODY_COUNT]:
        assert file.names[found.node(joint)] == f"j{INDEX[joint]}", joint
    assert any("left_thigh = j9" in note and "not by name" in note for note in found.notes)


def _is_finger() -> np.ndarray:
    return np.arange(len(JOINTS)) >= BODY_COUNT


@settings(deadline=None, max_examples=20)
@given(st.randoms(use_true_random=False))
def test_order_of_joints_is_nothing(random) -> None:
    """Without names, the order of siblings does not matter."""
    file = as_bvh(walker(30), name=lambda joint: f"j{INDEX[joint]}")
    skeleton = posed_skeleton(file)
    order = [0]
    open_ends = [j for j in range(len(file.names)) if skeleton.parents[j] == 0]
    while open_ends:
        order.append(open_ends.pop(random.randrange(len(open_ends))))
        open_ends += [j for j in range(len(file.names)) if skeleton.parents[j] == order[-1]]
    place = {joint: i for i, joint in enumerate(order)}
    shuffled = PosedSkeleton(
        names=tuple(file.names[j] for j in order),
        parents=np.array([place.get(int(skeleton.parents[j]), -1) for j in order], np.int32),
        positions=skeleton.positions[:, order],
        rotations=skeleton.rotations[:, order],
        zero=skeleton.zero[order],
    )
    found = map_skeleton(shuffled)
    assert found is not None
    for joint in JOINTS[:BODY_COUNT]:
        assert shuffled.names[found.node(joint)] == f"j{INDEX[joint]}"


def test_real_files_without_names() -> None:
    """On every recording that is here, the body is told the same with the joints renamed to j0 … jN."""
    for path in need(data("bvh/*/*.bvh")):
        skeleton = posed_skeleton(parse_bvh(path.read_bytes()))
        named = map_skeleton(skeleton)
        nameless = map_skeleton(replace(skeleton, names=tuple(f"j{i}" for i in range(skeleton.joint_count))))
        assert named is not None
        assert nameless is not None
        same = named.nodes[:BODY_COUNT] == nameless.nodes[:BODY_COUNT]
        assert same.all(), (path.name, [JOINTS[j] for j in np.flatnonzero(~same)])
        assert named.notes == ()


def test_fingers() -> None:
    """Three segments and the tip of each finger are found; a lone stub beside the thumb is a mitten and stays out."""
    whole = mapped(as_bvh(walker(8, hands=True)))
    assert (whole.nodes >= 0).all()
    stub = {f"{side}_{finger}_{part}" for side in SIDES for finger in FINGERS for part in ("1", "2", "3", "tip")}
    stub -= {f"{side}_{joint}" for side in SIDES for joint in ("thumb_1", "index_1")}
    mitten = mapped(as_bvh(walker(8, hands=True), skip=frozenset(stub)))
    assert mitten.node("left_thumb_1") >= 0
    assert mitten.node("left_index_1") < 0


def test_four_joints_of_a_finger() -> None:
    """Of four joints the last three bend if there is an end beyond them; the fourth is the tip if there is none."""
    for path in need(data("bvh/soma_bones/wave*.bvh") + data("bvh/lafan1_resolved_geno/*.bvh")):
        file = parse_bvh(path.read_bytes())
        found = mapped(file)
        shift = 1 if "soma" in str(path) else 0
        for side in SIDES:
            for finger, word in zip(FINGERS[1:], ("Index", "Middle", "Ring", "Pinky"), strict=True):
                names = [file.names[found.node(f"{side}_{finger}_{part}")] for part in ("1", "2", "3", "tip")]
                ends = [*(str(n + shift) for n in (1, 2, 3)), "End" if shift else "4"]
                assert names == [f"{side.capitalize()}Hand{word}{end}" for end in ends]


def test_missing_limbs() -> None:
    """An upper body alone is told by its names; what is not there is not found."""
    legs = frozenset(f"{side}_{part}" for side in SIDES for part in ("thigh", "shin", "foot", "toe"))
    found = mapped(as_bvh(walker(8), skip=legs))
    assert all(found.node(joint) < 0 for joint in legs)
    assert all(found.node(joint) >= 0 for joint in JOINTS[:BODY_COUNT] if joint not in legs)


def test_no_person() -> None:
    """A chain without limbs is nobody."""
    file = as_bvh(walker(4))
    chain = replace(
        file, parents=np.arange(-1, len(file.names) - 1, dtype=np.int32), names=tuple("abcdefghijklmnopqrstu")
    )
    assert map_skeleton(posed_skeleton(chain)) is None


def test_links_are_passed_over() -> None:
    """Hip links, buttocks, finger bases and second feet of real schemes stand for nothing."""
    expected = {
        "cmu_cgspeed_mb2008/*": {"left_thigh": "LeftUpLeg", "spine": "Spine", "chest": "Spine1", "neck": "Neck1"},
        "cmu_cgspeed_maxhip/*": {"right_thigh": "RightHip", "left_hand": "LeftWrist", "left_clavicle": "LeftCollar"},
        "cmu_daz/*": {"left_thigh": "lThigh", "right_upper_arm": "rShldr", "hips": "hip"},
        "bandai_namco_1/*walk*": {"hips": "Hips", "left_clavicle": "Shoulder_L"},
        "xsens_mvn/*hier*": {"chest": "Chest4", "spine": "Chest", "left_upper_arm": "LeftShoulder"},
        "soma_bones/wave*": {"hips": "Hips", "left_thigh": "LeftLeg", "left_shin": "LeftShin", "neck": "Neck1"},
    }
    for pattern, roles in expected.items():
        file = parse_bvh(need(data(f"bvh/{pattern}"))[0].read_bytes())
        found = mapped(file)
        assert {role: file.names[found.node(role)] for role in roles} == roles
