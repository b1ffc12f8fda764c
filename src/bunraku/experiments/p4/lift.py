"""P4, task 3: the top box of a stack is lifted with both hands while the body rises, held, and put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.experiments.devices import CAMERA_HZ
from bunraku.experiments.findings import Findings
from bunraku.experiments.p4.operator import Script
from bunraku.experiments.p4.tasks import JITTER_M, MASS_SPREAD, RUNS, Outcome, add_box, count, jittered, scaled, tilt
from bunraku.experiments.p4.teleoperation import Teleoperation, paddles

if TYPE_CHECKING:
    import mujoco

X, TOP_Z, HALF_Y, DEPTH = 0.80, 0.70, 0.15, 0.085
"""m: the stack's x, the top box's middle, half its width and depth"""
CLEAR_M, HOLD_S, RISE_M, NEAR_M, UPRIGHT_RAD = 0.06, 2.0, 0.03, 0.03, 0.1
"""above the lower box, for so long, the body's height changing so much; back so near to where it was"""
_DOWN, _UP, _IN, _OUT, _AHEAD = -0.35, -0.15, 0.108, 0.02, 0.02
"""m from the start: hands down beside the box, up with it, pressed on it, clear of it; and forward, as the box slides
towards the robot while it is pressed"""


def _ways(inward: float) -> list[tuple[float, tuple[float, float, float]]]:
    inside, outside = inward * _IN, -inward * _OUT
    return [
        (0.3, (0, 0, 0)), (2.0, (0, outside, _DOWN)), (2.3, (0, outside, _DOWN)), (3.4, (0, inside, _DOWN)),
        (3.7, (0, inside, _DOWN)), (5.7, (0, inside, _UP)), (8.2, (0, inside, _UP)), (10.2, (_AHEAD, inside, _DOWN)),
        (10.6, (_AHEAD, inside, _DOWN)), (11.7, (_AHEAD, outside, _DOWN)), (12.6, (0, outside, _UP)),
    ]  # fmt: skip


def box_lift(seed: int, runs: int = RUNS) -> Findings:
    """The row."""
    row = count(
        "task 3: box lifted with both hands and put back", lift_once, seed, runs, "shown once",
        f"{100 * CLEAR_M:g} cm clear for {HOLD_S:g} s, body's height changed by {100 * RISE_M:g} cm, back within "
        f"{100 * NEAR_M:g} cm and upright; stack ± {100 * JITTER_M:g} cm, mass ± {MASS_SPREAD:.0%}",
    )  # fmt: skip
    return Findings([row])


def lift_once(seed: int) -> Outcome:
    """One run."""
    rng = np.random.default_rng(seed)
    mass = 1.5 * (1 + rng.uniform(-MASS_SPREAD, MASS_SPREAD))
    start = jittered(rng, (X, 0.0, TOP_Z))

    def scenery(spec: mujoco.MjSpec) -> None:
        paddles(spec)
        add_box(spec, "foot", (start[0], start[1], 0.20), (DEPTH, HALF_Y, 0.20), None)
        add_box(spec, "lower", (start[0], start[1], 0.50), (DEPTH, HALF_Y - 0.03, 0.10), 3.0)
        add_box(spec, "box", start, (DEPTH, HALF_Y, 0.10), mass)

    ways = {side: scaled(rng, _ways(inward)) for side, inward in (("left", -1.0), ("right", 1.0))}
    work = Teleoperation(Script(ways, {}, 13.0), seed, scenery=scenery)
    data, heights = work.simulation.data, []
    run = work.perform(lambda _: heights.append(float(data.body("box").xpos[2])))
    clear = float(np.sum(np.array(heights) > TOP_Z + CLEAR_M) / CAMERA_HZ)
    body = np.array(run.measured)[:, 2]
    box = data.body("box")
    away = float(np.linalg.norm(box.xpos - start))
    measures = {"clear (s)": clear, "body's height (m)": float(np.ptp(body)), "put back off by (m)": away}
    failure = ""
    if clear < HOLD_S:
        failure = "it was not held up"
    elif np.ptp(body) < RISE_M:
        failure = "the body's height did not change"
    elif away > NEAR_M:
        failure = "it was not put back"
    elif tilt(box.xquat) > UPRIGHT_RAD:
        failure = "it is not upright"
    return Outcome(failure, measures)
