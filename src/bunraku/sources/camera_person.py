"""One person in front of a camera, frame by frame: landmarks in, poses out.

Where places are measured (depth, several cameras), bones of a wrong length are points seen on something else, and are
left out. Where they are a network's guess, directions are kept and lengths set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.orient import oriented
from bunraku.human.skeleton import ADULT_BONES, INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.bone_lengths import BoneLengths
from bunraku.sources.landmarks import pose_of

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Kind = Literal["measured", "guessed", "flat"]

_TOLERANCE = 0.3
"""share of a bone's length"""
_MOST_LEARNED = 2000
"""frames of a recording that bones are learned from"""
_SOLES = tuple(
    (INDEX[f"{side}_{joint}"], height) for side in SIDES for joint, height in (("foot", 0.08), ("toe", 0.02))
)
"""joint, its height above the sole of an adult, m"""
_HIPS_M = float(ADULT_BONES[0, 2])


class CameraPerson:
    """`measured` in space; `guessed`, with the hips as origin; or `flat`, in a plane that faces the camera."""

    def __init__(self, kind: Kind, bones: BoneLengths | None = None) -> None:
        """`bones`: known already, and not learned any more."""
        self._kind, self._learns = kind, bones is None
        self._bones = bones or BoneLengths()
        self._height = _HIPS_M
        self._before: Array | None = None
        self.dropped = 0
        """joints that were seen on something else"""

    def pose(self, points: Array, known: Flags, *, now_ns: int = 0, stamp_ns: int = 0) -> HumanPose:
        """Of landmarks (K, 3) in the world, and which are known."""
        pose = pose_of(points, known & np.isfinite(points).all(axis=-1), now_ns=now_ns, stamp_ns=stamp_ns)
        if self._kind == "measured":
            strange = self._bones.strange(pose, _TOLERANCE)
            self.dropped += int(strange.sum())
            pose = replace(pose, position_valid=pose.position_valid & ~strange)
            self._learn(pose)
        elif self._kind == "guessed":
            self._learn(pose)
            pose = self._on_ground(self._bones.steady(pose))
        else:
            pose = self._on_ground(pose)
        return self._continued(oriented(pose))

    def _learn(self, pose: HumanPose) -> None:
        if self._learns:
            self._bones.learn(pose)

    def _on_ground(self, pose: HumanPose) -> HumanPose:
        """The lower foot stands; while no foot is seen, the hips stay as high as they were."""
        heights = [pose.positions[joint, 2] - above for joint, above in _SOLES if pose.position_valid[joint]]
        hips = INDEX["hips"]
        if heights and pose.position_valid[hips]:
            self._height = float(pose.positions[hips, 2]) - min(heights)
            shift = -min(heights)
        elif pose.position_valid[hips]:
            shift = self._height - float(pose.positions[hips, 2])
        else:
            neck = INDEX["neck"]
            above = float(ADULT_BONES[[INDEX["spine"], INDEX["chest"], neck], 2].sum())
            shift = self._height + above - float(pose.positions[neck, 2]) if pose.position_valid[neck] else 0.0
        return replace(pose, positions=pose.positions + np.array([0.0, 0.0, shift]))

    def _continued(self, pose: HumanPose) -> HumanPose:
        """Turns in the hemisphere of the ones before."""
        turns = pose.rotations.copy()
        if self._before is not None:
            turns[np.einsum("ij,ij->i", turns, self._before) < 0] *= -1.0
        self._before = np.where(
            pose.rotation_valid[:, None], turns, self._before if self._before is not None else turns
        )
        turns[~pose.rotation_valid] = rot.IDENTITY
        return replace(pose, rotations=turns)


def motion_of(
    frames: Sequence[tuple[Array, Flags]], kind: Kind, *, fps: float, name: str, notes: Sequence[str] = ()
) -> HumanMotion:
    """Of landmarks frame by frame; bones are learned from all of them first."""
    bones = BoneLengths(min(len(frames), _MOST_LEARNED))
    for points, known in frames[:: max(1, len(frames) // _MOST_LEARNED)]:
        bones.learn(pose_of(points, known))
    person = CameraPerson(kind, bones)
    poses = [person.pose(points, known) for points, known in frames]
    told = [*notes]
    if person.dropped:
        told.append(f"{person.dropped} places of joints do not fit the person's bones and are left out")
    return HumanMotion(
        positions=np.array([pose.positions for pose in poses]), rotations=np.array([pose.rotations for pose in poses]),
        position_valid=np.array([pose.position_valid for pose in poses]),
        rotation_valid=np.array([pose.rotation_valid for pose in poses]), fps=fps, name=name, notes=tuple(told),
    )  # fmt: skip


def level(tilt_deg: float, roll_deg: float) -> Array:
    """(3, 3) for `points @ level.T`: our world from that of a camera that looks down by `tilt_deg` and is turned
    clockwise, as it looks, by `roll_deg`."""
    tilt, roll = np.radians(tilt_deg), np.radians(roll_deg)
    about_y = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), -tilt)
    about_x = rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), -roll)
    return rot.to_matrix(rot.multiply(about_y, about_x))
