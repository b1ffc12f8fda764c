"""P4's whole way, frame by frame: operator → camera → keypoints, depth → hands → whole body → simulated CENTAURO."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments import rgbd
from bunraku.experiments.devices import CAMERA_HZ
from bunraku.experiments.p4.operator import Script, keypoints
from bunraku.human.hand_tracking import HandReference, Reference
from bunraku.human.operator_hands import OperatorHands
from bunraku.human.skeleton import SIDES
from bunraku.kinematics import rotations as rot
from bunraku.outputs.sim import Simulation
from bunraku.retarget.cartesian import CartesianMapper, CartesianState, HandTarget
from bunraku.robots import Robot, load_robot

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]

LINKS = {"left": "arm1_6", "right": "arm2_6"}
BALLS = ("ball1", "ball2")
TOOL = np.array([0.0, 0.0, -0.22])
"""(3,) middle of the flat paddle in the hand's link, m"""
PADDLE = (0.07, 0.012, 0.09)
"""half sizes, m, across, through and along; the paper's flat hands"""
SMOOTH_S, SMOOTH_TURN_S = 0.10, 0.20
"""time constants with which the references are followed; the paper's Cartesian Interface smooths, too"""
READY = {"left": np.array([0.80, 0.25, 1.05]), "right": np.array([0.80, -0.25, 1.05])}
CROUCH_M = 0.08
"""how far the body is lowered at the start, so that it can rise"""
BENT = {"1": 0.6, "2": 0.35, "4": -1.9}
FORWARD = {
    side: rot.from_matrix(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])) for side in SIDES
}  # fmt: skip
"""(4,) of the hand's link with fingers forward and paddles upright, palms facing each other"""


@cache
def centauro() -> tuple[Robot, CartesianMapper, Array]:
    """The robot, its mapper, and (nq,) where it stands ready: elbows bent, hands before the body."""
    robot = load_robot("centauro")
    mapper = CartesianMapper(robot, hands=LINKS, tool=TOOL)
    qpos = robot.neutral.copy()
    for arm, sign in (("1", 1), ("2", -1)):
        for number, value in BENT.items():
            qpos[7 + robot.joint_index(f"j_arm{arm}_{number}")] = value * (sign if number == "2" else 1)
    return robot, mapper, _stood(mapper, qpos)


def _stood(mapper: CartesianMapper, qpos: Array) -> Array:
    """The ready pose: hands at READY, and the body low enough to rise later."""
    for drop in (0.0, CROUCH_M):
        state = mapper.start(qpos)
        low = {side: HandTarget(READY[side] - [0, 0, 3 * drop], FORWARD[side]) for side in SIDES}
        for _ in range(60):
            qpos = mapper.solve(low, state)
        if drop:
            state = mapper.start(qpos)
            for _ in range(60):
                qpos = mapper.solve({side: HandTarget(READY[side], FORWARD[side]) for side in SIDES}, state)
    return qpos


@dataclass(eq=False)
class Run:
    """What was recorded; T frames of the camera."""

    human: dict[str, list[Array]] = field(default_factory=lambda: {side: [] for side in SIDES})
    """(3,) true displacement of each hand"""
    human_turn: dict[str, list[Array]] = field(default_factory=lambda: {side: [] for side in SIDES})
    commanded: list[Array] = field(default_factory=list)
    """(nq,)"""
    measured: list[Array] = field(default_factory=list)
    """(nq,)"""
    dropped: dict[str, int] = field(default_factory=dict)
    balance: list[float] = field(default_factory=list)
    """m to the edge of the support polygon"""


class Teleoperation:
    """One operator, one robot, one run. `scenery` puts things into the robot's world."""

    def __init__(
        self, script: Script, seed: int, *, scenery: Callable[[mujoco.MjSpec], None] | None = None,
        reference: Reference = "start", turns: bool = False,
    ) -> None:  # fmt: skip
        self.robot, self.mapper, ready = centauro()
        self.script, self.turns, self.run = script, turns, Run()
        self.rng = np.random.default_rng(seed)
        self.hands = OperatorHands(rgbd.CAMERA, rgbd.WORLD_FROM_CAMERA, rgbd.PLACE)
        self.simulation = Simulation(self.robot, base="free", scenery=scenery)
        self.simulation.reset(ready)
        self.state: CartesianState = self.mapper.start(ready)
        home = {side: self.mapper.hand_pose(ready, side) for side in SIDES}
        self.references = {side: HandReference(reference, home[side][0]) for side in SIDES}
        self._home_turn = {side: home[side][1] for side in SIDES}
        self._first_turn: dict[str, Array] = {}
        self._smooth = {side: (home[side][0].copy(), home[side][1].copy()) for side in SIDES}

    def targets(self, t: float) -> dict[str, HandTarget]:
        """What the camera sees at a time, as targets for the robot's hands: our part before the solver."""
        depth, pixels = rgbd.look(keypoints(self.script, t), self.rng)
        return self.follow(depth, pixels)

    def follow(self, depth: Array, pixels: Array) -> dict[str, HandTarget]:
        """Lifting, gating, hand frames, references, smoothing."""
        out = {}
        for side, hand in self.hands.update(depth, [pixels]).items():
            place = self.references[side].update(hand.place if hand.fresh else None, self.hands.hips)
            at, turn = self._smooth[side]
            if place is not None:
                at += (1 - np.exp(-1 / (CAMERA_HZ * SMOOTH_S))) * (place - at)
            if self.turns and hand.turn is not None:
                first = self._first_turn.setdefault(side, hand.turn)
                wanted = rot.multiply(rot.multiply(hand.turn, rot.inverse(first)), self._home_turn[side])
                turn[:] = rot.slerp(turn, wanted, 1 - np.exp(-1 / (CAMERA_HZ * SMOOTH_TURN_S)))
            out[side] = HandTarget(at.copy(), turn.copy())
        return out

    def frame(self, t: float) -> None:
        """One frame of the camera, and the robot until the next."""
        command = self.mapper.solve(self.targets(t), self.state, 1 / CAMERA_HZ)
        measured = self.simulation.step(command, 1 / CAMERA_HZ)
        for side in SIDES:
            self.run.human[side].append(self.script.displacement(side, t))
            self.run.human_turn[side].append(self.script.turn(side, t))
        self.run.commanded.append(command)
        self.run.measured.append(measured.qpos)
        self.run.balance.append(self.mapper.balance(measured.qpos))

    def perform(self, watch: Callable[[float], None] | None = None) -> Run:
        """From beginning to end; `watch` is called after each frame with its time."""
        for k in range(round(self.script.seconds * CAMERA_HZ)):
            self.frame(k / CAMERA_HZ)
            if watch is not None:
                watch(k / CAMERA_HZ)
        for side in SIDES:
            for reason, count in self.hands.hands[side].gate.dropped.items():
                self.run.dropped[reason] = self.run.dropped.get(reason, 0) + count
        return self.run


def paddles(spec: mujoco.MjSpec) -> None:
    """The paper's flat hands on the ends of both arms, in the place of the model's balls."""
    import mujoco

    for ball in BALLS:
        for geom in spec.body(ball).geoms:
            geom.contype = geom.conaffinity = 0
    for link in LINKS.values():
        body = spec.body(link)
        body.add_geom(
            name=f"{link}_paddle", type=mujoco.mjtGeom.mjGEOM_BOX, size=PADDLE, pos=TOOL, mass=0.2,
            friction=[1.0, 0.01, 0.0005], rgba=[0.2, 0.2, 0.22, 1],
        )  # fmt: skip
