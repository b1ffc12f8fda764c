"""The figures that are promised, each in one place: whoever changes one, changes it here and in docs/safety.md too."""

from __future__ import annotations

from importlib import import_module
from math import radians

import numpy as np
import pytest

from bunraku.safety.bounds import BaseBounds
from bunraku.safety.machine import Memory, State
from bunraku.safety.observed import Observed

FIGURES = {
    "apart": {"FLOOR_SHARE": 0.5},
    "apart_kernels": {"ROUNDS": 3, "_STRICT": 4},
    "bounds": {"FULL_SPEED_S": 0.08, "SLOW_HINGE": 0.5, "SLOW_SLIDE": 0.05, "_LEAST_SPEED": 1e-6},
    "conditions": {"REFILL": 4.0},
    "filters": {"SPEED_CUTOFF_HZ": 1.0, "PREDICTED_SPEED_S": 0.02, "MOST_AHEAD_S": 0.1, "_LEAST_DT_S": 1e-4},
    "gate": {
        "MOST_SPEED": 10.0, "NOISE_M": 0.02, "MOST_GAP_S": 0.05, "BOX_M": 50.0, "MOST_REJECTED": 30, "UNIT": 0.01,
        "FROZEN_S": 0.25, "MOVING_M": 1e-4, "RECENT_S": 1.0,
    },
    "guard": {"MEET_S": 1.5},
    "history": {"LENGTH_S": 2.0},
    "limiter": {"LEAST_DT_S": 1e-4, "LONGEST_PERIODS": 3.0, "SCALE_BLEND_S": 0.5},
    "limiter_kernels": {"ABSURD": 1e4, "CREEP": 0.1, "_FAR": 1e12, "_UNIT": 0.01},
    "machine": {
        "DWELL_S": 0.3, "ASKED_S": 3.0, "DEBOUNCE_S": 0.05, "IDLE_S": 30.0, "MEET_LEAST_S": 1.0, "MEET_LONGEST_S": 10.0,
        "MET_RAD": 0.1, "CALM_S": 2.0, "SLOW_SCALE": 0.4, "RETREAT_LONGEST_S": 60.0, "RISE_S": 1.0, "FALL_S": 2.5,
        "REPEATS": 5,
    },
    "match": {"WITHIN_RAD": radians(25), "WITHIN_M": 0.05, "OVERALL": 0.9, "EACH": 0.75},
    "promises": {"SLACK": 1e-6},
    "senses": {"LATE": 1.5, "ECHO_S": 0.1, "HOME_RAD": 0.02},
    "table": {
        "STALE_S": 0.1, "LOST_S": 0.5, "ROBOT_QUIET_S": 0.02, "ROBOT_LATE_S": 0.1, "ROBOT_LOST_S": 0.5,
        "MOST_JUMPS": 30, "MOST_GARBAGE": 5, "MOST_GARBAGE_SHARE": 0.1, "MOST_LATENCY_S": 0.15, "MOST_OVERRUNS": 5,
        "STALL_S": 0.05,
        "MOST_SOLVER_LATE": 3, "MOST_RESTARTS": 3, "OUTSIDE_RAD": 0.1, "ZERO_RAD": 0.05, "TRACKING_RAD": 0.25,
        "TRACKING_S": 0.25, "LOST_TRACK_RAD": 0.6, "TILT_RAD": radians(35), "LOW_BATTERY": 0.2, "EMPTY_BATTERY": 0.08,
    },
}  # fmt: skip
HOLD_OFFS = {"latency": 0.2, "unsolved": 0.1, "tracking": 0.25, "battery_empty": 1.0}


@pytest.mark.parametrize("module", FIGURES)
def test_figures(module: str) -> None:
    """All numbers that a module names, and no other."""
    found = import_module(f"bunraku.safety.{module}")
    for name, value in FIGURES[module].items():
        assert getattr(found, name) == value, name


def test_hold_offs() -> None:
    """Which conditions must be seen for a while, and how long; the others act at once."""
    table = import_module("bunraku.safety.table")
    assert {c.name: c.hold_off_s for c in table.CONDITIONS if c.hold_off_s} == HOLD_OFFS


def test_a_base_has_sober_bounds() -> None:
    """3 m/s, 6 rad/s; a tenth of that while the robot comes to meet its target."""
    assert list(vars(BaseBounds()).values()) == [3.0, 30.0, 6.0, 60.0, 0.3, 0.5]


def test_nothing_is_remembered_before_the_first_tick() -> None:
    """No match, no press; every button that could start something counts as held."""
    memory = Memory()
    assert memory.state is State.OFFLINE
    assert (memory.matched_ns, memory.asked_ns, memory.weight, memory.speed, memory.told) == (-1, -1, 0.0, 1.0, 0)
    assert (memory.since_ns, memory.now_ns, memory.engage_ns, memory.slow_ns, memory.why) == (0, 0, 0, 0, ())
    assert memory.person_only
    pressed = memory.pressed
    assert pressed.arm and pressed.engage and pressed.retreat and pressed.acknowledge


def test_what_is_not_known_is_the_worst() -> None:
    """No source, no robot, no operator, no match; what most robots do not have is fine."""
    unknown = Observed()
    assert unknown.person.age_s == unknown.robot.age_s == unknown.error_rad == np.inf
    assert not (unknown.robot.connected or unknown.operator.linked or unknown.loop.ready or unknown.matched)
    assert not (unknown.home or unknown.robot.contact or unknown.robot.foreign or unknown.robot.estop)
    assert unknown.operator.deadman and unknown.operator.worn
    assert (unknown.operator.speed, unknown.robot.battery) == (1.0, 1.0)
    zeros = (
        unknown.person.latency_s, unknown.person.jumps, unknown.person.garbage, unknown.person.garbage_share,
        unknown.loop.overruns, unknown.loop.stall_s, unknown.loop.solver_late, unknown.loop.garbage_targets,
        unknown.loop.restarts, unknown.robot.outside_rad, unknown.robot.zero_rad, unknown.robot.tracking_rad,
        unknown.robot.tilt_rad,
    )  # fmt: skip
    assert zeros == (0,) * len(zeros)
