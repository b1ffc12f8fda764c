"""What metrics are computed from: arrays of a human motion, a robot motion and the robot, each made when asked for.

The names of the public attributes are the names of metrics' parameters. T is the number of the robot motion's frames.
An attribute raises `MissingError` where the person or the robot lacks what it takes.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.evaluate import feet, limbs
from bunraku.evaluate.body import POINTS, TRUNKS, Body, common_trunk, of_human, of_robot
from bunraku.evaluate.hulls import hulls, sole
from bunraku.evaluate.metric import Array, Flags, MissingError
from bunraku.evaluate.replay import Replay, replay
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics.tree import HINGE
from bunraku.robots.motion import RobotMotion
from bunraku.robots.robot import Robot

_CONSTANT = frozenset({"fps", "lower", "upper", "velocity", "hinge"})


def ordered_qpos(motion: RobotMotion, robot: Robot) -> Array:
    """(T, nq) the motion's configurations with the joints in the robot's order."""
    if motion.root != robot.base:
        raise InputError(
            f"the motion has a {motion.root} base, the robot '{robot.name}' a {robot.base} one: "
            f'load it with base="{motion.root}"'
        )
    for name in motion.joint_names:
        if name not in robot.joint_names:
            raise UnknownNameError(f"joint of '{robot.name}'", name, robot.joint_names)
    absent = [name for name in robot.joint_names if name not in motion.joint_names]
    if absent:
        raise InputError(f"the motion lacks joints of the robot '{robot.name}': {', '.join(absent)}")
    if not np.isfinite(motion.qpos).all():
        raise InputError("the robot motion holds numbers that are not finite")
    columns = [motion.joint_names.index(name) for name in robot.joint_names]
    base = np.asarray(motion.qpos[:, : robot.first_joint], float)
    return np.concatenate([base, np.asarray(motion.joints, float)[:, columns]], axis=1)


class Ingredients:
    """`ingredients[name]` is the array without the first `skip` frames; the attributes have all frames."""

    def __init__(self, human: HumanMotion, motion: RobotMotion, robot: Robot, skip: int) -> None:
        self._human, self.robot, self._judged = human, robot, slice(skip, None)
        self._qpos = ordered_qpos(motion, robot)
        self.fps = float(motion.fps)
        self.joints = self._qpos[:, robot.first_joint :]
        self.lower, self.upper, self.velocity = robot.lower, robot.upper, robot.velocity
        self.hinge: Flags = np.asarray(robot.tree.joint_type[1:] == HINGE)

    def __getitem__(self, name: str) -> Any:
        value = getattr(self, name)
        return value if name in _CONSTANT else value[self._judged]

    # ------------------------------------------------------------------ the person, at the robot's frames
    @cached_property
    def _frames(self) -> NDArray[np.int_]:
        """(T,) the person's frame that is nearest in time; its last one where the robot moves on."""
        if not len(self._human):
            raise MissingError("the human motion is empty")
        nearest = np.round(np.arange(len(self._qpos)) / self.fps * self._human.fps)
        return np.minimum(nearest, len(self._human) - 1).astype(int)

    @cached_property
    def _toes(self) -> tuple[Array, Flags]:
        columns = [INDEX[f"{side}_toe"] for side in SIDES]
        positions, known = self._human.positions[:, columns], self._human.position_valid[:, columns]
        speed, speed_known = feet.speed(positions, known, self._human.fps)
        frames = self._frames
        return speed[frames], feet.contacts(positions[frames, :, 2], speed[frames], speed_known[frames])

    @property
    def toe_speed(self) -> Array:
        """(T, 2) m/s"""
        return self._toes[0]

    @property
    def contact(self) -> Flags:
        """(T, 2) whether the person's foot stands on the ground"""
        return self._toes[1]

    # ------------------------------------------------------------------ the robot among shapes
    @cached_property
    def _replay(self) -> Replay | None:
        from bunraku.robots.model import compile_model

        model = compile_model(self.robot)
        shapes, links = hulls(model), self.robot.semantics.links
        if not shapes:
            return None
        feet_links = [links[f"{side}_foot"] for side in SIDES if f"{side}_foot" in links]
        soles = [sole(model, shapes, self.robot.links.names[link]) for link in feet_links]
        both = len(soles) == len(SIDES) and all(soles)
        return replay(model, self._qpos, self.fps, shapes, soles if both else [])

    @property
    def _played(self) -> Replay:
        if self._replay is None:
            raise MissingError("the robot has no collision shapes")
        return self._replay

    @property
    def _played_on_ground(self) -> Replay:
        if self.robot.base == "fixed":
            raise MissingError("the robot's base is fixed: it does not stand on the ground")
        return self._played

    @property
    def _played_on_feet(self) -> Replay:
        if not self._played_on_ground.sole_height.shape[1]:
            raise MissingError("the robot does not have two feet with collision shapes")
        return self._played

    @property
    def overlap(self) -> Array:
        """(T,) deepest contact of the robot with itself, m"""
        return self._played.overlap

    @property
    def lowest(self) -> Array:
        """(T,) height of the robot's lowest point, m"""
        return self._played_on_ground.lowest

    @property
    def sole_height(self) -> Array:
        """(T, 2) m"""
        return self._played_on_feet.sole_height

    @property
    def sole_speed(self) -> Array:
        """(T, 2) m/s, horizontal"""
        return self._played_on_feet.sole_speed

    # ------------------------------------------------------------------ both bodies
    @cached_property
    def _trunk(self) -> str:
        return common_trunk(self._human, self.robot)

    @cached_property
    def _bodies(self) -> tuple[Body, Body]:
        return of_human(self._human, self._frames, self._trunk), of_robot(self.robot, self._qpos, self._trunk)

    @cached_property
    def _trunk_frames(self) -> tuple[Array, Array]:
        return limbs.trunk_frames(*self._bodies, TRUNKS[self._trunk])

    @cached_property
    def _heading(self) -> Array:
        """(3, 3) the constant turn from the person's world to the robot's"""
        (a, known), (b, _) = (body.difference(*TRUNKS[self._trunk]) for body in self._bodies)
        use = known[self._judged]
        return limbs.heading(a[self._judged][use], b[self._judged][use])

    @cached_property
    def _directions(self) -> tuple[Array, Array, Flags]:
        (one, known), (other, other_known) = (limbs.directions(body) for body in self._bodies)
        return one, other, known & other_known

    @property
    def limb_world_known(self) -> Flags:
        """(T, 8)"""
        return self._directions[2]

    @cached_property
    def limb_world_angles(self) -> Array:
        """(T, 8) rad, after one constant heading"""
        one, other, _ = self._directions
        return limbs.angle(one @ self._heading.T, other)

    @property
    def limb_known(self) -> Flags:
        """(T, 8)"""
        return self.limb_world_known & self.turn_known[:, None]

    @cached_property
    def limb_angles(self) -> Array:
        """(T, 8) rad, seen from the trunks"""
        (person, robot), (one, other, _) = self._trunk_frames, self._directions
        return limbs.angle(limbs.seen_from(person, one), limbs.seen_from(robot, other))

    @cached_property
    def limb_person(self) -> Array:
        """(T, 8, 3) directions of the person's limbs, seen from the trunk"""
        return limbs.seen_from(self._trunk_frames[0], self._directions[0])

    @cached_property
    def limb_robot(self) -> Array:
        """(T, 8, 3) directions of the robot's limbs, seen from the trunk"""
        return limbs.seen_from(self._trunk_frames[1], self._directions[1])

    @cached_property
    def _places(self) -> tuple[Array, Flags]:
        self._need_pelvis()
        return limbs.place_errors(*self._bodies, self._trunk_frames)

    @property
    def place_error(self) -> Array:
        """(T, 10) in leg lengths"""
        return self._places[0]

    @property
    def place_known(self) -> Flags:
        """(T, 10)"""
        return self._places[1] & self.turn_known[:, None]

    @cached_property
    def _reaches(self) -> tuple[Array, Flags]:
        return limbs.reach_errors(*self._bodies, self._trunk_frames)

    @property
    def reach_error(self) -> Array:
        """(T, 8) in limb lengths"""
        return self._reaches[0]

    @property
    def reach_known(self) -> Flags:
        """(T, 8)"""
        return self._reaches[1] & self.turn_known[:, None]

    @cached_property
    def pelvis_angles(self) -> Array:
        """(T,) rad, after one constant heading"""
        self._need_pelvis()
        person, robot = self._trunk_frames
        return limbs.turn_angles(self._heading @ person, robot)

    @property
    def turn_known(self) -> Flags:
        """(T,) where the orientation of the person's trunk is known"""
        return self._bodies[0].turn_known

    def _need_pelvis(self) -> None:
        if self._trunk != "hips":
            raise MissingError("the person and the robot do not both have a pelvis with two hips")

    # ------------------------------------------------------------------ what to know when reading the figures
    def pairs(self) -> dict[tuple[str, str], int]:
        """Links that touch and should not, and in how many frames, most frequent first."""
        if self._replay is None:
            return {}
        touching = Counter((a, b) for frame, a, b in self._replay.touching if frame >= self._judged.start)
        return dict(touching.most_common())

    def notes(self) -> tuple[str, ...]:
        """What stands behind the figures and is not as a reader would expect."""
        out = []
        late = (len(self._qpos) - 1) / self.fps - self._human.duration_s
        if len(self._human) and late > max(1 / self.fps, 1 / self._human.fps):
            out.append(f"the robot moves {late:.2f} s longer than the person, whose last pose stands for the rest")
        try:
            bodies = self._bodies
        except MissingError:
            return tuple(out)
        if self._trunk != "hips":
            out.append("limbs are seen from the chest: the person and the robot do not both have two hips")
        for who, body in zip(("person", "robot"), bodies, strict=True):
            absent = [name for name in POINTS if not body.point(name)[1].any()]
            if absent:
                out.append(f"unknown of the {who} and left out: {', '.join(absent)}")
        return tuple(out)
