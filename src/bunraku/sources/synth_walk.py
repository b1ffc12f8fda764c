"""Walking: once round a circle to the left, from standing to standing, back to where it began.

A foot strikes with the heel, rolls about it until the sole is flat, stands still, rises about the ball, and swings on.
Pelvis and trunk follow the steps: sway to the standing foot, turn with the swinging leg, drop on its side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.synth_curves import curve, ease
from bunraku.sources.synth_rig import Act, Foot
from bunraku.sources.synth_stage import HANGING, RELAXED, Stage

Array = NDArray[np.float64]

_START_S, _REST_S = 0.8, 0.9  # standing before the first and after the last step
_STEP_S, _SWING_S, _GAIN_S = 0.56, 0.46, 1.0  # between steps, of one swing, until full speed
_STEPS = 22
_RADIUS = 1.85  # m, for an adult, as are all lengths here
_STRIKE, _EARLY_S = 0.36, 0.06  # toes up at most, rad, so long before the heel strikes
_BEHIND = 0.04  # of an ankle that carries, amid its stance, behind the hips' way
_ROLL_S = 0.12  # from heel strike until the sole is flat
_PUSH, _RISE_S = 0.75, 0.27  # heel up at toe-off, rad, and the time that it takes to rise
_LEAN = 0.04  # into the turn, rad
PERIOD = _START_S + _STEPS * _STEP_S + _REST_S


@dataclass(frozen=True)
class _Course:
    """The way of the pelvis over time: round a circle of this radius, up to speed and back to rest."""

    radius: float

    @property
    def speed(self) -> float:
        """Once it is up to it, m/s."""
        return 2 * np.pi * self.radius / (_STEPS * _STEP_S - _GAIN_S)

    def pace(self, t: Array | float) -> Array:
        """Share of the full speed."""
        last = _START_S + _STEPS * _STEP_S - _GAIN_S
        return np.asarray(ease((np.asarray(t) - _START_S) / _GAIN_S) - ease((np.asarray(t) - last) / _GAIN_S))

    def along(self, t: Array | float) -> Array:
        """Metres gone."""
        last = _START_S + _STEPS * _STEP_S - _GAIN_S
        return self.speed * (_ease_area(np.asarray(t) - _START_S) - _ease_area(np.asarray(t) - last))

    def heading(self, along: Array | float) -> Array:
        """Direction of the way after so many metres."""
        return np.asarray(along) / self.radius

    def place(self, along: Array | float, left: Array | float = 0.0) -> Array:
        """(…, 2) where one is after so many metres, so far to the left of the way."""
        angle = self.heading(along)
        inner = self.radius - np.asarray(left)
        return np.stack([inner * np.sin(angle), self.radius - inner * np.cos(angle)], axis=-1)


def walk(stage: Stage) -> Act:
    """Eleven strides round a circle."""
    t, k = stage.now, stage.leg_scale
    course = _Course(_RADIUS * k)
    act = stage.standing()
    act.feet = {side: _foot(stage, course, side) for side in SIDES}
    end = _START_S + _STEPS * _STEP_S
    going = ease((t - _START_S + 0.5) / 0.9) * ease((end + 0.35 - t) / 0.9)
    swing = np.pi * (t - _START_S - 0.5 * _SWING_S) / _STEP_S  # 0 amid the first swing, the right foot's
    side_to_side, turning = going * np.cos(swing), going * np.cos(swing - 0.45 * np.pi)
    up_and_down = going * np.cos(2 * swing - 0.15)
    pace, along = course.pace(t), course.along(t)
    heading = course.heading(along)
    lean = _LEAN * pace
    idle_hips, idle_pelvis, idle_head = act.hips * (1 - going)[:, None], act.pelvis, act.head
    place = course.place(along + 0.022 * k + 0.5 * idle_hips[:, 0], k * 0.024 * side_to_side + idle_hips[:, 1])
    act.hips = np.column_stack([place, stage.steady(-0.001 * k)])
    act.ceiling = k * (0.976 - 0.030 * going + 0.020 * up_and_down)
    act.pelvis = 0.5 * idle_pelvis + np.column_stack(
        [heading + 0.10 * turning, 0.03 * pace + 0.012 * up_and_down, 0.055 * side_to_side - lean]
    )
    act.trunk = act.trunk + np.column_stack(
        [-0.20 * turning, 0.02 * pace - 0.02 * up_and_down, -0.050 * side_to_side - 0.2 * lean]
    )
    act.head = idle_head + np.column_stack([heading + 0.16 * pace, 0.03 * pace + 0.01 * up_and_down, -0.4 * lean])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = act.arms[side] = stage.arm([(0.0, HANGING)], [(0.0, RELAXED)])
        fore = sign * going * np.cos(swing - 0.52 * np.pi)
        raise_, bend = 0.06 + 0.02 * going + 0.34 * fore, 0.28 + 0.17 * going + 0.24 * fore
        out = 0.13 + 0.02 * side_to_side
        upper, lower = (stage.body.lengths[INDEX[f"{side}_{joint}"]] for joint in ("forearm", "hand"))
        arm.wrist = upper * _hanging(raise_, out) + lower * _hanging(raise_ + bend, out - 0.06 * bend)
        arm.elbow = np.column_stack([-np.cos(raise_), 0.25 + 0 * raise_, -np.sin(raise_)])
        arm.turn = arm.turn + 0.15 * going
        arm.curl = arm.curl + (0.10 * going + 0.05 * fore)[:, None]
    return act


def _hanging(forward: Array, out: Array) -> Array:
    """(T, 3) unit vector that hangs down, turned forward and outward."""
    return np.column_stack([np.sin(forward) * np.cos(out), np.sin(out), -np.cos(forward) * np.cos(out)])


def _ease_area(x: Array) -> Array:
    """Integral of ease(x / _GAIN_S)."""
    s = np.clip(x / _GAIN_S, 0.0, 1.0)
    return np.asarray(_GAIN_S * s**4 * (2.5 - 3 * s + s * s) + np.maximum(x - _GAIN_S, 0.0))


def _foot(stage: Stage, course: _Course, side: str) -> Foot:
    """Prints where the way is amid each stance; the foot stands on each from strike to lift, and swings between."""
    t, k, out = stage.now, stage.leg_scale, 1.0 if side == "left" else -1.0
    first = 1 if side == "left" else 0
    lifts: Array = _START_S + _STEP_S * np.arange(first, _STEPS, 2, dtype=np.float64)
    strikes = lifts + _SWING_S
    amid = np.concatenate([[0.0], 0.5 * (strikes[:-1] + lifts[1:]), [PERIOD]])
    at = course.along(amid)
    moving = (at > at[0]) & (at < at[-1])
    width = k * np.where(moving, 0.078, 0.11)
    yaw = course.heading(at) + 0.10 * out
    ahead = np.column_stack([np.cos(yaw), np.sin(yaw)])
    toe = float(stage.body.bones[INDEX[f"{side}_toe"], 0])
    prints = course.place(at - k * _BEHIND * moving, out * width) + toe * ahead
    roll = _bumps(t, strikes - _EARLY_S, 0.60 * _SWING_S, _EARLY_S + _ROLL_S, -_STRIKE * course.pace(strikes))
    push = _bumps(t, lifts, _RISE_S, 0.60 * _SWING_S, _PUSH * np.sqrt(course.pace(lifts + 0.25 * _STEP_S)))
    toes = _bumps(t, lifts + 0.35 * _SWING_S, 0.35 * _SWING_S, 0.4 * _SWING_S, 0.3 * course.pace(strikes))
    way, yaws, lift = np.tile(prints[0], (len(t), 1)), np.full(len(t), yaw[0]), np.zeros(len(t))
    for n, begin in enumerate(lifts):
        s = np.clip((t - begin) / _SWING_S, 0.0, 1.0)
        done = ease(s)
        way += done[:, None] * (prints[n + 1] - prints[n])
        yaws += done * (yaw[n + 1] - yaw[n])
        lift += k * (0.02 + 0.022 * float(course.pace(strikes[n]))) * 64 * (s * (1 - s)) ** 3
    heel_to_ball = stage.body.bones[INDEX[f"{side}_toe"]] - stage.body.heel
    x, _, z = (rot.rotate(rot.from_axis_angle([0.0, 1.0, 0.0], roll), heel_to_ball) - heel_to_ball).T
    ball = np.column_stack([way + x[:, None] * np.column_stack([np.cos(yaws), np.sin(yaws)]), lift + z])
    return Foot(ball=ball, yaw=yaws, pitch=push + roll, toe_pitch=toes + 1.2 * roll)


def _bumps(t: Array, peaks: Array, before: float, after: float, sizes: Array) -> Array:
    """(T,) zero but around each peak, which it reaches over `before` seconds and leaves over `after`."""
    keys = [key for at, size in zip(peaks, sizes, strict=True)
            for key in ((at - before, 0.0), (at, float(size)), (at + after, 0.0))]  # fmt: skip
    return curve(t, keys)
