"""What a device leaves out and an operator's build makes up for: shoulders below a headset, bones beyond a known turn.

An optical hand tracker on a headset knows elbows, hands and the head, but no shoulder: it is where the operator's build
has it from the head, the body taken to face as the chest does where that is known, else forward (P2). A shoulder gives
way when the arm reaches out: on the line to a known elbow it is put one upper arm away from that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bunraku.human.body import ADULT, Body
from bunraku.human.calibration import Calibration
from bunraku.human.merge import merge_motions
from bunraku.human.pose import HumanMotion, HumanPose
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]
Seen = TypeVar("Seen", HumanPose, HumanMotion)

_GIVES = 0.5
"""share of an upper arm's length by which a shoulder gives way at most; an elbow farther off is no elbow"""
_HEAD, _CHEST = INDEX["head"], INDEX["chest"]


def needs_a_build(motion: HumanMotion) -> bool:
    """Whether something that a mapping wants is not seen in it: an arm whose shoulder is known in no frame."""
    for side in SIDES:
        arm, shoulder = INDEX[f"{side}_forearm"], INDEX[f"{side}_upper_arm"]
        if motion.position_valid[:, arm].any() and not motion.position_valid[:, shoulder].any():
            return True
    return False


def completed(motion: HumanMotion, calibration: Calibration | None, source: str = "") -> HumanMotion:
    """A recording as an operator's calibration has it: moved to their world, and completed by their build.

    Without one an average build stands in for what the source does not show, and a note says so.
    """
    if calibration is None:
        if not needs_a_build(motion):
            return motion
        note = "no calibration: an average person's shoulders stand in for what the source does not show"
        return replace(with_shoulders(motion), notes=(*motion.notes, note))
    if source in calibration.offsets:
        motion = calibration.offsets[source].apply(motion)
    return merge_motions([(with_shoulders(motion, calibration.body), {})], calibration.body)


def with_shoulders(seen: Seen, body: Body = ADULT) -> Seen:
    """The same, with shoulders where they were not seen and the head's place is known."""
    positions, valid = np.array(seen.positions), np.array(seen.position_valid)
    facing = np.where(seen.rotation_valid[..., _CHEST, None], seen.rotations[..., _CHEST, :], rot.IDENTITY)
    for side in SIDES:
        shoulder = INDEX[f"{side}_upper_arm"]
        way = rot.rotate(facing, body.joints[shoulder] - body.joints[_HEAD])
        wanted = valid[..., _HEAD] & ~valid[..., shoulder]
        place = positions[..., _HEAD, :] + way
        elbow, length = INDEX[f"{side}_forearm"], body.lengths[INDEX[f"{side}_forearm"]]
        back = place - positions[..., elbow, :]
        distance = np.linalg.norm(back, axis=-1, keepdims=True)
        gives = valid[..., elbow, None] & (np.abs(distance - length) < _GIVES * length)
        place = np.where(gives, positions[..., elbow, :] + back * length / np.maximum(distance, 1e-9), place)
        positions[..., shoulder, :] = np.where(wanted[..., None], place, positions[..., shoulder, :])
        valid[..., shoulder] |= wanted
    return replace(seen, positions=positions, position_valid=valid)
