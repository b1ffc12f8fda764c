"""The fifth paper's angle method (van Holland 2018): the angles of a forearm and its wrist drive a desk light's joints.

The arm turns about the vertical, rises, twists, and the wrist bends: turn → first joint, elevation → second, twist →
fourth, bend → fifth. The paper takes each angle from three points by the law of cosines, and its twist leaks from turn
and elevation. Here the arm's frame after turn and elevation is taken away first, so that each angle is by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import RobotError
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.retarget.frame_mapper import Clip, FrameMapper, is_single_chain
from bunraku.retarget.light_kernels import BEND, ELEVATION, TURN, TWIST, Light, LightMemory, light_frames
from bunraku.robots import Robot

Array = NDArray[np.float64]

ANGLES = ("turn", "elevation", "twist", "bend")
HUMAN = (*ANGLES, "deviation")
"""what a forearm and its wrist can do"""
FITTING = ("lamp",)


@dataclass(frozen=True)
class Definition:
    """How the person's degrees of freedom stand to the robot's."""

    kind: Literal["over-defined", "properly defined", "under-defined"]
    """over-defined: the robot has more than the person; under-defined: fewer"""
    pairs: tuple[tuple[str, str], ...]
    """angle of the arm, joint of the robot"""
    person_alone: tuple[str, ...]
    """angles that no joint follows: the person had better not use them"""
    robot_alone: tuple[str, ...]
    """joints that no angle moves"""


def angle_by_cosines(a: ArrayLike, corner: ArrayLike, b: ArrayLike) -> Array:
    """The angle `(…)` at `corner` between two points, all `(…, 3)`, from the sides of their triangle: Eq. 2.11."""
    a, corner, b = (np.asarray(p, float) for p in (a, corner, b))
    d1, d2, d3 = (np.linalg.norm(v, axis=-1) for v in (a - corner, b - corner, a - b))
    cosine = (d1**2 + d2**2 - d3**2) / np.maximum(2.0 * d1 * d2, 1e-12)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def arm_angles(elbow: ArrayLike, wrist: ArrayLike, left: ArrayLike, right: ArrayLike, hand: ArrayLike) -> Array:
    """Turn, elevation, twist, bend `(…, 4)`, rad, of five markers `(…, 3)`: elbow, wrist, its two sides, hand.

    World z up; turn counts from x to the left, elevation up, twist about the forearm, bend towards the palm. With the
    palm down `left` is on the left. The turn is 0 where the forearm is vertical.
    """
    elbow, wrist, left, right, hand = (np.asarray(p, float) for p in (elbow, wrist, left, right, hand))
    along, across, ahead = _unit(wrist - elbow), left - right, hand - wrist
    turn = np.arctan2(along[..., 1], along[..., 0])
    elevation = np.arctan2(along[..., 2], np.hypot(along[..., 0], along[..., 1]))
    level = np.stack([-np.sin(turn), np.cos(turn), np.zeros_like(turn)], axis=-1)
    up = np.cross(along, level)
    twist = np.arctan2(np.sum(across * up, axis=-1), np.sum(across * level, axis=-1))
    normal = np.cross(along, _unit(across - along * np.sum(across * along, axis=-1, keepdims=True)))
    bend = np.arctan2(-np.sum(ahead * normal, axis=-1), np.sum(ahead * along, axis=-1))
    return np.stack([turn, elevation, twist, bend], axis=-1)


def define(robot: Robot) -> Definition:
    """Which joint follows which angle, and what is left on either side."""
    roles = _roles(robot)
    pairs = tuple((ANGLES[k], robot.joint_names[joint]) for k, joint in roles.items())
    joints = [robot.joint_names[joint] for joint in robot.tree.independent]
    led = {name for _, name in pairs}
    spare = len(joints) - len(HUMAN)
    return Definition(
        "over-defined" if spare > 0 else "under-defined" if spare < 0 else "properly defined",
        pairs,
        tuple(angle for angle in HUMAN if angle not in dict(pairs)),
        tuple(name for name in joints if name not in led),
    )


class AngleMapper(FrameMapper):
    """A light's joints follow the angles of one forearm, the right one if there are two."""

    parts = ANGLES

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        roles, first = _roles(robot), robot.first_joint
        column, limits, sign = np.full(4, -1, np.int32), np.zeros((4, 3)), np.ones(4)
        axes = robot.tree.axis[1:]
        for k, joint in roles.items():
            column[k] = first + joint
            limits[k] = robot.lower[joint], robot.upper[joint], robot.velocity[joint]
            sign[k] = _sign(k, axes[joint])
        self.light = Light(
            column, limits, sign, np.array([[INDEX[f"{s}_forearm"], INDEX[f"{s}_hand"]] for s in SIDES], np.int32),
            INDEX["chest"],
        )  # fmt: skip
        rest = robot.neutral.copy()
        rest[first:] = 0.0
        self.rest = robot.clamp(rest)
        """the joints that no angle moves are straight"""

    def make_memory(self) -> LightMemory:
        """Nothing seen yet."""
        angle = np.where(self.light.column >= 0, self.rest[self.light.column], 0.0)
        return LightMemory(angle, np.zeros(4, bool), np.zeros((4, 2), np.int64), np.zeros(2), np.full(1, -1, np.int32))

    def frames(self, memory: LightMemory, dt_s: float, clip: Clip, out: Array) -> None:
        """The angles of the arm as joint values."""
        light_frames(self.light, memory, self.rest, dt_s, clip, out)


def make(robot: Robot) -> AngleMapper:
    """The mapper."""
    return AngleMapper(robot)


def _roles(robot: Robot) -> dict[int, int]:
    """Angle → joint of a chain that turns about z, rises about y, twists about x and bends about y, in that order."""
    tree = robot.tree
    if not is_single_chain(robot) or not np.allclose(tree.rotation[1:], np.eye(3), atol=1e-3):
        raise _does_not_fit(robot, "it is no single chain on a fixed base with parallel axes")
    roles: dict[int, int] = {}
    wanted = ((TURN, 2), (ELEVATION, 1), (TWIST, 0), (BEND, 1))
    joint = 0
    for role, axis in wanted:
        while joint < tree.joint_count and abs(tree.axis[joint + 1, axis]) < 0.99:
            joint += 1
        if joint < tree.joint_count:
            roles[role] = joint
            joint += 1
    if len(roles) < 2:
        raise _does_not_fit(robot, "no joint turns about z and then rises about y")
    return roles


def _does_not_fit(robot: Robot, lack: str) -> RobotError:
    return RobotError(f"mapper 'angles' does not fit {robot.name}: {lack}. Robots that fit: {', '.join(FITTING)}")


def _sign(role: int, axis: Array) -> float:
    along = float(axis[(2, 1, 0, 1)[role]])
    return float(np.sign(-along if role == ELEVATION else along))


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))
