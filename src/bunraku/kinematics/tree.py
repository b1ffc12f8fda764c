"""A kinematic tree as flat arrays, and its forward kinematics and Jacobians.

Node 0 is the base, node i + 1 hangs on joint i; parents come before children. A node's frame sits on its joint's axis.
`qpos` is what robots speak: for a free base `x y z qw qx qy qz` then the joints, else the joints alone.
Velocities have six entries for a free base (linear, then angular, both in world axes), then one for each joint.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel

Array = NDArray[np.float64]
HINGE, SLIDE = 1, 2


@dataclass(frozen=True, eq=False)
class KinematicTree:
    """N = n + 1 nodes for n joints. All arrays are read-only."""

    parent: NDArray[np.int32]
    """(N,) parent node, -1 for the base."""
    joint_type: NDArray[np.int8]
    """(N,) HINGE or SLIDE; 0 for the base."""
    axis: Array
    """(N, 3) unit axis of the joint in the node's own frame."""
    position: Array
    """(N, 3) origin of the node in its parent's frame at joint value zero; for a fixed base its place in the world."""
    rotation: Array
    """(N, 3, 3) parent_from_node at joint value zero; for a fixed base world_from_base."""
    leader: NDArray[np.int32]
    """(n,) the joint that this one follows; its own index where it is independent."""
    ratio: Array
    """(n,) q = ratio · q[leader] + offset; 1 where independent."""
    offset: Array
    """(n,) see ratio; 0 where independent."""
    free_base: bool = True
    independent: NDArray[np.int32] = field(init=False)
    """(m,) the joints that are their own leaders."""

    def __post_init__(self) -> None:
        n = len(self.leader)
        if len(self.parent) != n + 1 or np.any(self.parent[1:] >= np.arange(1, n + 1)) or np.any(self.parent[1:] < 0):
            raise ValueError("parents must come before their children")
        if np.any(self.leader[self.leader] != self.leader):
            raise ValueError("a leader must not follow another joint")
        independent = np.flatnonzero(self.leader == np.arange(n)).astype(np.int32)
        object.__setattr__(self, "independent", independent)
        for name in ("parent", "joint_type", "axis", "position", "rotation", "leader", "ratio", "offset", "independent"):
            array = np.ascontiguousarray(getattr(self, name))
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def joint_count(self) -> int:
        """n"""
        return len(self.leader)

    @property
    def qpos_size(self) -> int:
        """Length of a configuration: n, and 7 more for a free base."""
        return self.joint_count + (7 if self.free_base else 0)

    @property
    def velocity_size(self) -> int:
        """Length of a velocity: n, and 6 more for a free base."""
        return self.joint_count + (6 if self.free_base else 0)

    def with_followers(self, qpos: Array) -> Array:
        """The same configuration(s) `(…, nq)` with every following joint put where its leader demands."""
        joints = qpos[..., -self.joint_count :] if self.joint_count else qpos[..., :0]
        out = qpos.copy()
        out[..., qpos.shape[-1] - self.joint_count :] = self.ratio * joints[..., self.leader] + self.offset
        return out

    def forward(self, qpos: Array) -> tuple[Array, Array]:
        """World positions `(…, N, 3)` and rotations `(…, N, 3, 3)` of all nodes for configurations `(…, nq)`."""
        flat = np.ascontiguousarray(qpos, dtype=float).reshape(-1, self.qpos_size)
        N = len(self.parent)
        positions, rotations = np.empty((len(flat), N, 3)), np.empty((len(flat), N, 3, 3))
        _forward_many(self.parent, self.joint_type, self.axis, self.position, self.rotation, self.free_base,
                      flat, positions, rotations)  # fmt: skip
        lead = np.shape(qpos)[:-1]
        return positions.reshape(*lead, N, 3), rotations.reshape(*lead, N, 3, 3)

    def jacobian(self, qpos: Array, node: int, point: Array) -> Array:
        """`(6, nv)`: linear velocity of a point fixed to the node (given in its frame), and angular velocity, world axes.

        Each joint has its own column; followers are not folded into their leaders.
        """
        positions, rotations = self.forward(qpos)
        out = np.zeros((6, self.velocity_size))
        at = positions[node] + rotations[node] @ np.asarray(point, float)
        base = 6 if self.free_base else 0
        if self.free_base:
            arm = at - positions[0]
            out[:3, :3] = np.eye(3)
            out[:3, 3:6] = -_skew(arm)
            out[3:, 3:6] = np.eye(3)
        while node > 0:
            axis = rotations[node] @ self.axis[node]
            if self.joint_type[node] == HINGE:
                out[:3, base + node - 1] = np.cross(axis, at - positions[node])
                out[3:, base + node - 1] = axis
            else:
                out[:3, base + node - 1] = axis
            node = int(self.parent[node])
        return out


def _skew(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@kernel
def forward_kinematics(parent, joint_type, axis, position, rotation, free_base, qpos, out_position, out_rotation):  # type: ignore[no-untyped-def]
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
def _forward_many(parent, joint_type, axis, position, rotation, free_base, qpos, out_position, out_rotation):  # type: ignore[no-untyped-def]
    for t in range(len(qpos)):
        forward_kinematics(parent, joint_type, axis, position, rotation, free_base,
                           qpos[t], out_position[t], out_rotation[t])  # fmt: skip
