"""Deadlines, the trace, shared memory, the watchdog's pulse, the operator's keys: the small parts of a session."""

from __future__ import annotations

import multiprocessing
import os
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import UnknownNameError
from bunraku.mailbox import Mailbox, processes, shared_array
from bunraku.robots import load_robot
from bunraku.session.operator import HELD_NS, SETTLE_NS, WORDS, Operator
from bunraku.session.pace import Deadlines, Waiting
from bunraku.session.similarity import Similarity, limb_angle
from bunraku.session.trace import NONE, STAGES, Trace, percentiles
from bunraku.session.watchdog import SILENCE_S, Pulse, watch
from bunraku.sources import open_source

S = 1_000_000_000


@given(st.lists(st.integers(1, 40_000_000), max_size=200))
def test_deadlines_keep_their_phase(steps: list[int]) -> None:
    """However late the ticks are, deadlines are whole periods from the beginning, and in the future."""
    period, now = 8_333_333, 5
    deadlines = Deadlines(period, now)
    for step in steps:
        now += step
        if now >= deadlines.due_ns:
            late = deadlines.pass_by(now)
            assert late >= 0
            assert deadlines.due_ns > now
            assert deadlines.due_ns - now <= period
        assert (deadlines.due_ns - 5) % period == 0
        assert deadlines.left_s(now) >= 0.0


def test_an_early_tick_keeps_its_deadline() -> None:
    """A tick for the stop key does not move the next one."""
    deadlines = Deadlines(S // 100, 0)
    assert deadlines.pass_by(S // 200) < 0
    assert deadlines.due_ns == S // 100
    assert deadlines.missed == 0


def test_missed_deadlines_are_counted() -> None:
    """Late by more than half a period is one; whole periods that went by are as many."""
    deadlines = Deadlines(100, 0)
    for now, missed in ((100, 0), (210, 0), (380, 1), (800, 5), (905, 5)):
        deadlines.pass_by(now)
        assert deadlines.missed == missed, now


def test_waiting_for_bytes() -> None:
    """What can be read is read at once; what is no longer watched is left alone."""
    ours, theirs = os.pipe()
    heard: list[bytes] = []
    waiting = Waiting()
    waiting.watch([(ours, lambda: heard.append(os.read(ours, 10)))])
    waiting.wait(0.0)
    assert not heard
    os.write(theirs, b"a")
    waiting.wait(60.0)
    assert heard == [b"a"]
    waiting.watch([])
    os.write(theirs, b"b")
    waiting.wait(0.0)
    assert heard == [b"a"]
    waiting.close()
    os.close(ours)
    os.close(theirs)


def test_percentiles_are_right_to_five_percent() -> None:
    """Of known durations; what never happened is left out; the worst is exact."""
    trace, random = Trace(), np.random.default_rng(0)
    durations = np.exp(random.normal(np.log(2e6), 1.0, 5000)).astype(int)
    for duration in durations:
        trace.note([int(duration)] + [NONE] * (len(STAGES) - 1))
    found = percentiles(trace.counts())
    assert list(found) == [STAGES[0]]
    for percent in (50, 95, 99):
        true = np.percentile(durations, percent) / 1e6
        assert found[STAGES[0]][f"p{percent}"] == pytest.approx(true, rel=0.06)
    assert found[STAGES[0]]["n"] == 5000
    assert trace.worst_ms()[STAGES[0]] == durations.max() / 1e6


def test_a_window_of_the_trace_is_a_difference() -> None:
    """What was counted between two looks."""
    trace = Trace()
    trace.note([5_000_000] * len(STAGES))
    before = trace.counts()
    trace.note([1_000_000] * len(STAGES))
    assert percentiles(trace.counts() - before)["send"]["p99"] == pytest.approx(1.0, rel=0.06)


def test_the_newest_value_wins() -> None:
    """Nothing before the first; then the newest, of any length that fits."""
    box = Mailbox(16)
    assert box.get() is None and box.count == 0
    for value in (b"first", b"", b"0123456789abcdef"):
        box.put(value)
        assert box.get() == value
    assert box.count == 3
    with pytest.raises(ValueError, match="16"):
        box.put(bytes(17))


def _write_for_ever(box: Mailbox, stop: object) -> None:
    number = 0
    while not stop.array[0]:  # type: ignore[attr-defined]
        number = (number + 1) % 251
        box.put(bytes([number]) * (200 + number))


def test_no_value_is_ever_torn() -> None:
    """Read while another process writes as fast as it can: each value is one that was put, whole."""
    box, stop = Mailbox(512), shared_array(1, np.int64)
    writer = processes.Process(target=_write_for_ever, args=(box, stop))
    writer.start()
    deadline = time.monotonic() + 60
    while box.count == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    seen = set()
    for _ in range(20_000):
        value = box.get()
        if value is not None:
            assert len(set(value)) == 1 and len(value) == 200 + value[0]
            seen.add(value[0])
    stop.array[0] = 1
    writer.join(60)
    assert len(seen) > 5
    assert multiprocessing.active_children() == []


class _Noted:
    """A guardian that is asked."""

    def __init__(self) -> None:
        self.calls = 0

    def act(self) -> None:
        self.calls += 1


def test_the_watchdog_speaks_once_and_only_when_it_must() -> None:
    """A heart that beats, or has no authority, is left alone; one that stops gets five last words."""
    guardian, pulse = _Noted(), Pulse()
    now = time.monotonic_ns()
    pulse.beat(now - 10 * S, watching=False)
    assert pulse.silent_s(now) == 0.0
    pulse.end()
    watch(pulse, [guardian])
    assert guardian.calls == 0
    pulse = Pulse()
    pulse.beat(now - 10 * S, watching=True)
    assert pulse.silent_s(now) > SILENCE_S

    class Ending(_Noted):
        def act(self) -> None:
            super().act()
            if self.calls == 5:
                pulse.end()

    guardian = Ending()
    watch(pulse, [guardian])
    assert guardian.calls == 5
    assert pulse.tripped_ns >= now


def test_keys_are_held_for_a_moment() -> None:
    """A press is down at once, engage after the sources were believed anew; both are let go by themselves."""
    operator = Operator()
    assert operator.hear(b" x\xffe", S) is True
    assert operator.taken() == {"stop", "engage"}
    assert operator.taken() == set()
    assert operator.seen(S).stop and not operator.seen(S).engage
    assert operator.seen(S + SETTLE_NS).engage
    assert not operator.seen(S + HELD_NS).stop
    assert not operator.seen(S + SETTLE_NS + HELD_NS).engage
    assert operator.hear(b"ra", S) is False
    assert operator.hear(b"q", S) is False and operator.quitting
    assert len(set(WORDS.values())) == len(WORDS)
    with pytest.raises(UnknownNameError):
        operator.press("jump", S)


def test_similarity_is_the_angle_between_limbs() -> None:
    """A robot that does as the person does is within a few degrees; one at rest is not; without limbs there is none."""
    from bunraku.retarget import WholeBodyMapper
    from bunraku.session.loop import fit

    robot, source = load_robot("puppet"), open_source("synth:box")
    source.open(0)
    source.receive(S)
    pose = source.latest(S)
    assert pose is not None
    mapper = WholeBodyMapper(robot)
    assert fit(mapper, pose)
    followed = mapper.solve(pose, mapper.start()).qpos
    alike, rest = limb_angle(robot, followed, pose), limb_angle(robot, robot.neutral, pose)
    assert alike is not None and alike < 5
    assert rest is not None and rest > 15
    assert limb_angle(load_robot("lamp"), load_robot("lamp").neutral, pose) is None
    similarity = Similarity(robot)
    similarity.look(None)
    assert similarity.summary() == {"limb_deg": None, "samples": 0}
