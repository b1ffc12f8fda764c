"""The puppet: a 1.3 m humanoid of our own, with a person's proportions, dressed for the theatre."""

from __future__ import annotations

import math
from itertools import pairwise

from mjcf import Body, Model, rings

DESCRIPTION = "Bunraku's own puppet: a 1.3 m humanoid with a person's proportions, hands and a face"
NOTES = (
    "29 joints of the body (legs 2 x 6, waist 3, arms 2 x 7), 3 of the neck, eyes and jaw, 6 servos in each hand.",
    "Velocities and efforts are those of the quasi-direct drives of small humanoids.",
)
NEUTRAL = {
    "left_shoulder_roll_joint": 0.14, "right_shoulder_roll_joint": -0.14,
    "left_elbow_joint": 0.25, "right_elbow_joint": 0.25,
    **{f"{s}_{f}_1_joint": 0.2 for s in ("left", "right") for f in ("index", "middle", "ring", "little")},
    "left_thumb_2_joint": 0.2, "right_thumb_2_joint": 0.2,
}  # fmt: skip
SIDES = (("left_", 1), ("right_", -1))

# metres, those of an adult's skeleton at 1.3 m
HIP_HEIGHT, HIP_HALF_WIDTH, THIGH, SHIN, ANKLE_HEIGHT = 0.69, 0.067, 0.32, 0.31, 0.06
SHOULDER, UPPER_ARM, FOREARM, PALM = (0.0, 0.14, 0.26), 0.225, 0.195, 0.068
WAIST, NECK = (0.0, 0.0, 0.085), (0.0, 0.0, 0.312)
PELVIS_ABOVE_HIPS = 0.04
FINGERS = {  # knuckle from the wrist, lengths of the three segments, radius
    "index": ((0.024, 0.0, -0.068), (0.033, 0.020, 0.016), 0.0072),
    "middle": ((0.008, 0.0, -0.071), (0.036, 0.022, 0.017), 0.0074),
    "ring": ((-0.008, 0.0, -0.069), (0.033, 0.020, 0.016), 0.0070),
    "little": ((-0.023, 0.0, -0.064), (0.026, 0.016, 0.014), 0.0064),
}


def materials(m: Model) -> None:
    """Porcelain, lacquer, silk, wood and gold."""
    m.material("porcelain", (0.97, 0.945, 0.91), specular=0.5, shininess=0.7)
    m.material("hair", (0.045, 0.04, 0.05), specular=0.6, shininess=0.55)
    m.dots("komon", (0.13, 0.17, 0.36), (0.62, 0.66, 0.80))
    m.material("indigo", (1, 1, 1), specular=0.12, shininess=0.2, texture="komon")
    m.material("night", (0.055, 0.07, 0.16), specular=0.12, shininess=0.2)
    m.material("vermilion", (0.74, 0.13, 0.10), specular=0.25, shininess=0.4)
    m.material("gold", (0.86, 0.64, 0.22), specular=0.9, shininess=0.7)
    m.material("wood", (0.70, 0.48, 0.28), specular=0.35, shininess=0.5)
    m.material("white", (0.98, 0.98, 0.97), specular=0.2, shininess=0.3)
    m.material("black", (0.02, 0.02, 0.025), specular=0.8, shininess=0.9)
    m.material("lips", (0.72, 0.10, 0.12), specular=0.5, shininess=0.6)
    m.material("mouth", (0.30, 0.03, 0.04), specular=0.1, shininess=0.1)
    m.material("blush", (0.97, 0.80, 0.76), specular=0.3, shininess=0.5)


def servos(m: Model) -> None:
    """Classes of joints."""
    m.joint_class("leg", velocity=16, effort=90, damping=1.0, armature=0.02)
    m.joint_class("ankle", velocity=16, effort=45, damping=0.6, armature=0.012)
    m.joint_class("waist", velocity=10, effort=70, damping=1.0, armature=0.02)
    m.joint_class("arm", velocity=16, effort=25, damping=0.4, armature=0.008)
    m.joint_class("wrist", velocity=20, effort=6, damping=0.08, armature=0.002)
    m.joint_class("neck", velocity=12, effort=8, damping=0.12, armature=0.003)
    m.joint_class("finger", velocity=20, effort=0.8, damping=0.004, armature=0.0002)
    m.joint_class("face", velocity=20, effort=0.4, damping=0.002, armature=0.0001)


ROBE = (
    "-45 70 88, -20 76 92, 20 75 88, 70 77 90 1, 130 84 100 4, 180 87 113 3, 225 80 128 -2, 255 66 134 -6, "
    "275 52 116 -8, 290 42 70 -8, 302 36 40 -8"
)
"""The robe in the torso's frame, mm; the collar lies on it."""


def shells(m: Model) -> None:
    """Lofted shapes, in the frames of the links that wear them."""
    m.loft("robe", ROBE, 26)
    m.loft("obi", "-4 78 92, 3 83 97, 66 84 97 1, 73 79 92 1", 26)
    m.loft("hem", "-112 82 118, -105 87 123, -50 85 119, 20 79 102, 62 66 86", 26)
    m.loft("hem_trim", "-116 81 117, -114 88.5 124.5, -102 88.5 124.5, -100 84 120", 26)
    m.loft("hakama", "-274 73 56 4, -268 78 60 4, -180 72 58 3, -80 66 55, -10 58 51, 30 36 36", 22)
    m.loft("calf", "-285 23 21 -2, -250 25 23 -4, -160 36 32 -10, -90 41 35 -10, -30 34 32 -2, 0 28 28", 18)
    m.loft("wrap",
           "-252 26 24 -4, -248 28 26 -4, -160 38.5 34.5 -10, -90 43.5 37.5 -10, -70 42.5 37.5 -8, -66 39 35 -7",
           18)  # fmt: skip
    m.loft("sleeve", "-192 66 47, -186 69 49, -130 61 46, -60 51 42, -15 47 40, 10 40 34, 26 16 14", 22)
    m.loft("cuff", "-199 62 43, -196 69 49, -186 70.5 50.5, -182 66 46", 22)
    m.loft("forearm", "-182 19 15.5, -140 21 18, -70 28 25, -30 28 26, 0 22 22", 18)
    m.loft("palm", "-74 26 8, -66 32.5 11.5, -40 31.5 13.5, -15 23 13.5, 4 16 13", 18)
    m.loft("face",
           "13 9 10 40, 15.5 18.5 19.5 37.5, 21 29 29.5 32, 30 40 39.5 24.5, 43 49.5 48 18, 47.5 52.5 50.5 16.5, "
           "49 54.7 52.2 16.5, 65 64 61 10, 90 71 67 6, 115 73 69 3, 140 68 65 1, 160 55 54, 177 12 12",
           28)  # fmt: skip
    m.loft("chin", "-53 20 6 31, -50.5 28 12 31, -45 34 18 31, -36 38 23 31, -22 40.8 27 31, -17.2 41.2 28 31", 26)
    m.loft("neck", "-30 32 34 -6, -10 26 27 -2, 30 24 25, 50 26 27 4", 18)


def head(torso: Body, m: Model) -> None:
    """Neck of three joints, head, moving eyes and jaw, and a hairdress."""
    yaw = torso.body("neck_yaw", NECK)
    yaw.hinge("neck_yaw_joint", (0, 0, 1), -80, 80, "neck")
    yaw.inertial(0.1)
    yaw.shell("porcelain", "neck")
    roll = yaw.body("neck_roll", (0, 0, 0))
    roll.hinge("neck_roll_joint", (1, 0, 0), -40, 40, "neck")
    roll.inertial(0.1)
    link = roll.body("head", (0, 0, 0))
    link.hinge("neck_pitch_joint", (0, 1, 0), -50, 50, "neck")
    link.solid("capsule", 1.6, start=(0.0, 0, 0.085), end=(0.0, 0, 0.11), radius=0.074)
    link.shell("porcelain", "face")
    face(link, m)
    hair(link)


def face(link: Body, m: Model) -> None:
    """Nose, brows, ears, blush; eyes that turn; a jaw that opens."""
    link.ellipsoid("porcelain", (0.0775, 0, 0.083), (0.0075, 0.0062, 0.015), (0, -12, 0))
    link.ellipsoid("porcelain", (0.0795, 0, 0.0735), (0.0062, 0.0078, 0.0052))
    link.ellipsoid("lips", (0.0715, 0, 0.0515), (0.0040, 0.0115, 0.0034))
    link.ellipsoid("mouth", (0.0590, 0, 0.0440), (0.0105, 0.0145, 0.0058))
    for s in (1, -1):
        link.ellipsoid("porcelain", (-0.002, 0.068 * s, 0.083), (0.014, 0.006, 0.020))
        link.ellipsoid("blush", (0.0620, 0.0355 * s, 0.0710), (0.0022, 0.0135, 0.0095), (0, 8, 36 * s))
        link.capsule("hair", (0.0712, 0.0165 * s, 0.1285), (0.0658, 0.028 * s, 0.1325), 0.0019)
        link.capsule("hair", (0.0658, 0.028 * s, 0.1325), (0.0585, 0.0385 * s, 0.1305), 0.0016)
        lid = ((0.0135, 0.1025), (0.0210, 0.1068), (0.0310, 0.1064), (0.0405, 0.1008))
        for (y0, z0), (y1, z1) in pairwise(lid):
            x0, x1 = (0.0773 - 5.882 * y**2 for y in (y0, y1))
            link.capsule("black", (x0, y0 * s, z0), (x1, y1 * s, z1), 0.0017)
    eyes = link.body("eyes", (0.0605, 0, 0.099))
    eyes.hinge("eyes_pitch_joint", (0, 1, 0), -25, 25, "face")
    eyes.inertial(0.01, radius=0.01)
    for name, y in (("left_eye", 0.026), ("right_eye", -0.026)):
        eye = eyes.body(name, (0, y, 0))
        eye.hinge(f"{name}_yaw_joint", (0, 0, 1), -30, 30, "face")
        eye.inertial(0.01, radius=0.01)
        eye.ball("white", (0, 0, 0), 0.0128)
        eye.ellipsoid("black", (0.0096, 0, 0), (0.0045, 0.0074, 0.0074))
        eye.ball("white", (0.0136, 0.0022, 0.0026), 0.0013)
    m.follow("right_eye_yaw_joint", "left_eye_yaw_joint", 1.0)
    jaw = link.body("jaw", (0.0, 0, 0.065))
    jaw.hinge("jaw_joint", (0, 1, 0), 0, 15, "face")
    jaw.inertial(0.06, (0.04, 0, -0.03), 0.03)
    jaw.shell("porcelain", "chin")
    jaw.ellipsoid("lips", (0.0710, 0, -0.0185), (0.0040, 0.0085, 0.0032))


def hair(link: Body) -> None:
    """A lacquered hairdress: cap, side wings, a bun with a gold pin and a red flower."""
    link.ellipsoid("hair", (-0.014, 0, 0.116), (0.076, 0.0765, 0.070))
    link.ellipsoid("hair", (0.030, 0, 0.160), (0.046, 0.058, 0.030), (0, 18, 0))
    link.ellipsoid("hair", (-0.045, 0, 0.062), (0.040, 0.056, 0.050), (0, -12, 0))
    for s in (1, -1):
        link.ellipsoid("hair", (-0.012, 0.060 * s, 0.108), (0.050, 0.028, 0.052), (-14 * s, 0, 0))
    link.ellipsoid("hair", (-0.030, 0, 0.196), (0.036, 0.040, 0.026), (0, -14, 0))
    link.ellipsoid("vermilion", (-0.024, 0, 0.178), (0.031, 0.036, 0.009), (0, -14, 0))
    link.capsule("gold", (-0.026, 0.080, 0.212), (-0.034, -0.076, 0.184), 0.0026)
    link.ball("gold", (-0.026, 0.080, 0.212), 0.0075)
    for dx, dz in ((0.011, 0.0), (0.0035, 0.0105), (-0.009, 0.0065), (-0.009, -0.0065), (0.0035, -0.0105)):
        link.ball("vermilion", (0.018 + dx, 0.064, 0.152 + dz), 0.0078)
    link.ball("gold", (0.018, 0.070, 0.152), 0.0055)


def on_robe(y: float, z: float, *, back: bool = False) -> float:
    """The x of the robe's surface at a height and side."""
    for low, high in pairwise(rings(ROBE)):
        if low[0] <= z <= high[0]:
            t = (z - low[0]) / (high[0] - low[0])
            _, rx, ry, shift = (a + t * (b - a) for a, b in zip(low, high, strict=True))
            reach = rx * math.sqrt(max(0.0, 1 - (y / ry) ** 2))
            return shift - reach if back else shift + reach
    raise ValueError(f"the robe does not reach z = {z}")


def collar(link: Body) -> None:
    """Left over right, white and then vermilion, laid on the robe from the nape to the obi."""
    for s, lift in ((-1, 0.0), (1, 0.002)):
        for look, radius, out in (("white", 0.0075, 0.0), ("vermilion", 0.0062, 0.0125)):
            points = [(-0.046 - out / 3, 0.0, 0.303 - out / 2), (-0.034, (0.028 + out) * s, 0.303 - out / 2),
                      (-0.006, (0.037 + out) * s, 0.300 - out / 2)]  # fmt: skip
            for t in (0.0, 0.05, 0.11, 0.2, 0.35, 0.55, 0.78, 1.0):
                z = 0.291 - (0.223 - 1.6 * out) * t
                y = (0.036 + 0.9 * out + 0.012 * min(1, t / 0.2) - (0.066 - 0.3 * out) * t) * s
                points.append((on_robe(y, z) + lift - 0.001, y, z))
            for a, b in pairwise(points):
                link.capsule(look, a, b, radius)


def crest(link: Body, at: tuple[float, float, float]) -> None:
    """A family crest: five gold petals."""
    for k in range(5):
        a = math.radians(90 + 72 * k)
        link.ball("gold", (at[0], at[1] + 0.0075 * math.cos(a), at[2] + 0.0075 * math.sin(a)), 0.0042)


def torso(pelvis: Body) -> Body:
    """Waist of three intersecting joints and the dressed upper body."""
    yaw = pelvis.body("waist_yaw", WAIST)
    yaw.hinge("waist_yaw_joint", (0, 0, 1), -80, 80, "waist")
    yaw.inertial(0.4, radius=0.05)
    roll = yaw.body("waist_roll", (0, 0, 0))
    roll.hinge("waist_roll_joint", (1, 0, 0), -40, 40, "waist")
    roll.inertial(0.4, radius=0.05)
    link = roll.body("torso", (0, 0, 0))
    link.hinge("waist_pitch_joint", (0, 1, 0), -35, 80, "waist")
    link.solid("capsule", 2.6, start=(0, -0.02, 0.085), end=(0, 0.02, 0.085), radius=0.062)
    link.solid("box", 4.6, at=(0, 0, 0.175), half=(0.058, 0.074, 0.062))
    link.shell("indigo", "robe")
    link.shell("vermilion", "obi")
    collar(link)
    link.ellipsoid("porcelain", (0.026, 0, 0.262), (0.040, 0.036, 0.052), (0, -28, 0))
    link.ellipsoid("vermilion", (-0.098, 0, 0.048), (0.030, 0.066, 0.050), (0, 6, 0))
    link.ellipsoid("vermilion", (-0.090, 0, 0.010), (0.018, 0.042, 0.050), (0, 14, 0))
    link.cylinder("gold", (-0.0995, -0.0115, 0.048), (-0.0995, 0.0115, 0.048), 0.0515)
    for y in (-0.066, -0.022, 0.022):
        rim = [0.001 + 0.0855 * math.sqrt(1 - (v / 0.0985) ** 2) for v in (y, y + 0.044)]
        link.capsule("gold", (rim[0], y, 0.035), (rim[1], y + 0.044, 0.035), 0.0032)
    link.ball("gold", (0.0875, 0, 0.035), 0.0085)
    for y in (0.072, -0.072):
        crest(link, (on_robe(y, 0.195) - 0.001, y, 0.195))
    crest(link, (on_robe(0, 0.205, back=True) + 0.001, 0, 0.205))
    return link


def arm(torso: Body, prefix: str, sign: int, m: Model) -> None:
    """Spherical shoulder, elbow, spherical wrist. The shoulder's pitch axis is swept back by 30° like a shoulder
    blade, so that an arm held out to the side is not singular."""
    pitch = torso.body("shoulder_pitch", SHOULDER, sign=sign, prefix=prefix)
    pitch.hinge("shoulder_pitch_joint", (-0.5, 0.866025, 0), -190, 80, "arm")
    pitch.inertial(0.25, radius=0.03)
    roll = pitch.body("shoulder_roll", (0, 0, 0))
    roll.hinge("shoulder_roll_joint", (0.866025, 0.5, 0), -45, 170, "arm")
    roll.inertial(0.25, radius=0.03)
    upper = roll.body("upper_arm", (0, 0, 0))
    upper.hinge("shoulder_yaw_joint", (0, 0, 1), -120, 120, "arm")
    upper.solid("capsule", 0.65, start=(0, 0, -0.085), end=(0, 0, -0.19), radius=0.027)
    upper.shell("indigo", "sleeve")
    upper.shell("gold", "cuff")
    fore = upper.body("forearm", (0, 0, -UPPER_ARM))
    fore.hinge("elbow_joint", (0, -1, 0), 0, 150, "arm")
    fore.solid("capsule", 0.4, start=(0, 0, -0.03), end=(0, 0, -0.135), radius=0.024)
    fore.ball("wood", (0, 0, 0), 0.031)
    fore.shell("porcelain", "forearm")
    fore.cylinder("gold", (0, 0, -0.158), (0, 0, -0.168), 0.0215)
    twist = fore.body("wrist_yaw", (0, 0, -FOREARM))
    twist.hinge("wrist_yaw_joint", (0, 0, 1), -100, 100, "wrist")
    twist.inertial(0.05, radius=0.015)
    twist.ball("wood", (0, 0, 0), 0.0175)
    bend = twist.body("wrist_pitch", (0, 0, 0))
    bend.hinge("wrist_pitch_joint", (0, 1, 0), -45, 45, "wrist")
    bend.inertial(0.03, radius=0.015)
    palm = bend.body("hand", (0, 0, 0))
    palm.hinge("wrist_roll_joint", (1, 0, 0), -80, 80, "wrist")
    palm.solid("box", 0.12, at=(0, 0, -0.044), half=(0.028, 0.011, 0.022))
    palm.shell("porcelain", "palm")
    fingers(palm, m)


def fingers(palm: Body, m: Model) -> None:
    """One servo to a finger, two to the thumb; the outer segments follow. Flexion is positive on both sides."""
    for name, (at, lengths, radius) in FINGERS.items():
        segment, start = palm, at
        for part, (length, reach) in enumerate(zip(lengths, (85, 85, 60), strict=True), 1):
            segment = segment.body(f"{name}_{part}", start)
            segment.hinge(f"{name}_{part}_joint", (-1, 0, 0), 0, reach, "finger", same=True)
            segment.inertial(0.008 / part, (0, 0, -length / 2), 0.008)
            r = radius - 0.0005 * part
            segment.capsule("porcelain", (0, 0, 0), (0, 0, -length + (r if part == 3 else 0)), r)
            start = (0.0, 0.0, -length)
            if part > 1:
                ratio = 1.0 if part == 2 else 60 / 85
                m.follow(f"{palm.prefix}{name}_{part}_joint", f"{palm.prefix}{name}_1_joint", ratio)
    base = palm.body("thumb_1", (0.022, -0.004, -0.018), (0, -42, 0))
    base.hinge("thumb_1_joint", (0, 0, 1), -20, 70, "finger", same=True)
    base.inertial(0.01, (0, 0, -0.016), 0.01)
    base.capsule("porcelain", (-0.004, 0, 0.004), (0, 0, -0.034), 0.0095)
    middle = base.body("thumb_2", (0, 0, -0.034))
    middle.hinge("thumb_2_joint", (0, 1, 0), -10, 60, "finger", same=True)
    middle.inertial(0.006, (0, 0, -0.012), 0.008)
    middle.capsule("porcelain", (0, 0, 0), (0, 0, -0.024), 0.0082)
    tip = middle.body("thumb_3", (0, 0, -0.024))
    tip.hinge("thumb_3_joint", (0, 1, 0), -10, 60, "finger", same=True)
    tip.inertial(0.004, (0, 0, -0.01), 0.008)
    tip.capsule("porcelain", (0, 0, 0), (0, 0, -0.012), 0.0075)
    m.follow(f"{palm.prefix}thumb_3_joint", f"{palm.prefix}thumb_2_joint", 1.0)


def leg(pelvis: Body, prefix: str, sign: int) -> None:
    """Spherical hip, knee, ankle of two joints, a sole with heel and toe."""
    pitch = pelvis.body("hip_pitch", (0, HIP_HALF_WIDTH, -PELVIS_ABOVE_HIPS), sign=sign, prefix=prefix)
    pitch.hinge("hip_pitch_joint", (0, 1, 0), -135, 60, "leg")
    pitch.inertial(0.5, radius=0.04)
    roll = pitch.body("hip_roll", (0, 0, 0))
    roll.hinge("hip_roll_joint", (1, 0, 0), -40, 85, "leg")
    roll.inertial(0.5, radius=0.04)
    thigh = roll.body("thigh", (0, 0, 0))
    thigh.hinge("hip_yaw_joint", (0, 0, 1), -70, 70, "leg")
    thigh.solid("capsule", 2.5, start=(0, 0, -0.13), end=(0, 0, -0.28), radius=0.045)
    thigh.shell("night", "hakama")
    shin = thigh.body("shin", (0, 0, -THIGH))
    shin.hinge("knee_joint", (0, 1, 0), 0, 140, "leg")
    shin.solid("capsule", 1.3, start=(0, 0, -0.045), end=(0, 0, -0.24), radius=0.032)
    shin.ball("wood", (0, 0, 0), 0.04)
    shin.shell("porcelain", "calf")
    shin.shell("night", "wrap")
    for z, r in ((-0.075, 0.0425), (-0.245, 0.0275)):
        shin.cylinder("gold", (-0.009 if z > -0.1 else -0.004, 0, z), (-0.009 if z > -0.1 else -0.004, 0, z - 0.007), r)
    ankle = shin.body("ankle_pitch", (0, 0, -SHIN))
    ankle.hinge("ankle_pitch_joint", (0, 1, 0), -45, 60, "ankle")
    ankle.inertial(0.15, radius=0.02)
    ankle.ball("wood", (0, 0, 0), 0.025)
    foot = ankle.body("foot", (0, 0, 0))
    foot.hinge("ankle_roll_joint", (1, 0, 0), -35, 35, "ankle")
    sole = -ANKLE_HEIGHT
    foot.solid("box", 0.3, at=(-0.012, 0, sole + 0.011), half=(0.040, 0.030, 0.011))
    foot.solid("box", 0.25, at=(0.092, 0, sole + 0.010), half=(0.046, 0.036, 0.010))
    foot.box("night", (0.042, 0, sole + 0.006), (0.088, 0.032, 0.006))
    foot.ellipsoid("white", (0.0, 0, sole + 0.030), (0.046, 0.028, 0.026))
    foot.ellipsoid("white", (0.055, 0, sole + 0.026), (0.068, 0.032, 0.019))
    foot.ellipsoid("white", (0.108, -0.014, sole + 0.021), (0.026, 0.013, 0.012))
    foot.ellipsoid("white", (0.103, 0.011, sole + 0.021), (0.028, 0.019, 0.012))
    foot.capsule("vermilion", (0.098, -0.003, sole + 0.034), (0.05, 0.028, sole + 0.024), 0.0035)
    foot.capsule("vermilion", (0.098, -0.003, sole + 0.034), (0.05, -0.028, sole + 0.024), 0.0035)


def build() -> Model:
    """The whole puppet, standing with its soles on z = 0 when the pelvis is at its body's position."""
    m = Model("puppet", DESCRIPTION, NEUTRAL, NOTES)
    materials(m)
    servos(m)
    shells(m)
    pelvis = m.world.body("pelvis", (0, 0, HIP_HEIGHT + PELVIS_ABOVE_HIPS))
    pelvis.free("base")
    pelvis.solid("capsule", 3.6, start=(0, -0.045, 0.022), end=(0, 0.045, 0.022), radius=0.048)
    pelvis.shell("indigo", "hem")
    pelvis.shell("gold", "hem_trim")
    upper = torso(pelvis)
    head(upper, m)
    for prefix, sign in SIDES:
        arm(upper, prefix, sign, m)
    for prefix, sign in SIDES:
        leg(pelvis, prefix, sign)
    return m
