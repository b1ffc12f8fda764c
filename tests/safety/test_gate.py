"""The gate: poses that cannot be true do not come through, and each is counted with its reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bunraku.kinematics import rotations
from bunraku.safety.gate import (
    ACCEPTED,
    BOX_M,
    COLLAPSED,
    FROZEN_S,
    GARBAGE,
    JUMP,
    MOST_GAP_S,
    MOST_REJECTED,
    MOST_SPEED,
    NOISE_M,
    PoseGate,
    Verdict,
)

Array = np.ndarray
DT_S = 1 / 120
LIMBS = {"left_arm": (1, 2), "right_arm": (3, 4)}
PLACES = np.array([[0.0, 0.0, 1.0], [0.1, 0.3, 1.4], [0.1, 0.5, 1.1], [0.1, -0.3, 1.4], [0.1, -0.5, 1.1]])
TURNS = np.tile(rotations.IDENTITY, (5, 1))
ALL = np.ones(5, bool)


def step(gate: PoseGate, places: Array = PLACES, turns: Array = TURNS, dt_s: float = DT_S, **valid: Any) -> Verdict:
    return gate.step(places, turns, valid.get("placed", ALL), valid.get("turned", ALL), dt_s)


def moved(joint: int, by: float) -> Array:
    out = PLACES.copy()
    out[joint, 0] += by
    return out


def begun() -> PoseGate:
    gate = PoseGate(LIMBS)
    assert step(gate).accepted
    return gate


def test_a_person_who_moves_is_accepted() -> None:
    """As fast as anybody moves; unchanged but for the sign of quaternions."""
    gate = PoseGate(LIMBS)
    for k in range(200):
        verdict = step(gate, moved(2, 0.5 * np.sin(0.1 * k)))
        assert verdict.reason is ACCEPTED
        np.testing.assert_array_equal(verdict.rotations, TURNS)
    assert gate.counts == {ACCEPTED: 200, JUMP: 0, GARBAGE: 0, COLLAPSED: 0}


@pytest.mark.parametrize("dt_s", [DT_S, 1 / 30, MOST_GAP_S, 1.0])
def test_a_jump_is_faster_than_anybody(dt_s: float) -> None:
    """10 m/s and a little noise; a long gap allows for no more than a short one."""
    far = NOISE_M + MOST_SPEED * min(dt_s, MOST_GAP_S)
    assert step(begun(), moved(2, far - 1e-6), dt_s=dt_s).accepted
    gate = begun()
    assert step(gate, moved(2, far + 1e-6), dt_s=dt_s).reason is JUMP
    assert gate.jumps == 1


def test_one_jump_is_left_out_and_the_way_goes_on() -> None:
    """The pose after it is compared with the last good one, over the time since then."""
    gate = begun()
    step(gate, moved(2, 0.8))
    assert step(gate, moved(2, NOISE_M + 2 * MOST_SPEED * DT_S - 1e-6)).accepted
    assert gate.jumps == 0


def test_a_pose_that_jumped_and_stays_is_never_taken_by_itself() -> None:
    """5: after 30 in a row even the old place is not believed, until somebody begins anew."""
    gate = begun()
    for k in range(MOST_REJECTED + 1):
        assert gate.jumps == k
        step(gate, moved(2, 0.8))
    assert step(gate).reason is JUMP
    gate.reset()
    assert step(gate, moved(2, 0.8)).accepted
    patient = begun()
    for _ in range(MOST_REJECTED):
        step(patient, moved(2, 0.8))
    assert step(patient).accepted


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308, BOX_M + 0.1, -BOX_M - 0.1])
def test_places_that_are_none_are_garbage(bad: float) -> None:
    """32: in any joint that is said to be valid; where it is not, nobody looks."""
    gate, places = begun(), PLACES.copy()
    places[3, 1] = bad
    assert step(gate, places).reason is GARBAGE
    assert gate.garbage == 1
    assert step(gate, places, placed=np.arange(5) != 3).accepted
    assert gate.garbage == 0


@pytest.mark.parametrize("length, reason", [(0.0, GARBAGE), (np.nan, GARBAGE), (1.011, GARBAGE), (0.989, GARBAGE),
                                            (1.009, ACCEPTED), (0.991, ACCEPTED)])  # fmt: skip
def test_quaternions_are_made_unit_or_rejected(length: float, reason: str) -> None:
    """10: within a hundredth of unit; what is not valid is not looked at."""
    turns = TURNS.copy()
    turns[4] *= length
    verdict = step(begun(), turns=turns)
    assert verdict.reason is reason
    if verdict.accepted:
        np.testing.assert_allclose(verdict.rotations, TURNS, atol=1e-12)
    assert step(begun(), turns=turns, turned=np.arange(5) != 4).accepted


def test_signs_are_those_of_the_last_accepted_pose() -> None:
    """A rejected pose in between does not turn them."""
    gate, turns = begun(), rotations.exp(np.tile([0.0, 0.0, 0.2], (5, 1)))
    turns[2] *= -1
    np.testing.assert_allclose(step(gate, turns=turns).rotations[2], -turns[2])
    step(gate, moved(1, 3.0), turns=-turns)
    verdict = step(gate, turns=-turns)
    np.testing.assert_allclose(verdict.rotations, rotations.exp(np.tile([0.0, 0.0, 0.2], (5, 1))))


def test_joints_at_the_origin_are_lost_ones() -> None:
    """6: devices put there what they have lost; one joint may be there, hips for instance."""
    lost = PLACES.copy()
    lost[0] = 0.0
    assert step(PoseGate(LIMBS), lost).accepted
    lost[[3, 4]] = 0.0
    gate = PoseGate(LIMBS)
    assert step(gate, lost).reason is COLLAPSED
    assert gate.garbage == 1
    assert step(gate, lost, placed=np.array([True, True, True, False, False])).accepted


def test_a_limb_that_freezes_is_named() -> None:
    """4: not a bit changed for 250 ms while another moved; it is tracked again when it changes by a bit."""
    gate = begun()
    steps = round(FROZEN_S / DT_S)
    for k in range(steps + 2):
        verdict = step(gate, moved(2, 0.01 * (k + 1)))
        assert verdict.frozen == (frozenset() if k < steps else {"right_arm"}), k
    places = moved(2, 0.01)
    places[3, 1] += 1e-12
    assert step(gate, places, dt_s=1.0).frozen == frozenset()


def test_a_turn_alone_is_a_sign_of_life() -> None:
    """A wrist that turns in place is tracked."""
    gate, turns = begun(), TURNS.copy()
    for k in range(80):
        turns[4] = rotations.exp([0.001 * k, 0.0, 0.0])
        assert step(gate, moved(2, 0.01 * (k % 9 + 1)), turns=turns).frozen == frozenset()


def test_nobody_freezes_who_stands_still() -> None:
    """Where nothing moves, nothing can be said; nor of a limb that is not there."""
    gate = begun()
    for _ in range(100):
        assert step(gate).frozen == frozenset()
    for k in range(100):
        absent = np.array([True, True, True, False, False])
        assert step(gate, moved(2, 0.01 * (k % 9)), placed=absent).frozen == frozenset()


def test_a_limb_that_comes_back_elsewhere_is_no_jump() -> None:
    """What was not there is compared with nothing."""
    gate, absent = begun(), np.array([True, True, True, True, False])
    step(gate, placed=absent)
    assert step(gate, moved(4, 1.0)).accepted


def test_garbage_is_counted_over_a_second() -> None:
    """The share of the last second's poses; older ones are forgotten; jumps are none."""
    gate, bad = begun(), np.full_like(PLACES, np.nan)
    for k in range(1200):
        step(gate, bad if k % 10 == 0 else PLACES)
    assert gate.garbage_share == pytest.approx(0.1, abs=0.01)
    for _ in range(125):
        step(gate, moved(2, 0.9))
    assert gate.garbage_share == 0.0
    assert len(gate._recent) <= 125
    assert PoseGate(LIMBS).garbage_share == 0.0


def test_streaks_of_one_kind_are_not_broken_by_the_other() -> None:
    """A jump among garbage does not begin the count anew; only a good pose does."""
    gate, bad = begun(), np.full_like(PLACES, np.nan)
    for places in (bad, moved(2, 0.9), bad, moved(2, 0.9), bad):
        step(gate, places)
    assert (gate.garbage, gate.jumps) == (3, 2)
    step(gate)
    assert (gate.garbage, gate.jumps) == (0, 0)


def test_every_pose_is_counted_once() -> None:
    """I24: accepted and rejected are all that came, over resets."""
    gate, generator = PoseGate(LIMBS), np.random.default_rng(0)
    for k in range(500):
        places = PLACES + generator.normal(size=(5, 3)) * generator.choice([0.001, 1.0, 100.0, np.nan, 0.0])
        step(gate, places * generator.choice([0.0, 1.0, 1.0]))
        if k % 100 == 0:
            gate.reset()
    assert sum(gate.counts.values()) == 500
    assert all(count > 0 for count in gate.counts.values())
