"""The table of conditions: everything that can be wrong, what is done about it, and what the operator is told.

A row is added here and nowhere else. A number that is none counts as beyond its threshold.
"""

from __future__ import annotations

from math import inf, radians

from bunraku.safety.conditions import About, Action, Clears, Condition
from bunraku.safety.observed import Observed

WARN, BLOCK, LIMB, SLOW, HOLD = Action.WARN, Action.BLOCK, Action.LIMB, Action.SLOW, Action.HOLD
RELEASE, FAULT, ESTOP = Action.RELEASE, Action.FAULT, Action.ESTOP
PERSON, OPERATOR, LOOP, ROBOT = About.PERSON, About.OPERATOR, About.LOOP, About.ROBOT
ON_ACK, ON_DISARM = Clears.ON_ACK, Clears.ON_DISARM

STALE_S, LOST_S = 0.1, 0.5
"""ages of a source's newest pose"""
ROBOT_QUIET_S, ROBOT_LATE_S, ROBOT_LOST_S = 0.02, 0.1, 0.5
"""ages of a robot's newest measurement"""
MOST_JUMPS, MOST_GARBAGE, MOST_GARBAGE_SHARE = 30, 5, 0.1
MOST_LATENCY_S = 0.15
MOST_OVERRUNS, STALL_S, MOST_SOLVER_LATE, MOST_RESTARTS = 5, 0.05, 3, 3
OUTSIDE_RAD, ZERO_RAD = 0.1, 0.05
TRACKING_RAD, TRACKING_S, LOST_TRACK_RAD = 0.25, 0.25, 0.6
TILT_RAD = radians(35)
LOW_BATTERY, EMPTY_BATTERY = 0.2, 0.08


def limbs(names: frozenset[str]) -> str:
    """The names as one reads them: left arm, right fingers."""
    return ", ".join(sorted(name.replace("_", " ") for name in names))


def held_limbs(observed: Observed) -> frozenset[str]:
    """Limbs that hold where they are: not tracked, frozen, or without a driver."""
    return observed.person.lost | observed.person.frozen | observed.robot.dead_hands


# fmt: off
CONDITIONS: tuple[Condition, ...] = (
    # The person
    Condition("no_source", HOLD, PERSON, lambda o: o.person.age_s == inf, "no source has sent a pose yet", (1,)),
    Condition("source_stale", HOLD, PERSON, lambda o: STALE_S < o.person.age_s <= LOST_S,
              "the source has sent nothing for 100 ms", (2, 17, 20)),
    Condition("source_lost", HOLD, PERSON, lambda o: not (o.person.age_s <= LOST_S or o.person.age_s == inf),
              "the source has sent nothing for 500 ms", (2, 20)),
    Condition("limb_lost", LIMB, PERSON, lambda o: o.person.lost, "not tracked: {}", (3, 6),
              lambda o: limbs(o.person.lost)),
    Condition("limb_frozen", LIMB, PERSON, lambda o: o.person.frozen, "tracked but frozen: {}", (4,),
              lambda o: limbs(o.person.frozen)),
    Condition("reference_lost", HOLD, PERSON, lambda o: o.person.reference_lost, "hips or head are not tracked", (3,)),
    Condition("jumps", HOLD, PERSON, lambda o: o.person.jumps > MOST_JUMPS,
              "the person's pose jumped away and stayed there", (5,)),
    Condition("garbage", HOLD, PERSON,
              lambda o: o.person.garbage >= MOST_GARBAGE or not o.person.garbage_share < MOST_GARBAGE_SHARE,
              "the source sends numbers that are none", (32,)),
    Condition("swapped", HOLD, PERSON, lambda o: o.person.swapped, "left and right, or two people, changed places",
              (7,)),
    Condition("person_changed", HOLD, PERSON, lambda o: o.person.changed,
              "another person, or a new session of the source", (12, 19)),
    Condition("recentred", HOLD, PERSON, lambda o: o.person.recentred,
              "the source moved its origin: release, then calibrate again", (8,), clears=ON_DISARM),
    Condition("implausible", BLOCK, PERSON, lambda o: o.person.implausible, "this is no person: {}", (13,),
              lambda o: o.person.implausible),
    Condition("mismatched", BLOCK, PERSON, lambda o: o.person.mismatched, "not the skeleton that was calibrated: {}",
              (11,), lambda o: o.person.mismatched),
    Condition("second_sender", WARN, PERSON, lambda o: o.person.second_sender, "a second sender was turned away",
              (22,)),
    Condition("out_of_reach", WARN, PERSON, lambda o: o.person.out_of_reach, "the robot cannot reach that far", (15,)),
    Condition("latency", SLOW, PERSON, lambda o: not o.person.latency_s <= MOST_LATENCY_S,
              "poses arrive more than 150 ms late", (17,), hold_off_s=0.2),
    # The operator
    Condition("stop", HOLD, OPERATOR, lambda o: o.operator.stop, "stop was pressed", (59, 60)),
    Condition("estop_pressed", ESTOP, OPERATOR, lambda o: o.operator.estop, "emergency stop was pressed", (46,),
              clears=ON_ACK),
    Condition("controls_lost", HOLD, PERSON, lambda o: not o.operator.linked, "the operator's controls do not answer",
              (59,)),
    Condition("deadman", HOLD, OPERATOR, lambda o: o.operator.linked and not o.operator.deadman,
              "the dead man's switch was let go", (59,)),
    Condition("not_worn", HOLD, PERSON, lambda o: not o.operator.worn, "the headset was taken off", (61,)),
    # The loop
    Condition("not_ready", BLOCK, LOOP, lambda o: not o.loop.ready, "not all parts of the program have started", (31,)),
    Condition("overruns", SLOW, LOOP, lambda o: o.loop.overruns >= MOST_OVERRUNS, "5 late ticks within a second",
              (27,)),
    Condition("stall", HOLD, LOOP, lambda o: not o.loop.stall_s <= STALL_S, "the loop stood still for more than 50 ms",
              (27, 28)),
    Condition("solver_late", HOLD, LOOP, lambda o: o.loop.solver_late >= MOST_SOLVER_LATE, "no pose was solved in time",
              (29,)),
    Condition("unsolved", SLOW, LOOP, lambda o: o.loop.unsolved, "the solver finds no answer", (34,), hold_off_s=0.1),
    Condition("singular", SLOW, LOOP, lambda o: o.loop.singular,
              "a limb is stretched so far that it is hard to control", (35,)),
    Condition("garbage_targets", HOLD, LOOP, lambda o: o.loop.garbage_targets >= MOST_GARBAGE,
              "the targets hold numbers that are none", (32,)),
    Condition("restarts", FAULT, LOOP, lambda o: o.loop.restarts > MOST_RESTARTS, "restarted 3 times in vain", (),
              clears=ON_ACK),
    Condition("watchdog", FAULT, LOOP, lambda o: o.loop.watchdog, "the watchdog had to act", (28,), clears=ON_ACK),
    Condition("broken", FAULT, LOOP, lambda o: o.loop.broken, "a command would have broken a promise: {}", (33,),
              lambda o: o.loop.broken, ON_ACK),
    Condition("recording_gap", WARN, LOOP, lambda o: o.loop.recording_gap, "the recording has a gap", (53,)),
    # The robot
    Condition("wrong_robot", BLOCK, ROBOT, lambda o: o.robot.wrong, "not the robot that was loaded: {}", (52,),
              lambda o: o.robot.wrong),
    Condition("unproven", BLOCK, ROBOT, lambda o: o.robot.unproven, "nobody has seen yet which way the joints turn",
              (52,)),
    Condition("outside", BLOCK, ROBOT, lambda o: not o.robot.outside_rad <= OUTSIDE_RAD,
              "a joint is far outside of its limits", (36,)),
    Condition("zero", BLOCK, ROBOT, lambda o: not o.robot.zero_rad <= ZERO_RAD,
              "a joint's zero is not where it should be", (37,)),
    Condition("robot_quiet", WARN, ROBOT, lambda o: ROBOT_QUIET_S < o.robot.age_s <= ROBOT_LATE_S,
              "the robot has said nothing for 20 ms", (41,)),
    Condition("robot_late", HOLD, ROBOT, lambda o: ROBOT_LATE_S < o.robot.age_s <= ROBOT_LOST_S,
              "the robot has said nothing for 100 ms", (41,)),
    Condition("robot_lost", FAULT, ROBOT, lambda o: not o.robot.connected or not o.robot.age_s <= ROBOT_LOST_S,
              "the robot does not answer", (23, 41), clears=ON_ACK),
    Condition("warm", SLOW, ROBOT, lambda o: o.robot.warm, "warm, or drawing much: {}", (42,), lambda o: o.robot.warm),
    Condition("hot", HOLD, ROBOT, lambda o: o.robot.hot, "too hot, or drawing too much: {}", (42,),
              lambda o: o.robot.hot),
    Condition("driver_error", FAULT, ROBOT, lambda o: o.robot.error, "the robot reports: {}", (42,),
              lambda o: o.robot.error, ON_ACK),
    Condition("write_failed", FAULT, ROBOT, lambda o: o.robot.write_failed, "a command could not be sent", (49,),
              clears=ON_ACK),
    Condition("tracking", HOLD, ROBOT, lambda o: not o.robot.tracking_rad <= TRACKING_RAD,
              "does not follow its command: {}", (43,), lambda o: o.robot.joint, hold_off_s=TRACKING_S),
    Condition("lost_track", FAULT, ROBOT, lambda o: not o.robot.tracking_rad <= LOST_TRACK_RAD,
              "far from its command, stalled or touching something: {}", (43,), lambda o: o.robot.joint, ON_ACK),
    Condition("fallen", FAULT, ROBOT, lambda o: not o.robot.tilt_rad <= TILT_RAD,
              "the robot leans more than 35 degrees", (44,), clears=ON_ACK),
    Condition("mode_left", FAULT, ROBOT, lambda o: o.robot.mode_left, "the robot left the mode that takes commands",
              (44, 47), clears=ON_ACK),
    Condition("battery_low", BLOCK, ROBOT, lambda o: not o.robot.battery >= LOW_BATTERY, "the battery is low", (45,)),
    Condition("battery_empty", RELEASE, ROBOT, lambda o: not o.robot.battery >= EMPTY_BATTERY,
              "the battery is nearly empty", (45,), hold_off_s=1.0),
    Condition("hardware_estop", ESTOP, ROBOT, lambda o: o.robot.estop, "the robot's emergency stop is pressed", (46,),
              clears=ON_ACK),
    Condition("foreign", FAULT, ROBOT, lambda o: o.robot.foreign, "somebody else commands the robot too", (24,),
              clears=ON_ACK),
    Condition("contact", HOLD, ROBOT, lambda o: o.robot.contact, "the robot touches something", (43,)),
    Condition("near_self", WARN, ROBOT, lambda o: o.robot.near_self, "slowed: parts of the robot are near each other",
              (38,)),
    Condition("hand_dead", LIMB, ROBOT, lambda o: o.robot.dead_hands, "its driver is dead: {}", (48,),
              lambda o: limbs(o.robot.dead_hands)),
)
# fmt: on
NAMES: tuple[str, ...] = tuple(condition.name for condition in CONDITIONS)
