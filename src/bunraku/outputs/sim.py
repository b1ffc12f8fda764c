"""The simulator: a robot in MuJoCo whose position servos keep to its velocity and effort limits.

Each servo asks for an acceleration; the torque for it comes from the robot's own mass matrix with gravity and friction
added, and is then cut to the joint's effort. So one pair of gains is right for a finger and for a hip. A pinned base is
carried along the commanded path like a puppet's; a free one falls if the command does not balance it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from bunraku.errors import OutputError, RobotError, UnknownNameError
from bunraku.outputs.servo import Servos, within_limits
from bunraku.outputs.sim_model import addresses, simulation_model
from bunraku.robots.command import Measured
from bunraku.robots.motion import RobotMotion
from bunraku.robots.robot import Robot

Array = NDArray[np.float64]

_SHARE, _LEAST_SHARE = 0.6, 0.2
"""of the effort that the load leaves, and at least of the whole, this much is planned for acceleration"""
_OVERSPEED = 0.02
"""a motor that is dragged past its speed by this share brakes with as much as its effort, as its back EMF does"""
_LONGEST_STEP_S = 10.0
_LEAST_RISE_S = 0.01
"""no servo reaches its full speed faster"""


class Simulation:
    """One robot on a floor. Nothing here knows what time it is: `step` moves the world by the given time, exactly."""

    def __init__(
        self, robot: Robot, *, base: Literal["pinned", "free"] = "pinned", timestep_s: float = 0.002,
        scenery: Callable[[mujoco.MjSpec], None] | None = None,
    ) -> None:  # fmt: skip
        if base not in ("pinned", "free"):
            raise UnknownNameError("base", base, ("pinned", "free"))
        self.robot = robot
        self.timestep_s = timestep_s
        self.held = robot.base == "free" and base == "pinned"
        self.model = simulation_model(robot, held=self.held, timestep_s=timestep_s, scenery=scenery)
        self.data = mujoco.MjData(self.model)
        self._at_qpos, self._at_qvel = addresses(self.model, robot)
        tree = robot.tree
        self._lead = np.searchsorted(tree.independent, tree.leader)
        self._free = robot.base == "free" and not self.held
        nv = self.model.nv
        self._force, self._wanted, self._mass = np.zeros(nv), np.zeros(nv), np.zeros((nv, nv))
        # (nv, m) how all joints turn when a leader turns by one
        self._together = np.zeros((nv, len(tree.independent)))
        self._together[self._at_qvel, self._lead] = tree.ratio
        lead = tree.independent
        self._friction = self.model.dof_damping[self._at_qvel[lead]].copy()
        self._brake = robot.effort[lead] / (_OVERSPEED * robot.velocity[lead])
        self._servos = Servos(robot.lower[lead], robot.upper[lead], robot.velocity[lead], np.ones(len(lead)))
        self._base = robot.neutral[: robot.first_joint].copy()
        self._base_velocity = np.zeros(6 if robot.base == "free" else 0)
        self.reset(robot.neutral)

    def reset(self, qpos: Array) -> Measured:
        """Stand still at a configuration, at time zero. Followers and limits are put right."""
        qpos = self.robot.clamp(self._checked(qpos))
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self._at_qpos] = qpos[self.robot.first_joint :]
        if self._free:
            self.data.qpos[:7] = qpos[:7]
        self._base_velocity[:] = 0
        self._carry(qpos[: self.robot.first_joint])
        self._goal = qpos
        self._servos.reset(qpos[self.robot.first_joint :][self.robot.tree.independent])
        mujoco.mj_forward(self.model, self.data)
        still = np.zeros(len(self.robot.joint_names), bool)
        return self._measure(still, still)

    def step(self, target_qpos: Array, dt_s: float) -> Measured:
        """Move the world on by `dt_s`; the servos are at the target at its end, if their limits allow."""
        if not 0 < dt_s <= _LONGEST_STEP_S:
            raise OutputError(f"sim: a step lasts more than 0 s and up to {_LONGEST_STEP_S:g} s, not {dt_s} s")
        first, lead = self.robot.first_joint, self.robot.tree.independent
        target = self.robot.clamp(self._checked(target_qpos))
        count = max(1, int(np.ceil(dt_s / self.timestep_s - 1e-9)))
        h = self.model.opt.timestep = dt_s / count
        start, end = self._goal[first:][lead], target[first:][lead]
        path, rate = (end - start) / count, (end - start) / dt_s
        asked = np.abs(end - self._servos.reference) / dt_s > self.robot.velocity[lead] * (1 + 1e-6)
        base_start = self._base
        self._servos.agility = self._agility()
        saturated = np.zeros(len(lead), bool)
        for k in range(1, count + 1):
            self._servos.advance(start + path * k, rate, h)
            if self.held:
                self._carry(_between(base_start, target[:7], k / count))
            saturated |= self._substep()
        if self.held:
            self._base_velocity[:] = _base_velocity(base_start, self._base, dt_s)
        self._goal = target
        if any(warning.number for warning in self.data.warning):
            raise OutputError(f"sim: the simulation of '{self.robot.name}' became unstable at {self.data.time:.3f} s")
        return self._measure(saturated[self._lead], asked[self._lead])

    def play(self, motion: RobotMotion) -> RobotMotion:
        """The motion as the simulated robot performs it, one measurement a frame; starts at rest in the first frame."""
        commanded = self._in_order(motion)
        if not len(commanded):
            return motion
        out = commanded.copy()
        out[0] = self.reset(commanded[0]).qpos
        errors, saturated, limited = [], 0.0, 0.0
        for k in range(1, len(commanded)):
            measured = self.step(commanded[k], 1 / motion.fps)
            out[k] = measured.qpos
            errors.append(np.abs(measured.error))
            saturated += float(measured.saturated.mean())
            limited += float(measured.rate_limited.mean())
        frames = max(1, len(commanded) - 1)
        worst = np.array(errors) if errors else np.zeros((1, 1))
        quality = {
            "tracking_mean_rad": float(worst.mean()),
            "tracking_p99_rad": float(np.percentile(worst, 99)),
            "tracking_max_rad": float(worst.max()),
            "effort_saturated_pct": 100 * saturated / frames,
            "velocity_limited_pct": 100 * limited / frames,
        }
        return RobotMotion(
            qpos=out,
            joint_names=self.robot.joint_names,
            fps=motion.fps,
            robot=self.robot.name,
            root=self.robot.base,
            quality=quality,
        )

    def _substep(self) -> NDArray[np.bool_]:
        """One step of the integrator; which servos gave all they have."""
        model, data = self.model, self.data
        lead, at = self.robot.tree.independent, self._at_qvel[self.robot.tree.independent]
        speed = np.abs(data.qvel[at])
        over = np.maximum(speed - self.robot.velocity[lead], 0.0)
        brake = over * self._brake / np.maximum(speed, 1e-12)
        model.dof_damping[at] = self._friction + brake
        mujoco.mj_step1(model, data)
        q, v = data.qpos[self._at_qpos[lead]], data.qvel[at]
        load = self._reduce((data.qfrc_bias - data.qfrc_passive)[self._at_qvel]) - brake * v
        effort, cut = self._demand(self._servos.acceleration(q, v), load)
        data.ctrl[:] = effort
        mujoco.mj_step2(model, data)
        return cut

    def _demand(self, wanted: Array, load: Array) -> tuple[Array, NDArray[np.bool_]]:
        """(m,) efforts for the wanted accelerations under the load, were the base held; and which of them are cut."""
        limit = self.robot.effort[self.robot.tree.independent]
        self._wanted[self._at_qvel] = self.robot.tree.ratio * wanted[self._lead]
        mujoco.mj_mulM(self.model, self.data, self._force, self._wanted)
        effort = self._reduce(self._force[self._at_qvel]) + load
        if (np.abs(effort) <= limit).all():
            return effort, np.zeros(len(effort), bool)
        mujoco.mj_fullM(self.model, self.data, self._mass)
        return within_limits(self._together.T @ self._mass @ self._together, wanted, load, limit)

    def _reduce(self, efforts: Array) -> Array:
        """(m,) efforts at the leaders for efforts (n,) at all joints."""
        tree = self.robot.tree
        return np.bincount(self._lead, tree.ratio * efforts, len(tree.independent)).astype(float)

    def _agility(self) -> Array:
        """(m,) acceleration that each servo can give in this pose beside carrying its load."""
        lead = self.robot.tree.independent
        mujoco.mj_fullM(self.model, self.data, self._mass)
        inertia = np.sum(self._together * (self._mass @ self._together), axis=0)
        limit, load = self.robot.effort[lead], self._reduce(self.data.qfrc_bias[self._at_qvel])
        spare = np.maximum(_SHARE * (limit - np.abs(load)), _LEAST_SHARE * limit)
        return np.asarray(np.minimum(spare / inertia, self.robot.velocity[lead] / _LEAST_RISE_S))

    def _carry(self, base: Array) -> None:
        self._base = base.copy()
        if self.held:
            self.data.mocap_pos[0], self.data.mocap_quat[0] = base[:3], base[3:7]

    def _measure(self, saturated: NDArray[np.bool_], limited: NDArray[np.bool_]) -> Measured:
        data, tree = self.data, self.robot.tree
        joints, speeds = data.qpos[self._at_qpos], data.qvel[self._at_qvel]
        base, base_speed = self._base, self._base_velocity
        if self._free:
            base, base_speed = data.qpos[:7].copy(), data.qvel[:6].copy()
            mujoco.mju_rotVecQuat(base_speed[3:], data.qvel[3:6], base[3:])
        effort = np.zeros(len(joints))
        effort[tree.independent] = data.actuator_force
        return Measured(
            qpos=np.concatenate([base, joints]),
            qvel=np.concatenate([base_speed, speeds]),
            effort=effort,
            error=self._goal[self.robot.first_joint :] - joints,
            saturated=saturated,
            rate_limited=limited,
            stamp_ns=round(data.time * 1e9),
        )

    def _checked(self, qpos: Array) -> Array:
        qpos = np.asarray(qpos, float)
        if qpos.shape != self.robot.neutral.shape:
            raise OutputError(f"sim: '{self.robot.name}' has {len(self.robot.neutral)} coordinates, not {qpos.shape}")
        if not np.isfinite(qpos).all():
            raise OutputError("sim: a command must be finite numbers")
        qpos = qpos.copy()
        if self.robot.base == "free":
            length = float(np.linalg.norm(qpos[3:7]))
            if length < 1e-6:
                raise OutputError("sim: the base's quaternion is zero")
            qpos[3:7] /= length
        return qpos

    def _in_order(self, motion: RobotMotion) -> Array:
        """(T, nq) the motion in this robot's order of joints."""
        robot = self.robot
        if motion.root != robot.base or set(motion.joint_names) != set(robot.joint_names):
            raise RobotError(f"the motion is for '{motion.robot}', not for '{robot.name}': other base or joints")
        order = [motion.joint_names.index(name) for name in robot.joint_names]
        return np.concatenate([motion.qpos[:, : robot.first_joint], motion.joints[:, order]], axis=1)


def _between(start: Array, end: Array, share: float) -> Array:
    """A base pose on the way from one to the other, turning the short way."""
    toward = end if start[3:] @ end[3:] >= 0 else np.concatenate([end[:3], -end[3:]])
    pose = start + share * (toward - start)
    pose[3:] /= np.linalg.norm(pose[3:])
    return pose


def _base_velocity(start: Array, end: Array, dt_s: float) -> Array:
    """(6,) linear and angular, world axes, between two base poses."""
    turn, world = np.zeros(3), np.zeros(3)
    mujoco.mju_subQuat(turn, end[3:], start[3:])
    mujoco.mju_rotVecQuat(world, turn, start[3:])
    return np.concatenate([end[:3] - start[:3], world]) / dt_s
