"""What the joints are asked to do: their ranges, speeds, jumps and accelerations."""

from __future__ import annotations

import numpy as np

from bunraku.evaluate.metric import Array, Flags, Metric, MissingError, percentile

TOLERANCE = 1e-3
"""rad or m; closer than this to a limit is at the limit, farther beyond it a violation"""
SPEED_TOLERANCE = 1e-3
"""share of a joint's velocity limit that rounding may exceed it by"""
JUMP_RAD = 0.5

_NO_HINGE = "the robot has no hinge joints"


def excess(joints: Array, lower: Array, upper: Array) -> Array:
    """How far each joint is beyond its range, negative inside; -inf where there is no limit. `(T, n)`"""
    return np.maximum(lower - joints, joints - upper)


def steps(joints: Array) -> Array:
    """Change of each joint from frame to frame, without sign. `(T, n)` → `(T - 1, n)`"""
    if len(joints) < 2:
        raise MissingError("it takes two frames")
    return np.abs(np.diff(joints, axis=0))


def limit_violations(joints: Array, lower: Array, upper: Array) -> float:
    return int((excess(joints, lower, upper) > TOLERANCE).sum())


def limit_max_rad(joints: Array, lower: Array, upper: Array, hinge: Flags) -> float:
    if not hinge.any():
        raise MissingError(_NO_HINGE)
    return float(max(0.0, excess(joints, lower, upper)[:, hinge].max()))


def at_limit_pct(joints: Array, lower: Array, upper: Array) -> float:
    if not joints.size:
        raise MissingError("the robot has no joints")
    return float((excess(joints, lower, upper) > -TOLERANCE).mean() * 100)


def joint_vel_p99(joints: Array, hinge: Flags, fps: float) -> float:
    return percentile(steps(joints[:, hinge]), 99, _NO_HINGE) * fps


def joint_vel_max(joints: Array, hinge: Flags, fps: float) -> float:
    return percentile(steps(joints[:, hinge]), 100, _NO_HINGE) * fps


def jump_max_rad(joints: Array, hinge: Flags) -> float:
    return percentile(steps(joints[:, hinge]), 100, _NO_HINGE)


def jumps(joints: Array, hinge: Flags) -> float:
    return int((steps(joints[:, hinge]) > JUMP_RAD).sum())


def joint_acc_p99(joints: Array, hinge: Flags, fps: float) -> float:
    if len(joints) < 3:
        raise MissingError("it takes three frames")
    return percentile(np.abs(np.diff(joints[:, hinge], 2, axis=0)), 99, _NO_HINGE) * fps**2


def velocity_violations(joints: Array, velocity: Array, fps: float) -> float:
    return int((steps(joints) * fps > velocity * (1 + SPEED_TOLERANCE)).sum())


METRICS = (
    Metric("limit_violations", "", "lower", "joint values beyond their range by more than 1e-3 rad or m",
           limit_violations),
    Metric("limit_max_rad", "rad", "lower", "farthest that a hinge joint is beyond its range", limit_max_rad),
    Metric("at_limit_pct", "%", "lower", "share of joint values within 1e-3 of a limit or beyond it", at_limit_pct,
           high=100),
    Metric("velocity_violations", "", "lower", "joint values that change faster than the joint's own velocity limit",
           velocity_violations),
    Metric("joint_vel_p99", "rad/s", "lower", "99th percentile of the hinge joints' speeds", joint_vel_p99),
    Metric("joint_vel_max", "rad/s", "lower", "highest speed of a hinge joint", joint_vel_max),
    Metric("jump_max_rad", "rad", "lower", "largest change of a hinge joint in one frame", jump_max_rad),
    Metric("jumps_gt_0.5", "", "lower", "changes of a hinge joint by more than 0.5 rad in one frame", jumps),
    Metric("joint_acc_p99", "rad/s²", "lower", "99th percentile of the hinge joints' accelerations", joint_acc_p99),
)  # fmt: skip
