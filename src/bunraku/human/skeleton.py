"""The canonical human skeleton: what every source is brought to, and every mapping starts from.

Canonical pose: standing in a T, arms out to the sides, palms down, feet and face forward. In it every joint's
rotation is the identity, whatever the device called its axes; a joint's rotation is its turn away from that pose,
in world axes (x forward, y left, z up). A joint's position is the point about which its segment turns:
`left_forearm` is the elbow, `left_hand` the wrist, `left_foot` the ankle, `left_toe` the ball of the foot.
Finger tips end the last finger segments; they have positions and no rotation of their own.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

SIDES = ("left", "right")
FINGERS = ("thumb", "index", "middle", "ring", "little")
FINGER_PARTS = ("1", "2", "3", "tip")

_TRUNK = (("hips", None), ("spine", "hips"), ("chest", "spine"), ("neck", "chest"), ("head", "neck"))
_LIMBS = (
    ("clavicle", "chest"), ("upper_arm", "clavicle"), ("forearm", "upper_arm"), ("hand", "forearm"),
    ("thigh", "hips"), ("shin", "thigh"), ("foot", "shin"), ("toe", "foot"),
)  # fmt: skip


def _joints() -> list[tuple[str, str | None]]:
    out: list[tuple[str, str | None]] = list(_TRUNK)
    for side in SIDES:
        out += [(f"{side}_{n}", p if p in ("chest", "hips") else f"{side}_{p}") for n, p in _LIMBS]
    for side in SIDES:
        for finger in FINGERS:
            parent = f"{side}_hand"
            for part in FINGER_PARTS:
                out.append((f"{side}_{finger}_{part}", parent))
                parent = f"{side}_{finger}_{part}"
    return out


JOINTS: tuple[str, ...] = tuple(name for name, _ in _joints())
"""All joints, parents before children: 5 of the trunk, 8 for each side, then 20 for each hand."""
INDEX = MappingProxyType({name: i for i, name in enumerate(JOINTS)})
"""Joint name → its row in every pose array."""
PARENTS: NDArray[np.int32] = np.array([-1 if p is None else INDEX[p] for _, p in _joints()], np.int32)
PARENTS.setflags(write=False)
JOINT_COUNT = len(JOINTS)
BODY_COUNT = 5 + 2 * len(_LIMBS)
"""The first so many joints are the body; the rest are fingers."""

GROUPS = MappingProxyType(
    {
        "torso": ("hips", "spine", "chest"),
        "head": ("neck", "head"),
        **{f"{s}_arm": tuple(f"{s}_{n}" for n in ("clavicle", "upper_arm", "forearm")) for s in SIDES},
        **{f"{s}_hand": (f"{s}_hand", *(f"{s}_{f}_{p}" for f in FINGERS for p in FINGER_PARTS)) for s in SIDES},
        **{f"{s}_leg": tuple(f"{s}_{n}" for n in ("thigh", "shin", "foot", "toe")) for s in SIDES},
    }
)
"""Joint groups: what a source may supply as a whole, and what merging sets priorities for. Each joint is in one."""


def mirror_name(name: str) -> str:
    """The joint on the other side; a joint of the trunk is its own mirror image."""
    if name.startswith("left_"):
        return "right_" + name[5:]
    return "left_" + name[6:] if name.startswith("right_") else name


MIRROR: NDArray[np.int64] = np.array([INDEX[mirror_name(name)] for name in JOINTS])
"""(J,) the row of the joint on the other side"""
MIRROR.setflags(write=False)


def _canonical_bones() -> NDArray[np.float64]:
    """Offsets from the parent, canonical pose, of an adult 1.75 m tall (after Drillis and Contini, and hand tables)."""
    left = {
        "clavicle": (0.0, 0.02, 0.18), "upper_arm": (0.0, 0.16, 0.02),
        "forearm": (0.0, 0.30, 0.0), "hand": (0.0, 0.26, 0.0),
        "thigh": (0.0, 0.09, -0.05), "shin": (0.0, 0.0, -0.43), "foot": (0.0, 0.0, -0.42), "toe": (0.14, 0.0, -0.06),
    }  # fmt: skip
    trunk = {"hips": (0.0, 0.0, 0.98), "spine": (0.0, 0.0, 0.11), "chest": (0.0, 0.0, 0.16),
             "neck": (0.0, 0.0, 0.25), "head": (0.02, 0.0, 0.10)}  # fmt: skip
    # finger: knuckle from the wrist, then the lengths of its three segments
    fingers = {
        "thumb": ((0.025, 0.025, -0.010), (0.045, 0.032, 0.026)),
        "index": ((0.028, 0.090, 0.0), (0.045, 0.025, 0.020)),
        "middle": ((0.006, 0.092, 0.004), (0.050, 0.030, 0.021)),
        "ring": ((-0.014, 0.088, 0.002), (0.046, 0.028, 0.021)),
        "little": ((-0.033, 0.080, -0.002), (0.036, 0.021, 0.019)),
    }  # fmt: skip
    thumb_way = np.array([0.64, 0.75, -0.17]) / np.linalg.norm([0.64, 0.75, -0.17])
    offsets = np.zeros((JOINT_COUNT, 3))
    for name, at in trunk.items():
        offsets[INDEX[name]] = at
    for side, sign in (("left", 1.0), ("right", -1.0)):
        mirror = np.array([1.0, sign, 1.0])
        for name, at in left.items():
            offsets[INDEX[f"{side}_{name}"]] = at * mirror
        for finger, (knuckle, lengths) in fingers.items():
            way = thumb_way if finger == "thumb" else np.array([0.0, 1.0, 0.0])
            offsets[INDEX[f"{side}_{finger}_1"]] = knuckle * mirror
            for part, length in zip(FINGER_PARTS[1:], lengths, strict=True):
                offsets[INDEX[f"{side}_{finger}_{part}"]] = way * length * mirror
    offsets.setflags(write=False)
    return offsets


ADULT_BONES: NDArray[np.float64] = _canonical_bones()
"""(J, 3) offset of each joint from its parent in the canonical pose, for an average adult; row 0: the hips' height."""
