"""Scripted performances to look at: shadow boxing, and an orchestra's conductor."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import SIDES
from bunraku.sources.synth_curves import Key, loop
from bunraku.sources.synth_rig import Act
from bunraku.sources.synth_stage import FIST, Hold, Stage

Array = NDArray[np.float64]
Turn = tuple[float, float, float]

BOX_PERIOD = 12.0
_GUARD = {
    "left": Hold((0.24, -0.09, -0.03), (-0.2, 0.5, -1.0), 0.8, 0.0, 0.0),
    "right": Hold((0.31, -0.06, -0.03), (-0.2, 0.3, -1.0), 0.9, 0.0, 0.0),
}
_STANCE_YAW = -0.60
_STILL = (0.0, 0.0, 0.0)


class _Blow(NamedTuple):
    """What the whole body does in a blow. Arms are in world axes; turns, yaw left, pitch forward, roll right, are
    beyond the stance's."""

    side: str
    wind: Hold
    """on the way there"""
    hit: Hold
    pelvis: Turn
    trunk: Turn
    forward: float
    """m that the hips go"""
    go_s: float
    """from guard to hit"""


_BLOWS = {
    "jab": _Blow(
        "left",
        Hold((0.37, -0.09, 0.02), (-0.2, 0.5, -1.0), 0.5),
        Hold((0.515, -0.09, 0.09), (-0.2, 0.8, -0.7), 0.0),
        (-0.12, 0.03, 0.0), (-0.14, 0.05, 0.0), 0.05, 0.46,
    ),
    "cross": _Blow(
        "right",
        Hold((0.38, -0.08, 0.01), (-0.2, 0.4, -1.0), 0.5),
        Hold((0.51, -0.10, 0.08), (-0.2, 0.8, -0.7), 0.0),
        (0.62, 0.05, 0.0), (0.32, 0.06, -0.04), 0.07, 0.55,
    ),
    "hook": _Blow(
        "left",
        Hold((0.27, 0.12, -0.08), (-0.5, 0.9, -0.5), 0.5),
        Hold((0.33, -0.10, 0.06), (-0.2, 1.0, 0.0), 0.3),
        (-0.25, 0.03, 0.0), (-0.40, 0.02, 0.03), 0.02, 0.65,
    ),
    "uppercut": _Blow(
        "right",
        Hold((0.25, 0.02, -0.26), (-0.8, 0.4, -0.8), 1.1),
        Hold((0.36, -0.10, 0.07), (-0.3, 0.3, -1.0), 1.6),
        (0.50, -0.02, 0.0), (0.26, -0.06, -0.05), 0.05, 0.75,
    ),
}  # fmt: skip
_ROUND = ((1.0, "jab"), (2.35, "jab"), (3.0, "cross"), (5.2, "hook"), (5.95, "cross"), (8.0, "jab"), (8.75, "uppercut"),
          (9.6, "hook"))  # fmt: skip
_SLIPS = ((4.2, 1.0), (7.0, -1.0), (11.0, 0.8))
_BACK_S = 0.62
"""from a hit, or a slip, back to guard"""


def box(stage: Stage) -> Act:
    """Shadow boxing, left foot forward: jabs, crosses, hooks, an uppercut, slipping away between them."""
    act = stage.standing()
    bounce = 2 * np.pi * 20 * stage.now / stage.period
    body = [(at, (*blow.pelvis, *blow.trunk, blow.forward, 0.0, -0.02))
            for at, blow in ((at, _BLOWS[name]) for at, name in _ROUND)]  # fmt: skip
    body += [(at, (*_STILL, 0.12 * way, 0.14, 0.28 * way, -0.02, -0.05 * way, -0.08)) for at, way in _SLIPS]
    path = stage.keys(_returning(body, stage.period))
    arms = {side: [] for side in SIDES}
    for at, name in _ROUND:
        blow = _BLOWS[name]
        guard = _GUARD[blow.side]
        arms[blow.side] += [(at - blow.go_s, guard), (at - 0.5 * blow.go_s, blow.wind), (at, blow.hit), (at + _BACK_S, guard)]
    turning = path[:, 0]
    act.pelvis = 0.6 * act.pelvis + path[:, :3] + [_STANCE_YAW, 0.05, 0.0]
    act.trunk += path[:, 3:6] + [0.12, 0.14, 0.0]
    act.trunk[:, 1] += 0.02 * np.sin(bounce)
    act.hips += stage.leg_scale * (path[:, 6:] + [-0.03, -0.01, -0.04])
    act.hips += stage.leg_scale * np.column_stack(
        [0.014 * np.sin(0.5 * bounce), 0.012 * np.cos(0.25 * bounce), 0.012 * (np.cos(bounce) - 1)]
    )
    act.head[:, 0] += 0.25 * (act.pelvis[:, 0] + act.trunk[:, 0])
    act.head[:, 1:] += np.column_stack([stage.steady(0.10), 0.45 * act.trunk[:, 2]])
    act.splay += 0.08
    act.feet = {"left": stage.planted(0.14, 0.11, -0.30), "right": stage.planted(-0.19, -0.13, -0.80)}
    rear = act.feet["right"]
    rear.yaw = rear.yaw + 0.75 * turning
    rear.pitch = 0.32 + 0.5 * turning + 0.04 * np.sin(bounce)
    for side, lag in (("left", 0.0), ("right", 0.7)):
        arm = act.arms[side] = stage.arm(arms[side], [(0.0, FIST)], in_world=True)
        sway = [0.012 * np.sin(0.5 * bounce - lag), 0.0 * bounce, 0.014 * np.sin(bounce - lag)]
        arm.wrist += stage.arm_scale * np.column_stack(sway)
        arm.shrug += 0.14
        arm.spread *= 0.0
    act.jaw += sum(0.35 * stage.pulse(at - 0.15, at + 0.15, 0.12) for at, _ in _ROUND)
    return act


def _returning(keys: list[Key], period: float) -> list[Key]:
    """The keys in order, with stillness between any two that leave time to go back to it."""
    keys = sorted(keys, key=lambda key: key[0])
    still = np.zeros(np.shape(keys[0][1]))
    out: list[Key] = []
    for (at, value), (after, _) in pairwise([*keys, (keys[0][0] + period, still)]):
        out.append((at, value))
        if after - at >= 2 * _BACK_S:
            out += [(at + _BACK_S, still), (after - _BACK_S, still)]
    return [(at % period, value) for at, value in out]
