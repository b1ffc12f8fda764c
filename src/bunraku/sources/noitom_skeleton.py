"""The 59 bones that Noitom's suits stream, and how their rows become canonical poses.

Both generations stand in a T at zero rotations, face along z, y up, centimetres. They differ in the trunk: Axis Neuron
has a third spine joint and one neck joint, Axis Studio two of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.sources.anatomy import joint_frames
from bunraku.sources.bvh import posed_skeleton
from bunraku.sources.bvh_file import BvhFile
from bunraku.sources.canonical_rows import CanonicalRows
from bunraku.sources.measure import WORLD_FROM_FILE
from bunraku.sources.skeletons import map_skeleton

Array = NDArray[np.float64]
Generation = Literal["legacy", "studio"]
Offset = tuple[float, float, float]

GENERATIONS: tuple[Generation, ...] = ("legacy", "studio")
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
BONES = 59
METRES = 0.01

_TRUNK: Mapping[str, tuple[tuple[str, float], ...]] = MappingProxyType(
    {
        "legacy": (("Spine", 14.782), ("Spine1", 10.003), ("Spine2", 10.416), ("Spine3", 10.003), ("Neck", 10.692),
                   ("Head", 9.47)),
        "studio": (("Spine", 7.818), ("Spine1", 17.31), ("Spine2", 12.285), ("Neck", 18.427), ("Neck1", 4.735),
                   ("Head", 4.735)),
    }
)  # fmt: skip
"""from the hips up, and the height of each above the one below, cm"""
_CHEST: Mapping[str, tuple[str, float]] = MappingProxyType({"legacy": ("Spine3", 5.108), "studio": ("Spine2", 12.843)})
"""what carries the shoulders, and how far above it they are, cm"""
_FINGERS: Mapping[str, tuple[Offset | None, Offset, tuple[float, float, float]]] = MappingProxyType(
    {
        "thumb": (None, (2.49, 0.19, 3.12), (3.68, 2.56, 2.19)),
        "index": ((3.22, 0.51, 1.98), (5.22, -0.09, 1.0), (3.62, 2.05, 1.81)),
        "middle": ((3.38, 0.52, 0.76), (5.17, -0.08, 0.31), (3.95, 2.48, 1.98)),
        "ring": ((3.37, 0.54, -0.13), (4.64, -0.02, -0.48), (3.44, 2.39, 1.86)),
        "pinky": ((3.16, 0.47, -1.2), (4.14, -0.02, -1.09), (2.76, 1.74, 1.65)),
    }
)
"""of the left hand: the palm's bone from the wrist, the knuckle from there, the lengths of the three segments, cm"""

Bone = tuple[str, str, Offset]
"""name, parent, offset in cm"""


@cache
def bones(generation: Generation) -> tuple[Bone, ...]:
    """All bones in the order of the stream; the hips' parent is nameless."""
    out: list[Bone] = [("Hips", "", (0.0, 91.43, 0.0))]
    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        out += [
            (f"{side}UpLeg", "Hips", (sign * 9.25, 0.0, 0.0)),
            (f"{side}Leg", f"{side}UpLeg", (0.0, -41.87, 0.0)),
            (f"{side}Foot", f"{side}Leg", (0.0, -41.87, 0.0)),
        ]
    below = "Hips"
    for name, height in _TRUNK[generation]:
        parent = _CHEST[generation][0] if name == "Neck" else below
        out.append((name, parent, (0.0, height, 0.0)))
        below = name
    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        chest, height = _CHEST[generation]
        out += [
            (f"{side}Shoulder", chest, (sign * 2.792, height, 0.0)),
            (f"{side}Arm", f"{side}Shoulder", (sign * 13.208, 0.0, 0.0)),
            (f"{side}ForeArm", f"{side}Arm", (sign * 26.5, 0.0, 0.0)),
            (f"{side}Hand", f"{side}ForeArm", (sign * 26.0, 0.0, 0.0)),
        ]
        for finger in _FINGERS:
            out += _finger(side, finger)
    return tuple(out)


def _finger(side: str, finger: str) -> list[Bone]:
    sign, label = (-1.0 if side == "Right" else 1.0), finger.capitalize()
    palm, knuckle, (second, third, _) = _FINGERS[finger]
    hand, first = f"{side}Hand", f"{side}Hand{label}1"
    out: list[Bone] = []
    if palm is not None:
        out.append((f"{side}InHand{label}", hand, (sign * palm[0], *palm[1:])))
    out.append((first, out[0][0] if out else hand, (sign * knuckle[0], *knuckle[1:])))
    for number, length in ((2, second), (3, third)):
        out.append((f"{side}Hand{label}{number}", out[-1][0], (sign * length, 0.0, 0.0)))
    return out


def _ends() -> list[tuple[str, Offset]]:
    """What the chains end with: the bone, and the end's place on it, cm."""
    out = [("Head", (0.0, 15.95, 0.0))]
    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        out.append((f"{side}Foot", (0.0, -7.69, 14.0)))
        out += [
            (f"{side}Hand{finger.capitalize()}3", (sign * lengths[-1], 0.0, 0.0))
            for finger, (_, _, lengths) in _FINGERS.items()
        ]
    return out


def suit_file(generation: Generation, order: str, *, displaced: bool) -> BvhFile:
    """The suit's skeleton without any row; with `displaced` each bone has a position before its angles."""
    listed = bones(generation)
    row = {name: number for number, (name, _, _) in enumerate(listed)}
    angles = tuple(f"{axis}rotation" for axis in order)
    place = ("Xposition", "Yposition", "Zposition")
    channels = tuple((*place, *angles) if displaced or number == 0 else angles for number in range(BONES))
    return BvhFile(
        names=tuple(name for name, _, _ in listed),
        parents=np.array([row.get(parent, -1) for _, parent, _ in listed], np.int32),
        offsets=np.array([offset for _, _, offset in listed]),
        channels=channels,
        end_parents=np.array([row[name] for name, _ in _ends()], np.int32),
        end_offsets=np.array([offset for _, offset in _ends()]),
        frame_time=1.0 / 60.0,
        values=np.zeros((0, sum(map(len, channels)))),
    )


@cache
def suit_rows(generation: Generation, order: str, displaced: bool) -> CanonicalRows:
    """Rows of this skeleton to canonical poses."""
    world = WORLD_FROM_FILE["y"]
    nodes, local = correspondence(generation)
    return CanonicalRows(suit_file(generation, order, displaced=displaced), nodes, local, world, METRES)


@cache
def correspondence(generation: Generation) -> tuple[NDArray[np.int32], Array]:
    """Nodes (J,) and the turn of each one's axes from the canonical ones (J, 4)."""
    skeleton = posed_skeleton(suit_file(generation, "YXZ", displaced=False))
    mapping = map_skeleton(skeleton)
    if mapping is None:
        raise AssertionError("the suit's own skeleton is a person's")
    return mapping.nodes, joint_frames(skeleton, mapping, WORLD_FROM_FILE["y"]).local
