"""How far a person's fingers are curled: from their rotations, else from the angles between their segments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import ADULT_BONES, FINGERS, INDEX, SIDES
from bunraku.retarget.curl_kernels import Fingers, curl_frames

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FIST_RAD = (1.40, 1.65, 0.90)
"""bend of knuckle, middle and last joint of a finger in a fist"""
FIST_THUMB_RAD = (0.55, 0.75, 0.95)
THUMB_BENDS_TOWARDS = (-0.60, 0.45, -0.66)
"""way that a left thumb's tip goes in the canonical pose: across the palm"""

_NAMES = [[f"{s}_hand", *(f"{s}_{f}_{p}" for p in ("1", "2", "3", "tip"))] for s in SIDES for f in FINGERS]
CHAIN = np.array([[INDEX[name] for name in names] for names in _NAMES], np.int32)
"""(10, 5) wrist, three segments and tip of each finger"""


def _axes() -> Array:
    """(10, 3) axes, canonical pose, about which a positive turn curls each finger."""
    thumb_way = ADULT_BONES[INDEX["left_thumb_2"]]
    thumb = np.cross(thumb_way, THUMB_BENDS_TOWARDS)
    left = np.array([thumb / np.linalg.norm(thumb)] + [[-1.0, 0.0, 0.0]] * 4)
    return np.concatenate([left, left * [-1.0, 1.0, -1.0]])


def _rest_cosine() -> Array:
    """(10, 3) cosine of the angle at each joint of a straight finger: knuckles fan out from the wrist."""
    way = ADULT_BONES[CHAIN[:, 1:]]
    way = way / np.linalg.norm(way, axis=-1, keepdims=True)
    return np.asarray(np.sum(way[:, :-1] * way[:, 1:], axis=-1))


PERSON = Fingers(CHAIN, _axes(), _rest_cosine(), np.array(([FIST_THUMB_RAD] + [FIST_RAD] * 4) * len(SIDES)))
"""what compiled code knows of a person's fingers"""


def curls(positions: Array, rotations: Array, position_valid: Flags, rotation_valid: Flags) -> tuple[Array, Flags]:
    """Curl of both hands' fingers `(T, 2, 5)`, 0 straight … 1 a fist, and whether it is known.

    Takes the arrays of a `HumanMotion`: `(T, J, 3)`, `(T, J, 4)`, `(T, J)`, `(T, J)`. A curl is the bend of those
    joints of a finger that are known, as a share of theirs in a fist; bending back counts as straight.
    """
    shape = (len(positions), len(SIDES), len(FINGERS))
    curl, known = np.empty((shape[0], len(CHAIN))), np.empty((shape[0], len(CHAIN)), bool)
    curl_frames(PERSON, positions, rotations, position_valid, rotation_valid, curl, known)
    return curl.reshape(shape), known.reshape(shape)
