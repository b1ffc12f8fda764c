"""Several partial observations of one person become one.

For each joint, and for its position and rotation apart, the observation with the highest priority for the joint's group
wins, the newest among equals, the first named among equally new ones. All must speak of the same world. Positions that
nobody saw follow from the parent's position and rotation where both are known; nothing else is made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.human.body import ADULT, Body
from bunraku.human.pose import HumanMotion, HumanPose
from bunraku.human.skeleton import GROUPS, INDEX, JOINT_COUNT, PARENTS
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Priorities = Mapping[str, int]
"""joint group → priority, the higher wins; groups that are not named have 0"""

_GROUP_OF = np.zeros(JOINT_COUNT, np.int64)
for _number, _joints in enumerate(GROUPS.values()):
    _GROUP_OF[[INDEX[_joint] for _joint in _joints]] = _number
_HEAD = INDEX["head"]

T = TypeVar("T")


class _Arrays(NamedTuple):
    positions: Array
    rotations: Array
    position_valid: Flags
    rotation_valid: Flags


def merge(observations: Sequence[tuple[HumanPose, Priorities]], body: Body = ADULT) -> HumanPose:
    """One pose out of many, stamped like the newest of them; nothing merged is a pose that knows nothing."""
    if not observations:
        return HumanPose.empty()
    poses = [pose for pose, _ in observations]
    rank = _rank([priorities for _, priorities in observations], [pose.received_ns for pose in poses])
    merged = _merge([_arrays(pose) for pose in poses], rank, body)
    newest = max(poses, key=lambda pose: pose.received_ns)
    return HumanPose(
        positions=merged.positions,
        rotations=merged.rotations,
        position_valid=merged.position_valid,
        rotation_valid=merged.rotation_valid,
        stamp_ns=newest.stamp_ns,
        received_ns=newest.received_ns,
        jaw=_first([pose.jaw for pose in poses], rank),
        eyes=_first([pose.eyes for pose in poses], rank),
    )


def merge_motions(observations: Sequence[tuple[HumanMotion, Priorities]], body: Body = ADULT) -> HumanMotion:
    """One motion out of several of the same rate and length, frame by frame; the first named wins among equals."""
    if not observations:
        raise InputError("there is no motion to merge")
    motions = [motion for motion, _ in observations]
    first = motions[0]
    for motion in motions[1:]:
        if len(motion) != len(first) or not np.isclose(motion.fps, first.fps, rtol=1e-6):
            raise InputError(
                f"'{motion.name}' has {len(motion)} frames at {motion.fps:g}/s, '{first.name}' {len(first)} "
                f"at {first.fps:g}/s: motions must have one rate and length to be merged"
            )
    rank = _rank([priorities for _, priorities in observations], [0] * len(motions))
    merged = _merge([_arrays(motion) for motion in motions], rank, body)
    return HumanMotion(
        positions=merged.positions,
        rotations=merged.rotations,
        position_valid=merged.position_valid,
        rotation_valid=merged.rotation_valid,
        fps=first.fps,
        name="+".join(motion.name for motion in motions),
        jaw=_first([motion.jaw for motion in motions], rank),
        eyes=_first([motion.eyes for motion in motions], rank),
        notes=tuple(note for motion in motions for note in motion.notes),
    )


def _arrays(seen: HumanPose | HumanMotion) -> _Arrays:
    return _Arrays(seen.positions, seen.rotations, seen.position_valid, seen.rotation_valid)


def _rank(priorities: Sequence[Priorities], received_ns: Sequence[int]) -> NDArray[np.int64]:
    """(S, J) place of each observation in the order of preference for each joint, the higher the better."""
    for named in priorities:
        for group in named:
            if group not in GROUPS:
                raise UnknownNameError("joint group", group, GROUPS)
    by_group = np.array([[named.get(group, 0) for group in GROUPS] for named in priorities])
    priority = by_group[:, _GROUP_OF]
    newness = np.broadcast_to(np.array(received_ns)[:, None], priority.shape)
    earliness = np.broadcast_to(-np.arange(len(priority))[:, None], priority.shape)
    return np.argsort(np.lexsort((earliness, newness, priority), axis=0), axis=0)


def _merge(seen: Sequence[_Arrays], rank: NDArray[np.int64], body: Body) -> _Arrays:
    positions, position_valid = _pick([s.positions for s in seen], [s.position_valid for s in seen], rank)
    rotations, rotation_valid = _pick([s.rotations for s in seen], [s.rotation_valid for s in seen], rank)
    rotations[~rotation_valid] = rot.IDENTITY
    merged = _Arrays(positions, rotations, position_valid, rotation_valid)
    _fill(merged, body)
    merged.positions[~merged.position_valid] = 0.0
    return merged


def _pick(values: Sequence[ArrayLike], valid: Sequence[Flags], rank: NDArray[np.int64]) -> tuple[Array, Flags]:
    """The best-ranked valid value of each joint, `(…, J, k)`, and whether there is one, `(…, J)`."""
    flags = np.stack(valid)
    places = rank.reshape(len(rank), *[1] * (flags.ndim - 2), JOINT_COUNT)
    best = np.argmax(np.where(flags, places, -1), axis=0)
    chosen = np.take_along_axis(np.stack([np.asarray(v, float) for v in values]), best[None, ..., None], axis=0)[0]
    return chosen, np.asarray(flags.any(axis=0))


def _fill(merged: _Arrays, body: Body) -> None:
    """Places, in place and from the parents down, that a known parent's turn and the bone leave no choice about."""
    missing = np.flatnonzero(~merged.position_valid.reshape(-1, JOINT_COUNT).all(axis=0))
    missing = missing[missing > 0]
    if not len(missing):
        return
    parents = PARENTS[missing]
    steps = rot.rotate(merged.rotations[..., parents, :], body.bones[missing])
    for number, (joint, parent) in enumerate(zip(missing, parents, strict=True)):
        follows = merged.position_valid[..., parent] & merged.rotation_valid[..., parent]
        follows &= ~merged.position_valid[..., joint]
        place = merged.positions[..., parent, :] + steps[..., number, :]
        merged.positions[..., joint, :] = np.where(follows[..., None], place, merged.positions[..., joint, :])
        merged.position_valid[..., joint] |= follows


def _first(values: Sequence[T | None], rank: NDArray[np.int64]) -> T | None:
    """The value of the best-ranked observation for the head that has one."""
    known = [number for number, value in enumerate(values) if value is not None]
    return values[max(known, key=lambda number: rank[number, _HEAD])] if known else None
