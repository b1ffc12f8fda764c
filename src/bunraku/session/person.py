"""All sources as one person: taken in, merged, and told apart by limb."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.merge import merge
from bunraku.human.skeleton import FINGER_PARTS, FINGERS, INDEX, SIDES
from bunraku.safety.observed import PersonSeen
from bunraku.session.intake import NOT_NUMBERS, SIZE, SWAPPED, Intake
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
_GARBAGE = frozenset(NOT_NUMBERS)
_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Seen:
    """One tick's look at the person."""

    pose: HumanPose | None
    """merged; None where nothing is known"""
    fresh: Sequence[tuple[int, HumanPose]]
    """poses that were accepted in this tick, by the source's number"""
    person: PersonSeen


class Person:
    """Several intakes, one body. Instants are monotonic nanoseconds."""

    def __init__(self, intakes: Sequence[Intake]) -> None:
        self.intakes = intakes
        self._ever: set[str] = set()
        self._had_hips = False
        self._epochs = [0] * len(intakes)
        self._recent: deque[tuple[int, int, int]] = deque(maxlen=1024)
        self._pose: HumanPose | None = None
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

    def look(self, now_ns: int) -> Seen:
        """Take in what came, merge what is current."""
        fresh = []
        for number, intake in enumerate(self.intakes):
            pose = intake.take(now_ns)
            if pose is not None:
                fresh.append((number, pose))
                self._note_lag(number, pose)
        currents = [
            (pose, intake.priorities) for intake in self.intakes if (pose := intake.current(now_ns)) is not None
        ]
        if fresh or self._pose is None or len(currents) != len(self.intakes):
            self._pose = merge(currents) if currents else None
        return Seen(pose=self._pose, fresh=fresh, person=self._told(now_ns))

    def _told(self, now_ns: int) -> PersonSeen:
        pose = self._pose
        tracked = set() if pose is None else _tracked(pose)
        self._ever |= tracked
        hips = pose is not None and bool(pose.position_valid[0] or pose.rotation_valid[0])
        self._had_hips |= hips
        reasons = [intake.standing_reason for intake in self.intakes]
        epochs = [intake.epoch for intake in self.intakes]
        recentred, self._epochs = epochs != self._epochs and any(self._epochs), epochs
        ages = [intake.age_s(now_ns) for intake in self.intakes]
        return PersonSeen(
            age_s=min(ages, default=float("inf")),
            latency_s=max(self.lag_ns, 0) / 1e9,
            lost=frozenset() if pose is None else frozenset(self._ever - tracked),
            frozen=frozenset(
                limb
                for intake in self.intakes
                for group in intake.frozen(now_ns)
                if (limb := _limb_of(group)) in _LIMBS
            ),
            reference_lost=pose is not None and self._had_hips and not hips,
            jumps=max((intake.jumps for intake in self.intakes), default=0),
            garbage=max(
                (intake.bad_in_a_row for intake in self.intakes if intake.standing_reason in _GARBAGE), default=0
            ),
            garbage_share=self._garbage_share(now_ns),
            swapped=SWAPPED in reasons,
            recentred=recentred,
            implausible=SIZE if SIZE in reasons else "",
        )

    def _garbage_share(self, now_ns: int) -> float:
        """Of the poses of the last second."""
        bad = sum(intake.rejected[reason] for intake in self.intakes for reason in _GARBAGE)
        good = sum(intake.accepted for intake in self.intakes)
        self._recent.append((now_ns, bad, good))
        while self._recent[0][0] < now_ns - _SECOND_NS:
            self._recent.popleft()
        _, bad_before, good_before = self._recent[0]
        total = bad - bad_before + good - good_before
        return (bad - bad_before) / total if total else 0.0

    def _note_lag(self, number: int, pose: HumanPose) -> None:
        """The clocks' offset is taken for the least ever seen; for display, and nothing depends on it."""
        if pose.stamp_ns:
            lag = pose.received_ns - pose.stamp_ns
            self._least_lag_ns[number] = min(self._least_lag_ns[number], lag)
            self.lag_ns = lag - self._least_lag_ns[number]


def _tracked(pose: HumanPose) -> set[str]:
    """Limbs of which enough is known."""
    known = pose.position_valid | pose.rotation_valid
    return {limb for limb, rows in _ROWS.items() if known[rows].mean() > _KNOWN_SHARE}


def _limb_of(group: str) -> str:
    """The robot's limb that follows a joint group of the person."""
    return {"head": "neck", "left_hand": "left_fingers", "right_hand": "right_fingers"}.get(group, group)
