"""The puppet: what a performer decides is what the limbs do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.human import ADULT, Body
from bunraku.human.body import local_from_world
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.synth_rig import Act, perform
from bunraku.sources.synth_stage import FIST, FLAT, HANGING, Hold, Stage

MIRROR = np.array([1.0, -1.0, 1.0])


def _stage(frames: int = 1, body: Body = ADULT, seed: int = 0) -> Stage:
    return Stage(np.arange(frames) / 10.0, 10.0, np.random.default_rng(seed), body)


def _played(act: Act, body: Body = ADULT) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Positions and world rotations of the first frame, by joint."""
    positions, rotations = perform(body, act)
    return {n: positions[0, i] for n, i in INDEX.items()}, {n: rotations[0, i] for n, i in INDEX.items()}


wrists = st.tuples(st.floats(0.1, 0.5), st.floats(-0.2, 0.5), st.floats(-0.5, 0.4)).filter(
    lambda p: 0.15 < np.linalg.norm(p) < 0.53
)


@given(wrists, st.sampled_from(SIDES), st.booleans())
@settings(max_examples=60)
def test_wrists_are_where_they_are_sent(wrist: tuple[float, float, float], side: str, in_world: bool) -> None:
    """In the chest's axes or the world's, mirrored for the right side, from the shoulder."""
    stage = _stage()
    act = stage.standing()
    act.pelvis[:, 0] += 0.5
    act.arms[side] = stage.arm([(0.0, Hold(wrist, (-0.3, 0.6, -1.0)))], in_world=in_world)
    at, turn = _played(act)
    from_shoulder = at[f"{side}_hand"] - at[f"{side}_upper_arm"]
    if not in_world:
        from_shoulder = rot.rotate(rot.inverse(turn["chest"]), from_shoulder)
    np.testing.assert_allclose(from_shoulder * (1 if side == "left" else MIRROR), wrist, atol=2e-4)


@given(wrists, st.sampled_from(SIDES))
@settings(max_examples=40)
def test_elbows_point_where_they_are_told(wrist: tuple[float, float, float], side: str) -> None:
    """The elbow is off the line from shoulder to wrist towards the asked direction, and to no other side."""
    stage = _stage()
    act = stage.standing()
    way = np.array([-0.3, 0.6, -1.0])
    act.arms[side] = stage.arm([(0.0, Hold(wrist, tuple(way)))], in_world=True)
    at, _ = _played(act)
    line = at[f"{side}_hand"] - at[f"{side}_upper_arm"]
    line /= np.linalg.norm(line)
    off, told = at[f"{side}_forearm"] - at[f"{side}_upper_arm"], way * (1 if side == "left" else MIRROR)
    off, told = off - (off @ line) * line, told - (told @ line) * line
    assert np.linalg.norm(off) > 0.02
    assert off @ told == pytest.approx(np.linalg.norm(off) * np.linalg.norm(told), rel=1e-6)


@pytest.mark.parametrize("side", SIDES)
def test_a_wrist_out_of_reach_is_approached_with_a_nearly_straight_arm(side: str) -> None:
    """Sent a metre forward the hand goes forward, as far as the arm goes, and the elbow keeps a little bend."""
    stage = _stage()
    act = stage.standing()
    act.arms[side] = stage.arm([(0.0, Hold((1.0, 0.0, 0.0), (0.0, 0.5, -1.0)))], in_world=True)
    at, _ = _played(act)
    reached = at[f"{side}_hand"] - at[f"{side}_upper_arm"]
    np.testing.assert_allclose(reached / np.linalg.norm(reached), [1, 0, 0], atol=1e-9)
    assert 0.99 * ADULT.arm_length < np.linalg.norm(reached) < 0.9951 * ADULT.arm_length


def test_left_and_right_mirror_each_other() -> None:
    """The same asked of both sides of a symmetric stance gives mirror images, hands and fingers included."""
    stage = _stage(seed=2)
    act = stage.standing()
    for turns in (act.pelvis, act.trunk, act.head):
        turns[:, [0, 2]] = 0.0
    act.hips[:, 1] = 0.0
    for side in SIDES:
        act.arms[side] = stage.arm([(0.0, Hold((0.3, 0.2, 0.1), (0.0, 0.7, -1.0), 0.6, 0.3, 0.2))], [(0.0, FIST)])
    at, _ = _played(act)
    for name, place in at.items():
        if name.startswith("left_"):
            np.testing.assert_allclose(at["right_" + name[5:]] * MIRROR, place, atol=1e-9)


@given(st.floats(-0.04, 0.06), st.floats(-0.08, 0.08), st.floats(-0.4, -0.01), st.floats(0.8, 2.2))
@settings(max_examples=40)
def test_feet_stand_where_they_are_put_whatever_the_hips_do(x: float, y: float, z: float, height: float) -> None:
    """Ankles keep their places exactly while the hips sway and sink; knees bend and stay forward of the line."""
    body = Body.scaled(height)
    stage = _stage(body=body)
    act = stage.standing()
    act.hips[:] = np.array([[x, y, z]]) * stage.leg_scale
    at, turn = _played(act, body)
    for side, sign in (("left", 1), ("right", -1)):
        where = np.array([0.0, 0.11 * sign, 0.08]) * stage.leg_scale
        np.testing.assert_allclose(at[f"{side}_foot"], where, atol=1e-9)
        assert at[f"{side}_toe"][2] == pytest.approx(body.toe_height)
        knee = rot.multiply(rot.inverse(turn[f"{side}_thigh"]), turn[f"{side}_shin"])
        assert 0.05 < rot.twist_angle(knee, [0, 1.0, 0]) < 2.3
        between = 0.5 * (at[f"{side}_thigh"] + at[f"{side}_foot"])
        assert at[f"{side}_shin"][0] > between[0]


def test_the_hips_are_as_high_as_the_legs_let_them_and_below_a_ceiling() -> None:
    """Nearly straight legs at ease; lower with the feet apart; never above a ceiling that is set."""
    stage = _stage()
    act = stage.standing()
    at, _ = _played(act)
    assert 0.96 < at["hips"][2] < ADULT.bones[0, 2]
    act.feet["left"] = stage.planted(0.5, 0.11, 0.0)
    apart, _ = _played(act)
    assert apart["hips"][2] < at["hips"][2] - 0.05
    act.ceiling = np.array([0.7])
    low, _ = _played(act)
    assert 0.69 < low["hips"][2] <= 0.7


def test_fists_close_and_flat_hands_are_flat() -> None:
    """A fist's finger tips are near the palm, a flat hand's far from it and nearly in a plane."""
    stage = _stage()
    for curl, near in ((FIST, True), (FLAT, False)):
        act = stage.standing()
        act.arms["left"] = stage.arm([(0.0, HANGING)], [(0.0, curl)])
        at, turn = _played(act)
        for finger in ("index", "middle", "ring", "little"):
            tip = rot.rotate(rot.inverse(turn["left_hand"]), at[f"left_{finger}_tip"] - at["left_hand"])
            assert (np.linalg.norm(tip) < 0.105) == near
            assert abs(tip[2]) < (0.06 if near else 0.02)


def test_the_chest_follows_the_trunk_and_the_head_the_world() -> None:
    """The trunk's turn is shared by the spine; the head's is in the world, whatever is below it."""
    stage = _stage()
    act = stage.standing()
    act.pelvis[:], act.trunk[:], act.head[:] = [0.4, 0.1, 0.0], [0.3, 0.2, 0.1], [-0.2, 0.1, 0.05]
    _, turn = _played(act)
    assert rot.angle_between(turn["head"], rot.from_euler("ZYX", [-0.2, 0.1, 0.05])) < 1e-9
    chest = rot.multiply(rot.inverse(turn["hips"]), turn["chest"])
    assert rot.angle_between(chest, rot.from_euler("ZYX", [0.3, 0.2, 0.1])) < 1e-9
    spine = rot.multiply(rot.inverse(turn["hips"]), turn["spine"])
    assert 0 < rot.angle_between(spine, rot.IDENTITY) < rot.angle_between(chest, rot.IDENTITY)


def test_turns_are_continuous_and_local_hinges_are_hinges() -> None:
    """Over a moving performance no quaternion changes sign, and elbows turn about two axes only."""
    stage = _stage(frames=80)
    act = stage.standing()
    act.arms["right"] = stage.arm([(0.0, HANGING), (4.0, Hold((0.2, 0.2, 0.4), (0.0, 1.0, -0.3), 1.5))])
    _, rotations = perform(ADULT, act)
    assert np.sum(rotations[1:] * rotations[:-1], axis=-1).min() > 0.9
    elbow = local_from_world(rotations)[:, INDEX["right_forearm"]]
    assert np.abs(rot.to_euler("ZYX", elbow)[:, 2]).max() < 1e-6
