"""One person before a camera: bones learned, kept or used to reject, and a ground."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.bone_lengths import BoneLengths, spread
from bunraku.sources.camera_person import CameraPerson, level, motion_of
from bunraku.sources.landmarks import ROW, landmarks_of, pose_of


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who moves arms, trunk and head."""
    return read_motion("synth:conduct?seconds=3&fps=10")


def noisy(motion: HumanMotion, deviation: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Landmarks with noise, m."""
    random = np.random.default_rng(1)
    frames = [landmarks_of(pose) for pose in motion]
    return [(points + deviation * random.standard_normal(points.shape), known) for points, known in frames]


def test_guessed_places_get_constant_bones(motion: HumanMotion) -> None:
    """With 2 cm of noise bones vary by percents as they are seen, and not at all as they are told."""
    frames = noisy(motion, 0.02)
    raw = [pose_of(*frame) for frame in frames]
    before = spread(np.array([p.positions for p in raw]), np.array([p.position_valid for p in raw]))
    told = motion_of(frames, "guessed", fps=10, name="x")
    after = spread(told.positions, told.position_valid)
    assert np.nanmax(before) > 0.05
    assert np.nanmax(after) < 1e-9
    upper = told.position("left_forearm") - told.position("left_upper_arm")
    meant = motion.position("left_forearm") - motion.position("left_upper_arm")
    cosine = np.sum(upper * meant, axis=1) / np.linalg.norm(upper, axis=1) / np.linalg.norm(meant, axis=1)
    assert np.degrees(np.arccos(cosine)).mean() < 10


def test_left_and_right_bones_are_alike(motion: HumanMotion) -> None:
    """A left arm that is seen too long half of the time is as long as the right one, and no longer."""
    bones = BoneLengths()
    for pose in motion:
        bones.learn(pose)
    steady = bones.steady(motion.pose(3))
    lengths = [np.linalg.norm(steady.positions[INDEX[f"{s}_hand"]] - steady.positions[INDEX[f"{s}_forearm"]])
               for s in ("left", "right")]  # fmt: skip
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-12)


def test_a_point_on_the_wall_is_left_out(motion: HumanMotion) -> None:
    """Where places are measured, an elbow two metres behind the person is not believed; the rest is."""
    person = CameraPerson("measured")
    for pose in motion:
        person.pose(*landmarks_of(pose))
    assert person.dropped == 0
    points, known = landmarks_of(motion.pose(0))
    points[ROW["left_elbow"]] += [-2.0, 0.0, 0.0]
    pose = person.pose(points, known)
    assert not pose.position_valid[INDEX["left_forearm"]]
    assert pose.position_valid[[INDEX["left_upper_arm"], INDEX["right_forearm"], INDEX["head"]]].all()
    assert person.dropped >= 1


def test_a_guessed_person_stands_on_the_ground(motion: HumanMotion) -> None:
    """Whatever height the origin has, the lower sole is at zero; with hidden feet the hips stay as high."""
    person = CameraPerson("guessed")
    for pose in motion:
        points, known = landmarks_of(pose)
        told = person.pose(points - [0, 0, 5.0], known)
    hips = told.positions[INDEX["hips"], 2]
    assert hips == pytest.approx(motion.pose(len(motion) - 1).positions[INDEX["hips"], 2], abs=0.05)
    for side in ("left", "right"):
        known[[ROW[f"{side}_{part}"] for part in ("ankle", "toe", "heel")]] = False
    assert person.pose(points + [0, 0, 3.0], known).positions[INDEX["hips"], 2] == pytest.approx(hips, abs=1e-6)


def test_turns_stay_in_one_hemisphere(motion: HumanMotion) -> None:
    """A person who turns round once has no jump of signs."""
    person, before = CameraPerson("measured"), None
    points, known = landmarks_of(motion.pose(0))
    for angle in np.linspace(0, 2 * np.pi, 60):
        turn = rot.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.asarray(angle))
        now = person.pose(rot.rotate(turn, points), known).rotations[INDEX["chest"]]
        assert before is None or before @ now > 0.9
        before = now


def test_tilt_and_roll_are_undone() -> None:
    """A plumb line before a camera that looks down leans towards it; level() sets it upright."""
    down = np.radians(30)
    leaning = np.array([np.sin(down), 0.0, np.cos(down)])
    np.testing.assert_allclose(leaning @ level(30, 0).T, [0, 0, 1], atol=1e-12)
    # A camera turned clockwise shows the world turned the other way: its top to the left of the picture.
    turned = np.array([0.0, -np.sin(down), np.cos(down)])
    np.testing.assert_allclose(turned @ level(0, 30).T, [0, 0, 1], atol=1e-12)
