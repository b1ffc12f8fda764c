"""A robot's parts do not hit each other: the nearer they are, the slower they may come; going apart is always free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.problem import tree_arrays
from bunraku.kinematics.self_distance import Bodies, make_memory
from bunraku.robots import Robot
from bunraku.safety.apart_kernels import Reach, slow_down
from bunraku.safety.limiter import Flags, Limiter

Array = NDArray[np.float64]

FLOOR_SHARE = 0.5
"""of a pair's margin: nothing comes nearer"""


class Apart:
    """Slows what brings parts together. Which pairs are watched, and their margins, is given by `bodies`."""

    def __init__(self, robot: Robot, bodies: Bodies, limiter: Limiter) -> None:
        tree, m, nq = robot.tree, len(robot.tree.independent), robot.tree.qpos_size
        self._tree, self._bodies, self._limiter = tree_arrays(tree), bodies, limiter
        self._memory = make_memory(bodies, tree.velocity_size)
        self._columns = robot.first_joint + tree.independent
        self._hard = limiter.bounds.acceleration[tree.independent]
        self._floor = FLOOR_SHARE * bodies.margin
        above = [_joints_above(robot, node) for node in range(len(tree.parent))]
        between = [above[bodies.node[a]] ^ above[bodies.node[b]] for a, b in bodies.pair]
        self._joints = np.array(between, bool).reshape(-1, m)
        N = len(tree.parent)
        self._reach = Reach(
            np.zeros(nq), np.zeros((N, 3)), np.zeros((N, 3, 3)), np.zeros(len(bodies.pair)), *np.zeros((4, m))
        )
        self._ahead = np.zeros(nq)

    def slow(self, aim: Array, dt_s: float, scale: float, slow: Flags | None = None) -> bool:
        """Change an aim (nq,) of the limiter's next step so that all parts could still stop in time; whether it did."""
        limiter, columns, reach = self._limiter, self._columns, self._reach
        dt = limiter.authorised(dt_s)
        limiter.preview(aim, dt_s, scale, self._ahead, slow=slow)
        reach.wanted[:] = (self._ahead[columns] - limiter.position[columns]) / dt
        rate = limiter.joint_rate[limiter.bounds.independent]
        if not slow_down(
            self._tree, self._bodies, self._memory, self._joints, reach, columns, self._floor, limiter.position, rate,
            self._hard, dt, min(dt, limiter.period_s),
        ):  # fmt: skip
            return False
        changed = reach.share > 0.0
        speed = reach.wanted + reach.share * (reach.brake - reach.wanted)
        aim[columns[changed]] = (limiter.position[columns] + speed * dt)[changed]
        limiter.aim_from_here(limiter.bounds.independent[changed])
        return True


def _joints_above(robot: Robot, node: int) -> NDArray[np.bool_]:
    """(m,) independent joints that move a node."""
    tree = robot.tree
    out = np.zeros(len(tree.independent), bool)
    while node > 0:
        out[np.searchsorted(tree.independent, tree.leader[node - 1])] = True
        node = int(tree.parent[node])
    return out
