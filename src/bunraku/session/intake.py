"""One source as the session takes it in: what cannot be a person's pose is turned away, counted, with a reason.

A pose is compared with the last accepted one, never with a rejected one. After too many jumps in a row the source
counts as lost until the operator engages anew: what it shows may be another world.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.human.merge import Priorities
from bunraku.human.skeleton import BODY_COUNT, GROUPS, INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.health import Health
from bunraku.sources.live import Source

Flags = NDArray[np.bool_]

STALE_S = 0.1
"""a source that is silent for longer is lost"""
FROZEN_S = 0.25
"""a limb whose numbers stay the same to the last bit for so long while others move is lost"""
FASTEST, ALLOWANCE_M = 10.0, 0.15
"""m/s and m: a joint that goes farther than both together has jumped"""
MOST_JUMPS = 30
"""in a row, then the source is lost until the next engagement"""
SWAPPED, SIZE, JUMP = "left and right have changed places", "not the size of a person", "a jump"
NOT_NUMBERS = ("numbers that are none", "out of this world", "turns that are none")
"""reasons for which a pose is turned away, among others"""
_UNIT = 1e-2
_FARTHEST_M, _REACH_M = 1e3, 2.0
"""of anything from the world's origin, and of a joint from the hips"""
_TRUNK_M = (0.15, 0.9)
"""hips to head, of people from 0.8 to 2.3 m"""
_LEGS_M = (0.25, 1.4)
_CLOCK_STEP_NS = 1_000_000_000
_GROUP_ROWS = {name: np.array([INDEX[joint] for joint in joints]) for name, joints in GROUPS.items()}
_IN_GROUP = np.array([np.isin(np.arange(JOINT_COUNT), rows) for rows in _GROUP_ROWS.values()])
_MAY_FALL = np.isin(np.arange(JOINT_COUNT), np.concatenate([_GROUP_ROWS[f"{side}_hand"] for side in SIDES]))
_PAIRS = (("hips", "left_thigh", "right_thigh"), ("chest", "left_upper_arm", "right_upper_arm"))
_LEFT = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, kw_only=True)
class SourceView:
    """What the operator, and the conditions of safety, see of a source."""

    name: str
    health: Health
    accepted: int
    rejected: dict[str, int]
    """reason → frames, those that the source itself rejected included"""
    lost: bool
    """it gives nothing that could be followed"""
    reason: str
    """why, in words; empty while all is well"""


class Intake:
    """A source and the gate before it. Instants are monotonic nanoseconds."""

    def __init__(self, name: str, source: Source, priorities: Priorities | None = None) -> None:
        self.name, self.source, self.priorities = name, source, priorities or {}
        self.accepted = 0
        self.rejected: Counter[str] = Counter()
        self._raw: HumanPose | None = None
        self._pose: HumanPose | None = None
        self.epoch = 0
        self.jumps = 0
        self.bad_in_a_row = 0
        self._distrusted = ""
        self._same_since = np.zeros(len(GROUPS), np.int64)
        self._changed = np.zeros(len(GROUPS), bool)
        self._last_reason = ""
        self._trust_anew = False

    def reset(self) -> None:
        """The operator engages anew: what the source shows now is believed again."""
        self.jumps, self._distrusted = 0, ""
        self._trust_anew = True

    def take(self, now_ns: int) -> HumanPose | None:
        """Let the source receive; the pose that is new and good, or None."""
        self.source.receive(now_ns)
        pose = self.source.latest(now_ns)
        if pose is None or pose is self._raw:
            return None
        older, self._raw = self._raw, pose
        epoch = self.source.health(now_ns).epoch
        if self._raw is not None and older is not None and epoch != self.epoch:
            self._distrusted = "its world jumped: engage anew"
        self.epoch = epoch
        reason = self._order(pose, older) or self._plausible(pose)
        if not reason:
            pose = self._straightened(pose)
            reason = self._continuous(pose)
        if reason:
            self.bad_in_a_row += 1
            self._last_reason = reason
            self.rejected[reason] += 1
            return None
        self.bad_in_a_row = 0
        self._note_frozen(pose, now_ns)
        self.accepted += 1
        self._pose = pose
        return pose

    def current(self, now_ns: int) -> HumanPose | None:
        """The newest good pose without what is frozen; None where the source is lost."""
        if self._pose is None or self.lost(now_ns):
            return None
        frozen = self.frozen(now_ns)
        if not frozen:
            return self._pose
        rows = np.concatenate([_GROUP_ROWS[group] for group in frozen])
        position_valid, rotation_valid = self._pose.position_valid.copy(), self._pose.rotation_valid.copy()
        position_valid[rows] = rotation_valid[rows] = False
        return replace(self._pose, position_valid=position_valid, rotation_valid=rotation_valid)

    def frozen(self, now_ns: int) -> list[str]:
        """Joint groups that moved once, and stand to the last bit while others of this source move."""
        still = now_ns - self._same_since > FROZEN_S * 1e9
        if not (still & self._changed).any() or not (~still & self._changed).any():
            return []
        return [group for group, stuck in zip(GROUPS, still & self._changed, strict=True) if stuck]

    def lost(self, now_ns: int) -> str:
        """Why nothing of this source can be followed; empty while something can."""
        if self._pose is None:
            return self._distrusted or self.source.health(now_ns).reason or self._last_reason or "nothing came yet"
        age_s = (now_ns - self._pose.received_ns) / 1e9
        if age_s > STALE_S:
            why = self._last_reason if self.bad_in_a_row else self.source.health(now_ns).reason
            return why or f"silent for {age_s:.1f} s"
        return self._distrusted

    def age_s(self, now_ns: int) -> float:
        """Of the newest good pose; infinite before the first and while the source is distrusted."""
        if self._pose is None or self._distrusted:
            return float("inf")
        return max(now_ns - self._pose.received_ns, 0) / 1e9

    @property
    def standing_reason(self) -> str:
        """Why the newest frame was turned away; empty where it was not."""
        return self._last_reason if self.bad_in_a_row else ""

    def view(self, now_ns: int) -> SourceView:
        """For people, and for the machine of states."""
        health = self.source.health(now_ns)
        reason = self.lost(now_ns)
        frozen = self.frozen(now_ns)
        return SourceView(
            name=self.name,
            health=health,
            accepted=self.accepted,
            rejected=dict(Counter(health.rejected) + self.rejected),
            lost=bool(reason),
            reason=reason or (f"frozen: {', '.join(frozen)}" if frozen else ""),
        )

    # ------------------------------------------------------------------ the gate
    def _order(self, pose: HumanPose, older: HumanPose | None) -> str:
        if older is None or not pose.stamp_ns:
            return ""
        if pose.stamp_ns == older.stamp_ns:
            return "the same frame again"
        if 0 < older.stamp_ns - pose.stamp_ns < _CLOCK_STEP_NS:
            return "older than the frame before"
        return ""

    def _plausible(self, pose: HumanPose) -> str:
        positions = pose.positions[pose.position_valid]
        turns = pose.rotations[pose.rotation_valid]
        if not (np.isfinite(positions).all() and np.isfinite(turns).all()):
            return NOT_NUMBERS[0]
        if not len(positions) and not len(turns):
            return "nothing is known"
        if len(positions) and np.abs(positions).max() > _FARTHEST_M:
            return NOT_NUMBERS[1]
        if len(turns) and (np.abs(turns).max() > 2.0 or np.abs((turns * turns).sum(axis=1) - 1.0).max() > 2 * _UNIT):
            return NOT_NUMBERS[2]
        return self._size(pose)

    def _size(self, pose: HumanPose) -> str:
        """People are neither a metre in centimetres nor a giant, and their heads are above their hips' height range."""
        at, valid = pose.positions, pose.position_valid
        if not valid[0]:
            return ""
        body = at[:BODY_COUNT][valid[:BODY_COUNT]] - at[0]
        if np.abs(body).max() > _REACH_M:
            return SIZE
        for joint, (least, most) in (("head", _TRUNK_M), ("left_foot", _LEGS_M), ("right_foot", _LEGS_M)):
            if valid[INDEX[joint]]:
                far = float(np.linalg.norm(at[INDEX[joint]] - at[0]))
                if far > most or (joint == "head" and far < least):
                    return SIZE
        return ""

    def _straightened(self, pose: HumanPose) -> HumanPose:
        """Unit quaternions on the side of the last accepted ones; hands that fell to the origin are not known."""
        turns = np.where(pose.rotation_valid[:, None], pose.rotations, rot.IDENTITY)
        turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
        before = rot.IDENTITY if self._pose is None else self._pose.rotations
        turns[(turns * before).sum(axis=1) < 0] *= -1
        valid = pose.position_valid
        fallen = _MAY_FALL & valid & ~pose.positions.any(axis=1)
        if fallen.any():
            valid = valid & ~fallen
        positions = np.where(valid[:, None], pose.positions, 0.0)
        rotation_valid = pose.rotation_valid & ~(fallen & (np.abs(turns[:, 0]) == 1.0))
        return replace(pose, positions=positions, rotations=turns, position_valid=valid, rotation_valid=rotation_valid)

    def _continuous(self, pose: HumanPose) -> str:
        for centre, left, right in _PAIRS:
            rows = [INDEX[left], INDEX[right]]
            if pose.position_valid[rows].all() and pose.rotation_valid[INDEX[centre]]:
                across = pose.positions[rows[0]] - pose.positions[rows[1]]
                if across @ rot.rotate(pose.rotations[INDEX[centre]], _LEFT) < 0:
                    return SWAPPED
        if self._pose is None or self._trust_anew:
            self._trust_anew = False
            return ""
        both = (pose.position_valid & self._pose.position_valid)[:BODY_COUNT]
        way = np.linalg.norm(pose.positions[:BODY_COUNT][both] - self._pose.positions[:BODY_COUNT][both], axis=-1)
        span_s = max(pose.received_ns - self._pose.received_ns, 0) / 1e9
        if way.max(initial=0.0) > ALLOWANCE_M + FASTEST * span_s:
            self.jumps += 1
            if self.jumps > MOST_JUMPS:
                self._distrusted = "it jumped and stayed there: engage anew"
            return JUMP
        self.jumps = 0
        return ""

    def _note_frozen(self, pose: HumanPose, now_ns: int) -> None:
        """When each joint group last changed: by its rotations where they are known, else by its positions."""
        if self._pose is None:
            self._same_since[:] = now_ns
            return
        turned = (pose.rotations != self._pose.rotations).any(axis=1)
        moved = (pose.positions != self._pose.positions).any(axis=1)
        changed = _IN_GROUP @ np.where(pose.rotation_valid, turned, moved)
        self._changed |= changed
        self._same_since[changed] = now_ns
