"""Dexterous hands as one least-squares problem: whose fingertips they follow, and where their pinches meet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import ADULT_BONES, FINGERS, INDEX, SIDES
from bunraku.kinematics.problem import (
    NO_BODIES,
    Limits,
    Targets,
    Tasks,
    TreeArrays,
    Workspace,
    make_targets,
    make_workspace,
    tree_arrays,
)
from bunraku.kinematics.solver import solve
from bunraku.kinematics.tree import KinematicTree
from bunraku.retarget.finger_joints import THUMB, WHOLE_HAND, Hand
from bunraku.retarget.fingertip_kernels import knuckle_frame
from bunraku.retarget.grasp_kernels import Grasp, GraspMemory
from bunraku.retarget.hand_model import HandModel
from bunraku.retarget.joint_group import JointGroup
from bunraku.robots import Robot

Array = NDArray[np.float64]

LEAST_JOINTS = 6
"""independent joints of a hand from which its fingertips are led, not only its curls; fewer if a digit has several"""
RELAXED = (0.18, 0.2, 0.24, 0.27, 0.3)
"""curl of thumb … little finger of a hand that does nothing"""
_STARTS = (0.25, 0.5, 0.75)
_MEETINGS, _MEETING_STEPS = 25, 4
_STILL_M = 1e-5
_NEAR_START = 1e-3
_HALF_CLOSED_M = 0.01
"""how much further apart the tips of a pinch may be whose fingers are half closed, against one of stretched fingers"""


@dataclass(frozen=True, eq=False)
class GraspProblem:
    """All that does not change."""

    tree: KinematicTree
    arrays: TreeArrays
    tasks: Tasks
    limits: Limits
    grasp: Grasp
    gap: Array
    """(D,) m between the tips of the thumb and of each finger where they pinch; 0 for thumbs"""


@dataclass(frozen=True, eq=False)
class GraspState:
    """What dexterous hands remember from one frame to the next."""

    memory: GraspMemory
    targets: Targets
    bounds: Limits
    work: Workspace


def is_dexterous(robot: Robot, hand: Hand) -> bool:
    """Whether the hand has a thumb, fingers beside it on the same palm, and joints enough to place their tips."""
    tree = robot.tree
    nodes = {node for digit in hand.digits for node in digit.nodes}
    leads = [sum(int(tree.leader[node - 1]) == node - 1 for node in digit.nodes) for digit in hand.digits]
    return (
        sum(digit.fingers == (THUMB,) for digit in hand.digits) == 1
        and len(hand.digits) > 1
        and all(0 < len(digit.fingers) < len(WHOLE_HAND) for digit in hand.digits)
        and all(int(tree.parent[digit.root]) == hand.palm for digit in hand.digits)
        and all(int(tree.leader[node - 1]) + 1 in nodes for node in nodes)
        and (max(leads) > 1 or sum(leads) >= LEAST_JOINTS)
        and HandModel(robot, (hand,)).is_shaped()
    )


def build_grasp(robot: Robot, hands: tuple[Hand, ...]) -> GraspProblem:
    """The problem of these hands, all of them dexterous."""
    model = HandModel(robot, hands)
    D, tasks = len(model.digits), model.tasks()
    meet, pinch, gap = find_pinches(model, tasks)
    drives, relaxed = np.zeros((len(model.joints), len(SIDES) * len(FINGERS))), model.rest.copy()
    for v, bend in enumerate(model.bends):
        if bend is not None:
            drives[v, len(FINGERS) * bend.side + np.array(bend.fingers)] = 1.0
            relaxed[v] += model.gain[v] * np.mean([RELAXED[finger] for finger in bend.fingers])
    fingers = [model.fingers(d) for d in range(D)]
    rows = [len(FINGERS) * side + digit.fingers[0] for side, digit in zip(model.side, model.digits, strict=True)]
    roots = np.array([model.root(d) for d in range(D)])
    grasp = Grasp(
        side=np.array(model.side, np.int32),
        finger=np.array(rows, np.int32),
        thumb=np.array([model.thumb(d) for d in range(D)], np.int32),
        root=roots,
        length=model.length,
        middle=np.array([roots[others].mean(axis=0) for others in fingers]),
        mean_length=np.array([model.length[others].mean() for others in fingers]),
        palm_from_canonical=model.palms(),
        meet=meet,
        pinch=pinch,
        digit=model.digit_of,
        column=np.array(model.joints, np.int32) + robot.first_joint,
        joint=model.tree.independent,
        rest=model.rest,
        gain=model.gain,
        drives=drives,
        relaxed=np.clip(relaxed, model.limits.lower, model.limits.upper),
        speed=JointGroup(robot, model.joints).speed,
        knuckles=knuckle_frames(),
        bones=ADULT_BONES,
    )
    return GraspProblem(model.tree, tree_arrays(model.tree), tasks, model.limits, grasp, gap)


def start_grasp(problem: GraspProblem) -> GraspState:
    """Hands relaxed."""
    D, nv = len(problem.grasp.side), len(problem.grasp.rest)
    qpos = np.zeros(problem.tree.joint_count)
    qpos[problem.tree.independent] = problem.grasp.relaxed
    memory = GraspMemory(
        problem.tree.with_followers(qpos), np.zeros((D, 5, 3)), np.zeros((3, 3, 3)), np.zeros(D), np.zeros(D, bool),
        np.zeros(1, bool),
    )  # fmt: skip
    bounds = Limits(np.zeros(nv), np.zeros(nv))
    return GraspState(memory, make_targets(problem.tasks, nv), bounds, make_workspace(problem.tree))


def find_pinches(model: HandModel, tasks: Tasks) -> tuple[Array, Array, Array]:
    """Where the tips of thumb and finger meet best (D, 2, 3), the joints then (D, nv), and the gap left (D,), m."""
    D = len(model.digits)
    meet, pinch, gap = np.zeros((D, 2, 3)), np.tile(model.rest, (D, 1)), np.zeros(D)
    for d in range(D):
        thumb, best = model.thumb(d), np.inf
        both = [v for v, own in enumerate(model.digit_of) if own in (thumb, d) and model.bends[v] is not None]
        for start in _starts(model, thumb) if thumb != d else ():
            qpos = _meet(model, thumb, d, start, tasks)
            tips, joints = model.tips(qpos), qpos[model.tree.independent]
            apart = float(np.linalg.norm(tips[thumb] - tips[d]))
            curl = (joints[both] - model.rest[both]) / model.gain[both]
            score = apart + _HALF_CLOSED_M * float(np.abs(curl - 0.5).mean())
            if score < best:
                best, gap[d], pinch[d] = score, apart, joints
                meet[d] = tips[thumb], tips[d]
    return meet, pinch, gap


def _starts(model: HandModel, thumb: int) -> list[Array]:
    """Configurations from which to look: all digits more or less closed, the thumb's other joints anywhere."""
    owner = model.digit_of
    turning = [v for v, bend in enumerate(model.bends) if bend is None and owner[v] == thumb][:2]
    out = []
    for curl, *shares in product(_STARTS, *([_STARTS] * len(turning))):
        qpos = model.curled(curl)
        for v, share in zip(turning, shares, strict=True):
            low, high = max(model.limits.lower[v], -np.pi), min(model.limits.upper[v], np.pi)
            qpos[model.tree.independent[v]] = low + share * (high - low)
        out.append(model.tree.with_followers(qpos))
    return out


def _meet(model: HandModel, thumb: int, finger: int, start: Array, tasks: Tasks) -> Array:
    """(k,) the configuration after both tips were brought to the middle between them, again and again."""
    qpos, D = start.copy(), len(model.digits)
    arrays, targets, work = tree_arrays(model.tree), make_targets(tasks, len(model.joints)), make_workspace(model.tree)
    targets.posture[:] = start[model.tree.independent]
    targets.posture_weight[:] = _NEAR_START
    for d in (thumb, finger):
        targets.weight[D + d] = 1.0 / model.length[d] ** 2
    before = np.full((D, 3), np.inf)
    for _ in range(_MEETINGS):
        tips = model.tips(qpos)
        if np.abs(tips - before).max() < _STILL_M:
            break
        before = tips
        targets.value[D + thumb, 0] = targets.value[D + finger, 0] = (tips[thumb] + tips[finger]) / 2
        solve(arrays, tasks, targets, NO_BODIES, model.limits, qpos, work, _MEETING_STEPS, 1e-4)
    return qpos


def knuckle_frames() -> Array:
    """(2, 3, 3) frames that the knuckles of both hands span in the canonical pose."""
    out = np.empty((len(SIDES), 3, 3))
    for s, side in enumerate(SIDES):
        index, middle, little = (ADULT_BONES[INDEX[f"{side}_{finger}_1"]] for finger in ("index", "middle", "little"))
        knuckle_frame(np.zeros(3), index, middle, little, 1.0 if s == 0 else -1.0, out[s])
    return out
