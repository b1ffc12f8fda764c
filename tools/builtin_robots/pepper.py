"""Pepper: head, arms and leg column with the joints of its public kinematic model, on wheels, with its tablet.

Origins, axes, ranges, speeds and efforts are published facts; the forearm is inclined 9° against the upper arm. The
shapes are ours. The column is written from the floor up, so its axes are those of the public model turned over.
"""

from __future__ import annotations

from mjcf import Body, Model

DESCRIPTION = "Pepper, the receptionist on wheels: two 5-joint arms, a leg column, a tablet; shapes of our own"
NOTES = (
    "Origins, axes, ranges, velocities and efforts are those of the public model (ros-naoqi pepper_robot).",
    "LHand and RHand open from 0.02 to 0.98; the other joints of a hand follow.",
)
SIDES = (("L", 1), ("R", -1))
NEUTRAL = {
    **{f"{s}ShoulderPitch": 1.45 for s in "LR"}, "LShoulderRoll": 0.12, "RShoulderRoll": -0.12,
    "LElbowRoll": -0.35, "RElbowRoll": 0.35, "LElbowYaw": -1.2, "RElbowYaw": 1.2,
    **{f"{s}Hand": 0.6 for s in "LR"},
}  # fmt: skip
KNEE, HIP, WAIST, TORSO = 0.334, 0.268, 0.079, 0.139
CURLED_DEG = 60
"""of each finger joint at LHand = 0"""
FINGERS = (("1", -0.0268, 0.0821), ("2", -0.0073, 0.0873), ("3", 0.0123, 0.0833), ("4", 0.0309, 0.074))
PHALANX = (0.027, 0.021, 0.018)


def looks(m: Model) -> None:
    """White shells, grey joints, black glass."""
    m.material("shell", (0.95, 0.95, 0.94), specular=0.5, shininess=0.6)
    m.material("grey", (0.60, 0.62, 0.65), specular=0.3, shininess=0.4)
    m.material("rubber", (0.16, 0.17, 0.19), specular=0.3, shininess=0.3)
    m.material("glass", (0.03, 0.04, 0.06), specular=0.9, shininess=0.9)
    m.material("light", (0.35, 0.68, 0.95), emission="0.45")
    m.material("screen", (0.16, 0.36, 0.58), specular=0.8, shininess=0.9, emission="0.25")


def shells(m: Model) -> None:
    """Lofted shapes, in the frames of the links that wear them."""
    m.loft("skirt",
           "26 195 215 20, 34 212 232 20, 60 205 228 18, 120 172 200 10, 200 128 160 2, 280 96 122, 326 84 98, "
           "338 66 80", 36)  # fmt: skip
    m.loft("thigh", "-10 60 72, 10 72 86, 90 78 92 2, 190 74 88, 250 66 78, 274 48 60", 30)
    m.loft("hip", "-30 56 64, -10 70 84, 30 78 94, 62 80 98, 78 64 84", 30)
    m.loft("torso",
           "8 62 80, 26 76 96, 80 84 104 2, 140 94 118 4, 200 98 128, 240 88 118 -14, 268 62 82 -28, "
           "282 40 46 -36", 34)  # fmt: skip
    m.loft("head",
           "14 34 38 4, 24 60 62 8, 44 78 84 14, 76 92 97 16, 112 99 101 14, 146 95 96 10, 174 78 80 6, "
           "192 50 54 4, 200 20 22 4", 34)  # fmt: skip
    m.loft("upper_arm", "6 36 36, 30 41 41, 90 38 38, 140 33 34, 164 26 28", 24)
    m.loft("forearm", "6 27 27, 26 35 36, 70 39 40, 120 33 35, 142 26 28", 24)


def build() -> Model:
    """The robot on the floor, facing x."""
    m = Model("pepper", DESCRIPTION, NEUTRAL, NOTES)
    looks(m)
    shells(m)
    m.joint_class("knee", velocity=2.93276, effort=27.702, damping=2.0, armature=0.12)
    m.joint_class("hip_pitch", velocity=2.93276, effort=19.787, damping=1.6, armature=0.10)
    m.joint_class("hip_roll", velocity=2.27032, effort=10.1884, damping=1.0, armature=0.06)
    m.joint_class("yaw", velocity=7.33998, effort=5.428, damping=0.08, armature=0.006)
    m.joint_class("roll", velocity=9.22756, effort=2.666, damping=0.05, armature=0.003)
    m.joint_class("wrist", velocity=17.3835, effort=0.2014, damping=0.002, armature=0.00012)
    m.joint_class("hand", velocity=12.56, effort=0.144, damping=0.001, armature=0.00004)
    base = m.world.body("base_link", (0, 0, 0))
    wheels(base)
    knee = base.body("Pelvis", (0, 0, KNEE))
    knee.hinge("KneePitch", (0, -1, 0), -29.5, 29.5, "knee")
    knee.solid("capsule", 2.5, start=(0, 0, 0.06), end=(0, 0, 0.20), radius=0.065)
    knee.shell("shell", "thigh")
    knee.cylinder("grey", (0, -0.066, 0), (0, 0.066, 0), 0.046)
    hip = knee.body("Hip", (0, 0, HIP))
    hip.hinge("HipPitch", (0, -1, 0), -59.5, 59.5, "hip_pitch")
    hip.inertial(1.0, (0, 0, 0.03), 0.06)
    hip.shell("grey", "hip")
    torso = hip.body("torso", (0, 0, WAIST))
    torso.hinge("HipRoll", (-1, 0, 0), -29.5, 29.5, "hip_roll")
    trunk(torso)
    head(torso)
    for prefix, sign in SIDES:
        arm(torso, prefix, sign, m)
    return m


def wheels(base: Body) -> None:
    """Three wheels under a skirt; the base stands where it is."""
    base.solid("capsule", 10.0, start=(0, -0.06, 0.13), end=(0, 0.06, 0.13), radius=0.12)
    base.shell("shell", "skirt")
    base.cylinder("rubber", (0.02, 0, 0.018), (0.02, 0, 0.034), 0.205)
    for at in ((0.14, 0.13), (0.14, -0.13), (-0.15, 0.0)):
        base.ball("rubber", (*at, 0.034), 0.034)
    base.ellipsoid("light", (0.150, 0, 0.165), (0.010, 0.030, 0.010))
    base.cylinder("grey", (0, -0.075, KNEE), (0, 0.075, KNEE), 0.052)


def trunk(torso: Body) -> None:
    """Chest with the tablet in front."""
    torso.solid("box", 5.0, at=(0, 0, 0.150), half=(0.068, 0.085, 0.105))
    torso.shell("shell", "torso")
    torso.cylinder("grey", (0, 0, -0.010), (0, 0, 0.020), 0.062)
    torso.box("rubber", (0.110, 0, 0.150), (0.012, 0.124, 0.088), (0, -8, 0))
    torso.box("screen", (0.1225, 0, 0.1518), (0.0012, 0.112, 0.076), (0, -8, 0))
    torso.capsule("grey", (-0.036, 0, 0.270), (-0.038, 0, 0.300), 0.030)


def head(torso: Body) -> None:
    """Neck of yaw and pitch, large eyes with a ring of light, speakers for ears, cameras in forehead and mouth."""
    neck = torso.body("Neck", (-0.038, 0, 0.1699 + TORSO))
    neck.hinge("HeadYaw", (0, 0, 1), -119.5, 119.5, "yaw")
    neck.inertial(0.3, radius=0.03)
    neck.cylinder("grey", (0, 0, -0.012), (0, 0, 0.020), 0.034)
    link = neck.body("Head", (0, 0, 0))
    link.hinge("HeadPitch", (0, 1, 0), -40.5, 36.5, "roll")
    link.solid("sphere", 1.3, at=(0.010, 0, 0.105), radius=0.088)
    link.shell("shell", "head")
    for s in (1, -1):
        turn = (0, -4, 24 * s)
        link.ellipsoid("light", (0.0985, 0.0425 * s, 0.1080), (0.0080, 0.0262, 0.0262), turn)
        link.ellipsoid("glass", (0.1030, 0.0440 * s, 0.1080), (0.0075, 0.0205, 0.0205), turn)
        link.ball("shell", (0.1105, 0.0400 * s, 0.1165), 0.0048)
        link.cylinder("light", (0.006, 0.1000 * s, 0.095), (0.006, 0.1060 * s, 0.095), 0.0320)
        link.cylinder("grey", (0.006, 0.1010 * s, 0.095), (0.006, 0.1085 * s, 0.095), 0.0280)
    link.ellipsoid("glass", (0.0955, 0, 0.1620), (0.0060, 0.0070, 0.0070))
    link.ellipsoid("glass", (0.0930, 0, 0.0550), (0.0060, 0.0120, 0.0050))
    link.ellipsoid("rubber", (-0.010, 0, 0.1980), (0.035, 0.022, 0.006))


def arm(torso: Body, prefix: str, sign: int, m: Model) -> None:
    """Shoulder of two axes that meet, elbow of two, a wrist that turns; at zero the arm lies forward, palm down."""
    shoulder = torso.body("Shoulder", (-0.057, 0.14974, 0.08682 + TORSO), sign=sign, prefix=prefix)
    shoulder.hinge("ShoulderPitch", (0, 1, 0), -119.5, 119.5, "yaw")
    shoulder.inertial(0.35, (0, -0.005, 0), 0.035)
    shoulder.cylinder("grey", (0, -0.040, 0), (0, -0.006, 0), 0.036)
    shoulder.ball("shell", (0, 0, 0), 0.046)
    bicep = shoulder.body("Bicep", (0, 0, 0))
    bicep.hinge("ShoulderRoll", (0, 0, 1), 0.5, 89.5, "roll")
    bicep.solid("capsule", 0.55, start=(0.050, 0.004, 0), end=(0.130, 0.010, 0), radius=0.034)
    bicep.shell("shell", "upper_arm", (0, 0.002, 0), (0, 90, 4.7))
    bicep.ball("grey", (0.1812, 0.015, 0.00013), 0.029)
    elbow = bicep.body("Elbow", (0.1812, 0.015, 0.00013), (0, -9, 0))
    elbow.hinge("ElbowYaw", (1, 0, 0), -119.5, 119.5, "yaw")
    elbow.inertial(0.10, radius=0.025)
    elbow.cylinder("grey", (0, 0, -0.030), (0, 0, 0.030), 0.018)
    fore = elbow.body("ForeArm", (0, 0, 0))
    fore.hinge("ElbowRoll", (0, 0, 1), -89.5, -0.5, "roll")
    fore.solid("capsule", 0.32, start=(0.040, 0, 0), end=(0.115, 0, 0), radius=0.032)
    fore.shell("shell", "forearm", (0, 0, 0), (0, 90, 0))
    hand(fore, m)


def hand(fore: Body, m: Model) -> None:
    """Palm, four fingers and a thumb that close together."""
    palm = fore.body("_wrist", (0.15, 0, 0))
    palm.hinge("WristYaw", (1, 0, 0), -104.5, 104.5, "wrist")
    palm.solid("box", 0.14, at=(0.045, 0, 0), half=(0.032, 0.030, 0.010))
    palm.cylinder("grey", (-0.008, 0, 0), (0.012, 0, 0), 0.022)
    palm.ellipsoid("shell", (0.046, 0.001, 0.002), (0.044, 0.037, 0.015))
    palm.ellipsoid("grey", (0.050, 0.002, -0.008), (0.032, 0.028, 0.007))
    leader = f"{palm.prefix}Hand"
    for finger, y, x in FINGERS:
        link, at = palm, (x - 0.004, y, 0.002)
        for k, length in enumerate(PHALANX):
            link = link.body(f"Finger{finger}{k + 1}_link", at, (0, CURLED_DEG if k else 40, 0))
            name = "Hand" if (finger, k) == ("1", 0) else f"Finger{finger}{k + 1}"
            phalanx(link, name, length, leader, m)
            at = (length, 0, 0)
    link, at = palm, (0.040, -0.030, -0.006)
    for k, length in enumerate((0.030, 0.024)):
        link = link.body(f"Thumb{k + 1}_link", at, (0, CURLED_DEG, 0) if k else (0, 50, -35))
        phalanx(link, f"Thumb{k + 1}", length, leader, m)
        at = (length, 0, 0)


def phalanx(link: Body, name: str, length: float, leader: str, m: Model) -> None:
    """One link of a finger; a growing angle opens it."""
    link.hinge(name, (0, -1, 0), 1.146, 56.15, "hand")
    link.inertial(0.006, (length / 2, 0, 0), 0.008)
    link.capsule("shell", (0.001, 0, 0), (length, 0, 0), 0.0078)
    link.cylinder("grey", (0, -0.0082, 0), (0, 0.0082, 0), 0.0062)
    if f"{link.prefix}{name}" != leader:
        m.follow(f"{link.prefix}{name}", leader, 1.0)
