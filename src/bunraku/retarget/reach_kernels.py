"""Where a robot's hands are wanted: the person's places in the space around the shoulders, brought to the robot's
build; compiled.

One map for both hands: the plane between the shoulders stays where it is, each shoulder goes to the robot's, and what
lies beyond a shoulder, before it or above it is scaled as the arm. So hands that meet in the person meet on the robot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.contacts import FEET
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics.jit import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_SHOULDER = np.array([INDEX[f"{side}_upper_arm"] for side in SIDES], np.int32)
_ELBOW = np.array([INDEX[f"{side}_forearm"] for side in SIDES], np.int32)
_WRIST = np.array([INDEX[f"{side}_hand"] for side in SIDES], np.int32)
_STRETCHED = 0.995
"""of an arm's length: no hand is wanted further from its shoulder"""


class Reach(NamedTuple):
    """The arms whose hands have a place to go to, A of them; none where directions alone count."""

    task: Ints
    """(A,) the vector task from the middle of the robot's shoulders to the hand"""
    side: Ints
    """(A,) row of `SIDES`"""
    of_task: Ints
    """(K,) the row of the arm that a direction task belongs to, -1 for none"""
    weight: float
    """per m²"""
    guide: float
    """what is left of the weight of an arm's directions where the place of its hand is known"""
    person_arm: float
    """m, shoulder to the middle of the hand"""
    person_half: float
    """m, half of the way from shoulder to shoulder"""
    palm: Array
    """(2, 3) the middle of each hand from the wrist, canonical pose, m"""
    robot_arm: Array
    """(A,) m, shoulder to the middle of the hand along the arm"""
    robot_half: Array
    """(A,) m"""


@kernel
def _middle_of_hand(reach, side, positions, rotations, position_valid, rotation_valid, out):
    """The middle of a hand, into `out` (3,): ahead of the wrist as the hand is turned, else along the forearm."""
    wrist, elbow = _WRIST[side], _ELBOW[side]
    x, y, z = reach.palm[side, 0], reach.palm[side, 1], reach.palm[side, 2]
    for k in range(3):
        out[k] = positions[wrist, k]
    if rotation_valid[wrist]:
        w, i, j, k = rotations[wrist, 0], rotations[wrist, 1], rotations[wrist, 2], rotations[wrist, 3]
        u, v, t = 2 * (j * z - k * y), 2 * (k * x - i * z), 2 * (i * y - j * x)
        out[0] += x + w * u + j * t - k * v
        out[1] += y + w * v + k * u - i * t
        out[2] += z + w * t + i * v - j * u
    elif position_valid[elbow]:
        length = 0.0
        for a in range(3):
            length += (positions[wrist, a] - positions[elbow, a]) ** 2
        ahead = np.sqrt((x * x + y * y + z * z) / max(length, 1e-9))
        for a in range(3):
            out[a] += ahead * (positions[wrist, a] - positions[elbow, a])


@kernel
def fill_reaches(reach, positions, rotations, position_valid, rotation_valid, robot_from_person, targets, work):
    """Where the hands are wanted, as ways from the middle of the shoulders; directions guide those arms only.

    An arm whose hand or shoulders the pose does not know keeps its directions. `robot_from_person` (3, 3) turns the
    person's world into the robot's.
    """
    if len(reach.task) == 0:
        return
    value, weight, hand, aside = targets.value, targets.weight, work.vectors[0], work.vectors[1]
    left, right = _SHOULDER[0], _SHOULDER[1]
    width = 0.0
    for k in range(3):
        aside[k] = positions[left, k] - positions[right, k]
        width += aside[k] * aside[k]
    width = np.sqrt(width)
    seen = position_valid[left] and position_valid[right] and width > 1e-3
    for arm in range(len(reach.task)):
        side, task = reach.side[arm], reach.task[arm]
        known = seen and position_valid[_WRIST[side]]
        for k in range(3):
            weight[task, k] = reach.weight if known else 0.0
        if not known:
            continue
        for t in range(len(reach.of_task)):
            if reach.of_task[t] == arm:
                for k in range(3):
                    weight[t, k] *= reach.guide
        _middle_of_hand(reach, side, positions, rotations, position_valid, rotation_valid, hand)
        lateral = 0.0
        for k in range(3):
            hand[k] -= 0.5 * (positions[left, k] + positions[right, k])
            lateral += hand[k] * aside[k] / width
        scale, half = reach.robot_arm[arm] / reach.person_arm, reach.robot_half[arm]
        beyond = max(abs(lateral) - reach.person_half, 0.0)
        across = np.sign(lateral) * ((abs(lateral) - beyond) * half / reach.person_half + scale * beyond)
        shoulder, length = (half if side == 0 else -half), 0.0
        for k in range(3):
            hand[k] = scale * (hand[k] - lateral * aside[k] / width) + (across - shoulder) * aside[k] / width
            length += hand[k] * hand[k]
        shorter = min(1.0, _STRETCHED * reach.robot_arm[arm] / max(np.sqrt(length), 1e-9))
        for k in range(3):
            hand[k] = shorter * hand[k] + shoulder * aside[k] / width
        for i in range(3):
            value[task, 0, i] = 0.0
            for k in range(3):
                value[task, 0, i] += robot_from_person[i, k] * hand[k]


@kernel
def yield_to_ground(reach, firm, targets):
    """A hand that rests on the ground, by how `firm` (8,) its patch is, is led by its contact."""
    for arm in range(len(reach.task)):
        for k in range(3):
            targets.weight[reach.task[arm], k] *= 1.0 - firm[FEET + reach.side[arm]]
