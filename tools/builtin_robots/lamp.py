"""The desk light of the fifth paper: five joints, on a turned foot, with a bulb that shines."""

from __future__ import annotations

import math

from mjcf import Body, Model

DESCRIPTION = "A desk light with five joints that follows an arm"
NOTES = ("Velocity and effort are those of small bus servos (AX-12 class).",)
NEUTRAL = {"joint_2": -1.15, "joint_3": 1.1, "joint_5": 0.6}

# offsets of the joints in metres, each from the one before, and the tip of the light
JOINTS = ((0, 0, 0.096), (-0.015, 0, 0.030), (0.078, 0, 0.001), (0.068, 0, 0), (0.0485, 0, 0))
TIP = (0.0935, 0, 0)
AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0))
LIMITS = ((-0.698, 0.698), (-math.pi / 2, 0.0), (0.0, 1.570), (-1.064, 1.396), (-1.047, 0.785))
LINKS = ("turret", "lower_arm", "upper_arm", "wrist", "shade")


def looks(m: Model) -> None:
    """Enamel, brass, bakelite, and light."""
    m.material("enamel", (0.11, 0.43, 0.44), specular=0.7, shininess=0.8)
    m.material("cream", (0.96, 0.92, 0.82), specular=0.4, shininess=0.5)
    m.material("brass", (0.83, 0.62, 0.27), specular=0.9, shininess=0.8)
    m.material("steel", (0.72, 0.74, 0.76), specular=0.9, shininess=0.8)
    m.material("bakelite", (0.10, 0.09, 0.09), specular=0.6, shininess=0.7)
    m.material("light", (1.0, 0.88, 0.55), emission="0.55")
    m.loft("foot",
           "0 66 66, 4 70 70, 12 70 70, 19 64 64, 25 46 46, 34 24 24, 48 15.5 15.5, 70 12.5 12.5, "
           "80 15.5 15.5, 85 17 17", 36)  # fmt: skip
    # along z here, along x on the light: outside up to the rim, then the hollow inside
    m.loft("hood",
           "-14 8.5 8.5, -8 15 15, 12 17.5 17.5, 26 20 20, 42 31 31, 64 44 44, 93.5 52.5 52.5, 94.5 52 52, "
           "92.5 50.5 50.5, 64 42 42, 42 29 29, 30 17 17", 36)  # fmt: skip
    m.loft("lining",
           "32 16.5 16.5, 42 28.4 28.4, 64 41.2 41.2, 91.5 50.3 50.3, 91.5 49.7 49.7, 64 40 40, 42 27 27, "
           "36 15 15", 36)  # fmt: skip


def rods(link: Body, length: float) -> None:
    """Two steel rods beside a spring."""
    for y in (0.010, -0.010):
        link.capsule("steel", (0, y, 0), (length, y, 0), 0.0032)
    coils = max(4, round(length / 0.0085))
    for k in range(coils):
        x = length * (k + 0.5) / coils
        link.cylinder("brass", (x - 0.0016, 0, 0), (x + 0.0016, 0, 0), 0.0058)


def knuckle(link: Body, half: float, radius: float) -> None:
    """A joint across the arm: a brass pin in a black housing."""
    link.cylinder("enamel", (0, -half, 0), (0, half, 0), radius)
    for s in (1, -1):
        link.cylinder("brass", (0, s * half, 0), (0, s * (half + 0.003), 0), radius * 0.55)


def build() -> Model:
    """The light on its foot, z = 0 under the foot, pointing along x at zero."""
    m = Model("lamp", DESCRIPTION, NEUTRAL, NOTES)
    looks(m)
    m.joint_class("servo", velocity=5.0, effort=1.5, damping=0.02, armature=0.0015)
    foot = m.world.body("base", (0, 0, 0))
    foot.solid("capsule", 0.3, start=(0, 0, 0.016), end=(0, 0, 0.060), radius=0.016)
    foot.solid("box", 1.2, at=(0, 0, 0.009), half=(0.055, 0.055, 0.009))
    foot.shell("enamel", "foot")
    foot.cylinder("brass", (0, 0, 0.0195), (0, 0, 0.0225), 0.0595)
    for k in range(6):  # the cord
        ends = [(-0.066 - 0.018 * n, 0.012 * math.sin(1.1 * n), 0.004) for n in (k, k + 1)]
        foot.capsule("bakelite", ends[0], ends[1], 0.0028)
    links = [foot]
    for name, at, axis, (low, high) in zip(LINKS, JOINTS, AXES, LIMITS, strict=True):
        link = links[-1].body(name, at)
        link.hinge(f"joint_{len(links)}", axis, math.degrees(low), math.degrees(high), "servo")
        links.append(link)
    dress(*links[1:])
    return m


def dress(turret: Body, lower: Body, upper: Body, wrist: Body, shade: Body) -> None:
    """Shapes and masses of the five links."""
    turret.inertial(0.12, (-0.006, 0, 0.012), 0.02)
    turret.cylinder("cream", (0, 0, -0.011), (0, 0, 0.008), 0.0185)
    turret.cylinder("brass", (0, 0, -0.0125), (0, 0, -0.0105), 0.0192)
    for y in (0.0165, -0.0165):
        turret.capsule("enamel", (-0.004, y * 0.8, 0.004), (-0.015, y, 0.030), 0.0052)
    lower.solid("capsule", 0.09, start=(0.020, 0, 0), end=(0.062, 0, 0), radius=0.010)
    knuckle(lower, 0.014, 0.0125)
    rods(lower, 0.078)
    upper.solid("capsule", 0.08, start=(0.020, 0, 0), end=(0.050, 0, 0), radius=0.010)
    knuckle(upper, 0.016, 0.0125)
    rods(upper, 0.056)
    upper.cylinder("enamel", (0.052, 0, 0), (0.066, 0, 0), 0.0145)
    wrist.solid("capsule", 0.06, start=(0.012, 0, 0), end=(0.026, 0, 0), radius=0.010)
    wrist.cylinder("cream", (0.0, 0, 0), (0.010, 0, 0), 0.0155)
    wrist.cylinder("brass", (-0.002, 0, 0), (0.0, 0, 0), 0.0160)
    for y in (0.0125, -0.0125):
        wrist.capsule("enamel", (0.010, y * 0.7, 0), (0.0485, y, 0), 0.0046)
    shade.solid("capsule", 0.10, start=(0.050, -0.014, 0), end=(0.050, 0.014, 0), radius=0.026)
    knuckle(shade, 0.0115, 0.0105)
    shade.shell("enamel", "hood", turn=(0, 90, 0))
    shade.shell("cream", "lining", turn=(0, 90, 0))
    shade.cylinder("brass", (0.0195, 0, 0), (0.0215, 0, 0), 0.0205)
    shade.cylinder("cream", (0.030, 0, 0), (0.050, 0, 0), 0.013)
    shade.ball("light", (0.066, 0, 0), 0.021)
    tip = shade.body("tip", TIP)
    tip.inertial(0.001, radius=0.005)
