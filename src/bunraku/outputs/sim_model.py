"""A robot's MuJoCo model made ready to be simulated: floor, motors, tight followers, base free or held."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bunraku.robots.model import model_xml, parse_spec
from bunraku.robots.robot import Robot

if TYPE_CHECKING:
    import mujoco

_NEAR = 2
"""links this few joints apart may overlap, as they do inside a real joint's housing"""

_CLOSE = 0.02
"""metres; links nearer than this at rest are told apart by shapes that are too rough for it"""
_ROTOR_S, _DRAG = 0.005, 0.05
"""a motor that the description says nothing of: seconds in which its full effort brings its own rotor to full speed,
and the share of its effort that friction takes at that speed"""


def simulation_model(
    robot: Robot, *, held: bool, timestep_s: float, scenery: Callable[[mujoco.MjSpec], None] | None = None
) -> mujoco.MjModel:
    """Primitives only, one motor for each joint that leads. A held base is moved from outside and feels no floor.

    `scenery` adds what else is in the world: bodies of its own, or shapes on the robot's.
    """
    import mujoco

    spec = parse_spec(model_xml(robot, visuals=False))
    spec.option.timestep = timestep_s
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    touches = 0 if held else 1
    spec.worldbody.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0, 0, 0.05],
        contype=touches,
        conaffinity=touches,
    )
    if held:
        base = spec.worldbody.first_body()
        for joint in list(base.joints):
            if joint.type == mujoco.mjtJoint.mjJNT_FREE:
                spec.delete(joint)
        base.mocap = True
    for k in robot.tree.independent:
        limit = float(robot.effort[k])
        motor = spec.add_actuator(name=robot.joint_names[k], target=robot.joint_names[k])
        motor.trntype = mujoco.mjtTrn.mjTRN_JOINT
        motor.forcelimited = True
        motor.forcerange = [-limit, limit]
        spec.joint(robot.joint_names[k]).actfrclimited = False
    for equality in spec.equalities:
        equality.solref = [2.5 * timestep_s, 1.0]
    model = spec.compile()
    for first, second in _overlaps(model, robot):
        spec.add_exclude(bodyname1=first, bodyname2=second)
    if scenery is not None:
        scenery(spec)
    model = spec.compile()
    _add_motors(model, robot)
    return model


def _add_motors(model: mujoco.MjModel, robot: Robot) -> None:
    """Rotor inertia and friction for joints of which the description gives none."""
    import mujoco

    lead = robot.tree.independent
    dof = addresses(model, robot)[1][lead]
    strength = robot.effort[lead] / robot.velocity[lead]
    inertia, friction = model.dof_armature[dof], model.dof_damping[dof]
    model.dof_armature[dof] = np.where(inertia > 0, inertia, _ROTOR_S * strength)
    model.dof_damping[dof] = np.where(friction > 0, friction, _DRAG * strength)
    mujoco.mj_setConst(model, mujoco.MjData(model))


def _overlaps(model: mujoco.MjModel, robot: Robot) -> list[tuple[str, str]]:
    """Pairs of links that shall not push each other: neighbours, and those that all but touch in the neutral pose."""
    import mujoco

    chains = [_chain(model, body) for body in range(model.nbody)]
    solid = [b for b in range(1, model.nbody) if model.body_geomnum[b]]
    found = {pair for pair in combinations(solid, 2) if _apart(chains[pair[0]], chains[pair[1]]) <= _NEAR}
    model.geom_margin[:] = _CLOSE
    data = mujoco.MjData(model)
    for name, value in zip(robot.joint_names, robot.neutral[robot.first_joint :], strict=True):
        data.qpos[model.joint(name).qposadr[0]] = value
    mujoco.mj_forward(model, data)
    for contact in data.contact:
        a, b = (int(model.geom_bodyid[geom]) for geom in contact.geom)
        if a and b:
            found.add((min(a, b), max(a, b)))
    return [(model.body(a).name, model.body(b).name) for a, b in sorted(found)]


def _chain(model: mujoco.MjModel, body: int) -> list[int]:
    """The moving bodies from this one to the world; welded bodies count as one."""
    chain = [int(model.body_weldid[body])]
    while chain[-1]:
        chain.append(int(model.body_weldid[model.body_parentid[chain[-1]]]))
    return chain


def _apart(first: list[int], second: list[int]) -> int:
    """Number of joints between two bodies."""
    common = next(body for body in first if body in second)
    return first.index(common) + second.index(common)


def addresses(model: mujoco.MjModel, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """(n,) where each joint of the robot stands in the model's qpos, and in its qvel."""
    joints = [model.joint(name) for name in robot.joint_names]
    places = [(int(joint.qposadr[0]), int(joint.dofadr[0])) for joint in joints]
    at = np.array(places, int).reshape(-1, 2)
    return at[:, 0], at[:, 1]
