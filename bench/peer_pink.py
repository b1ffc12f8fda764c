"""The problem of the comparison, solved by pink with DAQP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pink
import pinocchio
from peer_protocol import LIMIT_GAIN, STEPS, Problem, serve
from pink.limits import ConfigurationLimit
from pink.tasks import FrameTask


def prepare(problem: Problem) -> Callable[[], np.ndarray]:
    """One frame task for each link; the joints' ranges are the only limit."""
    model = pinocchio.buildModelFromUrdf(str(problem.urdf), pinocchio.JointModelFreeFlyer())
    data = model.createData()
    order = [model.joints[model.getJointId(name)].idx_q for name in problem.joints]
    columns = [0, 1, 2, 6, 3, 4, 5, *order]
    start = pinocchio.neutral(model)
    start[columns] = problem.start
    limits = [ConfigurationLimit(model, LIMIT_GAIN)]
    tasks = [
        FrameTask(name, position_cost=float(np.sqrt(p)), orientation_cost=float(np.sqrt(r)))
        for name, p, r in zip(problem.frames, problem.position_weight, problem.rotation_weight, strict=True)
    ]
    targets = [[pinocchio.SE3(pose) for pose in frame] for frame in problem.poses()]
    configuration = pink.Configuration(model, data, start)

    def work() -> np.ndarray:
        out = np.empty((len(targets), len(columns)))
        configuration.update(start)
        for number, frame in enumerate(targets):
            for task, target in zip(tasks, frame, strict=True):
                task.set_target(target)
            for _ in range(STEPS):
                velocity = pink.solve_ik(configuration, tasks, 1.0, "daqp", limits=limits, safety_break=False)
                configuration.integrate_inplace(velocity, 1.0)
            out[number] = configuration.q[columns]
        return out

    return work


if __name__ == "__main__":
    serve("pink", prepare)
