"""What users of other retargeters report, as motions that would show it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.evaluate import evaluate
from bunraku.human import HumanMotion
from bunraku.human.body import ADULT, pose_body, world_from_local
from bunraku.human.skeleton import INDEX, JOINT_COUNT
from bunraku.kinematics import rotations
from bunraku.retarget import retarget
from bunraku.robots import Robot, load_robot
from bunraku.sources import read_motion
from gestures import person


@pytest.fixture(scope="module")
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


Turns = dict[str, tuple[float, float, float]]


def between(keys: list[tuple[float, Turns]], fps: float) -> HumanMotion:
    """A person between poses: (time, turns of joints against their parents as rotation vectors), the lowest joint 5 cm
    above the ground. Arms that are not named hang."""
    time = np.arange(0.0, keys[-1][0], 1.0 / fps)
    at = [key[0] for key in keys]
    local = np.tile(rotations.IDENTITY, (len(time), JOINT_COUNT, 1))
    for joint in sorted({name for key in keys for name in key[1]} | set(HANGING)):
        ways = np.array([key[1].get(joint, HANGING.get(joint, (0.0, 0.0, 0.0))) for key in keys])
        vector = np.stack([np.interp(time, at, ways[:, axis]) for axis in range(3)], axis=1)
        local[:, INDEX[joint]] = rotations.exp(vector)
    world = world_from_local(local)
    positions = pose_body(ADULT, np.zeros((len(time), 3)), world)
    positions[..., 2] -= positions[..., 2].min(axis=1, keepdims=True) - 0.05
    known = np.ones(world.shape[:2], bool)
    return HumanMotion(
        positions=positions, rotations=world, position_valid=known, rotation_valid=known.copy(), fps=fps
    )  # fmt: skip


HANGING: Turns = {"left_upper_arm": (-1.4, 0.0, 0.0), "right_upper_arm": (1.4, 0.0, 0.0)}
RAISED: Turns = {"left_upper_arm": (1.2, 0.0, 0.0), "right_upper_arm": (-1.2, 0.0, 0.0)}
AHEAD: Turns = {"left_upper_arm": (0.0, 0.0, -1.4), "right_upper_arm": (0.0, 0.0, 1.4)}
BENT: Turns = {"left_thigh": (0.0, -1.5, 0.0), "right_thigh": (0.0, -1.5, 0.0), "left_shin": (0.0, 1.9, 0.0),
               "right_shin": (0.0, 1.9, 0.0)}  # fmt: skip


def fall_and_rise(fps: float = 60.0) -> HumanMotion:
    """Someone who stands, squats, goes down on all fours, lies on the front, rolls to the back and gets up again."""
    crawl: Turns = {"hips": (0.0, 1.4, 0.0), **BENT, **AHEAD}
    prone: Turns = {"hips": (0.0, 1.5, 0.0), **RAISED}
    side: Turns = {"hips": (1.2, 1.2, -1.2), **RAISED}
    sit: Turns = {"hips": (0.0, -0.5, 0.0), **BENT}
    return between(
        [(0.0, {}), (0.5, {}), (1.2, BENT), (2.0, crawl), (3.0, prone), (3.8, side), (4.6, {"hips": (0.0, -1.5, 0.0)}),
         (5.6, sit), (6.6, BENT), (7.6, {}), (8.2, {})],
        fps,
    )  # fmt: skip


def test_falling_and_getting_up_stays_above_ground_and_in_one_piece(puppet: Robot) -> None:
    """A person who lies down, rolls over and gets up: nothing sinks, breaks a limit or jumps, and both end on their
    feet."""
    motion = fall_and_rise()
    result = retarget(motion, puppet)
    scores = evaluate(motion, result, puppet)
    assert np.isfinite(result.qpos).all()
    assert scores["limit_violations"] == 0
    assert scores["penetration_max_cm"] < 1.0
    assert np.abs(np.diff(result.joints, axis=0)).max() * motion.fps < puppet.velocity.max()
    heights = result.qpos[:, 2]
    assert heights[177:183].max() < 0.4 * heights[0]
    assert heights[273:279].max() < 0.4 * heights[0]
    assert abs(heights[-1] - heights[0]) < 0.05 * heights[0]


def test_the_base_does_not_snap(puppet: Robot) -> None:
    """Where feet are put down and let go the robot's hips are not thrown about: no more than 20 m/s²."""
    result = retarget(read_motion("synth:walk?seconds=6&fps=60"), puppet)
    pushes = np.linalg.norm(np.diff(result.qpos[:, :3], 2, axis=0), axis=1) * 60**2
    assert 0.5 < np.percentile(pushes, 99) < 20.0


def test_smooth_motion_stays_smooth(puppet: Robot) -> None:
    """Slow sine waves of the arms give joints without tremble: their third differences are those of slow waves."""
    time = np.arange(180) / 60.0
    local = np.tile(rotations.IDENTITY, (len(time), JOINT_COUNT, 1))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        swing = np.stack([-sign * (0.9 + 0.3 * np.sin(2 * time)), 0 * time, 0.2 * np.cos(2 * time)], axis=1)
        local[:, INDEX[f"{side}_upper_arm"]] = rotations.exp(swing)
        local[:, INDEX[f"{side}_forearm"]] = rotations.exp([0.0, 0.0, -sign * 0.8])
    arms = [joint for side in ("left", "right") for joint in puppet.semantics.joints[f"{side}_arm"]]
    joints = retarget(person(local, 60.0), puppet).joints[:, arms]
    jerk = np.abs(np.diff(joints, 3, axis=0)).max() * 60**3
    assert np.ptp(joints, axis=0).max() > 0.3
    assert jerk < 150.0


def test_arms_do_not_twist_the_waist(puppet: Robot) -> None:
    """Hands that are led past the hips, in front and behind, leave the trunk as the person's is."""
    time = np.arange(240) / 60.0
    local = np.tile(rotations.IDENTITY, (len(time), JOINT_COUNT, 1))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        down, forth = rotations.exp([-sign * 1.5, 0.0, 0.0]), np.stack([0 * time, 0.5 * np.sin(3 * time), 0 * time], 1)
        local[:, INDEX[f"{side}_upper_arm"]] = rotations.multiply(rotations.exp(forth), down)
    result = retarget(person(local, 60.0), puppet)
    waist = [int(joint) for joint in puppet.semantics.joints["torso"]]
    assert np.degrees(np.abs(np.diff(result.joints[30:, waist], axis=0)).max()) < 0.5
    assert np.degrees(np.ptp(result.joints[30:, waist], axis=0).max()) < 5.0


def test_hands_beside_swinging_legs_hold_nothing_up(puppet: Robot) -> None:
    """Legs go their way past hands that hang close to them: it is the hands that give way."""
    time = np.arange(240) / 120.0
    local = np.tile(rotations.IDENTITY, (len(time), JOINT_COUNT, 1))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        local[:, INDEX[f"{side}_upper_arm"]] = rotations.exp([-sign * 1.62, 0.0, 0.0])
        local[:, INDEX[f"{side}_thigh"]] = rotations.exp(
            np.stack([sign * 0.2 * np.abs(np.sin(4 * time)), -sign * 0.6 * np.sin(4 * time), 0 * time], axis=1)
        )
    motion = person(local, 120.0)
    motion = replace(motion, positions=motion.positions + [0.0, 0.0, 0.5])
    scores = evaluate(motion, retarget(motion, puppet), puppet)
    assert scores["limb_deg_thigh"] < 2.0


def test_the_frame_rate_decides_nothing(puppet: Robot) -> None:
    """One motion at 30 and at 120 frames per second is met equally well."""
    errors = []
    for fps in (30, 120):
        motion = read_motion(f"synth:box?seconds=4&fps={fps}")
        errors.append(evaluate(motion, retarget(motion, puppet), puppet)["limb_deg_world"])
    assert abs(errors[0] - errors[1]) < 0.5
