"""P4, operators of different size: three poses before the camera, and how much of COMAN's reach a straight arm uses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments import rgbd
from bunraku.experiments.findings import Findings, Row
from bunraku.human import HumanMotion
from bunraku.human.calibration_poses import POSES, calibrate
from bunraku.human.depth import lift
from bunraku.human.hand_frame import point_joints
from bunraku.human.hand_tracking import HandReference
from bunraku.human.skeleton import INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.retarget.reach import find_arms
from bunraku.robots import load_robot
from bunraku.sources import read_motion

Array = NDArray[np.float64]

HEIGHTS_M = (1.50, 1.65, 1.80, 1.95)
FRAMES = 45
"""of each pose: a second and a half"""
MOST_OFF = 0.05
"""of the robot's reach"""
_SEEN = (
    "hips", "left_upper_arm", "right_upper_arm", "left_forearm", "right_forearm",
    *(name for side in SIDES for name in point_joints(side)),
)  # fmt: skip
"""canonical joint of each keypoint"""


def sizes(seed: int, heights: tuple[float, ...] = HEIGHTS_M) -> Findings:
    """Each operator stretches both arms in three directions; the hands' targets against the robot's full reach."""
    rng = np.random.default_rng(seed)
    arm = find_arms(load_robot("coman"))[0].length
    with_scale, without = [], []
    for height in heights:
        seen = {pose: _before_the_camera(pose, height, rng) for pose in POSES}
        scale = calibrate(seen).scale_to(arm)
        for pose in POSES:
            truth = read_motion(f"synth:{pose}?seconds=1&height={height:g}").frames(slice(0, 1))
            for side in SIDES:
                way = (truth.position(f"{side}_hand") - truth.position(f"{side}_upper_arm"))[0]
                with_scale.append(_used(way, scale, arm))
                without.append(_used(way, np.ones(3), arm))
    used, plain = np.array(with_scale), np.array(without)
    worst = float(np.abs(used - 1).max())
    return Findings(
        [
            Row(
                paper="P4", quantity="calibration over three poses: share of COMAN's reach that straight arms use",
                theirs="scaled, no figure", ours=f"{100 * used.min():.1f} … {100 * used.max():.1f}", unit="%",
                ok=worst <= MOST_OFF,
                how=f"{len(heights)} operators of {heights[0]:g} to {heights[-1]:g} m, three directions, both hands; "
                f"unscaled {100 * plain.min():.0f} … {100 * plain.max():.0f} %; all of it, to {100 * MOST_OFF:g} %",
            )
        ],
        notes=("COMAN here is a robot of our own of that size.",),
    )  # fmt: skip


def _used(way: Array, scale: Array, arm: float) -> float:
    """Of the robot's reach, by a hand that goes from the shoulder to the end of a straight arm."""
    reference = HandReference("start", np.zeros(3), scale)
    reference.update(np.zeros(3))
    target = reference.update(way)
    return float(np.linalg.norm(target if target is not None else 0.0)) / arm


def _before_the_camera(pose: str, height: float, rng: np.random.Generator) -> HumanMotion:
    """A pose as the camera and its detector see it, lifted to the world."""
    truth = read_motion(f"synth:{pose}?seconds=3&height={height:g}&fps=30")
    rows = [INDEX[name] for name in _SEEN]
    positions = np.zeros((FRAMES, JOINT_COUNT, 3))
    valid = np.zeros((FRAMES, JOINT_COUNT), bool)
    for frame in range(FRAMES):
        depth, pixels = rgbd.look(truth.positions[min(frame, len(truth) - 1), rows], rng)
        points, known = lift(rgbd.CAMERA, depth, pixels)
        positions[frame, rows] = points @ rgbd.WORLD_FROM_CAMERA.T + rgbd.PLACE
        valid[frame, rows] = known
    return HumanMotion(
        positions=positions, rotations=np.tile(rot.IDENTITY, (FRAMES, JOINT_COUNT, 1)), position_valid=valid,
        rotation_valid=np.zeros_like(valid), fps=30.0, name=pose,
    )  # fmt: skip
