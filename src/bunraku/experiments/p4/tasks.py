"""What P4's manipulation tasks share: things in the robot's world, seeded runs, and the row that counts successes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.findings import Row
from bunraku.experiments.p4.operator import Way
from bunraku.kinematics import rotations as rot

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]

RUNS, NEEDED = 20, 0.95
JITTER_M, MASS_SPREAD = 0.01, 0.2
"""how far things stand from where they were meant to, each way, and how their mass varies"""
SURE = 0.03
"""the operator's moves are this share too long or too short"""


@dataclass(frozen=True)
class Outcome:
    """One run: why it failed (empty where it did not), and its measures by name."""

    failure: str
    measures: dict[str, float]


def count(quantity: str, run: Callable[[int], Outcome], seed: int, runs: int, theirs: str, how: str) -> Row:
    """Run it with one seed after the other; the row."""
    outcomes = [run(1000 * seed + number) for number in range(runs)]
    good = sum(not outcome.failure for outcome in outcomes)
    reasons = Counter(outcome.failure for outcome in outcomes if outcome.failure)
    names = list(outcomes[0].measures)
    means = ", ".join(f"{name} {np.mean([o.measures[name] for o in outcomes]):.3g}" for name in names)
    failed = "; ".join(f"{number} × {reason}" for reason, number in reasons.items())
    return Row(
        paper="P4", quantity=quantity, theirs=theirs, ours=f"{good} of {runs}", unit="runs", ok=good >= NEEDED * runs,
        how=f"{how}; mean {means}" + (f"; failed: {failed}" if failed else ""),
    )  # fmt: skip


def add_box(
    spec: mujoco.MjSpec, name: str, place: Sequence[float] | Array, half: Sequence[float], mass: float | None
) -> None:
    """A box; without a mass it does not move."""
    import mujoco

    body = spec.worldbody.add_body(name=name, pos=list(place))
    if mass is not None:
        body.add_freejoint()
    body.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_BOX, size=list(half), mass=1.0 if mass is None else mass,
        friction=[0.6, 0.01, 0.0005], rgba=[0.72, 0.55, 0.35, 1],
    )  # fmt: skip


def jittered(rng: np.random.Generator, place: Sequence[float]) -> Array:
    """A place on the floor plan, a little off."""
    away = np.array([*rng.uniform(-JITTER_M, JITTER_M, 2), 0.0])
    return np.asarray(np.asarray(place, float) + away)


def scaled(rng: np.random.Generator, ways: Way) -> list[tuple[float, Array]]:
    """An operator's way points, too long or too short by a share that is theirs."""
    share = 1 + rng.uniform(-SURE, SURE, 3)
    return [(time, share * np.asarray(way, float)) for time, way in ways]


def tilt(quaternion: Array) -> float:
    """rad, of a body's vertical away from upright."""
    return float(np.arccos(np.clip(rot.rotate(quaternion, [0.0, 0.0, 1.0])[2], -1.0, 1.0)))
