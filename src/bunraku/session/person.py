"""All sources as one person: taken in, merged, and told apart by limb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.merge import Priorities, merge
from bunraku.human.skeleton import FINGER_PARTS, FINGERS, INDEX, SIDES
from bunraku.safety.observed import PersonSeen
from bunraku.session.intake import SIZE, SWAPPED, Intake
from bunraku.sources.live import pause

Flags = NDArray[np.bool_]

_LIMBS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "torso": ("chest",),
        "neck": ("head",),
        **{f"{side}_arm": (f"{side}_upper_arm", f"{side}_forearm") for side in SIDES},
        **{f"{side}_leg": (f"{side}_thigh", f"{side}_shin") for side in SIDES},
        **{f"{side}_fingers": tuple(f"{side}_{f}_{p}" for f in FINGERS for p in FINGER_PARTS[:3]) for side in SIDES},
    }
)
"""limb of the robot → joints of the person that it follows"""
_ROWS = {limb: np.array([INDEX[joint] for joint in joints]) for limb, joints in _LIMBS.items()}
_KNOWN_SHARE = 0.5
_CLOCK_STEP_NS = 1_000_000_000
"""a lag beyond this is a clock that was set anew"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Seen:
    """One tick's look at the person."""

    pose: HumanPose | None
    """merged; None where nothing is known"""
    fresh: Sequence[tuple[int, HumanPose]]
    """poses that were accepted in this tick, by the source's number"""
    arrived: Sequence[tuple[int, HumanPose]]
    """all that the sources gave in this tick, the rejected ones too, as they came"""
    person: PersonSeen


class Person:
    """Several intakes, one body. Instants are monotonic nanoseconds."""

    def __init__(self, intakes: Sequence[Intake]) -> None:
        self.intakes = intakes
        self._ever: set[str] = set()
        self._had_hips = False
        self._epochs = [0] * len(intakes)
        self._pose: HumanPose | None = None
        self._fresh: list[tuple[int, HumanPose]] = []
        self._arrived: list[tuple[int, HumanPose]] = []
        self._least_lag_ns = [2**62] * len(intakes)
        self.lag_ns = -1
        """of the newest frame: device's stamp to arrival, beyond the least ever; -1 where unknown"""

    def reset(self) -> None:
        """The operator engages: what is shown now is believed, limbs that were never seen are not missed."""
        for intake in self.intakes:
            intake.reset()

    def wait(self, waiting: bool) -> None:
        """Recordings stand still, or go on."""
        for intake in self.intakes:
            pause(intake.source, waiting)

    def receive(self, now_ns: int) -> None:
        """Take in what came."""
        self._fresh, self._arrived = [], []
        for number, intake in enumerate(self.intakes):
            pose = intake.take(now_ns)
            if intake.arrived is not None:
                self._arrived.append((number, intake.arrived))
            if pose is not None:
                self._fresh.append((number, pose))
                self._note_lag(number, pose)

    def look(self, now_ns: int) -> Seen:
        """Merge what is current of what was received."""
        currents = [
            (pose, intake.priorities) for intake in self.intakes if (pose := intake.current(now_ns)) is not None
        ]
        if self._fresh or self._pose is None or len(currents) != len(self.intakes):
            self._pose = _merged(currents)
        return Seen(pose=self._pose, fresh=self._fresh, arrived=self._arrived, person=self._told(now_ns))

    def _told(self, now_ns: int) -> PersonSeen:
        pose = self._pose
        tracked = set() if pose is None else _tracked(pose)
        hips = pose is not None and bool(pose.position_valid[0] or pose.rotation_valid[0])
        self._had_hips |= hips
        reasons = [intake.standing_reason for intake in self.intakes]
        epochs = [intake.epoch for intake in self.intakes]
        recentred, self._epochs = epochs != self._epochs and bool(self._ever), epochs
        self._ever |= tracked
        ages = [intake.age_s(now_ns) for intake in self.intakes]
        return PersonSeen(
            age_s=min(ages, default=float("inf")),
            lost=frozenset() if pose is None else frozenset(self._ever - tracked),
            frozen=frozenset(_limb_of(group) for intake in self.intakes for group in intake.frozen) & _LIMBS.keys(),
            reference_lost=pose is not None and self._had_hips and not hips,
            # One bad source among good ones is lost, and its limbs with it; all of them bad is a bad person.
            jumps=min((intake.gate.jumps for intake in self.intakes), default=0),
            garbage=min((intake.gate.garbage for intake in self.intakes), default=0),
            garbage_share=min((intake.gate.garbage_share for intake in self.intakes), default=0.0),
            swapped=set(reasons) == {SWAPPED},
            recentred=recentred,
            implausible=SIZE if set(reasons) == {SIZE} else "",
        )

    def _note_lag(self, number: int, pose: HumanPose) -> None:
        """The clocks' offset is taken for the least ever seen; for display, and nothing depends on it."""
        if pose.stamp_ns:
            lag = pose.received_ns - pose.stamp_ns
            if lag - self._least_lag_ns[number] > _CLOCK_STEP_NS:
                self._least_lag_ns[number] = lag
            self._least_lag_ns[number] = min(self._least_lag_ns[number], lag)
            self.lag_ns = lag - self._least_lag_ns[number]


def _merged(currents: Sequence[tuple[HumanPose, Priorities]]) -> HumanPose | None:
    """One body; a source that is alone and knows every place needs no merging."""
    if len(currents) == 1 and currents[0][0].position_valid.all():
        return currents[0][0]
    return merge(currents) if currents else None


def _tracked(pose: HumanPose) -> set[str]:
    """Limbs of which enough is known."""
    known = pose.position_valid | pose.rotation_valid
    return {limb for limb, rows in _ROWS.items() if known[rows].mean() > _KNOWN_SHARE}


def _limb_of(group: str) -> str:
    """The robot's limb that follows a joint group of the person."""
    return {"head": "neck", "left_hand": "left_fingers", "right_hand": "right_fingers"}.get(group, group)
