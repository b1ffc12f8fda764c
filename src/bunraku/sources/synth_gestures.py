"""Scripted performances on planted feet: greeting, reaching, squatting, the recordings of P2, and aimless movement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import SIDES
from bunraku.sources.synth_curves import curve, ease
from bunraku.sources.synth_rig import Act
from bunraku.sources.synth_stage import FLAT, HANGING, RELAXED, Hold, Stage

Array = NDArray[np.float64]

_AT_EASE = Hold((0.09, 0.12, -0.50), (-1.0, 0.3, -0.8), 0.1, 0.0, 0.0)
_GRASP = (0.45, 0.5, 0.5, 0.5, 0.5)


def wave(stage: Stage) -> Act:
    """Greets with the right hand, then with both."""
    greeting = Hold((0.18, 0.19, 0.10), (-0.1, 0.45, -1.0), 0.1, 0.0, 0.0)
    high = Hold((0.10, 0.25, 0.40), (-0.2, 1.0, -0.4), -0.1, -0.1, 0.0)
    act = stage.standing(weight=[(0.3, 0.0), (1.4, 0.9), (4.0, 0.8), (5.6, -0.35), (7.4, -0.2), (8.6, 0.0)])
    act.arms["right"] = stage.arm(
        [(0.5, HANGING), (1.45, greeting), (3.9, greeting), (5.0, _AT_EASE), (5.9, high), (7.5, high), (9.0, HANGING)],
        [(0.5, RELAXED), (1.2, FLAT), (4.0, FLAT), (4.9, RELAXED), (5.7, FLAT), (7.6, FLAT), (8.6, RELAXED)],
    )
    act.arms["left"] = stage.arm(
        [(0.3, HANGING), (1.5, _AT_EASE), (4.6, _AT_EASE), (5.95, high), (7.4, high), (8.9, HANGING)],
        [(4.6, RELAXED), (5.7, FLAT), (7.6, FLAT), (8.5, RELAXED)],
    )
    one, both = stage.pulse(1.2, 4.1, 0.5), stage.pulse(5.6, 7.8, 0.5)
    swing, follow = (np.sin(2 * np.pi * 1.7 * stage.now - lag) for lag in (0.0, 0.9))
    high_swing, high_follow = (np.sin(2 * np.pi * 1.35 * stage.now - lag) for lag in (0.0, 0.9))
    for side in SIDES:
        arm, alone = act.arms[side], one if side == "right" else 0.0 * one
        arm.wrist += stage.arm_scale * (alone * swing)[:, None] * [0.0, 0.085, -0.012]
        arm.wrist += stage.arm_scale * (both * high_swing)[:, None] * [0.01, 0.10, -0.03]
        arm.deviation -= 0.28 * alone * follow + 0.25 * both * high_follow
        arm.spread += 0.7 * (alone + both)
    act.trunk[:, 2] += 0.03 * one * follow
    act.head[:, 2] += 0.10 * one + 0.05 * both * high_follow
    act.head[:, 1] += 0.12 * stage.pulse(1.3, 1.9, 0.3) - 0.05 * both
    act.hips[:, 2] -= stage.leg_scale * 0.012 * both * (1 - np.cos(4 * np.pi * 1.35 * stage.now))
    for begin, end, wide in ((1.5, 1.75, 0.55), (1.85, 2.2, 0.4), (5.9, 6.4, 0.45)):
        act.jaw += wide * stage.pulse(begin, end, (end - begin) / 2)
    return act


def reach(stage: Stage) -> Act:
    """Takes something from high up and puts it low across, reaches far with the left hand, lifts with both."""
    high = Hold((0.30, 0.20, 0.36), (-0.1, 0.5, -1.0), 0.6, -0.2, 0.0)
    near = Hold((0.30, -0.02, -0.20), (-0.7, 0.8, -1.0), 0.7, 0.0, 0.0)
    across = Hold((0.34, -0.22, -0.36), (-0.5, 1.0, -0.3), 0.2, 0.1, 0.0)
    far = Hold((0.53, 0.02, -0.03), (-0.3, 0.5, -1.0), 0.7, -0.1, 0.0)
    low = Hold((0.34, -0.01, -0.36), (-0.8, 0.7, -0.3), 0.9, 0.0, 0.0)
    held = Hold((0.34, -0.02, -0.16), (-0.6, 0.7, -1.0), 1.0, 0.0, 0.0)
    put = Hold((0.48, -0.02, 0.02), (-0.3, 0.6, -1.0), 1.0, 0.0, 0.0)
    act = stage.standing(
        weight=[(0.2, 0.0), (1.6, -0.8), (3.0, -0.2), (4.4, 0.9), (6.0, 0.0), (8.4, 0.4), (10.0, 0.0), (14.5, 0.0)]
    )
    act.arms["right"] = stage.arm(
        [(0.2, HANGING), (1.7, high), (2.2, high), (3.2, near), (4.5, across), (4.9, across), (6.4, _AT_EASE),
         (9.4, _AT_EASE), (10.7, low), (11.1, low), (12.2, held), (13.2, put), (13.7, put), (15.2, HANGING)],
        [(0.5, RELAXED), (1.5, FLAT), (1.75, FLAT), (2.15, _GRASP), (4.5, _GRASP), (4.85, FLAT), (6.0, RELAXED),
         (9.6, RELAXED), (10.5, FLAT), (11.0, _GRASP), (13.2, _GRASP), (13.7, FLAT), (14.8, RELAXED)],
    )  # fmt: skip
    act.arms["left"] = stage.arm(
        [(0.4, HANGING), (1.8, _AT_EASE), (5.9, _AT_EASE), (7.5, far), (8.1, far), (9.3, near), (10.7, low),
         (11.1, low), (12.2, held), (13.2, put), (13.7, put), (15.2, HANGING)],
        [(5.9, RELAXED), (7.3, FLAT), (7.6, FLAT), (8.0, _GRASP), (9.0, _GRASP), (9.6, RELAXED), (10.5, FLAT),
         (11.0, _GRASP), (13.2, _GRASP), (13.7, FLAT), (14.8, RELAXED)],
    )  # fmt: skip
    act.pelvis += stage.keys(
        [(0.3, (0, 0, 0)), (1.7, (-0.16, 0, 0)), (2.4, (-0.12, 0, 0)), (4.5, (0.26, 0.20, 0)), (6.2, (0.0, 0.0, 0.0)),
         (7.5, (-0.20, 0.22, 0)), (9.3, (0, 0.05, 0)), (10.8, (0, 0.45, 0)), (12.3, (0, 0.02, 0)), (15.0, (0, 0, 0))]
    )  # fmt: skip
    act.trunk += stage.keys(
        [(0.3, (0, 0, 0)), (1.7, (-0.14, -0.08, -0.14)), (2.4, (-0.1, -0.05, -0.1)), (4.5, (0.34, 0.26, 0.08)),
         (6.2, (0, 0, 0)), (7.5, (-0.24, 0.22, 0.06)), (9.3, (0, 0.06, 0)), (10.8, (0, 0.36, 0)),
         (12.3, (0, -0.04, 0)), (13.3, (0, 0.02, 0)), (15.0, (0, 0, 0))]
    )  # fmt: skip
    act.head += stage.keys(
        [(0.1, (0, 0, 0)), (1.2, (-0.50, -0.38, 0)), (2.3, (-0.45, -0.35, 0)), (3.2, (-0.05, 0.30, 0)),
         (4.2, (0.62, 0.55, 0.05)), (4.9, (0.6, 0.55, 0.05)), (6.1, (0.05, 0.0, 0.0)), (7.2, (-0.02, 0.22, 0)),
         (8.2, (-0.02, 0.25, 0)), (9.4, (0, 0.35, 0)), (10.5, (0, 0.75, 0)), (11.1, (0, 0.72, 0)), (12.4, (0, 0.30, 0)),
         (13.6, (0, 0.22, 0)), (15.0, (0, 0, 0))]
    )  # fmt: skip
    act.hips[:, [0, 2]] += stage.leg_scale * stage.keys(
        [(0.0, (0, 0)), (3.4, (0, 0)), (4.6, (-0.02, -0.07)), (6.2, (0, 0)), (7.6, (0.02, -0.03)), (9.2, (0, 0)),
         (10.8, (-0.10, -0.27)), (11.1, (-0.10, -0.27)), (12.5, (0, 0)), (15.0, (0, 0))]
    )  # fmt: skip
    act.eyes += stage.keys(
        [(0.2, (0, 0)), (1.0, (-0.2, -0.15)), (1.8, (0, 0)), (4.0, (0.25, 0.2)), (4.6, (0, 0)), (6.9, (0.0, 0.12)),
         (7.8, (0, 0)), (10.2, (0, 0.2)), (11.0, (0, 0)), (15.0, (0, 0))]
    )  # fmt: skip
    return act


def squat(stage: Stage) -> Act:
    """Four squats, the arms stretched forward for balance, the second and fourth deeper."""
    act = stage.standing(width=0.17, toes_out=0.3)
    act.splay += 0.10
    keys = [(0.6, 0.0)]
    for begin, deep in ((0.6, 0.8), (3.4, 1.0), (6.2, 0.85), (9.0, 1.08)):
        keys += [(begin + 1.25, deep), (begin + 1.55, deep), (begin + 2.65, 0.0)]
    depth = stage.keys([*keys, (12.6, 0.0)])
    level = np.minimum(depth / 1.08, 1.0)
    act.hips += stage.leg_scale * depth[:, None] * [-0.17, 0.0, -0.36]
    act.splay += 0.22 * depth
    act.pelvis[:, 1] += 0.55 * depth
    act.trunk[:, 1] += 0.16 * depth
    act.head[:, 1] += 0.16 * depth
    act.jaw += 0.25 * ease(2 * depth) * (1 - ease(1.4 * depth))
    forward = Hold((0.45, 0.02, 0.27), (-0.2, 0.8, -0.8), 0.5, 0.05, 0.0)
    rest, out = (stage.arm([(0.0, hold)]) for hold in (HANGING, forward))
    midway = Hold((0.30, 0.06, -0.32), (-0.9, 0.5, -0.8), 0.3, 0.0, 0.0)
    bend = stage.arm([(0.0, midway)])
    for side in SIDES:
        arm = act.arms[side]
        s = (level * (1.35 - 0.35 * level))[:, None]
        arm.wrist = (1 - s) ** 2 * rest.wrist + 2 * s * (1 - s) * bend.wrist + s**2 * out.wrist
        arm.elbow = (1 - s) * rest.elbow + s * out.elbow
        arm.turn = rest.turn + s[:, 0] * (out.turn - rest.turn)
        arm.curl = arm.curl * (1 - 0.8 * s)
    return act


def figure_eight(stage: Stage) -> Act:
    """The right hand draws a lying eight at constant height before the body, palm down, at rest at both ends."""
    act = stage.standing()
    ahead = Hold((0.40, 0.05, -0.10), (-0.3, 1.0, -0.6), -0.1, -0.1)
    arm = act.arms["right"] = stage.arm([(0.0, ahead)], [(0.0, FLAT)], in_world=True)
    begin, end, gain = 0.5, stage.period - 0.5, 1.5
    turns = round((end - begin - gain) / 4.5)
    least = 0.5 * gain / (end - begin - gain)
    phase = (
        2 * np.pi * turns * curve(stage.now, [(begin, 0.0), (begin + gain, least), (end - gain, 1 - least), (end, 1.0)])
    )
    arm.wrist += stage.arm_scale * np.column_stack([0.10 * np.sin(2 * phase), -0.21 * np.sin(phase), 0.0 * phase])
    act.trunk[:, 0] -= 0.10 * np.sin(phase)
    return act


def p2_recording(stage: Stage) -> Act:
    """The 30 s of P2, right arm: stretched forward; 3-6 s to the right; 6-10 s raised; 16 s forward again; 23-27 s
    before the face, the palm towards it; back."""
    act = stage.standing()
    front = Hold((0.535, 0.00, 0.015), (-0.2, 1.0, -0.6), -0.1)
    aside = Hold((0.32, 0.425, 0.00), (-0.8, 0.6, -0.6), -0.1)
    raised = Hold((0.30, 0.22, 0.37), (-0.2, 1.0, -0.6), -0.1)
    face = Hold((0.37, -0.12, 0.10), (0.0, 1.2, -1.0), 1.55)
    act.arms["right"] = stage.arm(
        [(0.0, front), (3.0, front), (6.0, aside), (10.0, raised), (12.0, raised), (16.0, front), (19.5, front),
         (23.0, face), (27.0, face), (29.7, front)],
        [(0.0, FLAT)],
        in_world=True,
    )  # fmt: skip
    act.trunk[:, 0] += stage.keys([(3.0, 0.0), (6.0, -0.12), (10.0, -0.08), (16.0, 0.0), (30.0, 0.0)])
    act.head[:, :2] += stage.keys([(3.0, (0, 0)), (6.0, (-0.45, 0.03)), (10.0, (-0.25, -0.25)), (12.5, (-0.2, -0.2)),
                                   (16.0, (0, 0)), (23.0, (0, 0.05)), (30.0, (0, 0))])  # fmt: skip
    return act


def aimless(stage: Stage) -> Act:
    """Seeded: everything that can move moves, within what joints allow, on planted feet."""
    w, pace = stage.waves, 2.6
    act = stage.standing(width=0.13, toes_out=0.2)
    act.hips += stage.leg_scale * np.column_stack([0.05 * w(pace), 0.07 * w(pace), -0.09 * (1 + w(pace))])
    act.pelvis += np.column_stack([0.30 * w(pace), 0.10 + 0.14 * w(pace), 0.06 * w(pace)])
    act.trunk += np.column_stack([0.40 * w(pace), 0.10 + 0.20 * w(pace), 0.20 * w(pace)])
    act.head = np.column_stack([0.55 * w(2.0), 0.10 + 0.30 * w(2.0), 0.18 * w(2.0)])
    act.head[:, 0] += act.pelvis[:, 0] + 0.5 * act.trunk[:, 0]
    for side in SIDES:
        arm = act.arms[side]
        where = np.column_stack([0.34 + 0.13 * w(1.9), 0.14 + 0.18 * w(1.9), -0.07 + 0.36 * w(1.9)])
        arm.wrist = stage.arm_scale * where
        arm.elbow = np.column_stack([-0.4 + 0.2 * w(pace), 0.75 + 0.35 * w(pace), -0.9 + 0.4 * w(pace)])
        arm.turn, arm.flexion, arm.deviation = 0.7 + 0.7 * w(1.7), 0.55 * w(1.7), 0.05 + 0.2 * w(1.7)
        arm.curl = (0.45 + 0.32 * w(2.2))[:, None] + 0.12 * np.column_stack([w(1.4) for _ in range(5)])
        arm.spread = 0.5 + 0.45 * w(2.0)
        arm.shrug = 0.06 + 0.06 * w(pace)
    act.splay += 0.10 * (1 + w(pace))
    act.jaw = 0.5 + 0.5 * w(1.2)
    act.eyes = np.column_stack([0.35 * w(1.1), 0.2 * w(1.1)])
    return act
