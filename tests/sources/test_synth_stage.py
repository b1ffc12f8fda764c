"""A person at ease, and keys."""

from __future__ import annotations

import numpy as np

from bunraku.human import ADULT, Body
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.sources.synth_rig import perform
from bunraku.sources.synth_stage import FLAT, HANGING, RELAXED, Hold, Stage


def _stage(body: Body = ADULT, seed: int = 0, seconds: float = 20.0) -> Stage:
    return Stage(np.arange(int(seconds * 20) + 1) / 20, 10.0, np.random.default_rng(seed), body)


def test_a_stage_repeats_after_its_period() -> None:
    """Keys, waves and pulses show in the second round what they showed in the first."""
    stage = _stage()
    rounds = slice(0, 201), slice(200, 401)
    act = stage.standing(weight=[(1.0, 0.0), (3.0, 1.0), (6.0, 0.0)])
    for values in (stage.keys([(1.0, 0.0), (2.0, 3.0)]), stage.waves(2.0), act.hips, act.trunk, act.head, act.eyes):
        np.testing.assert_allclose(values[rounds[0]], values[rounds[1]], atol=1e-9)
    assert stage.now.max() < 10.0


def test_a_pulse_is_one_within_and_nothing_outside() -> None:
    """Over its plateau 1, before and after 0."""
    stage = _stage()
    pulse, now = stage.pulse(2.0, 5.0, 0.5), stage.now
    assert (pulse[(now >= 2.5) & (now <= 4.5)] == 1).all()
    assert (pulse[(now <= 2.0) | (now >= 5.0)] == 0).all()
    assert (pulse[(now > 2.0) & (now < 2.5)] > 0).all()


def test_arms_are_led_through_their_keys_at_the_bodys_size() -> None:
    """At each key the hold, its distances by the arm's length; one curl for all fingers or one each."""
    body = Body.scaled(1.4)
    stage = _stage(body)
    up = Hold((0.2, 0.1, 0.3), (0.0, 1.0, 0.0), 0.4, 0.3, 0.2)
    arm = stage.arm([(1.0, HANGING), (3.0, up)], [(1.0, 0.5), (3.0, FLAT)])
    np.testing.assert_allclose(arm.wrist[60], np.array(up.wrist) * 0.8)
    np.testing.assert_allclose(arm.elbow[60], up.elbow)
    np.testing.assert_allclose([arm.turn[60], arm.flexion[60], arm.deviation[60]], [0.4, 0.3, 0.2])
    np.testing.assert_allclose(arm.curl[20], [0.5] * 5)
    np.testing.assert_allclose(arm.curl[60], FLAT)
    np.testing.assert_allclose(stage.arm([(0.0, HANGING)]).curl[7], RELAXED)


def test_at_ease_a_person_stands_breathes_and_lets_the_arms_hang() -> None:
    """Hands below the hips' height and beside them, feet still, and chest and shoulders never quite at rest."""
    positions, _ = perform(ADULT, _stage().standing())
    at = {name: positions[:, index] for name, index in INDEX.items()}
    for side, sign in (("left", 1), ("right", -1)):
        assert (at[f"{side}_hand"][:, 2] < at["hips"][:, 2]).all()
        assert (at[f"{side}_hand"][:, 1] * sign > 0.2).all()
        assert np.ptp(at[f"{side}_foot"], axis=0).max() < 1e-9
    for joint in ("chest", "head", *(f"{side}_upper_arm" for side in SIDES)):
        assert 0.002 < np.ptp(at[joint], axis=0).max() < 0.06


def test_weight_on_a_foot_moves_the_hips_over_it_and_drops_the_other_side() -> None:
    """The pelvis goes to the loaded side, which is the higher one; the shoulders lean back the other way."""
    stage = _stage()
    shifts = {}
    for load in (-1.0, 1.0):
        positions, _ = perform(ADULT, stage.standing(weight=[(0.0, load)]))
        side, other = ("left", "right") if load > 0 else ("right", "left")
        shifts[load] = positions[:, 0, 1].mean()
        assert (positions[:, INDEX[f"{side}_thigh"], 2] > positions[:, INDEX[f"{other}_thigh"], 2]).all()
        assert (positions[:, INDEX[f"{side}_clavicle"], 2] < positions[:, INDEX[f"{other}_clavicle"], 2]).all()
    assert shifts[1.0] > 0.03
    assert shifts[-1.0] < -0.03
