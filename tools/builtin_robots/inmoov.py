"""InMoov, the open-source robot: upper body on a stand, dimensions and names of its public kinematic model.

The ranges are those of its public calibration, made the same for both sides. The shapes are ours.
"""

from __future__ import annotations

from mjcf import Body, Model

DESCRIPTION = "InMoov, the printed robot: head, arms and hands on a stand; shapes of our own"
NOTES = (
    "The public model gives no velocities or efforts. Velocities are those of the hobby servos it is built with",
    "(HK15298 and MG996 class: 4 to 6 rad/s unloaded); efforts are theirs behind the robot's worm gears.",
    "The elbow's zero lies outside its range: the neutral pose is the closest to arms hanging down.",
)
NEUTRAL = {
    "l_shoulder_out_joint": 0.1, "r_shoulder_out_joint": -0.1, "l_elbow_flex_joint": -0.3, "r_elbow_flex_joint": -0.3,
    "l_wrist_roll_joint": 1.4, "r_wrist_roll_joint": -1.4,
    **{f"{s}_{f}_joint": 0.2 for s in "lr" for f in ("thumb", "index", "middle", "ring", "pinky")},
}  # fmt: skip
SIDES = (("l_", 1), ("r_", -1))
WAIST_HEIGHT = 1.152
# left hand, finger → its links, root first: suffix, origin, turn in rad, axis, ratio to the servo
FINGERS = {
    "index": (
        ("1", (-0.0015, -0.0342, -0.119), (-0.1, 0, 0), "y", 1.0),
        ("", (0, 0, -0.03595), (0, 0, 0), "y", 1.0),
        ("3", (0, 0, -0.024), (0, 0, 0), "y", 1.0),
    ),
    "middle": (
        ("1", (-0.00175, -0.007, -0.12325), (0, 0, 0), "y", 1.0),
        ("", (0, 0, -0.0389), (0, 0, 0), "y", 1.0),
        ("3", (0, 0, -0.0259), (0, 0, 0), "y", 1.0),
    ),
    "ring": (
        ("1", (0, 0.00705, -0.0794), (-0.7, 0, 0), "z", 0.1),
        ("", (0.00126, 0.0351, -0.0166), (0.7775, 0, 0), "y", 1.0),
        ("3", (0, 0, -0.0345), (0, 0, 0), "y", 1.0),
        ("4", (0, 0, -0.0229), (0, 0, 0), "y", 1.0),
    ),
    "pinky": (
        ("1", (0, 0.027, -0.0555), (-0.7, 0, 0), "z", 0.1),
        ("", (0, 0.046, -0.0228), (0.93, 0, 0), "y", 1.0),
        ("3", (0, 0, -0.031), (0, 0, 0), "y", 1.0),
        ("4", (0, 0, -0.0208), (0, 0, 0), "y", 1.0),
    ),
    "thumb": (
        ("1", (0, -0.029, -0.0577), (-0.1, 0, 0), "z", -0.75),
        ("", (-0.00052, -0.02725, -0.013), (-0.825, -0.1, -0.3), "y", 1.0),
        ("3", (0, 0, -0.035), (0, 0, 0), "y", 1.0),
    ),
}
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
TIP_LENGTH = 0.021


def looks(m: Model) -> None:
    """Printed shells and what shows between them."""
    m.material("shell", (0.93, 0.93, 0.91), specular=0.25, shininess=0.35)
    m.material("grey", (0.62, 0.64, 0.66), specular=0.3, shininess=0.4)
    m.material("carbon", (0.085, 0.09, 0.10), specular=0.4, shininess=0.5)
    m.material("servo", (0.16, 0.17, 0.19), specular=0.5, shininess=0.6)
    m.material("accent", (0.86, 0.36, 0.10), specular=0.4, shininess=0.5)
    m.material("white", (0.98, 0.98, 0.98), specular=0.6, shininess=0.8)
    m.material("iris", (0.16, 0.42, 0.68), specular=0.8, shininess=0.9)
    m.material("pupil", (0.02, 0.02, 0.02), specular=0.8, shininess=0.9)
    m.material("aluminium", (0.70, 0.72, 0.74), specular=0.8, shininess=0.7)


def build() -> Model:
    """The robot on its stand, z = 0 on the floor, facing x."""
    m = Model("inmoov", DESCRIPTION, NEUTRAL, NOTES)
    looks(m)
    shells(m)
    m.joint_class("waist", velocity=4.0, effort=80, damping=1.0, armature=0.05)
    m.joint_class("arm", velocity=5.0, effort=20, damping=0.3, armature=0.02)
    m.joint_class("wrist", velocity=6.0, effort=2, damping=0.03, armature=0.002)
    m.joint_class("neck", velocity=5.0, effort=5, damping=0.08, armature=0.004)
    m.joint_class("finger", velocity=6.0, effort=0.9, damping=0.003, armature=0.0002)
    m.joint_class("face", velocity=6.0, effort=0.9, damping=0.003, armature=0.0002)
    stand = m.world.body("base_link", (0, 0, 0))
    pedestal(stand)
    pan = stand.body("top_stomach_link", (0, 0, WAIST_HEIGHT))
    pan.hinge("waist_pan_joint", (0, 0, 1), -90, 90, "waist")
    pan.solid("capsule", 2.0, start=(0, -0.03, 0.020), end=(0, 0.03, 0.020), radius=0.055)
    pan.shell("shell", "stomach")
    pan.shell("carbon", "belt")
    chest = pan.body("torso_link", (0, 0, 0.11))
    chest.hinge("waist_roll_joint", (1, 0, 0), -15, 15, "waist")
    trunk(chest)
    head(chest, m)
    for prefix, sign in reversed(SIDES):
        arm(chest, prefix, sign, m)
    return m


def shells(m: Model) -> None:
    """Lofted shapes, in the frames of the links that wear them."""
    m.loft("stomach", "-50 82 115, -30 92 128, 40 94 130 4, 85 90 124 4, 105 78 108 2", 28)
    m.loft("belt", "-56 80 112, -54 89 124, -36 93.5 129.5, -32 90 126", 28)
    m.loft("chest",
           "4 78 108 2, 30 92 122 6, 110 108 128 12, 190 118 130 16, 270 112 136 10, 325 92 130, "
           "355 66 98 -10, 370 46 58 -16", 30)  # fmt: skip
    m.loft("seam", "158 113.5 128 14.5, 159 115.5 130.5 14.5, 164 116 131 14.8, 165 114 129 14.8", 30)
    m.loft("collar", "352 58 72 -16, 366 62 78 -18, 380 50 58 -22, 388 40 44 -26", 26)
    m.loft("bicep", "-195 36 38 -20, -180 44 46 -16, -110 52 52 -8, -50 54 54 -2, -20 50 50, -12 44 44", 24)
    m.loft("forearm", "-272 27 31 -13, -240 31 35 -11, -150 47 50 -4, -80 54 56 2, -30 50 51 4, -8 36 37", 24)
    m.loft("palm", "-122 12 42, -108 14.5 46, -60 17.5 41 1, -25 18 29, -4 21 24", 22)
    # from the neck's turning joint; the jaw's upper edge is at +0.035
    m.loft("skull",
           "36 58 60 32, 60 68 68 26, 90 80 74 20, 125 84 77 16, 160 79 73 12, 190 63 58 10, 207 36 34 10, "
           "212 10 10 10", 30)  # fmt: skip
    m.loft("mask",
           "14 24 36 86, 30 29 46 86, 62 34 60 84, 100 36 67 82, 140 36 66 78, 165 36 58 66, 185 30 45 54, "
           "198 16 26 44", 26)  # fmt: skip
    m.loft("jaw", "-74 16 18 52, -69 24 27 47, -55 34 37 40, -32 41 43 34, -18 41 45 33", 24)


def pedestal(stand: Body) -> None:
    """A cross of aluminium profiles, a pole, a shelf for the electronics."""
    stand.solid("capsule", 6.0, start=(0, 0, 0.10), end=(0, 0, 0.95), radius=0.045)
    stand.solid("box", 6.0, at=(0, 0, 0.020), half=(0.26, 0.26, 0.02))
    for s in (1, -1):
        stand.box("aluminium", (0, 0, 0.022), (0.30, 0.024, 0.022), (0, 0, 45 * s))
        for t in (1, -1):
            stand.cylinder("carbon", (0.205 * s, 0.205 * t, 0), (0.205 * s, 0.205 * t, 0.022), 0.030)
    stand.box("aluminium", (0, 0, 0.52), (0.026, 0.026, 0.50))
    stand.box("servo", (-0.030, 0, 0.60), (0.045, 0.075, 0.055))
    stand.box("accent", (0.0155, 0, 0.60), (0.001, 0.030, 0.008))
    stand.cylinder("carbon", (0, 0, 1.00), (0, 0, 1.03), 0.055)
    stand.cylinder("grey", (0, 0, 1.03), (0, 0, 1.09), 0.062)


def trunk(chest: Body) -> None:
    """Chest and back, with the shoulders' servos in sight."""
    chest.solid("box", 5.5, at=(0.010, 0, 0.190), half=(0.080, 0.095, 0.120))
    chest.shell("shell", "chest")
    chest.shell("carbon", "collar")
    chest.capsule("carbon", (-0.030, 0, 0.370), (-0.0315, 0, 0.440), 0.026)
    chest.shell("carbon", "seam")
    chest.cylinder("carbon", (0.116, 0, 0.255), (0.127, 0, 0.255), 0.021)
    chest.cylinder("accent", (0.120, 0, 0.255), (0.129, 0, 0.255), 0.014)
    chest.box("carbon", (-0.092, 0, 0.190), (0.024, 0.075, 0.095))
    chest.box("grey", (-0.117, 0, 0.215), (0.004, 0.052, 0.045))
    for s in (1, -1):
        chest.ellipsoid("carbon", (0.0, 0.128 * s, 0.296), (0.046, 0.030, 0.046))


def head(chest: Body, m: Model) -> None:
    """Neck of three joints, skull, mask, jaw and eyes."""
    roll = chest.body("head_tilt_link", (-0.0315, 0, 0.4551))
    roll.hinge("head_roll_joint", (-1, 0, 0), -15, 15, "neck")
    roll.inertial(0.1)
    tilt = roll.body("head_base_link", (0, 0, 0))
    tilt.hinge("head_tilt_joint", (0, 1, 0), -20, 20, "neck")
    tilt.inertial(0.15)
    tilt.ball("servo", (0, 0, 0), 0.032)
    link = tilt.body("head_link", (0, 0, 0.0245))
    link.hinge("head_pan_joint", (0, 0, 1), -90, 90, "neck")
    skull(link)
    jaw(link)
    eyes(link, m)


def skull(link: Body) -> None:
    """Skull and mask, from the neck's turning joint up."""
    link.solid("capsule", 1.5, start=(0.030, 0, 0.090), end=(0.030, 0, 0.125), radius=0.078)
    link.cylinder("carbon", (0, 0, -0.004), (0, 0, 0.045), 0.038)
    link.shell("grey", "skull")
    link.shell("shell", "mask")
    link.ellipsoid("shell", (0.113, 0, 0.074), (0.016, 0.0115, 0.026), (0, -14, 0))
    link.ellipsoid("shell", (0.117, 0, 0.058), (0.013, 0.0150, 0.0100))
    link.ellipsoid("grey", (0.108, 0, 0.026), (0.010, 0.026, 0.0045))
    for s in (1, -1):
        link.ellipsoid("carbon", (0.1010, 0.033 * s, 0.0970), (0.0150, 0.0235, 0.0185), (0, 0, 16 * s))
        link.ellipsoid("shell", (0.1060, 0.032 * s, 0.1225), (0.0090, 0.0260, 0.0048), (-2 * s, 0, 18 * s))
        link.cylinder("carbon", (0.026, 0.070 * s, 0.088), (0.026, 0.084 * s, 0.088), 0.033)
        link.cylinder("shell", (0.026, 0.084 * s, 0.088), (0.026, 0.089 * s, 0.088), 0.026)
        link.cylinder("accent", (0.026, 0.089 * s, 0.088), (0.026, 0.0905 * s, 0.088), 0.010)


def jaw(link: Body) -> None:
    """The lower jaw on its hinge."""
    jaw = link.body("jaw_link", (0.0375, 0, 0.0437), (0, 5.157, 0))
    jaw.hinge("jaw_joint", (0, 1, 0), 0, 8.6, "face")
    jaw.inertial(0.12, (0.03, 0, -0.04), 0.04)
    jaw.shell("shell", "jaw")


def eyes(link: Body, m: Model) -> None:
    """Two eyes that turn together."""
    tilt = link.body("eyesupport_link", (0.1077, 0, 0.0965))
    tilt.hinge("eyes_tilt_joint", (0, 1, 0), -15, 15, "face")
    tilt.inertial(0.02, radius=0.01)
    for name, joint, y in (("l_eye_link", "eyes_pan_joint", 0.033), ("r_eye_link", "r_eye_pan_joint", -0.033)):
        eye = tilt.body(name, (0, y, 0))
        eye.hinge(joint, (0, 0, 1), -30, 30, "face")
        eye.inertial(0.015, radius=0.012)
        eye.ball("white", (0, 0, 0), 0.0150)
        eye.ellipsoid("iris", (0.0108, 0, 0), (0.0054, 0.0078, 0.0078))
        eye.ellipsoid("pupil", (0.0138, 0, 0), (0.0030, 0.0042, 0.0042))
    m.follow("r_eye_pan_joint", "eyes_pan_joint", 1.0)


def arm(chest: Body, prefix: str, sign: int, m: Model) -> None:
    """Shoulder of three axes that do not meet, elbow, turning wrist. Flexion of the elbow is negative."""
    out = chest.body("shoulder_base_link", (0, 0.143, 0.298), sign=sign, prefix=prefix)
    out.hinge("shoulder_out_joint", (1, 0, 0), 5, 60, "arm")
    out.inertial(0.5, (0, 0.01, -0.03), 0.035)
    out.box("servo", (0, 0.004, -0.026), (0.026, 0.012, 0.034))
    lift = out.body("shoulder_link", (0, 0.012, -0.04))
    lift.hinge("shoulder_lift_joint", (0, 1, 0), -135, 45, "arm")
    lift.inertial(0.6, (0, 0.05, 0), 0.04)
    lift.cylinder("carbon", (0, 0.004, 0), (0, 0.022, 0), 0.040)
    lift.ellipsoid("shell", (0, 0.062, 0.0), (0.058, 0.050, 0.060))
    upper = lift.body("bicep_link", (0, 0.066, -0.06))
    upper.hinge("upper_arm_roll_joint", (0, 0, 1), -90, 90, "arm")
    upper.solid("capsule", 1.1, start=(-0.006, 0, -0.045), end=(-0.014, 0, -0.150), radius=0.042)
    upper.cylinder("carbon", (0, 0, 0.006), (0, 0, -0.016), 0.046)
    upper.shell("shell", "bicep")
    upper.box("servo", (-0.050, 0, -0.110), (0.016, 0.022, 0.038), (0, 8, 0))
    for y in (0.026, -0.026):
        upper.capsule("grey", (-0.020, y, -0.180), (-0.0278, y, -0.2235), 0.013)
    fore = upper.body("forearm_link", (-0.0278, 0, -0.2235))
    fore.hinge("elbow_flex_joint", (0, 1, 0), -85, -15, "arm")
    fore.solid("capsule", 0.9, start=(0, 0, -0.055), end=(-0.008, 0, -0.200), radius=0.042)
    fore.cylinder("carbon", (0, -0.042, 0), (0, 0.042, 0), 0.020)
    fore.cylinder("accent", (0, -0.0445, 0), (0, 0.0445, 0), 0.009)
    fore.shell("shell", "forearm")
    fore.box("carbon", (0.050, 0, -0.075), (0.010, 0.024, 0.038), (0, 4, 0))
    hand = fore.body("hand_link", (-0.0144, -0.010, -0.2885))
    hand.hinge("wrist_roll_joint", (0, 0, 1), 0, 180, "wrist")
    hand.solid("box", 0.3, at=(0, -0.002, -0.068), half=(0.014, 0.038, 0.040))
    hand.cylinder("carbon", (0, 0, 0.018), (0, 0, -0.006), 0.0275)
    hand.shell("shell", "palm")
    hand.ellipsoid("carbon", (-0.0145, -0.004, -0.078), (0.006, 0.030, 0.030))
    for finger in FINGERS:
        digit(hand, finger, m)


def digit(hand: Body, finger: str, m: Model) -> None:
    """One finger: a servo turns the second link, the others follow. Positive values close it."""
    parts = FINGERS[finger]
    top = 65 if finger == "thumb" else 85
    link, radius = hand, 0.0092 if finger != "pinky" else 0.0082
    for k, (suffix, at, turn, axis, ratio) in enumerate(parts):
        link = link.body(f"{finger}{suffix or 2}_link", at, [a * 57.29578 for a in turn])
        low, high = sorted((-5 * abs(ratio), top * ratio) if ratio > 0 else (5 * abs(ratio), top * ratio))
        link.hinge(f"{finger}{suffix}_joint", AXES[axis], low, high, "finger")
        last = k == len(parts) - 1
        end = (0, 0, -TIP_LENGTH) if last else parts[k + 1][1]
        link.inertial(0.012, [c / 2 for c in end], 0.009)
        r = radius - 0.0008 * k
        if axis == "z":
            link.capsule("shell", (0, 0, 0), end, 0.0105)
        else:
            link.capsule("shell", (0, 0, -0.003), [c * (0.55 if last else 0.85) for c in end], r)
        if axis == "y":
            link.cylinder("carbon", (0, -r - 0.0008, 0), (0, r + 0.0008, 0), 0.0052)
        if suffix:
            flip = hand.sign if axis == "z" else 1
            m.follow(f"{hand.prefix}{finger}{suffix}_joint", f"{hand.prefix}{finger}_joint", ratio * flip)
