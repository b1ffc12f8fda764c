"""Turns that places tell: for cameras and markers, which see where joints are and not how segments have turned."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bunraku.human.orient_kernels import PARTS, measured_frame, orient_rows
from bunraku.human.pose import HumanMotion, HumanPose
from bunraku.human.skeleton import ADULT_BONES, JOINT_COUNT, PARENTS
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]
Seen = TypeVar("Seen", HumanPose, HumanMotion)


def oriented(seen: Seen) -> Seen:
    """The same with hips, chest, hands and feet turned as the joints around them stand, where that was not known.

    A part whose joints are not all there, or stand in one line, stays unknown.
    """
    single = isinstance(seen, HumanPose)
    positions = np.ascontiguousarray(seen.positions[None] if single else seen.positions)
    flags = np.ascontiguousarray(seen.position_valid[None] if single else seen.position_valid)
    rotations = np.array(seen.rotations[None] if single else seen.rotations)
    known = np.array(seen.rotation_valid[None] if single else seen.rotation_valid)
    before = known.copy()
    orient_rows(positions, flags, _canonical_frames(), rotations, known)
    if single:
        return replace(seen, rotations=rotations[0], rotation_valid=known[0])
    told = np.flatnonzero((known & ~before).any(axis=0))
    rotations[:, told] = rot.continuous(rotations[:, told])
    return replace(seen, rotations=rotations, rotation_valid=known)


@cache
def _canonical_frames() -> Array:
    """(6, 4) the axes that an average adult's joints show in the canonical pose."""
    places = np.zeros((JOINT_COUNT, 3))
    for joint, parent in enumerate(PARENTS):
        places[joint] = ADULT_BONES[joint] + (places[parent] if parent >= 0 else 0.0)
    frames = np.empty((len(PARTS), 4))
    for part in range(len(PARTS)):
        measured_frame(places, np.ones(JOINT_COUNT, bool), part, frames[part])
    return frames
