"""Which links of a robot come close to each other."""

from __future__ import annotations

import copy

import numpy as np

from bunraku.evaluate.hulls import apart
from bunraku.evaluate.metric import Array
from bunraku.robots.robot import Robot

CLOSE_M = 0.012
"""links that are nearer than this to each other are in each other's way"""


def close_links(robot: Robot, qpos: Array) -> list[dict[str, set[str]]]:
    """For each configuration `(F, nq)`: link → the links that are close to it, more than two joints from it.

    Links that are as close where the robot stands as it was drawn are left out.
    """
    import mujoco

    from bunraku.robots.model import compile_model

    model = copy.copy(compile_model(robot))
    model.geom_margin[:] = CLOSE_M
    counted, data = apart(model), mujoco.MjData(model)
    out: list[dict[str, set[str]]] = []
    for configuration in (model.qpos0, *qpos):
        data.qpos[:] = configuration
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        bodies = np.asarray(model.geom_bodyid[data.contact.geom]).reshape(-1, 2)
        near: dict[str, set[str]] = {}
        for a, b in bodies[(data.contact.dist < CLOSE_M) & counted[bodies[:, 0], bodies[:, 1]]].tolist():
            one, other = model.body(a).name, model.body(b).name
            near.setdefault(one, set()).add(other)
            near.setdefault(other, set()).add(one)
            if not out:
                counted[a, b] = counted[b, a] = False
        out.append(near)
    return out[1:]
