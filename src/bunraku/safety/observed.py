"""What one tick knows of the person, the loop, the robot and the operator. What is not known is taken for the worst."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonSeen:
    """What the sources say. Limbs are those of `Semantics.joints`: "left_arm", "right_fingers", "torso" …"""

    age_s: float = inf
    """of the newest accepted pose, by the time it was received"""
    latency_s: float = 0.0
    """from sensor to command, where the source says when it saw"""
    lost: frozenset[str] = _NONE
    """limbs that are not tracked"""
    frozen: frozenset[str] = _NONE
    """limbs that are said to be tracked but have not changed by a bit while others move"""
    reference_lost: bool = False
    """what all else is relative to, hips or head, is not tracked"""
    jumps: int = 0
    """poses in a row that were rejected as jumps"""
    garbage: int = 0
    """poses in a row that were rejected for numbers that are none"""
    garbage_share: float = 0.0
    """of the poses of the last second"""
    swapped: bool = False
    """left and right, or two people, changed places"""
    changed: bool = False
    """another person, or a new session of the source, since the last tick"""
    recentred: bool = False
    """the source moved its origin since the last tick"""
    implausible: str = ""
    """why this is no person: a height, an up that is none"""
    mismatched: str = ""
    """how the skeleton differs from the one that was calibrated"""
    second_sender: bool = False
    out_of_reach: bool = False
    """the robot cannot go where the person is"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSeen:
    """What the live loop says of itself."""

    ready: bool = False
    """every part of it has given a sign of life"""
    overruns: int = 0
    """late ticks in the last second"""
    stall_s: float = 0.0
    """since the tick before"""
    solver_late: int = 0
    """poses in a row that were not solved in time"""
    unsolved: bool = False
    """the solver did not converge: its last answer stands"""
    singular: bool = False
    """a limb is near where it cannot be controlled"""
    garbage_targets: int = 0
    """targets in a row that hold numbers that are none"""
    restarts: int = 0
    """of parts of the loop since the last acknowledgement"""
    watchdog: bool = False
    """the watchdog has spoken"""
    broken: str = ""
    """which invariant a command would have broken"""
    recording_gap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotSeen:
    """What the robot's driver says."""

    connected: bool = False
    age_s: float = inf
    """of the newest measurement, by the time it was received"""
    wrong: str = ""
    """how it differs from the robot that was loaded: name, version, joint order"""
    unproven: bool = False
    """nobody has seen yet that each joint turns the way it should"""
    outside_rad: float = 0.0
    """how far the measured joint that is furthest outside of its limits is"""
    zero_rad: float = 0.0
    """how far a joint's zero lies from where it is expected"""
    tracking_rad: float = 0.0
    """the largest error between command and measurement"""
    joint: str = ""
    """the joint with that error"""
    warm: str = ""
    """the joint that is warm, or draws much"""
    hot: str = ""
    """the joint that is too hot, or draws too much"""
    error: str = ""
    """the driver's own"""
    write_failed: bool = False
    estop: bool = False
    """the hardware's emergency stop is pressed"""
    mode_left: bool = False
    """it is no longer in the mode that takes commands: braked, damped, taken over by its remote"""
    tilt_rad: float = 0.0
    battery: float = 1.0
    """share that is left"""
    foreign: bool = False
    """somebody else commands it too"""
    contact: bool = False
    """it touches something that it should not"""
    near_self: bool = False
    """its parts are so near each other that they are slowed"""
    dead_hands: frozenset[str] = _NONE
    """limbs whose own driver is dead"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSeen:
    """Buttons as levels; the machine finds their edges."""

    linked: bool = False
    """the operator's controls are alive"""
    deadman: bool = True
    """held, or there is none"""
    worn: bool = True
    """the headset is on, or there is none"""
    arm: bool = False
    engage: bool = False
    release: bool = False
    retreat: bool = False
    acknowledge: bool = False
    stop: bool = False
    estop: bool = False
    speed: float = 1.0
    """0 … 1"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """All that one tick decides from."""

    person: PersonSeen = field(default_factory=PersonSeen)
    loop: LoopSeen = field(default_factory=LoopSeen)
    robot: RobotSeen = field(default_factory=RobotSeen)
    operator: OperatorSeen = field(default_factory=OperatorSeen)
    matched: bool = False
    """the robot stands as the person does, or follows relatively"""
    matching: str = ""
    """how far they match, in words"""
    error_rad: float = inf
    """from the command to the target, the joint that is furthest"""
    home: bool = False
    """the robot is in its rest pose"""
