"""Forward kinematics of one configuration and of many, compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel


@kernel
def forward_kinematics(parent, joint_type, axis, position, rotation, free_base, qpos, out_position, out_rotation):
    """Poses of all nodes for one configuration, written into `out_position` (N, 3) and `out_rotation` (N, 3, 3)."""
    first = 0
    if free_base:
        first = 7
        w, x, y, z = qpos[3], qpos[4], qpos[5], qpos[6]
        s = 2.0 / max(w * w + x * x + y * y + z * z, 1e-300)
        for k in range(3):
            out_position[0, k] = qpos[k]
        R = out_rotation[0]
        R[0, 0] = 1 - s * (y * y + z * z)
        R[0, 1] = s * (x * y - w * z)
        R[0, 2] = s * (x * z + w * y)
        R[1, 0] = s * (x * y + w * z)
        R[1, 1] = 1 - s * (x * x + z * z)
        R[1, 2] = s * (y * z - w * x)
        R[2, 0] = s * (x * z - w * y)
        R[2, 1] = s * (y * z + w * x)
        R[2, 2] = 1 - s * (x * x + y * y)
    else:
        for i in range(3):
            out_position[0, i] = position[0, i]
            for j in range(3):
                out_rotation[0, i, j] = rotation[0, i, j]
    for node in range(1, len(parent)):
        p = parent[node]
        P = out_rotation[p]
        L = rotation[node]
        R = out_rotation[node]
        q = qpos[first + node - 1]
        for i in range(3):
            out_position[node, i] = (
                out_position[p, i]
                + P[i, 0] * position[node, 0]
                + P[i, 1] * position[node, 1]
                + P[i, 2] * position[node, 2]
            )
        ax, ay, az = axis[node, 0], axis[node, 1], axis[node, 2]
        if joint_type[node] == 1:
            c, s = np.cos(q), np.sin(q)
            t = 1 - c
            j00, j01, j02 = c + t * ax * ax, t * ax * ay - s * az, t * ax * az + s * ay
            j10, j11, j12 = t * ax * ay + s * az, c + t * ay * ay, t * ay * az - s * ax
            j20, j21, j22 = t * ax * az - s * ay, t * ay * az + s * ax, c + t * az * az
            for i in range(3):
                a = P[i, 0] * L[0, 0] + P[i, 1] * L[1, 0] + P[i, 2] * L[2, 0]
                b = P[i, 0] * L[0, 1] + P[i, 1] * L[1, 1] + P[i, 2] * L[2, 1]
                d = P[i, 0] * L[0, 2] + P[i, 1] * L[1, 2] + P[i, 2] * L[2, 2]
                R[i, 0] = a * j00 + b * j10 + d * j20
                R[i, 1] = a * j01 + b * j11 + d * j21
                R[i, 2] = a * j02 + b * j12 + d * j22
        else:
            for i in range(3):
                for j in range(3):
                    R[i, j] = P[i, 0] * L[0, j] + P[i, 1] * L[1, j] + P[i, 2] * L[2, j]
                out_position[node, i] += q * (R[i, 0] * ax + R[i, 1] * ay + R[i, 2] * az)


@kernel
def forward_many(parent, joint_type, axis, position, rotation, free_base, qpos, out_position, out_rotation):
    for t in range(len(qpos)):
        forward_kinematics(parent, joint_type, axis, position, rotation, free_base,
                           qpos[t], out_position[t], out_rotation[t])  # fmt: skip
