"""P4, task 1: a box is pushed from one stack onto the next with the right hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.experiments.findings import Findings
from bunraku.experiments.p4.operator import Script, Way
from bunraku.experiments.p4.tasks import JITTER_M, MASS_SPREAD, RUNS, Outcome, add_box, count, jittered, scaled, tilt
from bunraku.experiments.p4.teleoperation import Teleoperation, paddles

if TYPE_CHECKING:
    import mujoco

TOP, HALF, DEPTH, STACK_HALF = 0.93, 0.10, 0.085, 0.125
"""m: height of the stacks, half the box's width and depth, half a stack's width"""
FROM, TO, X = -0.10, 0.16, 0.80
"""m: the stacks' y, and their x"""
NEAR_M, UPRIGHT_RAD = 0.05, 0.1
WAYS: dict[str, Way] = {
    "left": [(0.5, (0, 0, 0)), (2.0, (-0.20, 0.25, 0.05))],
    "right": [(0.5, (0, 0, 0)), (2.2, (0, 0, 0)), (4.8, (0.05, 0.30, 0)), (5.1, (0.05, 0.30, 0)), (6.3, (0.05, 0, 0))],
}  # fmt: skip


def box_push(seed: int, runs: int = RUNS) -> Findings:
    """The row."""
    row = count(
        "task 1: box pushed from stack to stack", push_once, seed, runs, "shown once",
        f"box at rest on the other stack, within {100 * NEAR_M:g} cm of its middle and upright; box and stacks "
        f"± {100 * JITTER_M:g} cm, mass ± {MASS_SPREAD:.0%}",
    )  # fmt: skip
    return Findings([row])


def push_once(seed: int) -> Outcome:
    """One run."""
    rng = np.random.default_rng(seed)
    mass = 1.0 + rng.uniform(-MASS_SPREAD, MASS_SPREAD)
    middle = jittered(rng, (X, TO, 0.0))
    start = jittered(rng, (X, FROM, TOP + HALF))

    def scenery(spec: mujoco.MjSpec) -> None:
        paddles(spec)
        for name, at in (("from", np.array([X, FROM, 0.0])), ("to", middle)):
            add_box(spec, f"{name}_foot", (at[0], at[1], 0.325), (DEPTH, STACK_HALF, 0.325), None)
            add_box(spec, name, (at[0], at[1], 0.79), (DEPTH, STACK_HALF - 0.005, 0.14), 6.0)
        add_box(spec, "box", start, (DEPTH, HALF, HALF), mass)

    work = Teleoperation(Script({side: scaled(rng, way) for side, way in WAYS.items()}, {}, 7.0), seed, scenery=scenery)
    work.perform()
    box, stack = work.simulation.data.body("box"), work.simulation.data.body("to")
    away = float(np.linalg.norm(box.xpos[:2] - stack.xpos[:2]))
    measures = {"distance from the middle (m)": away, "tilt (rad)": tilt(box.xquat)}
    failure = ""
    if box.xpos[2] < TOP + 0.8 * HALF:
        failure = "the box fell"
    elif away > NEAR_M:
        failure = "the box is not on the middle"
    elif tilt(box.xquat) > UPRIGHT_RAD:
        failure = "the box is not upright"
    elif np.linalg.norm(stack.xpos[:2] - middle[:2]) > 0.03:
        failure = "the stack was moved"
    return Outcome(failure, measures)
