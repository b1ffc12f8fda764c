"""P4, task 4: one wrist turns about each axis, and the robot's hand follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.devices import CAMERA_HZ
from bunraku.experiments.findings import Figure, Findings, Line, Panel
from bunraku.experiments.p4.operator import Script
from bunraku.experiments.p4.tasks import RUNS, Outcome, count
from bunraku.experiments.p4.teleoperation import Run, Teleoperation
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]

RANGE = np.radians(40.0)
MEAN_DEG, WORST_DEG, LONGEST_S = 8.0, 25.0, 0.5
"""of the angle between operator's and robot's turn, delay removed; and the delay"""


def wrist_follow(seed: int, runs: int = RUNS) -> Findings:
    """The row, and the first run drawn."""
    row = count(
        "task 4: wrist orientation followed", follow_once, seed, runs, "shown once, in simulation",
        f"± {np.degrees(RANGE):g}° about each axis: mean within {MEAN_DEG:g}° and never beyond {WORST_DEG:g}° of the "
        f"operator's turn, at most {LONGEST_S:g} s late",
    )  # fmt: skip
    return Findings([row], [_figure(_work(1000 * seed))])


def follow_once(seed: int) -> Outcome:
    """One run."""
    human, robot = _turns(_work(seed))
    late = min(range(int(LONGEST_S * CAMERA_HZ) + 1), key=lambda k: float(_apart(human, robot, k).mean()))
    apart = np.degrees(_apart(human, robot, late))
    measures = {"mean (°)": float(apart.mean()), "worst (°)": float(apart.max()), "late (s)": late / CAMERA_HZ}
    failure = "far off on average" if apart.mean() > MEAN_DEG else "far off once" if apart.max() > WORST_DEG else ""
    return Outcome(failure, measures)


def _work(seed: int) -> tuple[Teleoperation, Run]:
    points: list[tuple[float, tuple[float, ...]]] = [(0.5, (0.0, 0.0, 0.0))]
    for axis in range(3):
        for sign in (1.0, -1.0):
            turn = tuple(sign * RANGE * (k == axis) for k in range(3))
            time = points[-1][0]
            points += [(time + 1.5, turn), (time + 2.2, turn)]
        points.append((points[-1][0] + 1.0, (0.0, 0.0, 0.0)))
    work = Teleoperation(Script({}, {"right": points}, points[-1][0] + 1.0), seed, turns=True)
    return work, work.perform()


def _turns(work: tuple[Teleoperation, Run]) -> tuple[Array, Array]:
    """(T, 4) the operator's true turn and the robot's measured one, both away from the start."""
    teleoperation, run = work
    hand = teleoperation.mapper.hand_pose(np.array(run.measured), "right")[1]
    return np.array(run.human_turn["right"]), rot.multiply(hand, rot.inverse(hand[0]))


def _apart(human: Array, robot: Array, late: int) -> Array:
    return rot.angle_between(human[: len(human) - late], robot[late:])


def _figure(work: tuple[Teleoperation, Run]) -> Figure:
    human, robot = (rot.log(rot.continuous(turns)) for turns in _turns(work))
    t = np.arange(len(human)) / CAMERA_HZ
    panels = [
        Panel(f"turn about {axis}", "s", "°",
              [Line(t, np.degrees(human[:, k]), "operator", "--"), Line(t, np.degrees(robot[:, k]), "robot")])
        for k, axis in enumerate("xyz")
    ]  # fmt: skip
    return Figure("fig_8_wrist", "P4 Fig. 8: the operator's wrist and the simulated robot's.", panels, columns=3)
