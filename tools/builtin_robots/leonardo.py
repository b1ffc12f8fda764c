"""Leonardo GreenMoov of the first paper: a relative of InMoov whose shoulder turns about Z, X and Y in that order.

The paper measures along x left, y up, z forward, the arm hanging: there Z, X, Y are our x, y, z. Of lengths it gives
one indirectly: its elbow errors of 0.038, 0.022, 0.071 m are those of a displacement l = 0.1 m between the axes of X
and Y. All others are InMoov's.
"""

from __future__ import annotations

import inmoov
from mjcf import Body, Model

DESCRIPTION = (
    "Leonardo GreenMoov, the green telepresence robot: 5-joint arms, hands and a talking head; shapes of our own"
)
NOTES = (
    "Axes, their order and the displacement l of the shoulder are the first paper's; it prints no ranges and no other",
    "lengths. Lengths are InMoov's, ranges wide enough for the paper's trajectories, velocities and efforts those of",
    "hobby servos behind worm gears, as on InMoov.",
)
FINGERS = ("thumb", "index", "middle", "ring", "pinky")
SIDES = (("left_", 1), ("right_", -1))
NEUTRAL = {
    "left_shoulder_z_joint": 0.1, "right_shoulder_z_joint": -0.1, "left_elbow_joint": -0.3, "right_elbow_joint": -0.3,
    **{f"{side}{finger}_joint": 0.2 for side, _ in SIDES for finger in FINGERS},
}  # fmt: skip
SHOULDER_DISPLACEMENT = 0.1
UPPER_ARM, FOREARM = 0.2835, 0.2885


def looks(m: Model) -> None:
    """Green printed shells on black."""
    m.material("shell", (0.30, 0.62, 0.30), specular=0.25, shininess=0.35)
    m.material("grey", (0.88, 0.89, 0.86), specular=0.3, shininess=0.4)
    m.material("carbon", (0.085, 0.09, 0.10), specular=0.4, shininess=0.5)
    m.material("servo", (0.16, 0.17, 0.19), specular=0.5, shininess=0.6)
    m.material("accent", (0.95, 0.76, 0.20), specular=0.4, shininess=0.5)
    m.material("lens", (0.10, 0.16, 0.30), specular=0.9, shininess=0.9)
    m.material("aluminium", (0.70, 0.72, 0.74), specular=0.8, shininess=0.7)


def build() -> Model:
    """The robot on its stand, z = 0 on the floor, facing x."""
    m = Model("leonardo", DESCRIPTION, NEUTRAL, NOTES)
    looks(m)
    inmoov.shells(m)
    m.joint_class("waist", velocity=4.0, effort=80, damping=1.0, armature=0.05)
    m.joint_class("arm", velocity=5.0, effort=20, damping=0.3, armature=0.02)
    m.joint_class("wrist", velocity=6.0, effort=2, damping=0.03, armature=0.002)
    m.joint_class("neck", velocity=5.0, effort=5, damping=0.08, armature=0.004)
    m.joint_class("finger", velocity=6.0, effort=0.9, damping=0.003, armature=0.0002)
    m.joint_class("face", velocity=6.0, effort=0.9, damping=0.003, armature=0.0002)
    stand = m.world.body("base_link", (0, 0, 0))
    inmoov.pedestal(stand)
    pan = stand.body("waist_link", (0, 0, inmoov.WAIST_HEIGHT))
    pan.hinge("waist_yaw_joint", (0, 0, 1), -60, 60, "waist")
    pan.solid("capsule", 2.0, start=(0, -0.03, 0.020), end=(0, 0.03, 0.020), radius=0.055)
    pan.shell("shell", "stomach")
    pan.shell("carbon", "belt")
    chest = pan.body("torso_link", (0, 0, 0.11))
    chest.hinge("waist_roll_joint", (1, 0, 0), -15, 15, "waist")
    inmoov.trunk(chest)
    head(chest)
    for prefix, sign in SIDES:
        arm(chest, prefix, sign, m)
    return m


def head(chest: Body) -> None:
    """Neck of yaw and pitch, no roll; a jaw; cameras that do not move for eyes; a microphone on each ear."""
    yaw = chest.body("neck_link", (-0.0315, 0, 0.4551))
    yaw.hinge("neck_yaw_joint", (0, 0, 1), -80, 80, "neck")
    yaw.inertial(0.15)
    yaw.ball("servo", (0, 0, 0), 0.032)
    link = yaw.body("head_link", (0, 0, 0.0245))
    link.hinge("neck_pitch_joint", (0, 1, 0), -30, 30, "neck")
    inmoov.skull(link)
    inmoov.jaw(link)
    for s in (1, -1):
        link.cylinder("carbon", (0.108, 0.033 * s, 0.0965), (0.121, 0.033 * s, 0.0965), 0.0135)
        link.cylinder("lens", (0.120, 0.033 * s, 0.0965), (0.1225, 0.033 * s, 0.0965), 0.0095)
        link.capsule("accent", (0.030, 0.089 * s, 0.088), (0.052, 0.096 * s, 0.084), 0.006)


def arm(chest: Body, prefix: str, sign: int, m: Model) -> None:
    """Shoulder Z, X, then Y a hand's breadth further out; elbow; turning wrist. Forward and flexed are negative."""
    first = chest.body("shoulder_z_link", (0, 0.125, 0.258), sign=sign, prefix=prefix)
    first.hinge("shoulder_z_joint", (1, 0, 0), -15, 140, "arm")
    first.inertial(0.5, (0, 0.01, 0), 0.035)
    first.box("servo", (0, -0.006, 0.012), (0.026, 0.012, 0.034))
    second = first.body("shoulder_x_link", (0, 0, 0))
    second.hinge("shoulder_x_joint", (0, 1, 0), -150, 60, "arm")
    second.inertial(0.6, (0, 0.05, 0), 0.04)
    second.cylinder("carbon", (0, 0.012, 0), (0, 0.042, 0), 0.040)
    second.cylinder("servo", (0, 0.030, 0), (0, SHOULDER_DISPLACEMENT - 0.03, 0), 0.024)
    upper = second.body("upper_arm_link", (0, SHOULDER_DISPLACEMENT, 0))
    upper.hinge("shoulder_y_joint", (0, 0, 1), -90, 90, "arm")
    upper.solid("capsule", 1.1, start=(0, 0, -0.085), end=(0, 0, -0.205), radius=0.042)
    upper.ellipsoid("shell", (0, 0, -0.004), (0.056, 0.052, 0.052))
    upper.cylinder("carbon", (0, 0, -0.036), (0, 0, -0.060), 0.045)
    upper.shell("shell", "bicep", (0.012, 0, -0.055))
    upper.box("servo", (-0.040, 0, -0.150), (0.016, 0.022, 0.038), (0, 8, 0))
    for y in (0.026, -0.026):
        upper.capsule("grey", (-0.004, y, -0.225), (0, y, -UPPER_ARM), 0.013)
    fore = upper.body("forearm_link", (0, 0, -UPPER_ARM))
    fore.hinge("elbow_joint", (0, 1, 0), -110, 0, "arm")
    fore.solid("capsule", 0.9, start=(0, 0, -0.065), end=(0, 0, -0.200), radius=0.042)
    fore.cylinder("carbon", (0, -0.042, 0), (0, 0.042, 0), 0.020)
    fore.cylinder("accent", (0, -0.0445, 0), (0, 0.0445, 0), 0.009)
    fore.shell("shell", "forearm", (0.004, 0, 0))
    fore.box("carbon", (0.054, 0, -0.075), (0.010, 0.024, 0.038), (0, 4, 0))
    hand = fore.body("hand_link", (0, 0, -FOREARM), (0, 0, 90))
    hand.hinge("wrist_joint", (0, 0, 1), -90, 90, "wrist")
    hand.solid("box", 0.3, at=(0, -0.002, -0.068), half=(0.014, 0.038, 0.040))
    hand.cylinder("carbon", (0, 0, 0.018), (0, 0, -0.006), 0.0275)
    hand.shell("shell", "palm")
    hand.ellipsoid("carbon", (-0.0145, -0.004, -0.078), (0.006, 0.030, 0.030))
    for finger in FINGERS:
        inmoov.digit(hand, finger, m)
