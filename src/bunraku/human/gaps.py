"""Hips that are lost for a while: in a recording the way between is filled in; live, who comes back comes back gently.

A robot's base has no limit of speed as its joints have: hips that jump would make it jump.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from bunraku.human.pose import HumanMotion, HumanPose
from bunraku.kinematics import rotations

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

TURN_SPEED = 2.0
"""rad/s, at which a person who came back turned is turned to where they are"""
SHORT_S = 0.1
"""hips that were lost for no longer go on as if they had been seen"""
_HIPS = 0
_ARRIVED_RAD = 1e-3


def without_gaps(motion: HumanMotion) -> HumanMotion:
    """The same motion with the hips known in every frame, if they are in any: between frames that know them they go
    straight on, before the first and after the last they rest."""
    placed, turned = motion.position_valid[:, _HIPS], motion.rotation_valid[:, _HIPS]
    if not len(motion) or ((placed.all() or not placed.any()) and (turned.all() or not turned.any())):
        return motion
    positions, turns = motion.positions.copy(), motion.rotations.copy()
    position_valid, rotation_valid = motion.position_valid.copy(), motion.rotation_valid.copy()
    frames = np.arange(len(motion))
    if placed.any():
        for axis in range(3):
            positions[:, _HIPS, axis] = np.interp(frames, frames[placed], positions[placed, _HIPS, axis])
        position_valid[:, _HIPS] = True
    if turned.any():
        known = frames[turned]
        after = np.minimum(np.searchsorted(known, frames), len(known) - 1)
        before = np.maximum(after - (known[after] > frames), 0)
        span = np.maximum(known[after] - known[before], 1)
        share = np.clip((frames - known[before]) / span, 0.0, 1.0)
        ends = turns[known[before], _HIPS], turns[known[after], _HIPS]
        turns[:, _HIPS] = np.where(turned[:, None], turns[:, _HIPS], rotations.slerp(*ends, share))
        rotation_valid[:, _HIPS] = True
    return replace(
        motion, positions=positions, rotations=turns, position_valid=position_valid, rotation_valid=rotation_valid
    )


@dataclass(eq=False)
class Sight:
    """What is remembered of the hips from pose to pose; a state of the mapper's."""

    place: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) where they were last, shifted"""
    turn: Array = field(default_factory=lambda: rotations.IDENTITY.copy())
    """(4,) how they were turned last, with the turn that is still taken back"""
    shift: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) of all positions, over the floor"""
    offset: Array = field(default_factory=lambda: rotations.IDENTITY.copy())
    """(4,) turn about the hips that is taken back bit by bit"""
    started: bool = False
    placed: bool = False
    """whether they had a place before"""
    turned: bool = False
    """and a turn"""
    unplaced_s: float = 0.0
    unturned_s: float = 0.0


def gently(pose: HumanPose, sight: Sight, dt_s: float) -> HumanPose:
    """The pose, finite where it is valid. Hips whose turn is lost stay turned as they were; after a gap the person is
    shifted to where they were last seen, and turned back to how they were then, ever less so."""
    pose = _finite(pose)
    placed, turned = bool(pose.position_valid[_HIPS]), bool(pose.rotation_valid[_HIPS])
    if not sight.started:
        # A robot that has never seen the hips of its person goes on from how it stands.
        sight.started, sight.unturned_s = True, 0.0 if turned else np.inf
    if placed:
        if sight.placed and sight.unplaced_s > SHORT_S:
            sight.shift[:2] = sight.place[:2] - pose.positions[_HIPS, :2]
        sight.placed, sight.unplaced_s = True, 0.0
    elif sight.placed:
        sight.unplaced_s += dt_s
    if turned:
        if sight.unturned_s > SHORT_S:
            sight.offset = rotations.multiply(sight.turn, rotations.inverse(pose.rotations[_HIPS]))
        elif sight.offset[0] < 1.0:
            left = rotations.log(rotations.canonical(sight.offset))
            angle = float(np.linalg.norm(left))
            rest = max(angle - TURN_SPEED * dt_s, 0.0)
            sight.offset = rotations.exp(left * rest / angle) if rest > _ARRIVED_RAD else rotations.IDENTITY.copy()
        sight.turned, sight.unturned_s = True, 0.0
    else:
        sight.unturned_s += dt_s
    pose = _moved(pose, sight)
    if placed:
        sight.place[:] = pose.positions[_HIPS]
    if turned:
        sight.turn[:] = pose.rotations[_HIPS]
    return pose if turned or not sight.turned else _turned_as_before(pose, sight)


def _moved(pose: HumanPose, sight: Sight) -> HumanPose:
    positions, turns = pose.positions, pose.rotations
    if sight.offset[0] < 1.0:
        centre = positions[_HIPS] if pose.position_valid[_HIPS] else sight.place - sight.shift
        positions = centre + rotations.rotate(sight.offset, positions - centre)
        turns = rotations.multiply(sight.offset, turns)
    if sight.shift[0] != 0.0 or sight.shift[1] != 0.0:
        positions = positions + sight.shift
    return (
        pose
        if positions is pose.positions and turns is pose.rotations
        else replace(pose, positions=positions, rotations=turns)
    )


def _turned_as_before(pose: HumanPose, sight: Sight) -> HumanPose:
    turns, valid = pose.rotations.copy(), pose.rotation_valid.copy()
    turns[_HIPS], valid[_HIPS] = sight.turn, True
    return replace(pose, rotations=turns, rotation_valid=valid)


def _finite(pose: HumanPose) -> HumanPose:
    # A sum is finite only where all of it is, and it is found in half the time.
    if isfinite(float(pose.positions.sum()) + float(pose.rotations.sum())):
        return pose
    placed = np.asarray(np.isfinite(pose.positions).all(axis=-1))
    turned = np.asarray(np.isfinite(pose.rotations).all(axis=-1))
    return replace(
        pose,
        positions=np.where(placed[:, None], pose.positions, 0.0),
        rotations=np.where(turned[:, None], pose.rotations, rotations.IDENTITY),
        position_valid=pose.position_valid & placed,
        rotation_valid=pose.rotation_valid & turned,
    )
