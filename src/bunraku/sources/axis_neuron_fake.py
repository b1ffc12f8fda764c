"""A stand-in for Noitom's programs: any motion as the frames that a suit's program would send."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources.measure import WORLD_FROM_FILE
from bunraku.sources.noitom_skeleton import BONES, METRES, Generation, correspondence, suit_file
from bunraku.sources.noitom_wire import DISPLACED, PLAIN

Array = NDArray[np.float64]


def suit_values(motion: HumanMotion, generation: Generation, order: str, *, displaced: bool) -> Array:
    """(T, 354) or (T, 180) what the suit's program would send for this motion."""
    file = suit_file(generation, order, displaced=displaced)
    nodes, local = correspondence(generation)
    to_file = rot.inverse(WORLD_FROM_FILE["y"])
    joint_of = {int(node): joint for joint, node in enumerate(nodes) if 0 <= node < BONES}
    T = len(motion)
    turns = np.tile(rot.IDENTITY, (BONES, T, 1))
    values = np.zeros((T, DISPLACED if displaced else PLAIN))
    for bone, parent in enumerate(file.parents):
        above = turns[parent] if parent >= 0 else np.tile(rot.IDENTITY, (T, 1))
        joint = joint_of.get(bone, -1)
        # A bone that no canonical joint stands for moves with the one below it, and so does one that is not known.
        turns[bone] = above
        if joint >= 0:
            seen = rot.multiply(rot.multiply(to_file, motion.rotations[:, joint]), rot.inverse(local[joint]))
            turns[bone] = np.where(motion.rotation_valid[:, joint, None], seen, above)
        angles = np.degrees(rot.to_euler(order, rot.multiply(rot.inverse(above), turns[bone])))
        column = int(file.layout[bone, 0]) + (3 if displaced or bone == 0 else 0)
        values[:, column : column + 3] = angles
        if displaced:
            values[:, column - 3 : column] = file.offsets[bone]
    values[:, :3] = rot.rotate(to_file, motion.positions[:, INDEX["hips"]]) / METRES
    return values
