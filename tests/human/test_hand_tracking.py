"""Hands as references: one person, no jumps, three ways to say where a hand is."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import InputError, UnknownNameError
from bunraku.human.hand_tracking import HandGate, HandReference, PersonLock


def test_a_jump_is_ignored() -> None:
    """More than 0.10 m between frames: the last place stands, and the reason is counted."""
    gate = HandGate()
    assert gate.update(np.zeros(3))
    assert not gate.update(np.array([0.11, 0, 0]))
    assert not gate.update(None)
    assert not gate.update(np.array([np.nan, 0, 0]))
    assert gate.update(np.array([0.09, 0, 0]))
    assert gate.dropped == {"jumped": 1, "not seen": 2}
    assert np.array_equal(gate.place, [0.09, 0, 0])


def test_a_hand_that_stays_elsewhere_is_believed() -> None:
    """Five frames in one place far away; five in five places never."""
    gate = HandGate()
    gate.update(np.zeros(3))
    assert [gate.update(np.array([1.0 + 0.01 * k, 0, 0])) for k in range(5)] == [False] * 4 + [True]
    assert not any(gate.update(np.array([2.0 + (k % 2), k, 0])) for k in range(20))


def test_start_follows_displacements_and_does_not_drift() -> None:
    """The robot's hand moves as the person's has since the beginning, frames dropped or not."""
    reference = HandReference("start", np.array([0.5, 0.2, 1.0]))
    assert reference.update(None) is None
    reference.update(np.array([3.0, 1, 1]))
    reference.update(np.array([3.1, 1, 1]))
    assert np.allclose(reference.update(None), [0.6, 0.2, 1.0])
    assert np.allclose(reference.update(np.array([3.4, 1, 1])), [0.9, 0.2, 1.0])


def test_previous_loses_what_it_does_not_see() -> None:
    """A step during a dropped frame is missing ever after: the paper's drift."""
    reference = HandReference("previous", np.zeros(3))
    for x in (0.0, 0.1, None, 0.3, 0.4):
        target = reference.update(None if x is None else np.array([x, 0, 0]))
    assert np.allclose(target, [0.2, 0, 0])


def test_hips_is_in_proportion() -> None:
    """From the hips, times a scale for each axis; a walk of the whole person moves nothing."""
    reference = HandReference("hips", np.array([0, 0, 1.0]), scale=np.array([1, 2, 0.5]))
    for walk in (0.0, 5.0):
        way = np.array([walk, 0, 0])
        assert np.allclose(
            reference.update(np.array([0.3, 0.2, 1.4]) + way, np.array([0, 0, 1.0]) + way), [0.3, 0.4, 1.2]
        )
    assert np.allclose(reference.update(np.ones(3), None), [0.3, 0.4, 1.2])


def test_one_person_is_followed() -> None:
    """The nearest at first, then the same one, whoever comes nearer; nobody where they are gone."""
    lock, camera = PersonLock(), np.zeros(3)
    all_seen = np.ones(4, bool)

    def person(x: float, y: float) -> tuple[np.ndarray, np.ndarray]:
        return np.tile([x, y, 0.0], (4, 1)), all_seen

    assert lock.choose([person(3, 0), person(2, 0)], camera) == 1
    assert lock.choose([person(1, 1), person(2.1, 0)], camera) == 1
    assert lock.choose([person(1, 1), (np.zeros((4, 3)), np.zeros(4, bool))], camera) is None
    assert "not in the picture" in lock.reason
    assert lock.choose([person(2.2, 0.1)], camera) == 0


def test_bad_settings_are_refused() -> None:
    """With what is valid."""
    with pytest.raises(UnknownNameError, match="start, hips, previous"):
        HandReference("shoulder", np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="jump"):
        HandGate(jump=0.0)
