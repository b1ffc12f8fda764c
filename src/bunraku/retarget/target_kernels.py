"""From human poses to the solver's targets; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel, part
from bunraku.retarget.reach_kernels import Reach, fill_reaches

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


class HumanSide(NamedTuple):
    """The person's part of the problem, as compiled code sees it."""

    joint: Ints
    """(K, 2) for each task: a bone from the first joint to the second, or a segment, twice"""
    bone: Array
    """(K, 3) canonical direction, for poses that know rotations alone"""
    weight: Array
    """(K, 3) for each axis of the world"""
    reference: int
    """joint whose frame stands for a fixed base, -1 for the world"""
    world_from_body: Array
    """(3, 3) for a fixed base: how the robot faces"""
    reach: Reach
    """hands that have a place to go to"""


@part
def _matrix(q, joint, out):
    """Rotation matrix of one joint's quaternion, into `out` (3, 3)."""
    w, x, y, z = q[joint, 0], q[joint, 1], q[joint, 2], q[joint, 3]
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def _face_the_reference(human, rotations, rotation_valid, A, M):
    """What turns the person's world into the robot's, into A (3, 3); M is scratch."""
    world_from_body, reference = human.world_from_body, human.reference
    for i in range(3):
        for j in range(3):
            A[i, j] = world_from_body[i, j] if reference >= 0 else (1.0 if i == j else 0.0)
    if reference >= 0 and rotation_valid[reference]:
        _matrix(rotations, reference, M)
        for i in range(3):
            for j in range(3):
                A[i, j] = 0.0
                for k in range(3):
                    A[i, j] += world_from_body[i, k] * M[j, k]


@kernel
def fill_targets(tasks, human, positions, rotations, position_valid, rotation_valid, targets, work):
    """Directions, orientations and hands' places of one pose; what the pose does not know gets weight zero."""
    A, M = work.frame, work.matrix
    _face_the_reference(human, rotations, rotation_valid, A, M)
    joints, bones, weights, kind = human.joint, human.bone, human.weight, tasks.kind
    value, weight = targets.value, targets.weight
    for t in range(len(joints)):
        a, b = joints[t, 0], joints[t, 1]
        known = rotation_valid[a]
        if kind[t] == 0:
            x = positions[b, 0] - positions[a, 0]
            y = positions[b, 1] - positions[a, 1]
            z = positions[b, 2] - positions[a, 2]
            length = np.sqrt(x * x + y * y + z * z)
            if position_valid[a] and position_valid[b] and length > 1e-3:
                known = True
                x, y, z = x / length, y / length, z / length
            elif known:
                _matrix(rotations, a, M)
                x = M[0, 0] * bones[t, 0] + M[0, 1] * bones[t, 1] + M[0, 2] * bones[t, 2]
                y = M[1, 0] * bones[t, 0] + M[1, 1] * bones[t, 1] + M[1, 2] * bones[t, 2]
                z = M[2, 0] * bones[t, 0] + M[2, 1] * bones[t, 1] + M[2, 2] * bones[t, 2]
            for k in range(3):
                value[t, 0, k] = A[k, 0] * x + A[k, 1] * y + A[k, 2] * z
        else:
            _matrix(rotations, a, M)
            for i in range(3):
                for j in range(3):
                    value[t, i, j] = A[i, 0] * M[0, j] + A[i, 1] * M[1, j] + A[i, 2] * M[2, j]
        for k in range(3):
            weight[t, k] = weights[t, k] if known else 0.0
    fill_reaches(human.reach, positions, rotations, position_valid, rotation_valid, A, targets, work)
