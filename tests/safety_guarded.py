"""A puppet that follows, for tests of the guard."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

import numpy as np

from bunraku.robots import Robot, load_robot
from bunraku.safety.guard import GuardSettings
from bunraku.safety.machine import State
from safety_stage import Stage

Array = np.ndarray
PUPPET = load_robot("puppet")


def posed(robot: Robot = PUPPET, **joints: float) -> Array:
    """The neutral configuration with some joints changed by so much."""
    out = robot.neutral.copy()
    for name, value in joints.items():
        out[robot.first_joint + robot.joint_index(f"{name}_joint")] += value
    return robot.clamp(out)


def ready(robot: Robot = PUPPET, settings: GuardSettings | None = None) -> Stage:
    """ACTIVE, in the neutral pose."""
    if robot is PUPPET and settings is None:
        return deepcopy(_active(), {id(PUPPET): PUPPET})
    stage = Stage(robot, settings)
    assert stage.engage().decision.state is State.ACTIVE
    return stage


@cache
def _active() -> Stage:
    stage = Stage(PUPPET)
    assert stage.engage().decision.state is State.ACTIVE
    stage.target = neutral
    return stage


def neutral(_: int) -> Array:
    """The target that the puppet starts with."""
    return PUPPET.neutral


def aim_at(stage: Stage, target: Array | None) -> None:
    stage.target = lambda _: target
