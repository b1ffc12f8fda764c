"""P4, disparity: the right hand moves half a metre sideways and back, over and over; how far does the robot's?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments import rgbd
from bunraku.experiments.devices import CAMERA_HZ
from bunraku.experiments.findings import Figure, Findings, Line, Panel, Row
from bunraku.experiments.p4.operator import Script
from bunraku.experiments.p4.teleoperation import SMOOTH_S, SMOOTH_TURN_S, Teleoperation

Array = NDArray[np.float64]

INNER, OUTER = np.array([0.0, 0.2, 0.0]), np.array([0.0, -0.3, 0.0])
"""m from the start: half a metre apart"""
MOVE_S, REST_S = 2.0, 1.2
MOST_ERROR_M, MOST_VARIANCE = 0.02, 0.0005
NOTE = (
    f"References are followed with time constants of {SMOOTH_S:g} s (place) and {SMOOTH_TURN_S:g} s (turn); the robot "
    "stands on its wheels on the simulated floor, not held."
)


def half_metre(seed: int, moves: int = 10) -> Findings:
    """Where the simulated robot's hand comes to rest after each move, against half a metre."""
    times = [MOVE_S + REST_S + k * (MOVE_S + REST_S) for k in range(moves)]
    ways = [(0.0, np.zeros(3)), (MOVE_S, INNER)]
    for k, begin in enumerate(times):
        start, end = (INNER, OUTER) if k % 2 == 0 else (OUTER, INNER)
        ways += [(begin, start), (begin + MOVE_S, end)]
    script = Script({"right": ways}, {}, times[-1] + MOVE_S + REST_S)
    work = Teleoperation(script, seed)
    run = work.perform()
    hand = work.mapper.hand_pose(np.array(run.measured), "right")[0]
    hand = hand - hand[0]
    rests = [hand[round((t + MOVE_S + REST_S / 2) * CAMERA_HZ) : round((t + MOVE_S + REST_S) * CAMERA_HZ)].mean(axis=0)
             for t in times]  # fmt: skip
    away = np.array(rests)
    away[::2] -= OUTER
    away[1::2] -= INNER
    error, variance = np.linalg.norm(away, axis=-1), away.var(axis=0)
    rows = [
        Row(paper="P4", quantity="0.5 m move: mean distance error", theirs=0.06, ours=float(error.mean()), unit="m",
            ok=bool(error.mean() <= MOST_ERROR_M),
            how=f"{moves} moves there and back, simulated robot at rest after each; worst {error.max():.4f} m; "
            f"at most {MOST_ERROR_M:g} m"),
        Row(paper="P4", quantity="0.5 m move: variance in x, y, z", theirs="0.001, 0.0001, 0.0002",
            ours=", ".join(f"{v:.1e}" for v in variance), unit="m²", ok=bool(variance.max() <= MOST_VARIANCE),
            how=f"of the same resting places; standard deviation {1e3 * np.sqrt(variance.max()):.1f} mm at most; "
            f"below {MOST_VARIANCE:g}; frames dropped: {run.dropped or 'none'}"),
        Row(paper="P4", quantity="balance: least distance of the centre of mass from the polygon's edge", theirs=None,
            ours=float(min(run.balance)), unit="m", ok=min(run.balance) > 0, how="the same run, measured; inside"),
    ]  # fmt: skip
    return Findings(rows, [_figure(np.array(run.human["right"]), hand)], notes=(rgbd.NOTE, NOTE))


def _figure(human: Array, hand: Array) -> Figure:
    t = np.arange(len(hand)) / CAMERA_HZ
    panels = [
        Panel(axis, "s", "m", [Line(t, human[:, k], "operator", "--"), Line(t, hand[:, k], "robot")])
        for k, axis in enumerate("xyz")
    ]
    return Figure(
        "disparity", "P4: half a metre to the right and back, operator and simulated robot.", panels, columns=3
    )
