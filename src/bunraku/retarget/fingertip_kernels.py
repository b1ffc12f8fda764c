"""Where a person's fingers are, seen from the hand: from positions, else from rotations; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel
from bunraku.retarget.follow_kernels import matrix_of


@kernel
def knuckle_frame(wrist, index, middle, little, sign, out):
    """Columns of `out` (3, 3): across the knuckles to the index, along the hand (for a right hand against it), the
    back of the hand. False where the points span no frame."""
    n = 0.0
    for k in range(3):
        out[k, 1] = sign * (middle[k] - wrist[k])
        n += out[k, 1] ** 2
    n = np.sqrt(n)
    if not (n > 1e-3 and n < 1e3):
        return False
    along = 0.0
    for k in range(3):
        out[k, 1] /= n
        along += out[k, 1] * (index[k] - little[k])
    n = 0.0
    for k in range(3):
        out[k, 0] = index[k] - little[k] - along * out[k, 1]
        n += out[k, 0] ** 2
    n = np.sqrt(n)
    if not (n > 1e-3 and n < 1e3):
        return False
    for k in range(3):
        out[k, 0] /= n
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        out[k, 2] = out[i, 0] * out[j, 1] - out[j, 0] * out[i, 1]
    return True


@kernel
def hand_frame(side, knuckles, chain, positions, rotations, position_valid, rotation_valid, R, F):
    """world_from_hand into `R` by the knuckles, else by the hand's own rotation; false where neither is known.

    `knuckles` (3, 3) is the frame that those of this hand span in the canonical pose; F (3, 3) is scratch.
    """
    first = 5 * side
    wrist, index, middle, little = chain[first, 0], chain[first + 1, 1], chain[first + 2, 1], chain[first + 4, 1]
    if position_valid[wrist] and position_valid[index] and position_valid[middle] and position_valid[little]:
        sign = 1.0 if side == 0 else -1.0
        if knuckle_frame(positions[wrist], positions[index], positions[middle], positions[little], sign, F):
            for i in range(3):
                for j in range(3):
                    R[i, j] = 0.0
                    for k in range(3):
                        R[i, j] += F[i, k] * knuckles[j, k]
            return True
    if rotation_valid[wrist]:
        matrix_of(rotations[wrist], R)
        return True
    return False


@kernel
def finger_points(row, bones, R, positions, rotations, position_valid, rotation_valid, P, M):
    """Wrist, segments and tip of a finger (joints `row`) in the hand's frame `R` into `P` (5, 3); false if not known.

    By the positions, else by the rotations and `bones` (J, 3), a person's in the canonical pose; M (3, 3) is scratch.
    """
    placed, turned = True, True
    for n in range(5):
        placed = placed and position_valid[row[n]]
        turned = turned and (n in (0, 4) or rotation_valid[row[n]])
    if not (placed or turned):
        return False
    for k in range(3):
        P[0, k] = 0.0
    for n in range(1, 5):
        if not placed and n > 1:
            matrix_of(rotations[row[n - 1]], M)
        for k in range(3):
            P[n, k] = 0.0 if placed else P[n - 1, k]
            if not placed and n == 1:
                P[n, k] = bones[row[n], k]
        for j in range(3):
            if placed:
                away = positions[row[n], j] - positions[row[0], j]
            elif n > 1:
                bone = bones[row[n]]
                away = M[j, 0] * bone[0] + M[j, 1] * bone[1] + M[j, 2] * bone[2]
            else:
                away = 0.0
            for k in range(3):
                P[n, k] += R[j, k] * away
    for k in range(3):
        if not abs(P[4, k]) < 1.0:
            return False
    return finger_length(P) > 1e-3


@kernel
def finger_length(P):
    """Knuckle to tip along the segments."""
    total = 0.0
    for n in range(2, 5):
        total += np.sqrt((P[n, 0] - P[n - 1, 0]) ** 2 + (P[n, 1] - P[n - 1, 1]) ** 2 + (P[n, 2] - P[n - 1, 2]) ** 2)
    return total
