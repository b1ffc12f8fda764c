"""What triggers each condition, and what each state answers to it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from math import inf, nan
from typing import Any

from hypothesis import strategies as st

from bunraku.safety.machine import State
from bunraku.safety.observed import LoopSeen, Observed, OperatorSeen, PersonSeen, RobotSeen
from bunraku.safety.table import CONDITIONS
from safety_stage import FINE, PERIOD_S, Desk, seen

ARM = frozenset({"left_arm"})
CASES: dict[str, tuple[list[Observed], list[Observed]]] = {
    # condition → seen just beyond its threshold, not seen just before
    "no_source": ([seen(person={"age_s": inf})], [seen(person={"age_s": 1e9})]),
    "source_stale": (
        [seen(person={"age_s": age}) for age in (0.101, 0.5)],
        [seen(person={"age_s": age}) for age in (0.1, 0.501, inf)],
    ),
    "source_lost": (
        [seen(person={"age_s": age}) for age in (0.501, nan)],
        [seen(person={"age_s": age}) for age in (0.5, inf)],
    ),
    "limb_lost": ([seen(person={"lost": ARM})], [seen(person={"lost": frozenset()})]),
    "limb_frozen": ([seen(person={"frozen": ARM})], [FINE]),
    "reference_lost": ([seen(person={"reference_lost": True})], [FINE]),
    "jumps": ([seen(person={"jumps": 31})], [seen(person={"jumps": 30})]),
    "garbage": (
        [seen(person=change) for change in ({"garbage": 5}, {"garbage_share": 0.1}, {"garbage_share": nan})],
        [seen(person={"garbage": 4, "garbage_share": 0.099})],
    ),
    "swapped": ([seen(person={"swapped": True})], [FINE]),
    "person_changed": ([seen(person={"changed": True})], [FINE]),
    "recentred": ([seen(person={"recentred": True})], [FINE]),
    "implausible": ([seen(person={"implausible": "12 m tall"})], [FINE]),
    "mismatched": ([seen(person={"mismatched": "no legs"})], [FINE]),
    "second_sender": ([seen(person={"second_sender": True})], [FINE]),
    "out_of_reach": ([seen(person={"out_of_reach": True})], [FINE]),
    "latency": ([seen(person={"latency_s": late}) for late in (0.151, nan)], [seen(person={"latency_s": 0.15})]),
    "stop": ([seen(operator={"stop": True})], [FINE]),
    "estop_pressed": ([seen(operator={"estop": True})], [FINE]),
    "controls_lost": ([seen(operator={"linked": False})], [FINE]),
    "deadman": ([seen(operator={"deadman": False})], [FINE, seen(operator={"deadman": False, "linked": False})]),
    "not_worn": ([seen(operator={"worn": False})], [FINE]),
    "not_ready": ([seen(loop={"ready": False})], [FINE]),
    "overruns": ([seen(loop={"overruns": 5})], [seen(loop={"overruns": 4})]),
    "stall": ([seen(loop={"stall_s": stall}) for stall in (0.0501, nan)], [seen(loop={"stall_s": 0.05})]),
    "solver_late": ([seen(loop={"solver_late": 3})], [seen(loop={"solver_late": 2})]),
    "unsolved": ([seen(loop={"unsolved": True})], [FINE]),
    "singular": ([seen(loop={"singular": True})], [FINE]),
    "garbage_targets": ([seen(loop={"garbage_targets": 5})], [seen(loop={"garbage_targets": 4})]),
    "restarts": ([seen(loop={"restarts": 4})], [seen(loop={"restarts": 3})]),
    "watchdog": ([seen(loop={"watchdog": True})], [FINE]),
    "broken": ([seen(loop={"broken": "a joint faster than its limit"})], [FINE]),
    "recording_gap": ([seen(loop={"recording_gap": True})], [FINE]),
    "wrong_robot": ([seen(robot={"wrong": "H1"})], [FINE]),
    "unproven": ([seen(robot={"unproven": True})], [FINE]),
    "outside": ([seen(robot={"outside_rad": out}) for out in (0.101, nan)], [seen(robot={"outside_rad": 0.1})]),
    "zero": ([seen(robot={"zero_rad": zero}) for zero in (0.051, nan)], [seen(robot={"zero_rad": 0.05})]),
    "robot_quiet": (
        [seen(robot={"age_s": age}) for age in (0.021, 0.1)],
        [seen(robot={"age_s": age}) for age in (0.02, 0.101)],
    ),
    "robot_late": (
        [seen(robot={"age_s": age}) for age in (0.101, 0.5)],
        [seen(robot={"age_s": age}) for age in (0.1, 0.501)],
    ),
    "robot_lost": (
        [seen(robot=change) for change in ({"age_s": 0.501}, {"age_s": nan}, {"connected": False})],
        [seen(robot={"age_s": 0.5})],
    ),
    "warm": ([seen(robot={"warm": "left knee"})], [FINE]),
    "hot": ([seen(robot={"hot": "left knee"})], [FINE]),
    "driver_error": ([seen(robot={"error": "overcurrent"})], [FINE]),
    "write_failed": ([seen(robot={"write_failed": True})], [FINE]),
    "tracking": ([seen(robot={"tracking_rad": error}) for error in (0.251, nan)], [seen(robot={"tracking_rad": 0.25})]),
    "lost_track": (
        [seen(robot={"tracking_rad": error}) for error in (0.601, nan)],
        [seen(robot={"tracking_rad": 0.6})],
    ),
    "fallen": ([seen(robot={"tilt_rad": tilt}) for tilt in (0.611, nan)], [seen(robot={"tilt_rad": 0.61})]),
    "mode_left": ([seen(robot={"mode_left": True})], [FINE]),
    "battery_low": ([seen(robot={"battery": share}) for share in (0.199, nan)], [seen(robot={"battery": 0.2})]),
    "battery_empty": ([seen(robot={"battery": share}) for share in (0.079, nan)], [seen(robot={"battery": 0.08})]),
    "hardware_estop": ([seen(robot={"estop": True})], [FINE]),
    "foreign": ([seen(robot={"foreign": True})], [FINE]),
    "contact": ([seen(robot={"contact": True})], [FINE]),
    "near_self": ([seen(robot={"near_self": True})], [FINE]),
    "hand_dead": ([seen(robot={"dead_hands": ARM})], [FINE]),
}
BY_NAME = {condition.name: condition for condition in CONDITIONS}


def some_observed() -> st.SearchStrategy[Observed]:
    """Anything a tick may observe, mostly that all is fine."""
    limbs = st.frozensets(st.sampled_from(["left_arm", "right_fingers", "tail"]))

    def mostly(fine: Any, *others: Any) -> st.SearchStrategy[Any]:
        return st.sampled_from([fine] * 6 + list(others))

    person = st.builds(
        PersonSeen, age_s=mostly(0.01, 0.2, 0.7, inf, nan), lost=mostly(frozenset()) | limbs, jumps=mostly(0, 31),
        reference_lost=mostly(False, True), garbage=mostly(0, 5), recentred=mostly(False, True),
        implausible=mostly("", "12 m tall"), latency_s=mostly(0.0, 0.2),
    )  # fmt: skip
    loop = st.builds(
        LoopSeen, ready=mostly(True, False), overruns=mostly(0, 5), stall_s=mostly(0.0, 0.06, nan),
        solver_late=mostly(0, 3), restarts=mostly(0, 4), watchdog=mostly(False, True), broken=mostly("", "a promise"),
    )  # fmt: skip
    robot = st.builds(
        RobotSeen, connected=mostly(True, False), age_s=mostly(0.005, 0.05, 0.2, 0.7, nan), error=mostly("", "brake"),
        estop=mostly(False, True), battery=mostly(1.0, 0.1, 0.01), warm=mostly("", "left knee"), hot=mostly("", "neck"),
        tracking_rad=mostly(0.0, 0.3, 0.7), outside_rad=mostly(0.0, 0.2), contact=mostly(False, True),
    )  # fmt: skip
    flag = mostly(False, True)
    operator = st.builds(
        OperatorSeen, linked=mostly(True, False), deadman=mostly(True, False), worn=mostly(True, False), arm=flag,
        engage=flag, release=flag, retreat=flag, acknowledge=flag, stop=flag, estop=flag,
        speed=mostly(1.0, 0.3, 0.0, -1.0, nan),
    )  # fmt: skip
    return st.builds(
        Observed, person=person, loop=loop, robot=robot, operator=operator, matched=mostly(True, False),
        error_rad=mostly(0.0, 1.0, nan), home=flag,
    )  # fmt: skip


def cells() -> Mapping[tuple[State, str], State]:
    """(state, condition) → the state two ticks after the condition's hold-off, everything else being fine."""
    out = {}
    for state in State:
        desk = Desk().bring(state)
        for condition in CONDITIONS:
            trial = copy(desk)
            out[state, condition.name] = trial.see(
                CASES[condition.name][0][0], condition.hold_off_s + 2 * PERIOD_S
            ).state
    return out
