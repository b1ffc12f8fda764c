"""Standing, kneeling, jumping, and never below the floor."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bunraku.human import HumanMotion
from bunraku.human.contacts import FEET, measured_clearance, resting_clearance
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations
from bunraku.retarget import Weights, clip, ground_kernels, retarget
from bunraku.retarget.correspondence import correspond
from bunraku.retarget.ground import footing, leg_length, make_ground, support_points
from bunraku.robots import Robot, RobotMotion, load_robot
from bunraku.sources.synth import synthesize


@pytest.fixture(scope="module")
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


def _heights(robot: Robot, motion: RobotMotion) -> np.ndarray:
    """(T, S) of the undersides of the points that span the robot's shapes."""
    nodes, points, radii = support_points(robot)
    position, rotation = robot.tree.forward(motion.qpos)
    return np.asarray((position[:, nodes] + np.einsum("tsij,sj->tsi", rotation[:, nodes], points))[..., 2] - radii)


def _jump(height_m: float) -> HumanMotion:
    """Stands for half a second, flies, stands again; stiff."""
    pose = synthesize("t-pose", fps=60, seconds=2)
    flight = 2 * np.sqrt(2 * height_m / 9.81)
    t = np.arange(len(pose)) / 60 - 0.5
    rise = np.where((t > 0) & (t < flight), 0.5 * 9.81 * t * (flight - t), 0.0)
    return replace(pose, positions=pose.positions + rise[:, None, None] * [0.0, 0.0, 1.0])


def test_a_jump_keeps_its_flight(puppet: Robot) -> None:
    """The robot rises as high as the person, in leg lengths, and is on the ground before and after."""
    motion = _jump(0.35)
    low = _heights(puppet, retarget(motion, puppet)).min(axis=1)
    scale = correspond(puppet, Weights()).leg_length / leg_length(motion)
    assert low.max() == pytest.approx(0.35 * scale, abs=0.05)
    assert np.abs(low[:25]).max() < 3e-3 and np.abs(low[-30:]).max() < 3e-3


def _kneeling() -> HumanMotion:
    """On all fours: trunk level, thighs and arms upright, shins on the ground."""
    pose = synthesize("t-pose", fps=30, seconds=1)
    positions, turn = pose.positions.copy(), pose.rotations.copy()
    forward = rotations.from_axis_angle([0.0, 1.0, 0.0], np.pi / 2)
    turn[:] = forward
    hips = np.array([0.0, 0.0, 0.45])
    positions[:] = hips + rotations.rotate(forward, positions - positions[:, :1])
    for side, y in (("left", 1.0), ("right", -1.0)):
        socket, shoulder = positions[0, INDEX[f"{side}_thigh"]], positions[0, INDEX[f"{side}_upper_arm"]]
        knee, wrist = [*socket[:2], 0.05], [shoulder[0], shoulder[1] + 0.02 * y, 0.05]
        place = {"shin": knee, "foot": [knee[0] - 0.4, knee[1], 0.06], "toe": [knee[0] - 0.5, knee[1], 0.02]}
        place |= {"forearm": [*wrist[:2], 0.27], "hand": wrist}
        for part, at in place.items():
            positions[:, INDEX[f"{side}_{part}"]] = at
    return replace(pose, positions=positions, rotations=turn)


def test_hands_and_knees_carry(puppet: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """On all fours each hand and each knee comes to within 5 cm of the ground, and nothing below it; if only feet
    carried, one of them would hang twice as high."""
    motion = _kneeling()
    firm = footing(puppet, motion, measured_clearance(motion), 1.0)
    assert (firm[:, FEET:, 0] == 1.0).all()
    ground = make_ground(puppet, 500, 1.0, resting_clearance())

    def highest() -> float:
        heights = _heights(puppet, retarget(motion, puppet))
        assert heights.min() > -1e-6
        return max(heights[-1, ground.rest_point[a:b]].min() for a, b in pairwise(ground.rest_start))

    carried = highest()
    firm[:, FEET:, 0] = 0.0
    monkeypatch.setattr(clip, "footing", lambda *_: firm)
    assert carried < 0.05
    assert highest() > 2 * carried


def test_footing_rises_before_and_falls_after_a_contact(puppet: Robot) -> None:
    """Firmness is 1 in contacts, and between none and full only within HOLD_S of one."""
    walk = synthesize("walk", fps=60, seconds=5)
    firm = footing(puppet, walk, measured_clearance(walk), 1.0)[:, 0, 0]
    frames = np.arange(len(walk))
    stands = frames[firm == 1.0]
    away_s = np.abs(frames[:, None] - stands).min(axis=1) / 60
    assert (firm[away_s >= ground_kernels.HOLD_S] == 0).all()
    between = (away_s > 0) & (away_s < ground_kernels.HOLD_S - 1e-9)
    assert between.sum() > 20 and ((firm[between] > 0) & (firm[between] < 1)).all()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(roll=st.floats(-3.1, 3.1), pitch=st.floats(-3.1, 3.1), drop=st.floats(0.0, 0.9))
def test_nothing_sinks_whatever_the_pose(puppet: Robot, roll: float, pitch: float, drop: float) -> None:
    """A person thrown about any way, half in the ground: no point of the robot is ever below it."""
    human = synthesize("conduct", fps=30, seconds=0.5)
    turn = rotations.exp([roll, pitch, 0.3])
    hips = human.positions[:, :1]
    thrown = replace(
        human,
        positions=hips + rotations.rotate(turn, human.positions - hips) - [0.0, 0.0, drop],
        rotations=rotations.multiply(turn, human.rotations),
    )
    assert _heights(puppet, retarget(thrown, puppet)).min() > -1e-6
