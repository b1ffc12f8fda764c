"""What joints' names say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.sources.skeleton_names import read_name


@pytest.mark.parametrize(
    "names, side, part",
    [
        ("mixamorig1:LeftUpLeg LeftUpLeg thigh.L UpperLeg_L lThigh J_Bip_L_UpperLeg LTHIGH", "left", "thigh"),
        ("Bip01_R_Thigh ValveBiped.Bip01_R_Thigh CC_Base_R_Thigh thigh_r rightupleg jRightThigh", "right", "thigh"),
        ("LeftLeg lLeg leftleg Left_Leg", "left", "leg"),
        ("LeftShin lShin shin.L calf_l Bip01_L_Calf LeftLowerLeg LowerLeg_L Left_knee LeftLowLeg", "left", "shin"),
        ("RightHip R_Hip jRightHip", "right", "hip"),
        ("LeftAnkle L_Ankle", "left", "ankle"),
        ("RightFoot Foot_R foot.R rFoot Bip01_R_Foot", "right", "foot"),
        ("LeftToe LeftToeBase Toes_L ball_l Bip01_L_Toe0 RIG|LeftForeFoot jLeftBallFoot", "left", "toe"),
        ("LeftCollar lCollar clavicle_l Bip01_L_Clavicle L_Collar", "left", "clavicle"),
        ("RightShoulder Shoulder_R shoulder.R J_Bip_R_Shoulder", "right", "shoulder"),
        ("rShldr UpperArm_R upperarm_r RightUpperArm Bip01_R_UpperArm DEF-upper_arm.R", "right", "upper_arm"),
        ("LeftForeArm lForeArm LowerArm_L lowerarm_l LeftElbow l_elbow LEFTFOREARM", "left", "forearm"),
        ("RightHand rhand hand_r RightWrist R_Wrist Hand_R", "right", "hand"),
        ("Hips Pelvis hips mixamorig:Hips Bip01_Pelvis J_Bip_C_Hips pelvis_jnt", "", "hips"),
        ("hip CC_Base_Hip", "", "hip"),
        ("Neck neck_01 Neck1 Bip01_Neck lowerneck", "", "neck"),
        ("Head head Bip01_Head J_Bip_C_Head", "", "head"),
        ("LeftHandThumb1 LThumb thumb_01_l LeftThumbProximal Bip01_L_Finger0 Bip01_L_Finger02", "left", "thumb"),
        ("RightHandIndex2 index_02_r RightInHandIndex RightIndexDistal Bip01_R_Finger11", "right", "index"),
        ("LeftHandMiddle1 lMid1 middle_metacarpal_l", "left", "middle"),
        ("LeftHandPinky1 LeftLittleProximal pinky_03_l Bip01_L_Finger4", "left", "little"),
        ("LeftFingerBase LHipJoint lButtock LeftUpLegRoll upperarm_twist_01_l LeftEye LFingers", "left", ""),
        ("Spine Spine1 Chest4 root joint_Root Bip01 LowerBack j12 HeadTop_End", "", ""),
    ],
)  # fmt: skip
def test_read_name(names: str, side: str, part: str) -> None:
    """Sides and parts are told in the words of many programs."""
    for name in names.split():
        read = read_name(name.replace("Bip01_", "Bip01 "))
        assert (read.side, read.part) == (side, part), name


def test_ends() -> None:
    """Ends of chains are told from joints."""
    assert all(
        read_name(name).end for name in ("HeadEnd", "LeftToe_End", "Bip01 L Toe0Nub", "LeftHandThumbEnd", "tip_l")
    )
    assert not any(read_name(name).end for name in ("Head", "LeftHandThumb4", "Bender"))


@given(st.text(max_size=40))
def test_any_name(name: str) -> None:
    """Any text is a name; what is not understood has no part."""
    assert read_name(name).side in ("", "left", "right")
