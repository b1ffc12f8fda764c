"""A kinematic tree as flat arrays, and its forward kinematics and Jacobians.

Node 0 is the base, node i + 1 hangs on joint i; parents come before children. A node's frame sits on its joint's axis.
`qpos` is what robots speak: for a free base `x y z qw qx qy qz` then the joints, else the joints alone.
Velocities have six entries for a free base (linear, then angular, both in world axes), then one for each joint.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.kernels import forward_many

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
        for name in (
            "parent",
            "joint_type",
            "axis",
            "position",
            "rotation",
            "leader",
            "ratio",
            "offset",
            "independent",
        ):
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
        forward_many(self.parent, self.joint_type, self.axis, self.position, self.rotation, self.free_base,
                      flat, positions, rotations)  # fmt: skip
        lead = np.shape(qpos)[:-1]
        return positions.reshape(*lead, N, 3), rotations.reshape(*lead, N, 3, 3)

    def jacobian(self, qpos: Array, node: int, point: Array) -> Array:
        """`(6, nv)`: linear velocity of a point fixed to the node (given in its frame), then angular, in world axes.

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
