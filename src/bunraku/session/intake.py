"""One source as the session takes it in: what cannot be a person's pose is turned away, counted, with a reason.

A pose is compared with the last accepted one, never with a rejected one. After too many jumps in a row the source
counts as lost until the operator acts anew: what it shows may be another world.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.merge import Priorities
from bunraku.human.skeleton import BODY_COUNT, GROUPS, INDEX
from bunraku.kinematics import rotations as rot
from bunraku.safety.gate import COLLAPSED, GARBAGE, JUMP, MOST_REJECTED, PoseGate
from bunraku.sources.health import Health
from bunraku.sources.live import Source

Flags = NDArray[np.bool_]

STALE_S = 0.1
"""a source that is silent for longer is lost"""
SWAPPED, SIZE = "left and right have changed places", "not the size of a person"
AGAIN, OLDER = "the same frame again", "older than the frame before"
WORDS = {
    JUMP: "a jump",
    GARBAGE: "numbers that are none",
    COLLAPSED: "fallen to the origin",
}
"""reasons of the gate as the operator reads them"""
_REACH_M = 2.0
"""of a joint from the hips"""
_TRUNK_M, _LEG_M = (0.15, 0.9), (0.0, 1.4)
"""hips to head, and to an ankle, of people from 0.8 to 2.3 m"""
_SPANS = (("head", _TRUNK_M), ("left_foot", _LEG_M), ("right_foot", _LEG_M))
_CLOCK_STEP_NS = 1_000_000_000
"""a stamp that is older by more comes from a clock that was set anew"""
_ROWS = {name: np.array([INDEX[joint] for joint in joints]) for name, joints in GROUPS.items()}
_PAIRS = (("hips", "left_thigh", "right_thigh"), ("chest", "left_upper_arm", "right_upper_arm"))


@dataclass(frozen=True, kw_only=True)
class SourceView:
    """What the operator sees of a source."""

    name: str
    health: Health
    accepted: int
    rejected: dict[str, int]
    """reason → frames, those that the source itself rejected included"""
    reason: str
    """why it gives nothing, or not all, that could be followed; empty while all is well"""


class Intake:
    """A source and the gate before it. Instants are monotonic nanoseconds."""

    def __init__(self, name: str, source: Source, priorities: Priorities | None = None) -> None:
        self.name, self.source, self.priorities = name, source, priorities or {}
        self.gate = PoseGate({name: rows.tolist() for name, rows in _ROWS.items()})
        self.accepted = self.epoch = 0
        self.rejected: Counter[str] = Counter()
        self.standing_reason = ""
        """why the newest frame was turned away; empty where it was not"""
        self.frozen: frozenset[str] = frozenset()
        """joint groups that stand to the last bit while others of this source move"""
        self.arrived: HumanPose | None = None
        """what the source gave in this tick, good or not"""
        self._raw: HumanPose | None = None
        self._pose: HumanPose | None = None
        self._distrusted = ""

    def reset(self) -> None:
        """The operator acts anew: what the source shows now is believed again."""
        self.gate.reset()
        self._distrusted = ""

    def take(self, now_ns: int) -> HumanPose | None:
        """Let the source receive; the pose that is new and good, or None."""
        self.source.receive(now_ns)
        pose, self.arrived = self.source.latest(now_ns), None
        if pose is None or pose is self._raw:
            return None
        older, self._raw = self._raw, pose
        self.arrived = pose
        epoch = self.source.health(now_ns).epoch
        if older is not None and epoch != self.epoch:
            self._distrusted = "its world jumped"
        self.epoch = epoch
        dt_s = 0.0 if older is None else max(pose.received_ns - older.received_ns, 0) / 1e9
        good, self.standing_reason = self._looked_at(pose, dt_s)
        if good is None:
            self.rejected[self.standing_reason] += 1
            return None
        self.accepted += 1
        self._pose = good
        return good

    def current(self, now_ns: int) -> HumanPose | None:
        """The newest good pose without what is frozen; None where the source is lost."""
        if self._pose is None or self.lost(now_ns):
            return None
        if not self.frozen:
            return self._pose
        rows = np.concatenate([_ROWS[group] for group in self.frozen])
        position_valid, rotation_valid = self._pose.position_valid.copy(), self._pose.rotation_valid.copy()
        position_valid[rows] = rotation_valid[rows] = False
        return replace(self._pose, position_valid=position_valid, rotation_valid=rotation_valid)

    def lost(self, now_ns: int) -> str:
        """Why nothing of this source can be followed; empty while something can."""
        if self.gate.jumps > MOST_REJECTED:
            return "it jumped and stayed there: engage anew"
        if self._distrusted:
            return self._distrusted
        if self._pose is None:
            return self.standing_reason or self.source.health(now_ns).reason or "nothing came yet"
        age_s = self.age_s(now_ns)
        if age_s > STALE_S:
            return self.standing_reason or self.source.health(now_ns).reason or f"silent for {age_s:.1f} s"
        return ""

    def age_s(self, now_ns: int) -> float:
        """Of the newest good pose; infinite before the first and while the source is distrusted."""
        if self._pose is None or self._distrusted:
            return float("inf")
        return max(now_ns - self._pose.received_ns, 0) / 1e9

    def view(self, now_ns: int) -> SourceView:
        """For people."""
        health = self.source.health(now_ns)
        frozen = f"frozen: {', '.join(sorted(self.frozen))}" if self.frozen else ""
        return SourceView(
            name=self.name,
            health=health,
            accepted=self.accepted,
            rejected=dict(Counter(health.rejected) + self.rejected),
            reason=self.lost(now_ns) or frozen,
        )

    def _looked_at(self, pose: HumanPose, dt_s: float) -> tuple[HumanPose | None, str]:
        """The pose with unit quaternions on the side of the last ones, or why it is none."""
        with np.errstate(all="ignore"):  # of numbers that the gate is about to turn away
            reason = _order(pose, self._pose) or _size(pose) or _sides(pose)
            if reason:
                return None, reason
            verdict = self.gate.step(pose.positions, pose.rotations, pose.position_valid, pose.rotation_valid, dt_s)
        if not verdict.accepted:
            return None, WORDS[verdict.reason]
        self.frozen = verdict.frozen
        turns = np.where(pose.rotation_valid[:, None], verdict.rotations, rot.IDENTITY)
        positions = np.where(pose.position_valid[:, None], pose.positions, 0.0)
        return replace(pose, positions=positions, rotations=turns), ""


def _order(pose: HumanPose, older: HumanPose | None) -> str:
    """Frames that come twice, or after a newer one, by their stamps; a clock that was set anew is none of both."""
    if older is None or not pose.stamp_ns:
        return ""
    if pose.stamp_ns == older.stamp_ns:
        return AGAIN
    return OLDER if 0 < older.stamp_ns - pose.stamp_ns < _CLOCK_STEP_NS else ""


def _size(pose: HumanPose) -> str:
    """People are neither a metre in centimetres nor giants."""
    at, valid = pose.positions, pose.position_valid
    if not valid[0]:
        return ""
    body = at[:BODY_COUNT][valid[:BODY_COUNT]] - at[0]
    if np.abs(body).max() > _REACH_M:
        return SIZE
    for joint, (least, most) in _SPANS:
        row = INDEX[joint]
        if valid[row] and not least <= float(np.linalg.norm(at[row] - at[0])) <= most and np.isfinite(at[row]).all():
            return SIZE
    return ""


def _sides(pose: HumanPose) -> str:
    """A person's left hip is on the left of their hips, and the left shoulder of their chest."""
    for centre, left, right in _PAIRS:
        rows = [INDEX[left], INDEX[right]]
        if pose.position_valid[rows].all() and pose.rotation_valid[INDEX[centre]]:
            across = pose.positions[rows[0]] - pose.positions[rows[1]]
            w, x, y, z = pose.rotations[INDEX[centre]]
            left_axis = np.array([2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)])
            if across @ left_axis < 0:
                return SWAPPED
    return ""
