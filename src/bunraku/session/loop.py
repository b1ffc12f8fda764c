"""The control path: sources → person → target → guard → robot, one tick after the other, in one thread.

`tick` is told the time; the clock is only read to see where the time goes. So a session can be run in simulated time,
and the same inputs at the same instants give the same commands.
"""

from __future__ import annotations

import gc
import json
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion, HumanPose
from bunraku.recording.frames import EVENT, POSE, TICK
from bunraku.recording.records import Tick, pose_bytes
from bunraku.retarget import WholeBodyMapper
from bunraku.retarget.ground import leg_length
from bunraku.safety.filters import FilterSettings, TargetFilter
from bunraku.safety.guard import Authorised, Guard
from bunraku.safety.machine import Order, State
from bunraku.safety.observed import LoopSeen, Observed
from bunraku.session.bridge import Bridge
from bunraku.session.operator import Operator
from bunraku.session.person import Person, Seen
from bunraku.session.robot_side import RobotSide
from bunraku.session.trace import NONE, Trace

Array = NDArray[np.float64]

STATES = tuple(State)
SOLVER_LATE_NS = 8_000_000
"""a pose whose target took longer was not solved in time"""
GOING = frozenset({State.ACTIVE, State.DEGRADED})
"""states in which a recording goes on; in all others its person waits for the robot"""
_SECOND_NS = 1_000_000_000
_LONGEST_SOLVE_S = 0.5
_MOST_CHANGES = 256


@dataclass(frozen=True, kw_only=True)
class Change:
    """A step of the machine of states."""

    now_ns: int
    before: str
    after: str
    why: tuple[str, ...]


class Record:
    """Where a session is written down; this one is nowhere."""

    def put(self, kind: int, payload: bytes) -> None:
        """One frame."""

    @property
    def gap(self) -> bool:
        """Whether something could not be written."""
        return False


class Loop:
    """All that one session holds. `clock` gives monotonic nanoseconds."""

    def __init__(
        self,
        *,
        person: Person,
        mapper: WholeBodyMapper,
        guard: Guard,
        robot_side: RobotSide,
        operator: Operator,
        period_s: float,
        clock: Callable[[], int],
        trace: Trace | None = None,
        record: Record | None = None,
        filters: FilterSettings | None = None,
    ) -> None:
        self.person, self.guard, self.robot_side, self.operator = person, guard, robot_side, operator
        self.trace, self.record = trace or Trace(), record or Record()
        self._mapper, self._clock, self.period_s = mapper, clock, period_s
        self._solving = mapper.start()
        self._fitted = False
        self._filter = TargetFilter(robot_side.robot, filters or FilterSettings())
        self._bridge = Bridge(robot_side.robot.first_joint, period_s)
        person.wait(True)
        self._last_ns = self._solved_ns = self._sent_ns = 0
        self._nothing = np.full(len(robot_side.robot.neutral), np.nan)
        self._late_ticks: deque[int] = deque(maxlen=1024)
        self._solver_late = self._garbage_targets = 0
        self.tripped = False
        self.ticks = self.frames = self.sent = self.overruns = 0
        self.limited: Counter[int] = Counter()
        """joint → ticks in which its limits held it back while following"""
        self.changes: deque[Change] = deque(maxlen=_MOST_CHANGES)
        self.change_count = 0
        self.guarded: Authorised | None = None
        self.pose: HumanPose | None = None
        self.target: Array | None = None

    @property
    def state(self) -> State:
        """Where the session stands."""
        return self.guarded.decision.state if self.guarded else State.OFFLINE

    def tick(self, now_ns: int, *, late_ns: int = 0) -> Authorised:
        """One turn."""
        stamps = [self._clock()]
        pressed = self.operator.taken()
        if pressed & {"engage", "arm", "release"}:
            self.person.reset()
        if "acknowledge" in pressed:
            self.robot_side.acknowledge()
        self.person.receive(now_ns)
        stamps.append(self._clock())
        seen = self.person.look(now_ns)
        stamps.append(self._clock())
        if seen.fresh and seen.pose is not None:
            self._solve(seen.pose, now_ns)
        stamps.append(self._clock())
        dt_s = (now_ns - self._last_ns) / 1e9 if self._last_ns else self.period_s
        guarded = self._guard(now_ns, dt_s, late_ns, seen)
        stamps.append(self._clock())
        self._send(guarded, now_ns)
        stamps.append(self._clock())
        self._note(guarded, seen, now_ns, dt_s, self._stages(stamps, seen, now_ns, late_ns, guarded))
        self._last_ns = now_ns
        return guarded

    # ------------------------------------------------------------------ the path
    def _solve(self, pose: HumanPose, now_ns: int) -> None:
        """A new target for a new pose."""
        if not self._fitted:
            self._fitted = fit(self._mapper, pose)
        begun = self._clock()
        since_s = (now_ns - self._solved_ns) / 1e9 if self._solved_ns else np.inf
        solved = self._mapper.solve(pose, self._solving, dt_s=since_s if since_s < _LONGEST_SOLVE_S else np.inf)
        self._solver_late = self._solver_late + 1 if self._clock() - begun > SOLVER_LATE_NS else 0
        self._solved_ns = now_ns
        self.frames += 1
        if np.isfinite(solved.qpos).all():
            self._garbage_targets = 0
            self.target = solved.qpos
            self._bridge.aim(solved.qpos, now_ns)
        else:
            self._garbage_targets += 1
            self._solving = self._mapper.start()

    def _guard(self, now_ns: int, dt_s: float, late_ns: int, seen: Seen) -> Authorised:
        measured = self.robot_side.look(now_ns)
        if late_ns > self.period_s * 0.5e9:
            self._late_ticks.append(now_ns)
            self.overruns += 1
        while self._late_ticks and self._late_ticks[0] < now_ns - _SECOND_NS:
            self._late_ticks.popleft()
        observed = Observed(
            person=seen.person,
            loop=LoopSeen(
                ready=self.ticks > 0 and self.target is not None,
                overruns=len(self._late_ticks),
                stall_s=dt_s if self._last_ns else 0.0,
                solver_late=self._solver_late,
                garbage_targets=self._garbage_targets,
                watchdog=self.tripped,
                recording_gap=self.record.gap,
            ),
            robot=self.robot_side.seen(now_ns),
            operator=self.operator.seen(now_ns),
        )
        target = self._filter.step(self._bridge.at(now_ns), dt_s) if self.target is not None else None
        authorised = self.guard.tick(now_ns, observed, target, measured)
        if authorised.decision.latch:
            self._filter.reset()
        return authorised

    def _send(self, guarded: Authorised, now_ns: int) -> None:
        if guarded.decision.latch and guarded.decision.state is State.ARMED:
            self.robot_side.arm()
        if guarded.order in (Order.SAFE, Order.ESTOP):
            self.robot_side.stop()
        elif guarded.sends:
            self.robot_side.send(guarded.qpos.copy(), guarded.weight, now_ns)
            self.sent += 1

    # ------------------------------------------------------------------ what is told of it
    def _stages(self, stamps: list[int], seen: Seen, now_ns: int, late_ns: int, guarded: Authorised) -> list[int]:
        """(S,) durations in the order of `STAGES`."""
        begun, received, merged, retargeted, limited, sent = stamps
        solved = seen.fresh and seen.pose is not None
        arrived = max((pose.received_ns for _, pose in seen.fresh), default=now_ns)
        has_sent = guarded.sends
        gap = sent - self._sent_ns if has_sent and self._sent_ns else NONE
        self._sent_ns = sent if has_sent else 0
        return [
            self.person.lag_ns if seen.fresh else NONE,
            max(begun - arrived, 0) if seen.fresh else NONE,
            received - begun,
            merged - received,
            retargeted - merged if solved else NONE,
            limited - retargeted,
            sent - limited if has_sent else NONE,
            self.robot_side.acknowledged_ns if has_sent else NONE,
            sent - min(arrived, begun) if solved and has_sent else NONE,
            max(late_ns, 0),
            gap,
        ]

    def _note(self, guarded: Authorised, seen: Seen, now_ns: int, dt_s: float, stages: list[int]) -> None:
        decision = guarded.decision
        self.ticks += 1
        self.trace.note(stages)
        self.pose, self.guarded = seen.pose, guarded
        if guarded.order in (Order.FOLLOW, Order.MEET):
            for joint in np.flatnonzero(guarded.flags):
                self.limited[int(joint)] += 1
        if decision.state is not decision.before:
            change = Change(
                now_ns=now_ns, before=decision.before.value, after=decision.state.value, why=decision.reasons
            )
            self.changes.append(change)
            self.change_count += 1
            self.person.wait(decision.state not in GOING)
            self.record.put(EVENT, json.dumps({"what": "change", **asdict(change)}).encode())
            if decision.state is State.ARMED:
                gc.freeze()
        for number, pose in seen.arrived:
            self.record.put(POSE, pose_bytes(number, pose))
        measured = self.robot_side.measured
        tick = Tick(
            now_ns=now_ns,
            dt_s=dt_s,
            weight=decision.weight,
            state=STATES.index(decision.state),
            stages_ns=np.array(stages, np.int64),
            qpos=guarded.qpos if guarded.sends else self._nothing,
            measured=self._nothing if measured is None else measured.qpos,
        )
        self.record.put(TICK, tick.pack())


def fit(mapper: WholeBodyMapper, pose: HumanPose) -> bool:
    """Fit the mapper to the operator's legs, where this pose shows them."""
    motion = HumanMotion(
        positions=pose.positions[None],
        rotations=pose.rotations[None],
        position_valid=pose.position_valid[None],
        rotation_valid=pose.rotation_valid[None],
        fps=1.0,
    )
    length = leg_length(motion)
    if length > 0:
        mapper.prepare(length)
    return length > 0
