"""A small humanoid of COMAN's size, for showing that the hands' scale follows the robot's.

Height to the neck, width across the shoulders and weight are COMAN's as published (0.945 m, 0.312 m, 31 kg), and so are
6 joints to a leg, 3 to the waist and 7 to an arm. The lengths in between and the shapes are ours.
"""

from __future__ import annotations

from mjcf import Body, Model

DESCRIPTION = "A small humanoid of COMAN's published size, 0.95 m to the neck; a size variant of our own, not its model"
NOTES = (
    "Height, shoulder width, weight and the number of joints are published; the lengths in between are ours.",
    "Velocities and efforts are those of geared drives of that size.",
)
SIDES = (("left_", 1), ("right_", -1))
NEUTRAL = {
    "left_shoulder_roll_joint": 0.16, "right_shoulder_roll_joint": -0.16,
    "left_elbow_joint": 0.35, "right_elbow_joint": 0.35,
    **{f"{side}_{joint}_joint": value for side in ("left", "right")
       for joint, value in (("hip_pitch", -0.2), ("knee", 0.4), ("ankle_pitch", -0.2))},
}  # fmt: skip
HIP_HALF_WIDTH, THIGH, SHIN, ANKLE_HEIGHT = 0.073, 0.226, 0.201, 0.094
WAIST, SHOULDER, NECK = (0, 0, 0.118), (0, 0.156, 0.216), (0, 0, 0.306)
UPPER_ARM, FOREARM = 0.180, 0.170


def looks(m: Model) -> None:
    """Brushed covers, black drives, a blue line."""
    m.material("cover", (0.78, 0.80, 0.82), specular=0.6, shininess=0.6)
    m.material("drive", (0.12, 0.13, 0.14), specular=0.5, shininess=0.5)
    m.material("steel", (0.52, 0.54, 0.57), specular=0.8, shininess=0.7)
    m.material("blue", (0.10, 0.34, 0.72), specular=0.5, shininess=0.6)
    m.material("light", (0.45, 0.85, 1.0), emission="0.5")
    m.loft("chest", "96 62 88, 118 74 104 4, 180 84 118 8, 230 78 122 4, 262 58 96, 274 40 60", 28)
    m.loft("thigh", "-196 34 36, -186 40 42, -110 47 46 2, -40 45 44, -22 36 36", 22)
    m.loft("shin", "-176 26 28, -166 31 32, -100 38 36 -2, -40 36 36, -24 30 30", 22)
    m.loft("arm", "-150 24 25, -142 29 30, -90 32 32, -46 30 30, -34 24 24", 20)
    m.loft("helmet", "6 34 36, 20 52 50, 60 62 58 4, 96 56 54 2, 118 34 36, 124 12 12", 26)


def build() -> Model:
    """Standing, knees a little bent, facing x."""
    m = Model("coman", DESCRIPTION, NEUTRAL, NOTES)
    looks(m)
    m.joint_class("leg", velocity=7.0, effort=55, damping=1.0, armature=0.03)
    m.joint_class("ankle", velocity=7.0, effort=40, damping=0.8, armature=0.02)
    m.joint_class("waist", velocity=6.0, effort=55, damping=1.0, armature=0.03)
    m.joint_class("arm", velocity=7.5, effort=28, damping=0.4, armature=0.012)
    m.joint_class("wrist", velocity=8.0, effort=6, damping=0.06, armature=0.002)
    m.joint_class("neck", velocity=6.0, effort=4, damping=0.06, armature=0.002)
    pelvis = m.world.body("pelvis", (0, 0, THIGH + SHIN + ANKLE_HEIGHT))
    pelvis.free("base")
    pelvis.solid("box", 5.5, at=(0, 0, 0.035), half=(0.050, 0.062, 0.032))
    pelvis.box("drive", (0, 0, 0.035), (0.052, 0.066, 0.034))
    pelvis.cylinder("steel", (0, 0, 0.060), (0, 0, 0.100), 0.046)
    for prefix, sign in SIDES:
        leg(pelvis, prefix, sign)
    chest = torso(pelvis)
    head(chest)
    for prefix, sign in SIDES:
        arm(chest, prefix, sign)
    return m


def leg(pelvis: Body, prefix: str, sign: int) -> None:
    """Hip, knee, ankle and a sole, with the drives in sight."""
    pitch = pelvis.body("hip_pitch", (0, HIP_HALF_WIDTH, 0), sign=sign, prefix=prefix)
    pitch.hinge("hip_pitch_joint", (0, 1, 0), -110, 45, "leg")
    pitch.inertial(0.7, radius=0.04)
    pitch.cylinder("drive", (0, -0.008, 0), (0, 0.034, 0), 0.043)
    roll = pitch.body("hip_roll", (0, 0, 0))
    roll.hinge("hip_roll_joint", (1, 0, 0), -25, 60, "leg")
    roll.inertial(0.6, radius=0.04)
    thigh = roll.body("thigh", (0, 0, 0))
    thigh.hinge("hip_yaw_joint", (0, 0, 1), -50, 50, "leg")
    thigh.solid("capsule", 2.2, start=(0, 0, -0.09), end=(0, 0, -0.17), radius=0.040)
    thigh.shell("cover", "thigh")
    thigh.capsule("blue", (0.044, 0, -0.060), (0.044, 0, -0.150), 0.006)
    shin = thigh.body("shin", (0, 0, -THIGH))
    shin.hinge("knee_joint", (0, 1, 0), 0, 125, "leg")
    shin.solid("capsule", 1.6, start=(0, 0, -0.05), end=(0, 0, -0.145), radius=0.032)
    shin.cylinder("drive", (0, -0.040, 0), (0, 0.040, 0), 0.036)
    shin.cylinder("steel", (0, -0.043, 0), (0, 0.043, 0), 0.016)
    shin.shell("cover", "shin")
    ankle = shin.body("ankle_pitch", (0, 0, -SHIN))
    ankle.hinge("ankle_pitch_joint", (0, 1, 0), -50, 50, "ankle")
    ankle.inertial(0.3, radius=0.03)
    ankle.cylinder("drive", (0, -0.030, 0), (0, 0.030, 0), 0.028)
    foot = ankle.body("foot", (0, 0, 0))
    foot.hinge("ankle_roll_joint", (1, 0, 0), -25, 25, "ankle")
    foot.solid("box", 0.8, at=(0.025, 0, 0.010 - ANKLE_HEIGHT), half=(0.095, 0.045, 0.010))
    foot.box("drive", (0.025, 0, 0.008 - ANKLE_HEIGHT), (0.096, 0.046, 0.008))
    foot.box("cover", (0.012, 0, 0.030 - ANKLE_HEIGHT), (0.060, 0.034, 0.016))
    foot.capsule("steel", (0, 0, 0.040 - ANKLE_HEIGHT), (0, 0, -0.01), 0.016)


def torso(pelvis: Body) -> Body:
    """Waist of three joints and the chest."""
    yaw = pelvis.body("waist_yaw", WAIST)
    yaw.hinge("waist_yaw_joint", (0, 0, 1), -80, 80, "waist")
    yaw.inertial(0.5, radius=0.05)
    roll = yaw.body("waist_roll", (0, 0, 0))
    roll.hinge("waist_roll_joint", (1, 0, 0), -30, 30, "waist")
    roll.inertial(0.5, radius=0.05)
    chest = roll.body("torso", (0, 0, 0))
    chest.hinge("waist_pitch_joint", (0, 1, 0), -20, 50, "waist")
    chest.solid("box", 6.0, at=(0.005, 0, 0.180), half=(0.068, 0.085, 0.070))
    chest.cylinder("drive", (0, -0.056, 0.020), (0, 0.056, 0.020), 0.040)
    chest.cylinder("steel", (0, 0, 0.030), (0, 0, 0.105), 0.042)
    chest.shell("cover", "chest")
    chest.box("blue", (0.0885, 0, 0.190), (0.004, 0.030, 0.034), (0, -4, 0))
    chest.cylinder("light", (0.088, 0, 0.196), (0.0945, 0, 0.196), 0.010)
    return chest


def head(chest: Body) -> None:
    """Neck of two joints and a helmet with a visor."""
    yaw = chest.body("neck_yaw", NECK)
    yaw.hinge("neck_yaw_joint", (0, 0, 1), -70, 70, "neck")
    yaw.inertial(0.15, radius=0.02)
    yaw.cylinder("drive", (0, 0, -0.036), (0, 0, 0.014), 0.026)
    link = yaw.body("head", (0, 0, 0))
    link.hinge("neck_pitch_joint", (0, 1, 0), -30, 40, "neck")
    link.solid("sphere", 0.9, at=(0, 0, 0.062), radius=0.054)
    link.shell("cover", "helmet")
    link.ellipsoid("drive", (0.034, 0, 0.066), (0.034, 0.046, 0.022))
    for s in (1, -1):
        link.ball("light", (0.064, 0.018 * s, 0.068), 0.006)


def arm(chest: Body, prefix: str, sign: int) -> None:
    """Shoulder, elbow and wrist of 3, 1 and 3 joints, and a fist."""
    pitch = chest.body("shoulder_pitch", SHOULDER, sign=sign, prefix=prefix)
    pitch.hinge("shoulder_pitch_joint", (0, 1, 0), -190, 90, "arm")
    pitch.inertial(0.4, radius=0.03)
    pitch.cylinder("drive", (0, -0.036, 0), (0, 0.006, 0), 0.036)
    roll = pitch.body("shoulder_roll", (0, 0, 0))
    roll.hinge("shoulder_roll_joint", (1, 0, 0), -15, 160, "arm")
    roll.inertial(0.4, radius=0.03)
    roll.ball("steel", (0, 0, 0), 0.034)
    upper = roll.body("upper_arm", (0, 0, 0))
    upper.hinge("shoulder_yaw_joint", (0, 0, 1), -100, 100, "arm")
    upper.solid("capsule", 0.8, start=(0, 0, -0.070), end=(0, 0, -0.130), radius=0.028)
    upper.shell("cover", "arm")
    fore = upper.body("forearm", (0, 0, -UPPER_ARM))
    fore.hinge("elbow_joint", (0, -1, 0), 0, 135, "arm")
    fore.solid("capsule", 0.6, start=(0, 0, -0.035), end=(0, 0, -0.125), radius=0.024)
    fore.cylinder("drive", (0, -0.032, 0), (0, 0.032, 0), 0.028)
    fore.shell("cover", "arm", (0, 0, 0.006))
    fore.capsule("blue", (0.030, 0, -0.060), (0.028, 0, -0.120), 0.005)
    twist = fore.body("wrist_yaw", (0, 0, -FOREARM))
    twist.hinge("wrist_yaw_joint", (0, 0, 1), -90, 90, "wrist")
    twist.inertial(0.06, radius=0.015)
    twist.ball("drive", (0, 0, 0), 0.022)
    bend = twist.body("wrist_pitch", (0, 0, 0))
    bend.hinge("wrist_pitch_joint", (0, 1, 0), -45, 45, "wrist")
    bend.inertial(0.04, radius=0.015)
    fist = bend.body("hand", (0, 0, 0))
    fist.hinge("wrist_roll_joint", (1, 0, 0), -70, 70, "wrist")
    fist.solid("sphere", 0.2, at=(0, 0, -0.052), radius=0.026)
    fist.ellipsoid("drive", (0, 0, -0.050), (0.028, 0.022, 0.034))
    fist.ellipsoid("steel", (0.022, -0.004, -0.040), (0.010, 0.010, 0.024), (0, -22, 0))
