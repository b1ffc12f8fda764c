"""What must not matter to the result: whose skeleton it was, and that it came from a robot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.human import HumanMotion
from bunraku.human.skeleton import JOINT_COUNT
from bunraku.kinematics import rotations
from bunraku.retarget import WholeBodyMapper, retarget
from bunraku.robots import Robot, RobotMotion, load_robot
from bunraku.sources import read_motion
from shared import data, need


def as_person(robot: Robot, motion: RobotMotion) -> HumanMotion:
    """The robot's own motion as that of a person: its limbs' ends as joints, its segments' turns as theirs."""
    pairs, T = WholeBodyMapper(robot).pairs, len(motion)
    position, rotation = robot.tree.forward(motion.qpos)
    positions, turns = np.zeros((T, JOINT_COUNT, 3)), np.tile(rotations.IDENTITY, (T, JOINT_COUNT, 1))
    position_valid, rotation_valid = np.zeros((2, T, JOINT_COUNT), bool)
    for pair in pairs.directions:
        for joint, node, point in zip(pair.human, pair.node, pair.point, strict=True):
            positions[:, joint] = position[:, node] + rotation[:, node] @ point
            position_valid[:, joint] = True
    for turn in pairs.orientations:
        turns[:, turn.human] = rotations.from_matrix(rotation[:, turn.node] @ turn.node_from_canonical)
        rotation_valid[:, turn.human] = True
    positions[:, 0], position_valid[:, 0] = position[:, 0], True
    return HumanMotion(
        positions=positions, rotations=turns, position_valid=position_valid, rotation_valid=rotation_valid,
        fps=motion.fps,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["wave", "walk", "conduct"])
def test_a_robots_own_motion_comes_back(name: str) -> None:
    """Turned into a person's and retargeted again, limbs point where they did to within a degree."""
    robot = load_robot("puppet")
    first = retarget(read_motion(f"synth:{name}?seconds=3&fps=60"), robot)
    again = retarget(as_person(robot, first), robot)
    angles = angles_deg(limb_directions(robot, first), limb_directions(robot, again))
    assert angles.mean() < 0.5
    assert np.percentile(angles, 99) < 3


def test_one_motion_on_two_skeletons() -> None:
    """The same dance, exported for two programs: robot limbs differ by what the exports' own limbs do, and 2° at most.

    The exporters placed elbows and hips differently, so that the forearms' directions are 20° apart in the files.
    """
    files = need(data("bvh/cmu_*/05_20-*.bvh"))
    robot = load_robot("puppet")
    motions = []
    for file in files:
        motion = read_motion(str(file))
        rows = np.arange(1, len(motion), 4)
        motions.append(
            replace(
                motion, positions=motion.positions[rows], rotations=motion.rotations[rows],
                position_valid=motion.position_valid[rows], rotation_valid=motion.rotation_valid[rows],
                fps=motion.fps / 4,
            )
        )  # fmt: skip
    assert len(motions) == 2
    pairs = WholeBodyMapper(robot).pairs.directions
    human = [directions([(m.positions[:, p.human[0]], m.positions[:, p.human[1]]) for p in pairs]) for m in motions]
    between_files = angles_deg(*human)
    between_robots = angles_deg(*(limb_directions(robot, retarget(m, robot)) for m in motions))
    assert np.all(between_robots.mean(axis=1) < between_files.mean(axis=1) + 2)


def directions(ends: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """(D, T, 3) unit vectors between pairs of ends (T, 3)."""
    bones = np.stack([b - a for a, b in ends])
    return np.asarray(bones / np.linalg.norm(bones, axis=-1, keepdims=True))


def limb_directions(robot: Robot, motion: RobotMotion) -> np.ndarray:
    """(D, T, 3) where the robot's limbs point."""
    position, rotation = robot.tree.forward(motion.qpos)

    def at(node: int, point: np.ndarray) -> np.ndarray:
        return np.asarray(position[:, node] + rotation[:, node] @ point)

    pairs = WholeBodyMapper(robot).pairs.directions
    return directions([(at(p.node[0], p.point[0]), at(p.node[1], p.point[1])) for p in pairs])


def angles_deg(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(D, T) between unit vectors."""
    return np.degrees(np.arccos(np.clip((first * second).sum(axis=-1), -1, 1)))
