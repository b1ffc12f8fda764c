"""The ground, and when feet stand on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.human import Body, HumanMotion, floor_height, foot_contacts, on_ground
from bunraku.human.skeleton import INDEX, JOINT_COUNT, JOINTS
from bunraku.kinematics import rotations as rot
from bunraku.sources.bvh import read_bvh
from bunraku.sources.synth import MOTIONS, synthesize
from shared import data, need

TOES, ANKLES = ("left_toe", "right_toe"), ("left_foot", "right_foot")


def _only(motion: HumanMotion, *joints: str) -> HumanMotion:
    keep = np.isin(np.arange(JOINT_COUNT), [INDEX[joint] for joint in joints])
    return replace(motion, position_valid=motion.position_valid & keep)


def _without(motion: HumanMotion, *joints: str) -> HumanMotion:
    return _only(motion, *(joint for joint in JOINTS if joint not in joints))


def _moved(motion: HumanMotion, *shift: float) -> HumanMotion:
    return replace(motion, positions=motion.positions + np.array(shift))


def _judged(motion: HumanMotion) -> np.ndarray:
    """Contacts by the plain definition: toe slower than 0.1 m/s, lower than 3 cm above the 2nd percentile of both."""
    toes = np.stack([motion.position(toe) for toe in TOES], axis=1)
    speed = np.linalg.norm(np.gradient(toes, axis=0), axis=-1) * motion.fps
    return (speed < 0.1) & (toes[..., 2] < np.percentile(toes[..., 2], 2) + 0.03)


@pytest.mark.parametrize("name", MOTIONS)
def test_people_who_stand_on_zero_have_their_ground_at_zero(name: str) -> None:
    """The ground of every generated motion is found to within 6 mm (box stands on one raised heel)."""
    assert abs(floor_height(synthesize(name, fps=30))) < 0.006


@given(st.floats(-3, 3), st.floats(0.8, 2.2))
@settings(max_examples=10)
def test_the_ground_moves_with_the_person_whatever_their_size(height: float, tall: float) -> None:
    """Children and giants, on any storey; on_ground brings them to zero and moves nothing sideways."""
    motion = _moved(synthesize("walk", fps=30, body=Body.scaled(tall)), 0, 0, height)
    assert floor_height(motion) == pytest.approx(height, abs=2e-3)
    grounded = on_ground(motion)
    assert floor_height(grounded) == pytest.approx(0, abs=1e-9)
    np.testing.assert_array_equal(grounded.positions[..., :2], motion.positions[..., :2])


def test_without_toes_the_ankles_tell() -> None:
    """And without ankles the toes do."""
    walk = _moved(synthesize("walk", fps=30), 0, 0, 1.0)
    assert floor_height(_without(walk, *TOES)) == pytest.approx(1.0, abs=5e-3)
    assert floor_height(_without(walk, *ANKLES)) == pytest.approx(1.0, abs=5e-3)
    assert floor_height(_without(walk, "left_toe", "right_foot")) == pytest.approx(1.0, abs=5e-3)


def test_without_feet_the_lowest_known_joint_is_the_ground() -> None:
    """An upper body ends where it ends; joints that nobody saw do not count; nothing known is zero."""
    pose = synthesize("t-pose", fps=30)
    assert floor_height(_only(pose, "hips", "chest", "left_hand")) == pytest.approx(0.98)
    assert floor_height(_only(pose, "head")) == pytest.approx(1.60)
    assert floor_height(_only(pose)) == 0.0
    assert floor_height(pose.frames(slice(0))) == 0.0


def test_a_few_wild_frames_do_not_move_the_ground() -> None:
    """One frame in a hundred with the feet a metre under the floor."""
    walk = synthesize("walk", fps=60)
    positions = walk.positions.copy()
    positions[::100, :, 2] -= 1.0
    assert abs(floor_height(replace(walk, positions=positions))) < 0.01


def test_on_tilted_ground_the_level_is_where_the_feet_mostly_stand() -> None:
    """With the whole world tilted by two degrees the ground is within the range of the ground under the way."""
    walk = synthesize("walk", fps=30)
    tilt = rot.from_axis_angle([0, 1.0, 0], np.radians(2))
    tilted = replace(walk, positions=rot.rotate(tilt, walk.positions), rotations=rot.multiply(tilt, walk.rotations))
    under = np.tan(np.radians(2)) * np.abs(walk.positions[:, 0, :2]).max()
    assert -under - 0.01 < floor_height(tilted) < under + 0.01


def test_a_walkers_feet_stand_one_after_the_other() -> None:
    """Twelve stands of each foot on the way round, never none at a time, both only between steps."""
    walk = synthesize("walk")
    stands = foot_contacts(walk)
    assert ((np.diff(stands.astype(int), axis=0) == 1).sum(axis=0) + stands[0]).tolist() == [12, 12]
    assert stands.any(axis=1).all()
    amid = stands[120:-120]
    assert 0.02 < amid.all(axis=1).mean() < 0.3


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_contacts_hold_all_that_the_plain_definition_holds(fps: float) -> None:
    """Hysteresis lengthens stands a little: hardly a frame of the judge's is lost, and few are added."""
    walk = synthesize("walk", fps=fps)
    ours, plain = foot_contacts(walk), _judged(walk)
    assert (plain & ~ours).mean() < 0.002
    assert (ours & ~plain).mean() < 0.03


def test_hysteresis_and_shortest_times_keep_noise_from_flickering() -> None:
    """With 1.5 mm of noise at 120/s the plain definition changes hundreds of times, contacts as often as steps."""
    walk = synthesize("walk", fps=120)
    noise = np.random.default_rng(1).normal(0, 1.5e-3, walk.positions.shape)
    noise = (noise + np.roll(noise, 1, axis=0) + np.roll(noise, 2, axis=0)) / 3
    noisy = replace(walk, positions=walk.positions + noise)
    changes = np.abs(np.diff(foot_contacts(noisy).astype(int), axis=0)).sum()
    plain = np.abs(np.diff(_judged(noisy).astype(int), axis=0)).sum()
    assert plain > 4 * changes
    assert changes <= 60


def test_contacts_go_by_the_ankle_where_no_toe_is_known() -> None:
    """A source without toes still has stands, one for each step, about as long."""
    walk = synthesize("walk")
    by_ankle, by_toe = foot_contacts(_without(walk, *TOES)), foot_contacts(walk)
    assert (by_ankle != by_toe).mean() < 0.25
    assert (np.abs(np.diff(by_ankle.astype(int), axis=0)).sum(axis=0) >= 20).all()


def test_an_unknown_foot_does_not_stand() -> None:
    """No contact where neither toe nor ankle is known, for a side or for a while; none in an empty motion."""
    pose = synthesize("t-pose", fps=30)
    blind = _without(pose, "left_toe", "left_foot")
    assert not foot_contacts(blind)[:, 0].any()
    assert foot_contacts(blind)[:, 1].all()
    valid = pose.position_valid.copy()
    valid[30:60, INDEX["left_toe"]] = False
    assert not foot_contacts(replace(pose, position_valid=valid))[30:60, 0].any()
    assert foot_contacts(pose.frames(slice(0))).shape == (0, 2)
    assert foot_contacts(pose.frames(slice(1))).shape == (1, 2)


def test_a_lifted_foot_does_not_stand() -> None:
    """A foot that is held still 20 cm up is no contact."""
    pose = synthesize("t-pose", fps=30)
    positions = pose.positions.copy()
    positions[30:, [INDEX["left_toe"], INDEX["left_foot"]], 2] += 0.2
    stands = foot_contacts(replace(pose, positions=positions))
    assert not stands[31:, 0].any()
    assert stands[:28].all()
    assert stands[:, 1].all()


@pytest.mark.parametrize(
    "pattern", ["lafan1/*.bvh", "bandai_namco_*/*walk*.bvh", "soma_bones/*.bvh", "cmu_cgspeed_mb2010/02_01.bvh"]
)
def test_recorded_people_stand_on_their_ground(pattern: str) -> None:
    """Recordings on z = 0, whose producers put the toe joint from -2 to 5 cm: the ground is found to within 4 cm,
    and the contacts hold 97 % of the judge's."""
    for path in need(data(f"bvh/{pattern}")):
        motion = read_bvh(path)
        assert abs(floor_height(motion)) < 0.04, path.name
        ours, plain = foot_contacts(motion), _judged(motion)
        assert (plain & ~ours).sum() <= 0.03 * plain.sum() + 5, path.name
