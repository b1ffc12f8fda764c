"""The guard under anything: frames, jumps, silence, garbage, clocks, buttons and robots in any order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bunraku.kinematics import rotations
from bunraku.robots import load_robot
from bunraku.robots.command import Measured
from bunraku.safety.bounds import BaseBounds, bounds_of
from bunraku.safety.guard import Authorised, Guard, GuardSettings
from bunraku.safety.limiter import LEAST_DT_S
from bunraku.safety.machine import COMMANDING, Order, Policy, State
from bunraku.safety.observed import Observed
from safety_cases import some_observed
from safety_stage import FINE, PERIOD_S, seen

PUPPET = load_robot("puppet")
BOUNDS = bounds_of(PUPPET, full_speed_s=0.1, base=BaseBounds(linear_velocity=1.0, angular_velocity=2.0))
NQ, N = PUPPET.tree.qpos_size, PUPPET.tree.joint_count
STILL = np.zeros(N, bool)
UP = frozenset({State.ACTIVE, State.DEGRADED})
SOURCE_LOST_S = 0.1 + float(np.max(BOUNDS.velocity / BOUNDS.stop_acceleration))
seeds = st.integers(0, 2**32 - 1)


class Session(RuleBasedStateMachine):
    """A robot that follows what it is told, unless a rule moves it; every tick is checked against every promise."""

    @initialize(relative=st.booleans(), retreat=st.booleans())
    def begin(self, relative: bool, retreat: bool) -> None:
        policy = Policy(may_retreat=True, retreat_after_s=5.0) if retreat else Policy()
        self.settings = GuardSettings(relative=relative, policy=policy, bounds=BOUNDS)
        self.now_ns, self.place, self.target = 10**15, PUPPET.neutral.copy(), PUPPET.neutral.copy()
        self.silent_s, self.observed = 0.0, FINE
        self.restart()

    @rule()
    def restart(self) -> None:
        """The program begins anew; the robot is where it is."""
        self.guard = Guard(PUPPET, self.settings)
        self.before: Authorised | None = None
        self.rate, self.base_rate = np.zeros(N), np.zeros(6)
        self.injected = False
        self.tick(seen(robot={"connected": False}))

    def tick(self, observed: Observed = FINE, tick_s: float = PERIOD_S) -> None:
        self.now_ns += round(tick_s * 1e9)
        if self.silent_s:
            self.silent_s += max(tick_s, 0.0)
            observed = replace(observed, person=replace(observed.person, age_s=self.silent_s))
        measured = Measured(
            qpos=self.place.copy(), qvel=np.zeros(PUPPET.tree.velocity_size), effort=np.zeros(N), error=np.zeros(N),
            saturated=STILL, rate_limited=STILL, stamp_ns=0,
        )  # fmt: skip
        last = self.guard.limiter.position.copy()
        dt = self.guard.limiter.authorised(tick_s)
        out = self.guard.tick(self.now_ns, observed, self.target, measured)
        self.check(out, last, dt, observed)
        if out.sends:
            self.place = out.qpos.copy()
        self.observed = observed

    def check(self, out: Authorised, last: np.ndarray, dt: float, observed: Observed) -> None:
        decision, limiter = out.decision, self.guard.limiter
        joints, was = out.qpos[7:], last[7:]
        assert np.isfinite(out.qpos).all()  # I4
        assert abs(np.linalg.norm(out.qpos[3:7]) - 1) < 1e-9
        self.injected |= bool(observed.loop.broken)
        assert self.injected or not any("broken a promise" in reason for reason in decision.reasons)  # I5
        if not out.sends:
            assert out.order in (Order.NOTHING, Order.SAFE, Order.ESTOP)
            self.rate, self.base_rate = np.zeros(N), np.zeros(6)
        elif decision.latch:
            np.testing.assert_allclose(out.qpos, self.place, atol=max(1e-3, 3 * dt))  # I6
            self.rate, self.base_rate = limiter.joint_rate.copy(), limiter.base_rate.copy()
        else:
            beyond = np.maximum(PUPPET.lower - joints, joints - PUPPET.upper)
            before = np.maximum(PUPPET.lower - was, was - PUPPET.upper)
            assert np.all(beyond <= np.maximum(before, 0) + 1e-9)  # I1
            assert np.all(np.abs(joints - was) <= BOUNDS.velocity * dt * (1 + 1e-9) + 1e-12)  # I2
            change = np.abs(limiter.joint_rate - self.rate)
            assert np.all(change <= BOUNDS.stop_acceleration * dt * (1 + 1e-9) + 1e-9)  # I3
            base = np.abs(limiter.base_rate - self.base_rate)
            assert np.linalg.norm(base[:3]) <= 30 * dt * (1 + 1e-9) + 1e-9
            assert np.linalg.norm(base[3:]) <= 60 * dt * (1 + 1e-9) + 1e-9
            assert np.linalg.norm(limiter.base_rate[:3]) <= 1.0 + 1e-9
            assert np.linalg.norm(limiter.base_rate[3:]) <= 2.0 + 1e-9
            if decision.state is State.ENGAGING:
                assert np.abs(joints - was).max() <= 0.5 * dt * (1 + 1e-9)  # I7
            self.rate, self.base_rate = limiter.joint_rate.copy(), limiter.base_rate.copy()
        old = self.before.decision.state if self.before is not None else State.OFFLINE
        if decision.state in UP:
            assert old in UP | {State.ENGAGING}  # I10, with the machine's own rules
        if observed.operator.stop:
            assert decision.order not in (Order.MEET, Order.FOLLOW, Order.GO_HOME)  # I11
        if self.silent_s > SOURCE_LOST_S + 2 * PERIOD_S and decision.state is not State.RETREAT:
            assert not out.sends or limiter.at_rest() or dt <= LEAST_DT_S or self.slow_clock  # I9
        assert 0 <= decision.weight <= 1
        assert (
            self.before is None
            or old is not State.RELEASING
            or decision.state is not State.RELEASING
            or (decision.weight <= self.weight)
        )  # I21
        self.before, self.weight = out, decision.weight

    slow_clock = False
    weight = 0.0

    @rule(seed=seeds, size=st.sampled_from([0.02, 0.3, 3.0]), ticks=st.integers(1, 30))
    def frame(self, seed: int, size: float, ticks: int) -> None:
        """Fresh targets, near or far, out of reach as well."""
        generator = np.random.default_rng(seed)
        for _ in range(ticks):
            self.target = self.target.copy()
            self.target[7:] = PUPPET.neutral[7:] + size * generator.normal(size=N) * 0.2
            self.target[:3] += size * generator.normal(size=3) * 0.01
            self.silent_s = 0.0
            self.tick()

    @rule(seed=seeds, ticks=st.integers(1, 12), bad=st.sampled_from([np.nan, np.inf, -np.inf, 1e308, 5e-324, 1e5]))
    def garbage(self, seed: int, ticks: int, bad: float) -> None:
        """Some numbers that are none."""
        good, generator = self.target, np.random.default_rng(seed)
        self.target = good.copy()
        self.target[generator.integers(0, NQ, 3)] = bad
        for _ in range(ticks):
            self.tick()
        self.target = good

    @rule(seed=seeds)
    def jump(self, seed: int) -> None:
        """Every joint somewhere else, the base metres away and turned."""
        generator = np.random.default_rng(seed)
        turn = rotations.exp(generator.normal(size=3))
        self.target = np.concatenate([generator.normal(size=3) * 5, turn, generator.uniform(-4, 4, N)])
        for _ in range(5):
            self.tick()

    @rule()
    def near(self) -> None:
        """The person stands as the robot does."""
        self.target, self.silent_s = self.place.copy(), 0.0
        self.tick()

    @rule(seconds=st.sampled_from([0.05, 0.12, 0.4, 0.7, 6.0]))
    def silence(self, seconds: float) -> None:
        """Nothing arrives."""
        self.silent_s = self.silent_s or 1e-6
        for _ in range(round(seconds / PERIOD_S)):
            self.tick()

    @rule()
    def flip(self) -> None:
        """The base's quaternion changes its sign."""
        self.target = self.target.copy()
        self.target[3:7] *= -1
        self.tick()

    @rule(step_s=st.sampled_from([-3600.0, -0.01, 0.0, 1e-9, 1e-5, 3600.0]))
    def clock_step(self, step_s: float) -> None:
        """The clock goes back, stands, hardly moves, leaps."""
        now = self.now_ns
        self.slow_clock = True
        for _ in range(3):
            self.tick(FINE, step_s)
        self.now_ns = max(now, self.now_ns)
        self.slow_clock = False

    @rule(button=st.sampled_from(["arm", "engage", "release", "retreat", "acknowledge", "stop", "estop"]))
    def button(self, button: str) -> None:
        """A press, after a while without one."""
        for _ in range(7):
            self.tick()
        self.tick(seen(operator={button: True}))
        for _ in range(40):
            self.tick()

    @rule()
    def engage(self) -> None:
        """The usual way up."""
        self.near()
        for button in ("acknowledge", "arm", "engage"):
            self.button(button)
        for _ in range(150):
            self.tick()

    @rule(button=st.sampled_from(["release", "retreat"]), seconds=st.sampled_from([0.3, 3.0]))
    def leave(self, button: str, seconds: float) -> None:
        """From wherever it is, the usual way down."""
        self.engage()
        self.button(button)
        for _ in range(round(seconds / PERIOD_S)):
            self.tick()

    @rule(observed=some_observed(), ticks=st.integers(1, 10))
    def anything(self, observed: Observed, ticks: int) -> None:
        """Whatever else a tick may observe."""
        for _ in range(ticks):
            self.tick(observed)

    @rule(seed=seeds, size=st.sampled_from([0.01, 0.2, 1.0]))
    def robot_state(self, seed: int, size: float) -> None:
        """Somebody moves the robot by hand, out of its limits perhaps; or it says garbage."""
        generator = np.random.default_rng(seed)
        self.place = self.place.copy()
        self.place[7:] += size * generator.normal(size=N)
        self.place[7:] = np.clip(self.place[7:], PUPPET.lower - 0.15, PUPPET.upper + 0.15)
        self.place = PUPPET.tree.with_followers(self.place)
        self.tick()

    @rule()
    def deaf(self) -> None:
        """The robot says numbers that are none."""
        place, self.place = self.place, self.place * np.nan
        self.guard.tick(self.now_ns, FINE, self.target, None)
        self.place = place

    @rule(tick_s=st.sampled_from([0.013, 0.024, 0.03, 0.06, 0.4]), ticks=st.integers(1, 6))
    def slow_tick(self, tick_s: float, ticks: int) -> None:
        """The loop is late."""
        for _ in range(ticks):
            self.tick(FINE, tick_s)

    @invariant()
    def words(self) -> None:
        """Whoever is stopped is told why."""
        if self.before is not None and self.before.decision.state in COMMANDING - UP - {State.ENGAGING}:
            assert self.before.decision.needs


TestSession = Session.TestCase
TestSession.settings = settings(max_examples=30, stateful_step_count=30, phases=[Phase.explicit, Phase.generate])
