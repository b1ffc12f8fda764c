"""Scripted people: the joints that are told turn, everything beyond them turns along, the rest stands in the T."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bunraku.human import ADULT, HumanMotion, pose_body
from bunraku.human.body import Body
from bunraku.human.skeleton import INDEX, JOINT_COUNT, PARENTS
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh import read_bvh, write_bvh

Array = NDArray[np.float64]

HANGING = {
    "left": rot.from_axis_angle([1, 0, 0], -np.pi / 2),
    "right": rot.from_axis_angle([1, 0, 0], np.pi / 2),
}
"""(4,) an arm by the side, away from the canonical T"""


def person(turns: Mapping[str, Array], fps: float, name: str, body: Body = ADULT) -> HumanMotion:
    """A motion of T frames from world rotations (T, 4) of some joints; arms that are not told hang."""
    frames = len(next(iter(turns.values())))
    told = {f"{side}_upper_arm": np.tile(turn, (frames, 1)) for side, turn in HANGING.items()} | dict(turns)
    rotations = np.tile(rot.IDENTITY, (frames, JOINT_COUNT, 1))
    by_row = {INDEX[joint]: turn for joint, turn in told.items()}
    for joint in range(JOINT_COUNT):
        if joint in by_row:
            rotations[:, joint] = by_row[joint]
        elif PARENTS[joint] >= 0:
            rotations[:, joint] = rotations[:, PARENTS[joint]]
    known = np.ones((frames, JOINT_COUNT), bool)
    return HumanMotion(
        positions=pose_body(body, body.bones[0], rotations), rotations=rot.continuous(rotations),
        position_valid=known, rotation_valid=known.copy(), fps=fps, name=name,
    )  # fmt: skip


def through_bvh(motion: HumanMotion) -> HumanMotion:
    """Written as a suit's software writes it, and read again by the reader of such files."""
    with tempfile.TemporaryDirectory() as folder:
        return read_bvh(write_bvh(Path(folder) / f"{motion.name}.bvh", motion))
