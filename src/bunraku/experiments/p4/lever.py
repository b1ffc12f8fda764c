"""P4, task 2: a bar on a pivot is lifted from lying to standing, a quarter turn counter-clockwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.findings import Findings
from bunraku.experiments.p4.operator import Script
from bunraku.experiments.p4.tasks import JITTER_M, RUNS, Outcome, count, jittered, scaled
from bunraku.experiments.p4.teleoperation import PADDLE, READY, Teleoperation, paddles

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]

PIVOT, LENGTH, RADIUS, ARM = (0.93, 0.05, 1.05), 0.35, 0.015, 0.28
"""m: where the bar turns, how long and thick it is, and how far from the pivot the hand lifts"""
WITHIN_DEG = 10.0
LIFT_S = (3.5, 7.5)


def lever_turn(seed: int, runs: int = RUNS) -> Findings:
    """The row."""
    row = count(
        "task 2: lever turned by 90°", turn_once, seed, runs, "shown once",
        f"the bar rests within {WITHIN_DEG:g}° of upright after the hand has gone; pivot ± {100 * JITTER_M:g} cm",
    )  # fmt: skip
    return Findings([row])


def hand_at(angle: float) -> Array:
    """(3,) the paddle's middle that just touches the bar from below at an angle from lying."""
    bar = np.array([0.0, -np.cos(angle), np.sin(angle)])
    ahead = np.array([0.0, np.sin(angle), np.cos(angle)])
    gap = PADDLE[1] * np.sin(angle) + PADDLE[0] * np.cos(angle) + RADIUS
    return np.asarray(np.array(PIVOT) + ARM * bar - gap * ahead)


def turn_once(seed: int) -> Outcome:
    """One run."""
    rng = np.random.default_rng(seed)
    pivot = jittered(rng, PIVOT)

    def scenery(spec: mujoco.MjSpec) -> None:
        paddles(spec)
        _lever(spec, pivot)

    work = Teleoperation(Script({"right": scaled(rng, _ways())}, {}, 10.0), seed, scenery=scenery)
    work.perform()
    angle = float(np.degrees(work.simulation.data.joint("lever").qpos[0]))
    failure = "" if abs(angle - 90.0) <= WITHIN_DEG else "it was not turned enough" if angle < 90 else "it fell over"
    return Outcome(failure, {"angle (°)": angle})


def _ways() -> list[tuple[float, Array]]:
    """Down, forward under the bar, along the arc, and away to the right."""
    home = READY["right"]
    under = hand_at(0.0) - [0.0, 0.0, 0.04]
    ways = [(0.5, home), (1.8, np.array([home[0], under[1], under[2]])), (3.0, under), (LIFT_S[0], under)]
    for share in np.linspace(0.0, 1.0, 13)[1:]:
        ways.append((LIFT_S[0] + share * (LIFT_S[1] - LIFT_S[0]), hand_at(share * np.pi / 2)))
    ways += [(8.0, ways[-1][1]), (9.2, ways[-1][1] - [0.0, 0.2, 0.0])]
    return [(time, place - home) for time, place in ways]


def _lever(spec: mujoco.MjSpec, pivot: Array) -> None:
    """A bar that stays where it is put, by friction."""
    import mujoco

    body = spec.worldbody.add_body(name="lever", pos=pivot.tolist())
    body.add_joint(
        name="lever", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[-1, 0, 0], range=[-0.05, 2.2], limited=True,
        damping=[0.5], frictionloss=2.5,
    )  # fmt: skip
    body.add_geom(
        name="lever", type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[RADIUS, 0, 0], fromto=[0, 0, 0, 0, -LENGTH, 0],
        mass=0.8, friction=[0.4, 0.01, 0.0005],
    )  # fmt: skip
