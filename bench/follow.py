"""The project's own solver on poses of links, frame after frame in one compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.problem import (
    NO_BODIES,
    Limits,
    build_tasks,
    make_targets,
    make_workspace,
    tree_arrays,
)
from bunraku.kinematics.solver import solve
from bunraku.kinematics.tree import KinematicTree


@kernel
def _frames(tree, tasks, targets, bodies, limits, positions, rotations, qpos, work, steps, out):
    """Each frame from the last; rotations (T, K, 3, 3) are the first K tasks, positions (T, K, 3) the others."""
    K = positions.shape[1]
    for t in range(len(out)):
        for k in range(K):
            for i in range(3):
                targets.value[K + k, 0, i] = positions[t, k, i]
                for j in range(3):
                    targets.value[k, i, j] = rotations[t, k, i, j]
        solve(tree, tasks, targets, bodies, limits, qpos, work, steps, 0.0)
        for i in range(len(qpos)):
            out[t, i] = qpos[i]


def follower(
    tree: KinematicTree,
    limits: Limits,
    links: Sequence[tuple[int, np.ndarray, np.ndarray]],
    position_weight: np.ndarray,
    rotation_weight: np.ndarray,
    steps: int,
) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """A function of a start (nq,), positions (T, K, 3) and rotations (T, K, 3, 3) that gives (T, nq).

    Links are (node, origin, node_from_link). Every frame takes exactly so many steps.
    """
    tasks = build_tasks(
        tree,
        orientations=[(node, rotation) for node, _, rotation in links],
        positions=[(node, origin) for node, origin, _ in links],
    )
    targets = make_targets(tasks, len(limits.lower))
    targets.weight[:] = np.concatenate([rotation_weight, position_weight])[:, None]
    arrays, work = tree_arrays(tree), make_workspace(tree)

    def follow(start: np.ndarray, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        out = np.empty((len(positions), len(start)))
        _frames(arrays, tasks, targets, NO_BODIES, limits, positions, rotations, start.copy(), work, steps, out)
        return out

    return follow
