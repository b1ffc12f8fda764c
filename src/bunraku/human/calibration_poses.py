"""An operator measured in one to three poses held still (P2's future work, P4, P5): lengths, reach, where they stand.

t-pose: arms out to the sides; arms-forward; arms-down: hanging. A pose is a few seconds of motion; medians count, so
a twitch does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.human.calibration import Calibration, SourceOffset, measure
from bunraku.human.pose import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]

POSES: Mapping[str, tuple[str, tuple[float, float, float]]] = MappingProxyType(
    {
        "t-pose": ("sideways", (0.0, 1.0, 0.0)),
        "arms-forward": ("forward", (1.0, 0.0, 0.0)),
        "arms-down": ("down", (0.0, 0.0, -1.0)),
    }
)
"""pose → the reach that it measures, and where a left arm points in it"""
LONGEST_S = 3.0
"""of a pose; what is longer is not looked at"""
_OFF = np.radians(35.0)
"""rad; an arm that points farther than this from where its pose wants it is not in that pose"""
_STRAIGHT = 0.25
"""share of the arm's bones by which a reach may differ from them"""


def calibrate(poses: Mapping[str, HumanMotion], source: str = "") -> Calibration:
    """An operator's calibration from poses held still; with a `source`, also where its world stands in theirs.

    An InputError says which arm is not where its pose wants it.
    """
    if not poses:
        raise InputError(f"a calibration needs one pose at least: {', '.join(POSES)}")
    for name in poses:
        if name not in POSES:
            raise UnknownNameError("pose", name, POSES)
    held = {name: _beginning(name, motion) for name, motion in poses.items()}
    facing = np.median([_heading(motion) for motion in held.values()])
    reach = {POSES[name][0]: length for name, motion in held.items() if (length := _reach(name, motion, facing))}
    found = measure(_joined(list(held.values())))
    # Towards a camera a hand may hide its own shoulder: what no straight arm of these bones measures is not believed.
    arm = found.body.arm_length
    found = replace(found, reach={way: length for way, length in reach.items() if abs(length / arm - 1) < _STRAIGHT})
    first = next(iter(held.values()))
    return found.with_offset(source, _offset(first, float(facing))) if source else found


def _beginning(name: str, motion: HumanMotion) -> HumanMotion:
    if not len(motion):
        raise InputError(f"the recording of pose '{name}' holds no frames")
    return motion.frames(slice(0, max(1, round(LONGEST_S * motion.fps))))


def _heading(motion: HumanMotion) -> float:
    """rad about z, to the left of x: across the shoulders where they are known, else as the hips are turned, else 0."""
    across = _median_way(motion, "right_upper_arm", "left_upper_arm")
    if across is not None and np.hypot(across[0], across[1]) > 0.05:
        return float(np.arctan2(-across[0], across[1]))
    hips = motion.rotation_valid[:, INDEX["hips"]]
    return float(np.median(rot.yaw(motion.rotations[hips, INDEX["hips"]]))) if hips.any() else 0.0


def _reach(name: str, motion: HumanMotion, facing: float) -> float | None:
    """m from shoulder to wrist, mean of the sides that are known; None where neither is."""
    _, wanted = POSES[name]
    lengths = []
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        way = _median_way(motion, f"{side}_upper_arm", f"{side}_hand")
        if way is None:
            continue
        length = float(np.linalg.norm(way))
        aim = rot.rotate(rot.from_axis_angle([0, 0, 1], facing), np.array(wanted) * [1.0, sign, 1.0])
        off = float(np.arccos(np.clip(way @ aim / max(length, 1e-9), -1.0, 1.0)))
        if off > _OFF:
            raise InputError(
                f"in pose '{name}' the {side} arm points {np.degrees(off):.0f}° away from where it should: "
                f"is it the pose, and are the poses in the order given?"
            )
        lengths.append(length)
    return float(np.mean(lengths)) if lengths else None


def _median_way(motion: HumanMotion, start: str, end: str) -> Array | None:
    """(3,) from one joint to another, median over the frames that know both."""
    both = motion.position_valid[:, INDEX[start]] & motion.position_valid[:, INDEX[end]]
    if not both.any():
        return None
    return np.asarray(np.median(motion.positions[both, INDEX[end]] - motion.positions[both, INDEX[start]], axis=0))


def _offset(motion: HumanMotion, facing: float) -> SourceOffset:
    """The turn that makes the operator face x, and the shift that puts them on the origin; heights stay."""
    turn = rot.from_axis_angle([0, 0, 1], -facing)
    known = motion.position_valid[:, INDEX["hips"]]
    hips = np.median(motion.positions[known, INDEX["hips"]], axis=0) if known.any() else np.zeros(3)
    x, y, _ = (-rot.rotate(turn, hips)).tolist()
    w, i, j, k = turn.tolist()
    return SourceOffset((x, y, 0.0), (w, i, j, k))


def _joined(motions: list[HumanMotion]) -> HumanMotion:
    """One after the other; bone lengths care for no rate."""
    first = motions[0]
    return replace(
        first,
        positions=np.concatenate([m.positions for m in motions]),
        rotations=np.concatenate([m.rotations for m in motions]),
        position_valid=np.concatenate([m.position_valid for m in motions]),
        rotation_valid=np.concatenate([m.rotation_valid for m in motions]),
        jaw=None,
        eyes=None,
    )
