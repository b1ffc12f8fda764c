"""A small humanoid, and a person whose joints stand exactly where the robot has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from xml.etree import ElementTree

import numpy as np

from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, JOINT_COUNT
from bunraku.kinematics import rotations
from bunraku.robots.load import load_robot
from bunraku.robots.motion import RobotMotion
from bunraku.robots.robot import Robot
from bunraku.robots.semantics import Point, Semantics

FPS = 30.0
HEIGHT = 0.86
"""of the pelvis when the soles are on the ground"""
_PARTS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
_INERTIAL = '<inertial mass="1" pos="0 0 0" diaginertia="0.01 0.01 0.01"/>'


def _leg(side: str, y: float) -> str:
    return f"""
    <body name="{side}_thigh" pos="0 {y} 0">{_INERTIAL}<joint name="{side}_hip" axis="0 1 0" range="-90 90"/>
      <geom type="capsule" fromto="0 0 -0.1 0 0 -0.3" size="0.05"/>
      <body name="{side}_shin" pos="0 0 -0.4">{_INERTIAL}<joint name="{side}_knee" axis="0 1 0" range="0 120"/>
        <geom type="capsule" fromto="0 0 -0.1 0 0 -0.3" size="0.04"/>
        <body name="{side}_foot" pos="0 0 -0.4">{_INERTIAL}<joint name="{side}_ankle" axis="0 1 0" range="-60 60"/>
          <geom type="box" pos="0.05 0 -0.04" size="0.1 0.04 0.02"/>
        </body></body></body>"""


def _arm(side: str, y: float) -> str:
    return f"""
    <body name="{side}_upper_arm" pos="0 {y} 0.5">{_INERTIAL}
      <joint name="{side}_shoulder" axis="0 1 0" range="-120 120"/>
      <geom type="capsule" fromto="0 0 -0.08 0 0 -0.22" size="0.04"/>
      <body name="{side}_forearm" pos="0 0 -0.3">{_INERTIAL}<joint name="{side}_elbow" axis="0 1 0" range="-120 20"/>
        <geom type="capsule" fromto="0 0 -0.05 0 0 -0.2" size="0.03"/>
        <body name="{side}_hand" pos="0 0 -0.25">{_INERTIAL}<geom type="sphere" size="0.03"/></body>
      </body></body>"""


def mjcf() -> str:
    """The humanoid; all joints turn about its left, and at zero its limbs hang down."""
    return f"""<mujoco model="stick"><compiler angle="degree" autolimits="true"/><worldbody>
    <body name="pelvis" pos="0 0 {HEIGHT}">{_INERTIAL}<freejoint name="root"/>
      <geom type="box" size="0.05 0.08 0.05"/><geom type="capsule" fromto="0 0 0.1 0 0 0.5" size="0.06"/>
      {_leg("left", 0.1)}{_leg("right", -0.1)}{_arm("left", 0.25)}{_arm("right", -0.25)}
    </body></worldbody></mujoco>"""


def read(xml: str, base: Literal["free", "fixed"] = "free") -> Robot:
    """A robot from MJCF text."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "stick.xml"
        path.write_text(xml)
        return load_robot(path, base=base)


def without_shapes(robot: Robot, *links: str) -> Robot:
    """The same robot with nothing to touch on these links, or on any."""
    root = ElementTree.fromstring(robot.xml)
    for body in root.iterfind("worldbody//body"):
        for geom in body.findall("geom") if not links or body.get("name") in links else ():
            body.remove(geom)
    bare = replace(robot, xml=ElementTree.tostring(root, encoding="unicode"))
    vars(bare)["semantics"] = robot.semantics
    return bare


def with_semantics(robot: Robot, points: Mapping[str, str] | None = None, **links: str) -> Robot:
    """The same robot, told which are its links and at which links' origins its joint centres are."""
    told = replace(robot)
    vars(told)["semantics"] = Semantics(
        points={name: Point(robot.links.index(link), np.zeros(3)) for name, link in (points or {}).items()},
        links={part: robot.links.index(name) for part, name in links.items()},
    )
    return told


@cache
def stick(*, legs: bool = True, arms: bool = True, fixed: bool = False) -> Robot:
    """The humanoid, whole or without knowing its legs or arms, on a free or a fixed base."""
    parts = (*(_PARTS[:3] if arms else ()), *(_PARTS[3:] if legs else ()))
    points = {name: name for name in (f"{side}_{part}" for part in parts for side in ("left", "right"))}
    feet = {f"{side}_foot": f"{side}_foot" for side in ("left", "right")} if legs else {}
    robot = read(mjcf(), "fixed" if fixed else "free")
    return with_semantics(robot, points, hips="pelvis", chest="pelvis", **feet)


def moved(frames: int = 40, fps: float = FPS, robot: Robot | None = None, **joints: float) -> RobotMotion:
    """The humanoid standing on the ground, these joints (rad) held."""
    robot = robot or stick()
    qpos = np.zeros((frames, robot.tree.qpos_size))
    if robot.base == "free":
        qpos[:, 2], qpos[:, 3] = HEIGHT, 1.0
    for name, value in joints.items():
        qpos[:, robot.first_joint + robot.joint_index(name)] = value
    return RobotMotion(qpos=qpos, joint_names=robot.joint_names, fps=fps, robot="stick", root=robot.base)


def swinging(frames: int = 40, seed: int = 0, robot: Robot | None = None) -> RobotMotion:
    """The humanoid standing, its joints swinging slowly and smoothly within their ranges, its pelvis swaying."""
    motion, random = moved(frames, robot=robot), np.random.default_rng(seed)
    robot, time = robot or stick(), np.arange(frames)[:, None] / FPS
    middle = (robot.lower + robot.upper) / 2
    swing = random.uniform(0.1, 0.4, len(middle)) * np.sin(2 * time + random.uniform(0, 6, len(middle)))
    motion.qpos[:, robot.first_joint :] = middle + swing
    if robot.base == "free":
        motion.qpos[:, 3:7] = rotations.exp(0.2 * np.sin(time + random.uniform(0, 6, 3)))
    return motion


def shadow(motion: RobotMotion, robot: Robot | None = None, **change: object) -> HumanMotion:
    """The person who moves exactly as the robot does: the same joint centres and pelvis; toes ahead of the ankles."""
    robot = robot or stick()
    at, rotation = robot.link_poses(motion.qpos)
    T = len(motion)
    positions, position_valid = np.zeros((T, JOINT_COUNT, 3)), np.zeros((T, JOINT_COUNT), bool)
    turns, rotation_valid = np.tile([1.0, 0, 0, 0], (T, JOINT_COUNT, 1)), np.zeros((T, JOINT_COUNT), bool)
    for side in ("left", "right"):
        for part in _PARTS:
            row, link = INDEX[f"{side}_{part}"], robot.links.index(f"{side}_{part}")
            positions[:, row], position_valid[:, row] = at[:, link], True
        foot = robot.links.index(f"{side}_foot")
        row = INDEX[f"{side}_toe"]
        positions[:, row], position_valid[:, row] = at[:, foot] + rotation[:, foot] @ [0.1, 0, -0.05], True
    pelvis = robot.links.index("pelvis")
    for name in ("hips", "chest"):
        row = INDEX[name]
        positions[:, row], turns[:, row] = at[:, pelvis], rotations.from_matrix(rotation[:, pelvis])
        position_valid[:, row] = rotation_valid[:, row] = True
    human = HumanMotion(
        positions=positions, rotations=turns, position_valid=position_valid, rotation_valid=rotation_valid,
        fps=motion.fps, name="shadow",
    )  # fmt: skip
    return replace(human, **change) if change else human


def without(human: HumanMotion, *joints: str, rotations_of: tuple[str, ...] = ()) -> HumanMotion:
    """The same person with these joints unknown."""
    position_valid, rotation_valid = human.position_valid.copy(), human.rotation_valid.copy()
    position_valid[:, [INDEX[name] for name in joints]] = False
    rotation_valid[:, [INDEX[name] for name in rotations_of]] = False
    return replace(human, position_valid=position_valid, rotation_valid=rotation_valid)
