"""P1, Fig. 7 and 8: the left elbow along two trajectories of the upper arm, a hundred samples each.

The shoulder's frame 0 stands as Leonardo's first three joints do at zero: Z forward, X to the left, Y up, and the arm
hangs down at rest. ZYX angles grow evenly from zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.devices import SUIT_HZ
from bunraku.experiments.findings import Figure, Findings, Line, Panel, Row
from bunraku.experiments.scripted import HANGING, person
from bunraku.human import HumanMotion
from bunraku.kinematics import rotations as rot
from bunraku.outputs.sim import Simulation
from bunraku.retarget import make_mapper
from bunraku.robots import Robot, RobotMotion, load_robot

Array = NDArray[np.float64]

SAMPLES = 100
FINALS = {"a": (3 * np.pi / 4, 0.0, 0.0), "b": (np.pi / 2, np.pi / 4, np.pi / 6)}
THEIRS = np.array([1.1832, 0.3614, 0.8571])
THEIRS_M = np.array([0.038, 0.022, 0.071])
WORLD_FROM_0 = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
DISPLACEMENT = 0.1
"""m, l of the built-in robot"""
SHOULDER = ("left_shoulder_z_joint", "left_shoulder_x_joint", "left_shoulder_y_joint")


def elbow_paths(seed: int) -> Findings:
    """Both trajectories through the closed form, and through the simulated robot. Nothing here is random."""
    del seed
    robot = load_robot("leonardo")
    rows, figures = [], []
    for name, final in FINALS.items():
        turns = rot.from_euler("ZYX", np.linspace(np.zeros(3), final, SAMPLES))
        wanted = _in_world(turns)
        result = make_mapper("girard", robot).solve_clip(_operator(wanted))
        played = Simulation(robot).play(result)
        error = rot.angle_between(_upper_arm(robot, result.qpos), wanted)
        late = rot.angle_between(_upper_arm(robot, played.qpos), wanted)
        place = _elbow(robot, result.qpos) - _human_elbow(robot, wanted)
        title = f"{name}, ZYX = [{', '.join(f'{angle / np.pi:.3g}π' for angle in final)}]"
        rows.append(_orientation(title, error, late))
        if name == "b":
            rows.append(_final(robot, result))
            rows.append(_position(place))
        figures.append(_figure(name, title, robot, result, wanted, place))
    return Findings(rows, figures, notes=(
        f"Leonardo's shoulder displacement l is {DISPLACEMENT:g} m to the side, behind the first two joints: the paper "
        "does not print it, but its elbow errors are those of this one.",
    ))  # fmt: skip


def _in_world(turns: Array) -> Array:
    """(T, 4) the upper arm's turn away from hanging, in world axes."""
    return rot.from_matrix(WORLD_FROM_0 @ rot.to_matrix(turns) @ WORLD_FROM_0.T)


def _operator(wanted: Array) -> HumanMotion:
    """Somebody whose left arm moves as one."""
    return person({"left_upper_arm": rot.multiply(wanted, HANGING["left"])}, SUIT_HZ, "elbow")


def _upper_arm(robot: Robot, qpos: Array) -> Array:
    """(T, 4) the robot's upper arm away from where it is when all joints are zero."""
    node = robot.joint_index(SHOULDER[2]) + 1
    at_zero = robot.tree.forward(np.zeros(robot.tree.qpos_size))[1][node]
    return rot.from_matrix(robot.tree.forward(qpos)[1][:, node] @ at_zero.T)


def _elbow(robot: Robot, qpos: Array) -> Array:
    """(T, 3) of the robot, from where it is when all joints are zero."""
    node = robot.joint_index("left_elbow_joint") + 1
    at_zero = robot.tree.forward(np.zeros(robot.tree.qpos_size))[0][node]
    return np.asarray(robot.tree.forward(qpos)[0][:, node] - at_zero)


def _human_elbow(robot: Robot, wanted: Array) -> Array:
    """(T, 3) of an operator as big as the robot, from hanging: all of the way to the elbow turns about one centre."""
    at = robot.tree.forward(np.zeros(robot.tree.qpos_size))[0]
    arm = at[robot.joint_index("left_elbow_joint") + 1] - at[robot.joint_index(SHOULDER[1]) + 1]
    return np.asarray(rot.rotate(wanted, arm) - arm)


def _orientation(title: str, error: Array, late: Array) -> Row:
    return Row(
        paper="P1", quantity=f"elbow orientation error, trajectory {title}", theirs="almost perfect",
        ours=float(error.max()), unit="rad", ok=bool(error.max() < 1e-6),
        how=f"worst of {len(error)} samples, mapper girard; below 1e-6. The simulated servos, one frame later: "
        f"mean {late.mean():.3f} rad",
    )  # fmt: skip


def _final(robot: Robot, result: RobotMotion) -> Row:
    ours = result.qpos[-1, [robot.first_joint + robot.joint_index(name) for name in SHOULDER]]
    return Row(
        paper="P1", quantity="q̂ at the end of trajectory b", theirs=str(THEIRS.tolist()),
        ours=str([round(float(angle), 4) for angle in ours]), unit="rad",
        ok=bool(np.abs(ours - THEIRS).max() < 1e-4), how="the shoulder's three joints, mapper girard; equal to 1e-4",
    )  # fmt: skip


def _position(place: Array) -> Row:
    ours = np.abs(place[-1])[[1, 2, 0]]
    return Row(
        paper="P1", quantity="elbow position error at the end of trajectory b, by the displacement l",
        theirs=str(THEIRS_M.tolist()), ours=str([round(float(v), 4) for v in ours]), unit="m",
        ok=bool(np.abs(ours - THEIRS_M).max() < 1e-3),
        how="axes of frame 0; orientation is followed, so position cannot be; the same to 1 mm",
    )  # fmt: skip


def _figure(name: str, title: str, robot: Robot, result: RobotMotion, wanted: Array, place: Array) -> Figure:
    samples = np.arange(SAMPLES, dtype=float)
    ours, human = _elbow(robot, result.qpos), _human_elbow(robot, wanted)
    axes = ((1, "x"), (2, "y"), (0, "z"))
    path = [line for world, axis in axes for line in (Line(samples, human[:, world], f"operator {axis}", "--"),
                                                      Line(samples, ours[:, world], f"robot {axis}"))]  # fmt: skip
    return Figure(
        f"fig_7{name}",
        f"P1 Fig. 7({name}){' and 8' if name == 'b' else ''}: the left elbow, trajectory {title}; axes of frame 0.",
        (
            Panel("elbow", "sample", "m", path),
            Panel("seen along frame 0's z", "x, m", "y, m", equal=True, lines=[
                Line(human[:, 1], human[:, 2], "operator", "--"), Line(ours[:, 1], ours[:, 2], "robot")]),
            Panel("position error", "sample", "m", [Line(samples, np.abs(place[:, w]), a) for w, a in axes]),
        ),
        columns=3,
    )  # fmt: skip
