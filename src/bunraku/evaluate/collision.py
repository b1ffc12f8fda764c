"""What the robot's body runs into: the ground and itself."""

from __future__ import annotations

from bunraku.evaluate.metric import Array, Metric

DEEP_M = 0.01
TOUCH_M = 1e-3
"""contacts of the robot with itself that are no deeper than this do not count"""


def penetration_mean_cm(lowest: Array) -> float:
    return float((-lowest).clip(min=0.0).mean() * 100)


def penetration_max_cm(lowest: Array) -> float:
    return float((-lowest).clip(min=0.0).max() * 100)


def penetration_gt1cm_pct(lowest: Array) -> float:
    return float((-lowest > DEEP_M).mean() * 100)


def self_collision_pct(overlap: Array) -> float:
    return float((overlap > TOUCH_M).mean() * 100)


def self_collision_max_mm(overlap: Array) -> float:
    return float(overlap.max() * 1e3)


METRICS = (
    Metric("penetration_mean_cm", "cm", "lower", "depth of the lowest point below the ground, mean over the frames",
           penetration_mean_cm),
    Metric("penetration_max_cm", "cm", "lower", "the deepest that any point is below the ground", penetration_max_cm),
    Metric("penetration_gt1cm_pct", "%", "lower", "share of frames with a point more than 1 cm below the ground",
           penetration_gt1cm_pct, high=100),
    Metric("self_collision_pct", "%", "lower",
           "share of frames in which links more than two joints apart overlap by more than 1 mm", self_collision_pct,
           high=100),
    Metric("self_collision_max_mm", "mm", "lower", "the deepest such overlap", self_collision_max_mm),
)  # fmt: skip
