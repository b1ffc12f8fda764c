"""How far a person's fingers are curled: from their rotations, else from the angles between their segments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import ADULT_BONES, FINGERS, INDEX, SIDES

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FIST_RAD = (1.40, 1.65, 0.90)
"""bend of knuckle, middle and last joint of a finger in a fist"""
FIST_THUMB_RAD = (0.55, 0.75, 0.95)
THUMB_BENDS_TOWARDS = (-0.60, 0.45, -0.66)
"""way that a left thumb's tip goes in the canonical pose: across the palm"""

_BLOCK = 1024  # frames worked on at once: their arrays stay in the cache
_NAMES = [[[f"{s}_hand", *(f"{s}_{f}_{p}" for p in ("1", "2", "3", "tip"))] for f in FINGERS] for s in SIDES]
_CHAIN = np.array([[[INDEX[name] for name in names] for names in hand] for hand in _NAMES])
"""(2, 5, 5) hand, three segments and tip of each finger"""
_FIST = np.array([FIST_THUMB_RAD] + [FIST_RAD] * 4)
"""(5, 3)"""


def _axes() -> Array:
    """(2, 5, 3) axes, canonical pose, about which a positive turn curls each finger."""
    thumb_way = ADULT_BONES[INDEX["left_thumb_2"]]
    thumb = np.cross(thumb_way, THUMB_BENDS_TOWARDS)
    left = np.array([thumb / np.linalg.norm(thumb)] + [[-1.0, 0.0, 0.0]] * 4)
    return np.stack([left, left * [-1.0, 1.0, -1.0]])


def _rest_cosine() -> Array:
    """(2, 5, 3) cosine of the angle at each joint of a straight finger: knuckles fan out from the wrist."""
    way = ADULT_BONES[_CHAIN[..., 1:]]
    way = way / np.linalg.norm(way, axis=-1, keepdims=True)
    return np.asarray(np.sum(way[..., :-1, :] * way[..., 1:, :], axis=-1))


def _along() -> Array:
    """(2, 5, 4, 4) matrices M with a·M·b the part of conj(a)·b, quaternions, along each finger's axis."""
    x, y, z = np.moveaxis(_axes(), -1, 0)
    o = np.zeros_like(x)
    rows = [[o, x, y, z], [-x, o, -z, y], [-y, z, o, -x], [-z, -y, x, o]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


_ALONG, _REST_COSINE = _along(), _rest_cosine()


def curls(positions: Array, rotations: Array, position_valid: Flags, rotation_valid: Flags) -> tuple[Array, Flags]:
    """Curl of both hands' fingers `(T, 2, 5)`, 0 straight … 1 a fist, and whether it is known.

    Takes the arrays of a `HumanMotion`: `(T, J, 3)`, `(T, J, 4)`, `(T, J)`, `(T, J)`. A curl is the bend of those
    joints of a finger that are known, as a share of theirs in a fist; bending back counts as straight.
    """
    T = len(positions)
    curl, known = np.zeros((T, 2, len(FINGERS))), np.zeros((T, 2, len(FINGERS)), bool)
    for start in range(0, T, _BLOCK):
        part = slice(start, start + _BLOCK)
        bend, joints = _bends(positions[part], rotations[part], position_valid[part], rotation_valid[part])
        known[part] = joints.any(axis=-1)
        most = np.where(known[part], np.einsum("tsfj,fj->tsf", joints, _FIST), 1.0)
        curl[part] = np.clip(bend.sum(axis=-1) / most, 0.0, 1.0)
    return curl, known


def _bends(positions: Array, rotations: Array, position_valid: Flags, rotation_valid: Flags) -> tuple[Array, Flags]:
    """(T, 2, 5, 3) bend of each joint, rad, zero where it is not known, and whether it is."""
    known = _pairs(rotation_valid[:, _CHAIN[..., :-1]])
    bend = np.zeros(known.shape)
    with np.errstate(invalid="ignore"):  # what is not valid may be anything
        if known.any():
            bend = _turns(rotations)
        if not known.all():
            placed = position_valid[:, _CHAIN]
            placed = _pairs(placed[..., :-1]) & placed[..., 2:] & ~known
            placed[:, :, 0, 0] = False  # the angle at a thumb's root says more of its spread than of its curl
            if placed.any():
                angles, exists = _angles(positions)
                bend = np.where(placed, angles, bend)
                known |= placed & exists
    known &= np.isfinite(bend)
    return np.where(known, bend, 0.0), known


def _pairs(flags: Flags) -> Flags:
    """Whether a joint and its parent are both known."""
    return np.asarray(flags[..., :-1] & flags[..., 1:])


def _turns(rotations: Array) -> Array:
    """(T, 2, 5, 3) turn of each segment against the one before, about the axis that curls the finger."""
    chain = rotations[:, _CHAIN[..., :-1]]
    a, b = chain[..., :-1, :], chain[..., 1:, :]
    w = np.einsum("...i,...i->...", a, b)
    along = np.einsum("...i,...i->...", a @ _ALONG, b)
    return np.asarray(2 * np.arctan2(np.where(w < 0, -along, along), np.abs(w)))


def _angles(positions: Array) -> tuple[Array, Flags]:
    """(T, 2, 5, 3) angle at each joint beyond that of a straight finger, and whether its bones have a length."""
    chain = positions[:, _CHAIN]
    bones = chain[..., 1:, :] - chain[..., :-1, :]
    length = np.sqrt(_dot(bones, bones))
    both = length[..., :-1] * length[..., 1:]
    exists = both > 1e-8
    cosine = _dot(bones[..., :-1, :], bones[..., 1:, :]) / np.where(exists, both, 1.0)
    # A bend across the fan multiplies the cosine of the fan's angle with its own.
    return np.arccos(np.clip(cosine / _REST_COSINE, -1.0, 1.0)), exists


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2])
