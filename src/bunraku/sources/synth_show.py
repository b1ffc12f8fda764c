"""Scripted performances to look at: shadow boxing, and an orchestra's conductor."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import SIDES
from bunraku.sources.synth_curves import Key, loop
from bunraku.sources.synth_rig import Act, Arm
from bunraku.sources.synth_stage import FIST, ArmKey, Hold, Stage

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
    body: list[Key] = [(at, (*blow.pelvis, *blow.trunk, blow.forward, 0.0, -0.02))
            for at, blow in ((at, _BLOWS[name]) for at, name in _ROUND)]  # fmt: skip
    body += [(at, (*_STILL, 0.12 * way, 0.14, 0.28 * way, -0.02, -0.05 * way, -0.08)) for at, way in _SLIPS]
    path = stage.keys(_returning(body, stage.period))
    arms: dict[str, list[ArmKey]] = {side: [] for side in SIDES}
    for at, name in _ROUND:
        blow = _BLOWS[name]
        guard = _GUARD[blow.side]
        arms[blow.side] += [(at - blow.go_s, guard), (at - 0.5 * blow.go_s, blow.wind), (at, blow.hit),
                            (at + _BACK_S, guard)]  # fmt: skip
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
    return sorted(((at % period, value) for at, value in out), key=lambda key: key[0])


_BAR_S = 2.4
CONDUCT_PERIOD = 8 * _BAR_S
_BATON = (0.42, 0.42, 0.62, 0.72, 0.78)
_BEATS = (
    (0.03, 0.00, -0.17), (-0.02, -0.01, 0.00), (0.03, -0.14, -0.13), (-0.01, -0.08, 0.00),
    (0.03, 0.19, -0.13), (-0.01, 0.13, 0.02), (0.02, 0.02, -0.05), (-0.04, 0.00, 0.23),
)  # fmt: skip
"""the hand at each half beat of four: down, in, out, up; x forward, y outward, z up, m"""
_FLICK = (0.25, -0.30, 0.20, -0.22, 0.20, -0.22, 0.15, -0.28)
"""flexion of the wrist at each half beat, rad"""


def conduct(stage: Stage) -> Act:
    """Eight bars of four: soft, a swell that the left hand lifts, loud with both arms, hushed, and the last stroke."""
    act = stage.standing(width=0.13)
    bar = _BAR_S
    force = stage.keys([(0.0, 0.50), (1.6 * bar, 0.55), (3.6 * bar, 1.05), (5.3 * bar, 1.12), (5.9 * bar, 0.42),
                        (6.8 * bar, 0.45), (7.4 * bar, 1.15), (7.8 * bar, 0.6)])  # fmt: skip
    path, flick = (loop(stage.now + 0.5 * bar / 8, bar, values) for values in (_BEATS, _FLICK))
    ready = Hold((0.36, 0.07, -0.07), (-0.3, 0.75, -0.9), 0.15, 0.0, 0.05)
    right = act.arms["right"] = stage.arm([(0.0, ready)], [(0.0, _BATON)])
    right.wrist += stage.arm_scale * force[:, None] * (path + np.array([0.02, 0.0, 0.0]))
    right.flexion += 0.8 * force * flick
    right.elbow += np.column_stack([0.0 * force, 0.35 * force, 0.9 * force * path[:, 2]])
    act.arms["left"] = _left_hand(stage, force, path, flick, ready)
    beat = np.cos(2 * np.pi * 4 * stage.now / bar)
    act.hips[:, 2] -= stage.leg_scale * 0.012 * force * (1 + beat)
    act.hips[:, 1] += stage.leg_scale * 0.03 * force * np.sin(np.pi * stage.now / bar)
    act.pelvis[:, 0] += stage.keys([(0.3 * bar, 0.0), (1.2 * bar, 0.14), (2.6 * bar, 0.18), (3.8 * bar, -0.16),
                                    (5.0 * bar, 0.05), (6.2 * bar, 0.12), (7.3 * bar, 0.0)])  # fmt: skip
    act.trunk[:, 0] += 1.2 * (act.pelvis[:, 0]) + 0.07 * force * np.sin(2 * np.pi * stage.now / bar)
    act.trunk[:, 1] += 0.06 - 0.10 * (force - 0.5) + 0.06 * force * beat
    act.trunk[:, 1] += 0.20 * stage.pulse(5.6 * bar, 7.1 * bar, 0.5 * bar)
    act.trunk[:, 2] += 0.05 * force * np.sin(np.pi * stage.now / bar)
    act.head[:, 0] += 1.9 * act.pelvis[:, 0]
    act.head[:, 1] += 0.06 + 0.10 * force * beat + 0.12 * stage.pulse(5.6 * bar, 7.1 * bar, 0.5 * bar)
    act.head[:, 2] += 0.06 * force * np.sin(np.pi * stage.now / bar + 0.5)
    for side in SIDES:
        act.arms[side].shrug += 0.05 * force * (1 - beat)
    act.jaw += sum(0.5 * stage.pulse(at * bar - 0.35, at * bar + 0.15, 0.25) for at in (2.0, 4.0, 7.25))
    act.eyes[:, 0] += 0.6 * act.pelvis[:, 0]
    return act


def _left_hand(stage: Stage, force: Array, path: Array, flick: Array, ready: Hold) -> Arm:
    """Mirrors the beat where it is loud; else it rests, lifts a swell palm up, hushes, and takes the last note."""
    bar = _BAR_S
    rest = Hold((0.24, -0.04, -0.26), (-0.6, 0.8, -0.9), 0.6, 0.0, 0.0)
    low = Hold((0.36, 0.07, -0.26), (-0.5, 0.6, -1.0), 1.75, 0.10, 0.0)
    lifted = Hold((0.37, 0.10, 0.10), (-0.3, 0.6, -1.0), 1.75, 0.25, 0.0)
    hush = Hold((0.40, -0.02, -0.10), (-0.3, 0.9, -0.8), 0.0, -0.45, 0.0)
    caught = Hold((0.34, -0.04, 0.12), (-0.2, 0.8, -1.0), 0.7, 0.2, 0.0)
    keys = [(0.2 * bar, rest), (1.3 * bar, rest), (1.9 * bar, low), (3.4 * bar, lifted), (4.0 * bar, ready),
            (5.3 * bar, ready), (5.9 * bar, hush), (6.6 * bar, hush), (7.1 * bar, ready), (7.5 * bar, caught),
            (7.65 * bar, caught)]  # fmt: skip
    relaxed, spread, shut = (0.2, 0.15, 0.2, 0.25, 0.3), (0.05, 0.0, 0.02, 0.05, 0.05), (0.6, 0.75, 0.8, 0.8, 0.8)
    curl = [(0.0, relaxed), (1.5 * bar, relaxed), (2.2 * bar, spread), (3.5 * bar, spread), (4.2 * bar, relaxed),
            (5.4 * bar, relaxed), (5.9 * bar, spread), (6.8 * bar, relaxed), (7.3 * bar, spread), (7.5 * bar, shut),
            (7.7 * bar, shut)]  # fmt: skip
    arm = stage.arm(keys, curl)
    along = stage.pulse(3.7 * bar, 5.7 * bar, 0.5 * bar) + 0.25 * stage.pulse(0.0, 1.5 * bar, 0.4 * bar)
    along += 0.8 * stage.pulse(6.8 * bar, 7.6 * bar, 0.3 * bar)
    arm.wrist += stage.arm_scale * (along * force)[:, None] * path
    arm.wrist[:, 2] += stage.arm_scale * 0.03 * force * (1 - along) * path[:, 2] / 0.2
    arm.flexion += 0.7 * along * force * flick
    arm.spread += 0.4 * force
    return arm
