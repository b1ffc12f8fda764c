"""How faithful and how clean results are: recordings on G1 where they are given, generated motions on our own robot.

The recordings are not ours to ship. `--data` names a folder that holds `lafan1_walk.bvh` and `lafan1_dance.bvh`
somewhere below it; without it the generated motions alone are judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from figure import Figure

Sense = Literal["at_most", "at_least"]
ROWS: Mapping[str, tuple[str, Sense]] = {
    "limb_deg_world": ("°", "at_most"),
    "limb_deg": ("°", "at_most"),
    "limb_deg_world_p95": ("°", "at_most"),
    "self_collision_pct": ("%", "at_most"),
    "slide_cm_s": ("cm/s", "at_most"),
    "contact_kept_pct": ("%", "at_least"),
    "float_cm": ("cm", "at_most"),
    "penetration_max_cm": ("cm", "at_most"),
    "limit_violations": ("values", "at_most"),
}
WALK = (1.5, 2.0, 5.0, 0.1, 0.5, 99.0, 0.3, 0.5, 0.0)
DANCE = (2.0, 2.5, 6.0, 0.1, 0.5, 99.0, 0.3, 0.5, 0.0)
RECORDINGS = {"lafan1_walk": WALK, "lafan1_dance": DANCE}
RECORDED_ON, GENERATED_ON = "g1", "puppet"
GENERATED = {
    "walk": (0.5, 0.6, 2.8, *WALK[3:]),
    "conduct": (0.35, 0.35, 1.3, *WALK[3:]),
    "box": (1.7, 2.4, 6.0, *WALK[3:]),
    "random": (0.95, 0.95, 3.9, *WALK[3:]),
}
"""limb errors at most a third above what they were when these targets were set, and never above DANCE: more is a step
back"""


def figures(data: Path | None) -> Iterator[Figure]:
    """Rows of `bunraku evaluate`, and the largest step of a joint as a share of what its speed limit allows."""
    from bunraku.cli.terminal import note

    for name, targets in RECORDINGS.items():
        found = sorted(data.rglob(f"{name}.bvh")) if data else []
        if found:
            yield from _judged(str(found[0]), name, RECORDED_ON, targets)
        else:
            note(f"  {name}.bvh is not there to be judged: --data names the folder of recordings")
    for name, targets in GENERATED.items():
        yield from _judged(f"synth:{name}?seconds=20&fps=30", f"synth_{name}", GENERATED_ON, targets)


def _judged(uri: str, label: str, robot_name: str, targets: tuple[float, ...]) -> Iterator[Figure]:
    from bunraku.evaluate import evaluate
    from bunraku.retarget import retarget
    from bunraku.robots import load_robot
    from bunraku.sources import read_motion

    human, robot = read_motion(uri), load_robot(robot_name)
    motion = retarget(human, robot)
    scores = evaluate(human, motion, robot)
    how = f"bunraku evaluate, {len(motion)} frames on {robot_name}"
    for (metric, (unit, sense)), target in zip(ROWS.items(), targets, strict=True):
        if metric in scores:
            yield Figure(f"retarget.{metric}.{label}", scores[metric], unit, target, sense, how)
    yield Figure(
        f"retarget.jump.{label}", _largest_step(robot, motion), "share", 1.0 + 1e-6, "at_most",
        f"largest step of a joint as a share of what its velocity limit allows, {len(motion)} frames on {robot_name}",
    )  # fmt: skip


def _largest_step(robot: Any, motion: Any) -> float:
    return float((np.abs(np.diff(motion.joints, axis=0)) * motion.fps / robot.velocity).max())
