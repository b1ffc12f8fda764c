"""A robot's parts do not hit each other: the nearer they are, the slower they may come; going apart is always free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.problem import tree_arrays
from bunraku.kinematics.self_distance import Bodies, make_memory
from bunraku.robots import Robot
from bunraku.safety.apart_kernels import slow_approach, watch_pairs
from bunraku.safety.limiter import Flags, Limiter

Array = NDArray[np.float64]

REACH_M = 0.08
"""pairs that are further from each other are not slowed"""


class Apart:
    """Slows what brings parts together. Which pairs are watched, and their margins, is given by `bodies`."""

    def __init__(self, robot: Robot, bodies: Bodies, limiter: Limiter) -> None:
        tree, pairs = robot.tree, len(bodies.pair)
        self._tree, self._bodies, self._limiter = tree_arrays(tree), bodies, limiter
        self._memory = make_memory(bodies, tree.velocity_size)
        self._reach = np.full(pairs, REACH_M)
        self._columns = robot.first_joint + tree.independent
        self._hard = limiter.bounds.acceleration[tree.independent]
        m, N = len(tree.independent), len(tree.parent)
        self._rows, self._allowed = np.zeros((pairs, m)), np.zeros(pairs)
        self._places, self._turns = np.zeros((N, 3)), np.zeros((N, 3, 3))
        self._ahead = np.zeros(tree.qpos_size)

    def slow(self, aim: Array, dt_s: float, scale: float, slow: Flags | None = None) -> bool:
        """Change an aim (nq,) of the limiter's next step so that no pair comes too near too fast; whether it did."""
        limiter, columns = self._limiter, self._columns
        dt = limiter.authorised(dt_s)
        count = watch_pairs(
            self._tree, self._bodies, self._memory, self._reach, limiter.position, self._hard, dt,
            self._places, self._turns, self._rows, self._allowed,
        )  # fmt: skip
        if not count:
            return False
        limiter.preview(aim, dt_s, scale, self._ahead, slow=slow)
        speed = (self._ahead[columns] - limiter.position[columns]) / dt
        if not slow_approach(self._rows, self._allowed, count, self._hard, speed):
            return False
        aim[columns] = limiter.position[columns] + speed * dt
        return True
