"""The problem of the comparison, solved by mink with DAQP."""

from __future__ import annotations

from collections.abc import Callable

import mink
import mujoco
import numpy as np
from peer_protocol import LIMIT_GAIN, STEPS, Problem, serve


def prepare(problem: Problem) -> Callable[[], np.ndarray]:
    """One frame task for each link; the joints' ranges are the only limit."""
    model = mujoco.MjModel.from_xml_path(str(problem.mjcf))
    order = [model.joint(name).qposadr[0] for name in problem.joints]
    configuration = mink.Configuration(model)
    limits = [mink.ConfigurationLimit(model, gain=LIMIT_GAIN)]
    tasks = [
        mink.FrameTask(name, "body", position_cost=np.sqrt(p), orientation_cost=np.sqrt(r))
        for name, p, r in zip(problem.frames, problem.position_weight, problem.rotation_weight, strict=True)
    ]
    targets = [[mink.SE3.from_matrix(pose) for pose in frame] for frame in problem.poses()]
    start = np.zeros(model.nq)
    start[:7], start[order] = problem.start[:7], problem.start[7:]
    columns = [*range(7), *order]

    def work() -> np.ndarray:
        out = np.empty((len(targets), len(columns)))
        configuration.update(start)
        for number, frame in enumerate(targets):
            for task, target in zip(tasks, frame, strict=True):
                task.set_target(target)
            for _ in range(STEPS):
                velocity = mink.solve_ik(configuration, tasks, 1.0, "daqp", limits=limits)
                configuration.integrate_inplace(velocity, 1.0)
            out[number] = configuration.q[columns]
        return out

    return work


if __name__ == "__main__":
    serve("mink", prepare)
