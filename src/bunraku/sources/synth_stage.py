"""Where a scripted performance begins: someone who stands at ease and breathes, and keys for all the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.human.body import ADULT, Body
from bunraku.human.skeleton import SIDES
from bunraku.sources.synth_curves import Key, curve, ease, waves
from bunraku.sources.synth_rig import Act, Arm, Foot

Array = NDArray[np.float64]


class Hold(NamedTuple):
    """Where an arm is at one instant, in left-hand terms, for an adult: x forward, y outward, z up."""

    wrist: tuple[float, float, float]
    """from the shoulder, m"""
    elbow: tuple[float, float, float] = (-1.0, 0.45, 0.0)
    """where the elbow points"""
    turn: float = 0.0
    """of the forearm, supinating, rad"""
    flexion: float = 0.0
    """of the wrist, towards the palm, rad"""
    deviation: float = 0.0
    """of the wrist, towards the thumb, rad"""


HANGING = Hold((0.045, 0.075, -0.545), (-1.0, 0.25, -0.8), 0.1, 0.05, 0.0)
RELAXED = (0.18, 0.2, 0.24, 0.27, 0.3)
"""curl of thumb … little finger of a hand that does nothing"""
FLAT = (0.05, 0.0, 0.0, 0.0, 0.02)
FIST = (0.85, 1.0, 1.0, 1.0, 1.0)

ArmKey: TypeAlias = tuple[float, Hold]


@dataclass(frozen=True)
class Stage:
    """T instants of a performance that repeats after `period` seconds."""

    t: Array
    period: float
    rng: np.random.Generator
    body: Body

    @cached_property
    def now(self) -> Array:
        """(T,) time since the performance last began."""
        return np.mod(self.t, self.period)

    @cached_property
    def arm_scale(self) -> float:
        """This body's arm by an adult's."""
        return self.body.arm_length / ADULT.arm_length

    @cached_property
    def leg_scale(self) -> float:
        """This body's leg by an adult's."""
        return self.body.leg_length / ADULT.leg_length

    def keys(self, keys: Sequence[Key]) -> Array:
        """A curve through keys that repeats with the performance."""
        return curve(self.t, keys, self.period)

    def waves(self, pace: float) -> Array:
        """Aimless movement within (-1, 1)."""
        return waves(self.t, self.period, self.rng, pace)

    def pulse(self, begin: float, end: float, rise: float) -> Array:
        """1 from begin to end, 0 elsewhere, each change over `rise` seconds within."""
        return np.asarray(ease((self.now - begin) / rise) * ease((end - self.now) / rise))

    def steady(self, value: ArrayLike) -> Array:
        """One value at all times, `(T,)` or `(T, k)`."""
        return np.tile(np.asarray(value, float), (len(self.t), *[1] * np.ndim(value)))

    def arm(self, keys: Sequence[ArmKey], curl: Sequence[Key] = ((0.0, RELAXED),), in_world: bool = False) -> Arm:
        """An arm led through keys, its hand closed and opened by others."""
        path = self.keys([(time, (*h.wrist, *h.elbow, h.turn, h.flexion, h.deviation)) for time, h in keys])
        return Arm(
            wrist=path[:, :3] * self.arm_scale,
            elbow=path[:, 3:6],
            turn=path[:, 6],
            flexion=path[:, 7],
            deviation=path[:, 8],
            curl=self.keys([(time, np.broadcast_to(np.asarray(value, float), 5)) for time, value in curl]),
            spread=self.steady(0.25),
            shrug=self.steady(0.0),
            in_world=in_world,
        )

    def planted(self, x: float, y: float, yaw: float) -> Foot:
        """A foot that stands still, its ankle at (x, y) for an adult."""
        ball = np.array([x + 0.14 * np.cos(yaw), y + 0.14 * np.sin(yaw), 0.0]) * self.leg_scale
        nothing = self.steady(0.0)
        return Foot(ball=self.steady(ball), yaw=self.steady(yaw), pitch=nothing, toe_pitch=nothing)

    def standing(self, width: float = 0.11, toes_out: float = 0.14, weight: Sequence[Key] = ()) -> Act:
        """At ease, facing x, arms hanging; `weight` goes from -1 on the right foot to 1 on the left."""
        feet = {"left": self.planted(0.0, width, toes_out), "right": self.planted(0.0, -width, -toes_out)}
        breath = np.sin(2 * np.pi * max(1, round(self.period / 3.8)) * self.t / self.period)
        shift = 0.10 * self.waves(6.0) + (self.keys(weight) if weight else 0.0)
        sway, drift, twist = self.waves(4.0), self.waves(5.0), self.waves(4.5)
        hips = np.column_stack([0.022 + 0.008 * drift, 0.055 * shift + 0.003 * sway, self.steady(-0.001)])
        roll = 0.055 * shift
        pelvis = np.column_stack([0.022 * twist, 0.03 + 0.008 * drift, roll])
        trunk = np.column_stack([-0.02 * twist, -0.02 - 0.014 * breath + 0.01 * sway, -1.25 * roll + 0.01 * drift])
        head = np.column_stack([0.05 * self.waves(3.5), 0.03 * self.waves(4.0), -0.25 * roll + 0.02 * self.waves(5.0)])
        act = Act(
            hips=hips * self.leg_scale,
            pelvis=pelvis,
            trunk=trunk,
            head=head,
            feet=feet,
            arms={side: self.arm([(0.0, HANGING)]) for side in SIDES},
            splay=self.steady(0.05),
            jaw=self.steady(0.0),
            eyes=np.column_stack([0.06 * self.waves(2.5), 0.04 * self.waves(3.0)]),
        )
        for side in SIDES:
            act.arms[side].shrug = 0.015 + 0.015 * breath
        return act
