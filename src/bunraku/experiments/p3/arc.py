"""P3, Fig. 14: one arm turns by 49 degrees; how far does the robot's turn?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.devices import NOTES, SUIT_HZ, suit
from bunraku.experiments.findings import Figure, Findings, Line, Panel, Row
from bunraku.experiments.scripted import HANGING, person, through_bvh
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.outputs.sim import Simulation
from bunraku.retarget import make_mapper
from bunraku.robots import Robot, load_robot
from bunraku.sources.synth_curves import ease

Array = NDArray[np.float64]

ARC, START, ASIDE = np.radians(49.0), np.radians(20.0), np.radians(15.0)
"""rad: of the operator's arm, forward and up, from there on, held a little off the body"""
HOLD_S, MOVE_S = 1.0, 2.5
MOST_PCT = 1.0
_UPPER_ARM, _RIGHT = "r_upper_arm_roll_joint", INDEX["right_upper_arm"]


def arc(seed: int, operators: int = 8) -> Findings:
    """Several operators, each with a misfit of the suit of their own: BVH, mapper `gong`, simulated InMoov."""
    rng = np.random.default_rng(seed)
    robot = load_robot("inmoov")
    mapper = make_mapper("gong", robot)
    truth = _operator()
    turned, lines = [], []
    for number in range(operators):
        seen = through_bvh(suit(truth, rng))
        played = Simulation(robot).play(mapper.solve_clip(seen))
        arm = _upper_arm(robot, played.qpos)
        away = rot.angle_between(arm, arm[0])
        turned.append(float(rot.angle_between(_held(arm, 0), _held(arm, -1))))
        lines.append(
            Line(np.arange(len(away)) / SUIT_HZ, np.degrees(away), f"InMoov {number + 1}" if not number else "")
        )
    ours = np.degrees(turned)
    error = 100 * np.abs(ours / np.degrees(ARC) - 1)
    row = Row(
        paper="P3", quantity="arm turned by 49°: the robot's", theirs="52 (6.1 %)", ours=float(ours.mean()), unit="°",
        ok=bool(error.max() <= MOST_PCT),
        how=f"simulated InMoov's upper arm, at rest before and after, {operators} operators; worst {error.max():.2f} % "
        f"off, at most {MOST_PCT:g} %",
    )  # fmt: skip
    human = np.degrees(rot.angle_between(truth.rotations[:, _RIGHT], truth.rotations[0, _RIGHT]))
    figure = Figure(
        "fig_14", "P3 Fig. 14: the operator's arm and the simulated InMoov's on their arc.",
        (Panel("turn of the right upper arm", "s", "°",
               [Line(np.arange(len(human)) / SUIT_HZ, human, "operator", "k--"), *lines]),), columns=1,
    )  # fmt: skip
    return Findings([row], [figure], notes=(NOTES["suit"],))


def _operator() -> HumanMotion:
    t = np.arange(round((2 * HOLD_S + MOVE_S) * SUIT_HZ)) / SUIT_HZ
    raised = START + ARC * ease((t - HOLD_S) / MOVE_S)
    aside = rot.multiply(rot.from_axis_angle([1, 0, 0], -ASIDE), HANGING["right"])
    return person({"right_upper_arm": rot.multiply(rot.from_axis_angle([0, 1, 0], -raised), aside)}, SUIT_HZ, "arc")


def _upper_arm(robot: Robot, qpos: Array) -> Array:
    return rot.continuous(rot.from_matrix(robot.tree.forward(qpos)[1][:, robot.joint_index(_UPPER_ARM) + 1]))


def _held(arm: Array, end: int) -> Array:
    """(4,) mean over the last half of a rest."""
    frames = round(HOLD_S * SUIT_HZ / 2)
    return rot.mean(arm[frames : 2 * frames] if end == 0 else arm[-frames:])
