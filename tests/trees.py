"""Random kinematic trees for tests of the numeric kernels."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics import rotations
from bunraku.kinematics.tree import HINGE, SLIDE, KinematicTree


def random_tree(generator: np.random.Generator, joints: int, *, free_base: bool, followers: int = 0) -> KinematicTree:
    """A tree with random shape, offsets and axes, one slide among the hinges, the last joints followers."""
    N = joints + 1
    parent = np.array([-1, *(max(0, i - 1 - int(generator.integers(0, 3))) for i in range(1, N))], np.int32)
    kind = np.full(N, HINGE, np.int8)
    kind[0] = 0
    if joints > 3:
        kind[3] = SLIDE
    axis = generator.normal(size=(N, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    leader = np.arange(joints, dtype=np.int32)
    ratio, offset = np.ones(joints), np.zeros(joints)
    for k in range(followers):
        joint = joints - 1 - k
        leader[joint], ratio[joint], offset[joint] = k, generator.uniform(-1.5, 1.5), generator.uniform(-0.2, 0.2)
    return KinematicTree(
        parent, kind, axis, generator.uniform(-0.3, 0.3, (N, 3)),
        rotations.to_matrix(rotations.normalize(generator.normal(size=(N, 4)))), leader, ratio, offset, free_base,
    )  # fmt: skip


def random_qpos(generator: np.random.Generator, tree: KinematicTree, spread: float = 1.0) -> np.ndarray:
    """A configuration with followers in place and a unit quaternion."""
    qpos = generator.uniform(-spread, spread, tree.qpos_size)
    if tree.free_base:
        qpos[3:7] = rotations.normalize(generator.normal(size=4))
    return tree.with_followers(qpos)
