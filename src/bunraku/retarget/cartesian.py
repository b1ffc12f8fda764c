"""Hands first (P4): a robot's whole body puts its hands where they are wanted; feet or wheels stay, it keeps balance.

The same least-squares problem and solver as the whole-body mapper's: hand positions and orientations, feet held where
they stand, an upright trunk, a posture that everything returns to, limits and speeds, parts kept apart. The base's
height is free: legs lower and raise the body where that helps the hands. Where the centre of mass comes too near to the
edge of the support polygon, the base is drawn back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError, UnknownNameError
from bunraku.human.skeleton import SIDES
from bunraku.kinematics import rotations as rot
from bunraku.kinematics.problem import (
    Limits,
    Targets,
    Workspace,
    build_tasks,
    make_targets,
    make_workspace,
    tree_arrays,
    variable_limits,
)
from bunraku.kinematics.solver import solve
from bunraku.retarget.apart import keep_apart
from bunraku.retarget.balance import centre_of_mass, convex_polygon, margin
from bunraku.robots import Robot

Array = NDArray[np.float64]

ITERATIONS, TOLERANCE = 12, 2e-4
_PULL = 0.12
"""m; a hand's place that is farther off pulls no harder than one so far away"""
_NEAR_FLOOR = 0.02
"""m; a part of the robot this low in its neutral pose stands on the floor"""
_LEG_SHARE = 0.1
"""of a leg's joint speeds: a body that is carried by contacts moves calmly"""
_HOMEWARD = 1 / 30
"""of the way to the posture in each frame, at the most"""
_NO_TURN = np.eye(3)


@dataclass(frozen=True, kw_only=True)
class CartesianWeights:
    """What counts how much, per squared metre or radian."""

    hand: float = 300.0
    hand_turn: float = 3.0
    foot: float = 1e4
    foot_turn: float = 1e3
    trunk_turn: float = 10.0
    arm: float = 1e-2
    leg: float = 1e-2
    """of the posture; the lower beside `arm`, the more the body's height moves"""
    trunk: float = 1e-2
    rest: float = 1.0
    """of all other joints"""
    balance: float = 1e3
    home: float = 30.0
    """of the base's place over the floor; its height is free"""


@dataclass(frozen=True, eq=False)
class HandTarget:
    """Where one hand should be, in the robot's world."""

    position: Array
    """(3,)"""
    rotation: Array | None = None
    """(4,) of the hand's link; None leaves it free"""


@dataclass(eq=False)
class CartesianState:
    """All that is remembered between frames."""

    qpos: Array
    targets: Targets
    work: Workspace
    home: Array
    """(nv,) the posture that everything returns to; the base's place over the floor in the first two"""
    lean: Array
    """(2,) how far balance has drawn the base, m"""


class CartesianMapper:
    """Maps hand targets to one robot. `hands` names the links; by default those that were recognised as hands."""

    def __init__(
        self, robot: Robot, *, hands: Mapping[str, str] | None = None, tool: Array | None = None,
        weights: CartesianWeights | None = None, margin_m: float = 0.03,
    ) -> None:  # fmt: skip
        self.robot, self.weights, self.margin = robot, weights or CartesianWeights(), margin_m
        self._tool = np.zeros(3) if tool is None else np.asarray(tool, float)
        names = dict(_hands_of(robot) if hands is None else hands)
        for side in names:
            if side not in SIDES:
                raise UnknownNameError("hand", side, SIDES)
        self._links = {side: robot.links.index(name) for side, name in names.items()}
        self.standing = standing_nodes(robot) if robot.base == "free" else ()
        self._tree = tree_arrays(robot.tree)
        self._limits = variable_limits(robot.tree, robot.lower, robot.upper)
        self._bodies = keep_apart(robot)
        ends = [(link, *_on_node(robot, link, self._tool)) for link in self._links.values()]
        turned = [(int(robot.links.node[link]), robot.links.rotation[link]) for link, _, _ in ends]
        turned += [(node, _NO_TURN) for node in self.standing] + [(0, _NO_TURN)] * (robot.base == "free")
        placed = [(node, point) for _, node, point in ends] + [(node, np.zeros(3)) for node in self.standing]
        placed += [(0, np.zeros(3))] * (robot.base == "free")
        self._tasks = build_tasks(robot.tree, (), turned, placed)
        self._speed = self._variable_speed()

    @property
    def sides(self) -> tuple[str, ...]:
        """The hands that the robot has."""
        return tuple(self._links)

    def start(self, qpos: Array | None = None) -> CartesianState:
        """Stand in a configuration (default: neutral): feet stay where they are, the posture is this one."""
        qpos = self.robot.clamp(self.robot.neutral if qpos is None else np.asarray(qpos, float))
        targets = make_targets(self._tasks, len(self._limits.lower))
        at, turn = self.robot.tree.forward(qpos)
        w, hands = self.weights, len(self._links)
        first_place = hands + len(self.standing) + (self.robot.base == "free")
        for k, node in enumerate(self.standing):
            targets.value[hands + k], targets.weight[hands + k] = turn[node], w.foot_turn
            targets.value[first_place + hands + k, 0], targets.weight[first_place + hands + k] = at[node], w.foot
        if self.robot.base == "free":
            targets.value[first_place - 1], targets.weight[first_place - 1] = turn[0], w.trunk_turn
            targets.value[-1, 0] = at[0]
        self._posture(targets, qpos)
        work = make_workspace(self.robot.tree, self._bodies)
        state = CartesianState(qpos.copy(), targets, work, targets.posture.copy(), np.zeros(2))
        if len(self.standing):
            state.targets.weight[-1, :2] = self.weights.home
        return state

    def hand_pose(self, qpos: Array, side: str) -> tuple[Array, Array]:
        """Place (…, 3) of a hand's tool point and turn (…, 4) of its link in the world, for configurations (…, nq)."""
        if side not in self._links:
            raise UnknownNameError("hand", side, self._links)
        at, turn = self.robot.link_poses(qpos)
        link = self._links[side]
        return at[..., link, :] + turn[..., link, :, :] @ self._tool, rot.from_matrix(turn[..., link, :, :])

    def solve(self, wanted: Mapping[str, HandTarget], state: CartesianState, dt_s: float = np.inf) -> Array:
        """(nq,) the next configuration; no joint moves faster than its limit over `dt_s`."""
        targets, count = state.targets, len(self._links)
        first_place = len(self._tasks.kind) - count - len(self.standing) - (self.robot.base == "free")
        for k, side in enumerate(self._links):
            target = wanted.get(side)
            place = target is not None and np.isfinite(target.position).all()
            turn = target is not None and target.rotation is not None and np.isfinite(target.rotation).all()
            targets.weight[first_place + k] = self.weights.hand if place else 0.0
            targets.weight[k] = self.weights.hand_turn if turn else 0.0
            if target is not None and place:
                here = self.hand_pose(state.qpos, side)[0]
                way = target.position - here
                far = float(np.linalg.norm(way))
                targets.value[first_place + k, 0] = here + way * min(1.0, _PULL / max(far, 1e-9))
            if target is not None and target.rotation is not None and turn:
                targets.value[k] = rot.to_matrix(target.rotation)
        self._keep_balance(state)
        self._draw_home(state)
        solve(self._tree, self._tasks, targets, self._bodies, self._reachable(state.qpos, dt_s), state.qpos,
              state.work, ITERATIONS, TOLERANCE)  # fmt: skip
        return state.qpos.copy()

    def balance(self, qpos: Array) -> float:
        """m from the centre of mass to the edge of the support polygon, negative outside; infinite for a fixed base."""
        if not len(self.standing):
            return float("inf")
        return margin(self._polygon(qpos), centre_of_mass(self.robot, qpos)[:2])[0]

    def _polygon(self, qpos: Array) -> Array:
        return convex_polygon(self.robot.tree.forward(qpos)[0][list(self.standing), :2])

    def _keep_balance(self, state: CartesianState) -> None:
        """Draw the base inwards by what is missing to the margin; let go slowly where there is more than enough."""
        if not len(self.standing):
            return
        inside, inward = margin(self._polygon(state.qpos), centre_of_mass(self.robot, state.qpos)[:2])
        missing = self.margin - inside
        state.lean = state.lean + missing * inward if missing > 0 else 0.9 * state.lean
        size = float(np.linalg.norm(state.lean))
        state.targets.weight[-1, :2] = self.weights.home + self.weights.balance * min(size / 0.02, 1.0)
        state.targets.value[-1, 0, :2] = state.home[:2] + state.lean

    def _draw_home(self, state: CartesianState) -> None:
        """Joints are drawn a step from where they are towards the posture: nothing hurries from one way of reaching a
        place to another."""
        joints = self.robot.tree.independent
        v, q = self._tree.variable[joints], state.qpos[self.robot.first_joint + joints]
        state.targets.posture[v] = q + _HOMEWARD * (state.home[v] - q)

    def _posture(self, targets: Targets, qpos: Array) -> None:
        arms = {j for side in SIDES for j in self.robot.semantics.joints.get(f"{side}_arm", ())}
        legs, trunk = self._leg_joints(), self.robot.semantics.joints.get("torso", ())
        for joint in self.robot.tree.independent:
            v = self._tree.variable[joint]
            targets.posture[v] = qpos[self.robot.first_joint + joint]
            weight = self.weights.rest
            for part, own in ((arms, self.weights.arm), (legs, self.weights.leg), (trunk, self.weights.trunk)):
                weight = own if int(joint) in part else weight
            if not (np.isfinite(self.robot.lower[joint]) and np.isfinite(self.robot.upper[joint])):
                weight = 10.0  # a wheel that is braked
            targets.posture_weight[v] = weight / _HOMEWARD
        if self.robot.base == "free":
            targets.posture[:2] = qpos[:2]

    def _variable_speed(self) -> Array:
        speed, legs = np.full(len(self._limits.lower), np.inf), self._leg_joints()
        for joint in range(self.robot.tree.joint_count):
            ratio = abs(self.robot.tree.ratio[joint])
            if ratio > 0:
                v = self._tree.variable[joint]
                share = _LEG_SHARE if joint in legs else 1.0
                speed[v] = min(speed[v], share * self.robot.velocity[joint] / ratio)
        return speed

    def _leg_joints(self) -> set[int]:
        return {int(node) - 1 for foot in self.standing for node in _path(self.robot, foot)}

    def _reachable(self, qpos: Array, dt_s: float) -> Limits:
        if not np.isfinite(dt_s):
            return self._limits
        lower, upper = self._limits.lower.copy(), self._limits.upper.copy()
        joints = self.robot.tree.independent
        v, q = self._tree.variable[joints], qpos[self.robot.first_joint + joints]
        lower[v] = np.maximum(lower[v], q - self._speed[v] * dt_s)
        upper[v] = np.minimum(upper[v], q + self._speed[v] * dt_s)
        return Limits(lower, upper)


def standing_nodes(robot: Robot) -> tuple[int, ...]:
    """Nodes at the ends of chains that touch the floor in the neutral pose: feet, wheels."""
    at, turn = robot.tree.forward(robot.neutral)
    parents = set(robot.tree.parent.tolist())
    low = []
    for node in range(1, len(robot.tree.parent)):
        if node in parents:
            continue
        reach = [_lowest(robot, k, at, turn) for k, s in enumerate(robot.shapes) if robot.links.node[s.link] == node]
        if reach and min(reach) < _NEAR_FLOOR:
            low.append(node)
    return tuple(low)


def _lowest(robot: Robot, number: int, at: Array, turn: Array) -> float:
    """Height of a shape's lowest point, a box by its corners, the others by their ends and radius."""
    shape = robot.shapes[number]
    node, size = int(robot.links.node[shape.link]), np.array(shape.size)
    link_turn = turn[node] @ robot.links.rotation[shape.link]
    centre = at[node] + turn[node] @ robot.links.position[shape.link] + link_turn @ shape.position
    down = (link_turn @ shape.rotation)[2]
    if shape.kind == "box":
        return float(centre[2] - np.abs(down) @ size)
    return float(centre[2] - size[0] - (abs(down[2]) * size[1] if shape.kind == "capsule" else 0.0))


def _hands_of(robot: Robot) -> dict[str, str]:
    points = robot.semantics.points
    found = {side: robot.links.names[points[f"{side}_hand"].link] for side in SIDES if f"{side}_hand" in points}
    if not found:
        raise RobotError(f"'{robot.name}' has no hand that was recognised: name its links")
    return found


def _on_node(robot: Robot, link: int, point: Array) -> tuple[int, Array]:
    at = robot.links.position[link] + robot.links.rotation[link] @ point
    return int(robot.links.node[link]), at


def _path(robot: Robot, node: int) -> list[int]:
    out = [node]
    while robot.tree.parent[out[-1]] > 0:
        out.append(int(robot.tree.parent[out[-1]]))
    return out
