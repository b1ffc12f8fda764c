"""The ring of the last two seconds."""

from __future__ import annotations

import numpy as np

from bunraku.safety.history import LENGTH_S, History
from bunraku.safety.machine import State


def test_it_keeps_what_there_was_in_order() -> None:
    """Less than it holds: all of it; more: the newest; what was not there is NaN."""
    history = History(3, LENGTH_S / 4)
    assert len(history.snapshot().states) == 0
    for k in range(6):
        target = None if k == 4 else np.full(3, k)
        history.add(10 * k, State.ARMED if k % 2 else State.HOLD, k / 10, target, np.full(3, -k), np.full(3, 100 + k))
        last = history.snapshot()
        assert len(last.states) == min(k + 1, 4)
        assert list(last.now_ns) == [10 * i for i in range(max(0, k - 3), k + 1)]
    assert last.states == (State.HOLD, State.ARMED, State.HOLD, State.ARMED)
    assert list(last.command[:, 0]) == [-2, -3, -4, -5]
    assert list(last.measured[:, 2]) == [102, 103, 104, 105]
    assert list(last.weight) == [0.2, 0.3, 0.4, 0.5]
    np.testing.assert_array_equal(last.target[:, 1], [2, 3, np.nan, 5])


def test_a_snapshot_is_a_copy() -> None:
    """What comes later does not change it."""
    history = History(1, 1.0)
    history.add(1, State.ACTIVE, 1.0, np.ones(1), np.ones(1), None)
    before = history.snapshot()
    for _ in range(5):
        history.add(2, State.HOLD, 0.0, np.zeros(1), np.zeros(1), np.zeros(1))
    assert before.states == (State.ACTIVE,)
    assert before.command[0, 0] == 1.0
    assert np.isnan(before.measured[0, 0])
    assert len(History(1, 100.0)._now) == 2
