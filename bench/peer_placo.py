"""The problem of the comparison, solved by placo, whose loop over tasks and solver are C++."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import placo
from peer_protocol import STEPS, Problem, serve


def prepare(problem: Problem) -> Callable[[], np.ndarray]:
    """One frame task for each link; the joints' ranges are the only limit."""
    robot = placo.RobotWrapper(str(problem.urdf), placo.Flags.ignore_collisions)
    order = [robot.get_joint_offset(name) for name in problem.joints]
    columns = [0, 1, 2, 6, 3, 4, 5, *order]
    start = robot.state.q.copy()
    start[columns] = problem.start
    solver = robot.make_solver()
    solver.enable_joint_limits(True)
    solver.enable_velocity_limits(False)
    tasks = []
    for name, p, r in zip(problem.frames, problem.position_weight, problem.rotation_weight, strict=True):
        task = solver.add_frame_task(name, np.eye(4))
        task.configure(name, "soft", float(p), float(r))
        tasks.append(task)
    targets = problem.poses()

    def work() -> np.ndarray:
        out = np.empty((len(targets), len(columns)))
        robot.state.q = start
        robot.update_kinematics()
        for number, frame in enumerate(targets):
            for task, target in zip(tasks, frame, strict=True):
                task.T_world_frame = target
            for _ in range(STEPS):
                solver.solve(True)
                robot.update_kinematics()
            out[number] = robot.state.q[columns]
        return out

    return work


if __name__ == "__main__":
    serve("placo", prepare)
