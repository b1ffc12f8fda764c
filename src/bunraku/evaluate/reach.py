"""Where a limb does not point as the person's does, and what holds it back.

A joint holds a limb back where it is at the end of its range and turning it further would bring the whole arm or leg
nearer to the person's. Where none does, a joint that would help may be as fast as it can be, or the robot's own body be
in the way, or none of the limb's joints turns it that way; what is left are aims that weigh more, such as feet that
stand where they stand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.evaluate.closeness import close_links
from bunraku.evaluate.limbs import COLUMNS
from bunraku.evaluate.metric import Array, Flags
from bunraku.human.skeleton import SIDES
from bunraku.kinematics.tree import HINGE
from bunraku.robots.robot import Robot

OFF_DEG = 5.0
"""a limb that is further off than this, on average, is explained"""
_PARTS = {"arm": ("upper_arm", "forearm"), "leg": ("thigh", "shin")}
_ENDS = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot"}
_AT_END = 0.01
"""rad or m; nearer than this to the end of its range a joint is pushed against it"""
_MATTERS = 0.2
"""rad of error that a rad of the joint would take away"""
_AT_SPEED = 0.97
"""of a joint's fastest"""
_SAMPLES = 80
_JOINTS_OF_A_LEG = 6
"""with fewer a foot that stands flat leaves thigh and shin no choice"""


@dataclass(frozen=True)
class Shortfall:
    """An arm or leg that is off, and why."""

    limb: str
    """such as "left arm" """
    parts: tuple[tuple[str, float], ...]
    """"upper arm", "forearm", "thigh" or "shin", and by how many degrees it is off on average"""
    cause: str
    """what holds it back in most of the frames in which it is off"""
    share: float
    """of those frames"""

    def __str__(self) -> str:
        off = " and ".join(f"{part} {degrees:.0f}°" for part, degrees in self.parts)
        return f"{self.limb}: {off} off, in {self.share:.0%} of such frames because {self.cause}"


def shortfalls(
    robot: Robot, qpos: Array, fps: float, angles: Array, wanted: Array, known: Flags
) -> tuple[Shortfall, ...]:
    """The arms and legs of which a part is off by more than OFF_DEG on average.

    `qpos` (T, nq), `angles` (T, 8) rad between robot and person, `wanted` (T, 8, 3) the person's directions in the
    robot's world, `known` (T, 8); limbs in the order of COLUMNS.
    """
    out = []
    speed = np.abs(np.gradient(qpos[:, robot.first_joint :], axis=0)) * fps if len(qpos) > 1 else np.zeros((1, 0))
    for side in SIDES:
        for limb, parts in _PARTS.items():
            columns = [COLUMNS.index((part, side)) for part in parts]
            means = [float(np.degrees(angles[known[:, c], c].mean())) if known[:, c].any() else 0.0 for c in columns]
            off = tuple((p.replace("_", " "), m) for p, m in zip(parts, means, strict=True) if m > OFF_DEG)
            if not off:
                continue
            error = np.where(known, angles, 0.0)[:, columns]
            frames = np.flatnonzero(error.max(axis=1) > np.radians(OFF_DEG))
            frames = frames[:: -(-len(frames) // _SAMPLES)]
            own = _Limb(robot, side, limb)
            close = close_links(robot, qpos[frames])
            causes = Counter(
                own.cause(qpos[t], speed[t], own.gains(qpos[t], columns, wanted[t], known[t]), near)
                for t, near in zip(frames, close, strict=True)
            )
            cause, count = causes.most_common(1)[0]
            out.append(Shortfall(f"{side} {limb}", off, cause, count / len(frames)))
    return tuple(out)


class _Limb:
    """An arm or leg of a robot: its joints that are set by themselves, and the links that they move."""

    def __init__(self, robot: Robot, side: str, limb: str) -> None:
        self.robot, self.side, self.limb = robot, side, limb
        leader = robot.tree.leader
        joints = robot.semantics.joints.get(f"{side}_{limb}", ())
        self.joints = [j for j in joints if leader[j] == j and robot.lower[j] < robot.upper[j]]
        root = joints[0] + 1 if joints else len(robot.tree.parent)
        moved = {node for node in range(root, len(robot.tree.parent)) if root in _path(robot.tree.parent, node)}
        self.links = [name for name, node in zip(robot.links.names, robot.links.node, strict=True) if node in moved]

    def cause(self, qpos: Array, speed: Array, gains: Array, near: dict[str, set[str]]) -> str:
        """What holds the limb back in one configuration. `gains` (joints,) as from `gains`."""
        robot, own = self.robot, self.joints
        values = qpos[[robot.first_joint + j for j in own]]
        up, down = values > robot.upper[own] - _AT_END, values < robot.lower[own] + _AT_END
        held = (up & (gains > _MATTERS)) | (down & (gains < -_MATTERS))
        blame, free = np.where(held, np.abs(gains), 0.0), np.where(held, 0.0, np.abs(gains))
        if not len(own) or (blame.max() <= 0 and free.max() <= _MATTERS):
            return "none of its joints turns it that way"
        if blame.max() >= free.max():
            k = int(blame.argmax())
            return self._end(own[k], bool(up[k]))
        fast = speed[own] > _AT_SPEED * robot.velocity[own]
        if fast.any():
            return (
                f"{robot.joint_names[own[int(np.where(fast, 1 + np.abs(gains), 0).argmax())]]} moves as fast as it can"
            )
        others = sorted({other for link in self.links for other in near.get(link, ()) if other not in self.links})
        if others:
            return f"{others[0]} is in the way"
        if self.limb == "arm":
            return "other aims weigh more"
        ankle = np.flatnonzero((up | down) & (gains == 0))
        if ankle.size:
            return f"its foot stands flat, and {self._end(own[ankle[0]], bool(up[ankle[0]]))}"
        few = f" flat, and the leg has {len(own)} joints" if len(own) < _JOINTS_OF_A_LEG else " where it stands"
        return f"its foot stands{few}"

    def _end(self, joint: int, upper: bool) -> str:
        robot = self.robot
        end = float((robot.upper if upper else robot.lower)[joint])
        text = f"{np.degrees(end):.0f}°" if robot.tree.joint_type[joint + 1] == HINGE else f"{end:.2f} m"
        return f"{robot.joint_names[joint]} ends at {text}"

    def gains(self, qpos: Array, columns: list[int], wanted: Array, known: Flags) -> Array:
        """(joints,) by how much raising each would lessen the error of the whole limb, rad/rad, followers included."""
        robot, side = self.robot, self.side
        tree, points = robot.tree, robot.semantics.points
        at, turn = tree.forward(qpos)
        axes = np.einsum("nij,nj->ni", turn, tree.axis)
        link_at, link_turn = robot.link_poses(qpos)
        total = np.zeros(tree.joint_count)
        weight = 0.0
        for column in columns:
            if not known[column]:
                continue
            part = COLUMNS[column][0]
            ends = [points[f"{side}_{name}"] for name in (part, _ENDS[part])]
            places = [link_at[p.link] + link_turn[p.link] @ p.position for p in ends]
            along = places[1] - places[0]
            length = max(float(np.linalg.norm(along)), 1e-9)
            now, target = along / length, wanted[column]
            error = float(np.arccos(np.clip(now @ target, -1.0, 1.0)))
            across = target - (target @ now) * now
            across /= max(float(np.linalg.norm(across)), 1e-9)
            for sign, point, place in zip((-1.0, 1.0), ends, places, strict=True):
                for node in _path(tree.parent, int(robot.links.node[point.link])):
                    arm = np.cross(axes[node], place - at[node]) if tree.joint_type[node] == HINGE else axes[node]
                    total[node - 1] += sign * error * float(arm @ across) / length
            weight += error * error
        led = np.zeros(tree.joint_count)
        np.add.at(led, tree.leader, total * tree.ratio)
        return np.asarray(led[self.joints] / max(np.sqrt(weight), 1e-9))


def _path(parent: NDArray[np.int32], node: int) -> list[int]:
    """The nodes from this one up to the base, without it."""
    out = []
    while node > 0:
        out.append(node)
        node = int(parent[node])
    return out
