"""The whole-body mapper: directions, orientations, posture and limits in one warm-started least-squares problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.body import Body
from bunraku.human.contacts import measured_clearance, resting_clearance
from bunraku.human.ground import on_ground
from bunraku.human.opening import without_calibration
from bunraku.human.skeleton import SIDES
from bunraku.kinematics.problem import (
    Targets,
    Tasks,
    Workspace,
    build_tasks,
    make_targets,
    make_workspace,
    tree_arrays,
    variable_limits,
)
from bunraku.retarget.apart import keep_apart
from bunraku.retarget.clip import solve_clip
from bunraku.retarget.correspondence import Weights, canonical_direction, correspond
from bunraku.retarget.escape_kernels import Escape, Limbs, limb_errors
from bunraku.retarget.extremities import Extremities, ExtremityState
from bunraku.retarget.first_pose import first_poses, pose_arrays
from bunraku.retarget.ground import floor_points, leg_length, make_ground, make_memory, make_stance
from bunraku.retarget.ground_kernels import FootMemory, Ground, Stance, detect_contact
from bunraku.retarget.kernels import Pace, solve_frames
from bunraku.retarget.mapper import Target, make_mapper
from bunraku.retarget.target_kernels import HumanSide, fill_targets
from bunraku.robots import Robot, RobotMotion

Array = NDArray[np.float64]

LIMB_NAMES = tuple(f"{side}_arm" for side in SIDES)
"""limbs that may change to another branch of their joints; a leg that stands must not"""
ITERATIONS = 6
TOLERANCE_RAD = 2e-3
FULL_SPEED_S = 0.08
"""in which a joint may come to its full speed"""
_NO_GUIDE = np.zeros((0, 0)), np.zeros((0, 0))


@dataclass(eq=False)
class MapperState:
    """All that a mapper remembers from one frame to the next."""

    qpos: Array
    stance: Stance
    feet: FootMemory
    escape: Escape
    work: Workspace
    targets: Targets
    pace: Pace
    extremities: ExtremityState
    started: bool = False


class WholeBodyMapper:
    """Maps human poses to one robot. It holds no history: that is in the state made by `start`."""

    def __init__(self, robot: Robot, weights: Weights | None = None) -> None:
        self.robot = robot
        self.weights = weights or Weights()
        self.pairs = correspond(robot, self.weights)
        tree = robot.tree
        self._tree = tree_arrays(tree)
        self._tasks = build_tasks(
            tree,
            [(p.node[0], p.point[0], p.node[1], p.point[1]) for p in self.pairs.directions],
            [(p.node, p.node_from_canonical) for p in self.pairs.orientations],
            floor_points(robot),
        )
        self.extremities = Extremities(robot, self.pairs.reference)
        self._limits = self.extremities.held(variable_limits(tree, robot.lower, robot.upper))
        self.speed = self._variable_speed()
        """(nv,) fastest change of each variable, rad/s or m/s"""
        self._human = self._human_side()
        self._bodies = keep_apart(robot)
        self._limbs = self._make_limbs()
        self._limbs.rest_weight[self.extremities.variables] = 0.0
        self._ground = make_ground(robot, len(self._tasks.kind), 1.0, resting_clearance())

    def prepare(self, leg_length_m: float, clearance: Array | None = None) -> None:
        """Fit to an operator: the length of the leg, hip to ankle, and each joint's height above what it stands on."""
        scale = self.pairs.leg_length / leg_length_m if leg_length_m > 0 and self.pairs.leg_length > 0 else 1.0
        clearance = resting_clearance() if clearance is None else clearance
        self._ground = self._ground._replace(scale=scale, clearance=clearance)

    def prepare_for(self, body: Body) -> None:
        """Fit to an operator's build."""
        self.prepare(body.leg_length)

    def start(self) -> MapperState:
        """A fresh state: the next pose is solved from the neutral configuration."""
        nv = len(self._limits.lower)
        targets = make_targets(self._tasks, nv)
        targets.posture[:] = self._limbs.rest
        targets.posture_weight[:] = self._limbs.rest_weight
        return MapperState(
            self.robot.clamp(self.robot.neutral),
            make_stance(),
            make_memory(),
            Escape(np.zeros(len(LIMB_NAMES)), np.zeros(len(LIMB_NAMES)), np.zeros(nv), np.ones(1, np.int64)),
            make_workspace(self.robot.tree, self._bodies),
            targets,
            self._pace(),
            self.extremities.start(),
        )

    def solve(self, pose: HumanPose, state: MapperState, *, dt_s: float = np.inf) -> Target:
        """One pose; no joint moves faster than its limit over `dt_s`. The first one after `start` is searched for."""
        if not state.started:
            self.begin(pose.positions[0], first_poses(self, pose, state)[0], state)
            state.started = True
        out, cost = np.empty((1, len(state.qpos))), np.empty(1)
        footing = detect_contact(self._ground, state.feet, dt_s, pose.positions, pose.position_valid)
        arrays = pose_arrays(pose)
        steps = self.frames(state, dt_s, out, cost, (*arrays, footing[None]))
        self.extremities.follow(state.extremities, dt_s, arrays, pose.jaw, pose.eyes, out)
        return Target(out[0], float(cost[0]), steps)

    def solve_clip(self, motion: HumanMotion) -> RobotMotion:
        """A whole recording, frame after frame."""
        motion = on_ground(without_calibration(motion))
        self.prepare(leg_length(motion), measured_clearance(motion))
        out, costs, steps = solve_clip(self, motion)
        return RobotMotion(
            qpos=out,
            joint_names=self.robot.joint_names,
            fps=motion.fps,
            robot=self.robot.name,
            root=self.robot.base,
            quality={
                "frames": float(len(motion)),
                "steps_per_frame": steps / max(len(motion), 1),
                "cost_mean": float(costs.mean()) if len(motion) else 0.0,
            },
        )

    @property
    def ground(self) -> Ground:
        """How the robot stands, fitted to the operator."""
        return self._ground

    @property
    def base_size(self) -> int:
        """6 for a free base, else 0: where the joints' variables begin."""
        return self._tree.base_size

    @property
    def variable_count(self) -> int:
        """nv"""
        return len(self._limits.lower)

    @property
    def limb_count(self) -> int:
        """Limbs that may change to another branch of their joints."""
        return len(LIMB_NAMES)

    @property
    def tasks(self) -> Tasks:
        """What is to be matched: directions, orientations, then the places of soles and hips."""
        return self._tasks

    def variable_of(self, joint: int) -> int:
        """The variable that moves a joint."""
        return int(self._tree.variable[joint])

    def fill_targets(self, pose: HumanPose, state: MapperState) -> None:
        """What the pose asks for, into the state's targets."""
        fill_targets(
            self._tasks, self._human, pose.positions, pose.rotations, pose.position_valid, pose.rotation_valid,
            state.targets, state.work,
        )  # fmt: skip

    def limb_columns(self, limb: int) -> NDArray[np.intp]:
        """Columns of qpos with the independent joints of a limb."""
        return self.robot.first_joint + self.limb_joints(limb)

    def limb_joints(self, limb: int) -> NDArray[np.intp]:
        """The independent joints of a limb, in the order of `LIMB_NAMES`."""
        joints = self.robot.tree.independent
        return np.asarray(joints[self._limbs.of_variable[self._tree.variable[joints]] == limb], np.intp)

    def limb_errors(self, state: MapperState, clip: tuple[Any, ...], qpos: Array) -> Array:
        """(T, L) largest angle between what each limb does and what is wanted of it."""
        out = np.empty((len(qpos), len(LIMB_NAMES)))
        limb_errors(self._limbs, self._tree, self._tasks, state.targets, self._human, state.work, *clip[:4], qpos, out)
        return out

    def frames(
        self, state: MapperState, dt_s: float, out: Array, costs: Array, clip: tuple[Any, ...],
        iterations: int = ITERATIONS, guide: tuple[Array, Array] | None = None,
    ) -> int:  # fmt: skip
        """Solve frames one after the other into `out` (T, nq); returns the number of steps. See `solve_frames`."""
        steps: int = solve_frames(
            self._tree, self._tasks, state.targets, self._bodies, self._limits, state.pace, dt_s,
            self._human, self._ground, state.stance, self._limbs, state.escape, state.work,
            *(_NO_GUIDE if guide is None else guide), *clip, state.qpos, iterations, TOLERANCE_RAD, out, costs,
        )  # fmt: skip
        return steps

    def begin(self, hips: Array, qpos: Array, state: MapperState) -> None:
        """Go on from `qpos` (nq,), where the person's hips are at `hips`: nothing stands yet, no limb is on its way."""
        state.qpos[:] = qpos
        for kept, fresh in zip(state.stance, make_stance(), strict=True):
            kept[:] = fresh
        state.stance.hips[:] = hips
        state.work.node_position[:], state.work.node_rotation[:] = self.robot.tree.forward(state.qpos)
        state.pace.rate[:] = 0.0
        state.escape.left[:] = 0.0
        state.escape.poor[:] = 0.0
        state.targets.posture[:] = self._limbs.rest
        state.targets.posture_weight[:] = self._limbs.rest_weight

    def _make_limbs(self) -> Limbs:
        nv, K = len(self._limits.lower), len(self._tasks.kind)
        of_variable, of_task = np.full(nv, -1, np.int32), np.full(K, -1, np.int32)
        rest, weight = np.zeros(nv), np.zeros(nv)
        for joint in self.robot.tree.independent:
            v = self._tree.variable[joint]
            rest[v] = self.robot.neutral[self.robot.first_joint + joint]
            weight[v] = self.weights.posture
        for number, name in enumerate(LIMB_NAMES):
            for joint in self.robot.semantics.joints.get(name, ()):
                of_variable[self._tree.variable[joint]] = number
        for task, pair in enumerate(self.pairs.directions):
            end = pair.node[1]
            of_task[task] = of_variable[self._tree.variable[end - 1]] if end > 0 else -1
        for task, turn in enumerate(self.pairs.orientations, len(self.pairs.directions)):
            of_task[task] = of_variable[self._tree.variable[turn.node - 1]] if turn.node > 0 else -1
        return Limbs(of_variable, of_task, rest, weight)

    def _human_side(self) -> HumanSide:
        directions, orientations = self.pairs.directions, self.pairs.orientations
        joints = [pair.human for pair in directions] + [(pair.human, pair.human) for pair in orientations]
        bones = [canonical_direction(pair) for pair in directions] + [np.zeros(3) for _ in orientations]
        return HumanSide(
            np.array(joints, np.int32).reshape(-1, 2),
            np.array(bones, float).reshape(-1, 3),
            np.array([d.weight for d in directions] + [o.weight for o in orientations], float),
            self.pairs.reference,
            np.ascontiguousarray(self.robot.semantics.world_from_body),
        )

    def _variable_speed(self) -> Array:
        """(nv,) fastest allowed change of each variable, its followers' limits included."""
        speed = np.full(len(self._limits.lower), np.inf)
        for joint in range(self.robot.tree.joint_count):
            ratio = abs(self.robot.tree.ratio[joint])
            if ratio > 0:
                v = self._tree.variable[joint]
                speed[v] = min(speed[v], self.robot.velocity[joint] / ratio)
        return speed

    def _pace(self) -> Pace:
        nv, nq = len(self._limits.lower), self.robot.tree.qpos_size
        return Pace(self.speed, self.speed / FULL_SPEED_S, *np.zeros((3, nv)), *np.zeros((2, nq)))


def retarget(
    motion: HumanMotion, robot: Robot, *, mapper: str = "whole-body", weights: Weights | None = None
) -> RobotMotion:
    """Bring a person's motion to a robot, by the mapper of that name.

    >>> import bunraku as bk
    >>> result = bk.retarget(bk.read_motion("synth:wave"), bk.load_robot("puppet"))
    """
    if mapper == "whole-body":
        return WholeBodyMapper(robot, weights).solve_clip(motion)
    return make_mapper(mapper, robot).solve_clip(motion)
