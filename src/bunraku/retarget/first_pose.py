"""The first configuration of a motion: nothing says yet on which branch of its joints each limb should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations
from bunraku.kinematics.problem import DIRECTION, Targets
from bunraku.retarget.ground import no_footing

if TYPE_CHECKING:
    from bunraku.retarget.whole_body import MapperState, WholeBodyMapper

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

ITERATIONS = 60
ATTEMPTS, AT_LEAST = 24, 5
"""starts from random values: of limbs that end far off, and of whole arms so that there is a choice"""
POOR_RAD = 0.15
"""a limb that is this far off after the first pose was solved may sit in a wrong corner of its range: try again"""
DISTINCT_RAD = 0.5
"""configurations that differ by less in every joint are one"""
NO_WORSE = 0.2
"""rad² of cost above the best one for a configuration to be worth a trial"""


def pose_arrays(pose: HumanPose) -> tuple[Array, Array, Flags, Flags]:
    """One pose as the compiled code takes clips."""
    return pose.positions[None], pose.rotations[None], pose.position_valid[None], pose.rotation_valid[None]


def first_poses(mapper: WholeBodyMapper, pose: HumanPose, state: MapperState) -> list[Array]:
    """Configurations (nq,) that meet the pose, the best one first; the base faces as the person does."""
    clip = (*pose_arrays(pose), no_footing())
    mapper.fill_targets(pose, state)
    _face(mapper, state)
    generator, start = np.random.default_rng(0), state.qpos.copy()
    out, cost = np.empty((1, len(start))), np.empty(1)
    found: list[tuple[float, Array]] = []
    for attempt in range(ATTEMPTS):
        mapper.begin(pose.positions[0], start, state)
        mapper.frames(state, np.inf, out, cost, clip, ITERATIONS)
        found.append((float(cost[0]), out[0].copy()))
        found.sort(key=lambda pair: pair[0])
        start = found[0][1].copy()
        again = _poor_joints(mapper, start, state.targets)
        if not len(again):
            if attempt + 1 >= AT_LEAST:
                break
            again = mapper.limb_joints(attempt % mapper.limb_count)
        low = np.maximum(mapper.robot.lower[again], -np.pi)
        high = np.minimum(mapper.robot.upper[again], np.pi)
        start[mapper.robot.first_joint + again] = generator.uniform(low, high)
    return _distinct(found, mapper.robot.first_joint)


def _distinct(found: list[tuple[float, Array]], first_joint: int) -> list[Array]:
    """The best of each kind, without those that are clearly worse."""
    out: list[Array] = []
    for cost, qpos in found:
        if cost > found[0][0] + NO_WORSE:
            break
        if all(np.abs(qpos - other)[first_joint:].max(initial=0.0) > DISTINCT_RAD for other in out):
            out.append(qpos)
    return out


def _face(mapper: WholeBodyMapper, state: MapperState) -> None:
    """Turn a free base as a whole until the hips are as the person's."""
    pairs, robot = mapper.pairs, mapper.robot
    hips = next((k for k, pair in enumerate(pairs.orientations) if pair.human == INDEX["hips"]), None)
    if hips is None or not robot.tree.free_base:
        return  # a base that stays has no hips to follow
    task = len(pairs.directions) + hips
    if state.targets.weight[task, 2] > 0:
        pair = pairs.orientations[hips]
        _, rotation = robot.tree.forward(state.qpos)
        turn = state.targets.value[task] @ (rotation[pair.node] @ pair.node_from_canonical).T
        if robot.planar:
            turn = rotations.to_matrix(rotations.exp([0.0, 0.0, np.arctan2(turn[1, 0], turn[0, 0])]))
        state.qpos[3:7] = rotations.multiply(rotations.from_matrix(turn), state.qpos[3:7])


def _poor_joints(mapper: WholeBodyMapper, qpos: Array, targets: Targets) -> NDArray[np.intp]:
    """Independent joints that move limbs whose direction is far from what is wanted."""
    tasks, robot = mapper.tasks, mapper.robot
    position, rotation = robot.tree.forward(qpos)
    joints: set[int] = set()
    for task in np.flatnonzero((tasks.kind == DIRECTION) & (targets.weight[:, 0] > 0)):
        a, b = (
            position[node] + rotation[node] @ point
            for node, point in zip(tasks.node[task], tasks.point[task], strict=True)
        )
        cosine = (b - a) @ targets.value[task, 0] / max(np.linalg.norm(b - a), 1e-9)
        if np.arccos(np.clip(cosine, -1, 1)) > POOR_RAD:
            support = tasks.support[tasks.support_start[task] : tasks.support_start[task + 1]]
            joints |= {int(j) for j in robot.tree.independent if mapper.variable_of(int(j)) in support}
    return np.array(sorted(joints), np.intp)
