"""The problem of the comparison, solved by this project's kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from follow import follower
from peer_protocol import STEPS, Problem, serve

from bunraku.kinematics.problem import variable_limits
from bunraku.robots import load_robot


def prepare(problem: Problem) -> Callable[[], np.ndarray]:
    """An orientation and a position task for each link; the joints' ranges are the only limit."""
    robot = load_robot(problem.mjcf)
    if list(robot.joint_names) != problem.joints:
        raise ValueError("the joints are not in the problem's order")
    rows = [robot.links.index(name) for name in problem.frames]
    links = [(int(robot.links.node[row]), robot.links.position[row], robot.links.rotation[row]) for row in rows]
    limits = variable_limits(robot.tree, robot.lower, robot.upper)
    follow = follower(robot.tree, limits, links, problem.position_weight, problem.rotation_weight, STEPS)
    return lambda: follow(problem.start, problem.positions, problem.rotations)


if __name__ == "__main__":
    serve("bunraku", prepare)
