"""Motions mirrored, scaled, hastened, resampled: what changes, what stays, and what remains unknown."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.human import HumanMotion, at_speed, edited, mirrored, path_scaled, resampled
from bunraku.human.skeleton import INDEX, JOINT_COUNT, MIRROR
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who walks and looks about, with holes: positions and rotations are unknown here and there."""
    whole = read_motion("synth:walk?seconds=2&fps=30")
    holes = np.random.default_rng(1).random((2, len(whole), JOINT_COUNT)) < 0.1
    holes[0, :, 0] = False
    return replace(
        whole,
        position_valid=~holes[0],
        rotation_valid=~holes[1],
        jaw=np.linspace(0, 1, len(whole)),
        eyes=np.stack([np.linspace(-0.3, 0.4, len(whole)), np.linspace(0.1, 0.2, len(whole))], axis=1),
    )


def assert_same(one: HumanMotion, two: HumanMotion, tolerance: float = 0.0) -> None:
    """Equal in every field."""
    for field in fields(HumanMotion):
        a, b = getattr(one, field.name), getattr(two, field.name)
        if isinstance(a, np.ndarray):
            np.testing.assert_allclose(a, b, rtol=0, atol=tolerance, err_msg=field.name)
        else:
            assert a == b, field.name


def test_mirrored_twice_is_the_motion(motion: HumanMotion) -> None:
    """All of it: places, turns, flags, gaze."""
    assert_same(mirrored(mirrored(motion)), motion, 1e-15)


def test_mirroring_exchanges_sides_fingers_and_gaze(motion: HumanMotion) -> None:
    """The left thumb's place is the right one's with y turned round, its flags go along, eyes look the other way."""
    other = mirrored(motion)
    left, right = INDEX["left_thumb_2"], INDEX["right_thumb_2"]
    np.testing.assert_array_equal(other.positions[:, left], motion.positions[:, right] * [1, -1, 1])
    np.testing.assert_array_equal(other.position_valid[:, left], motion.position_valid[:, right])
    np.testing.assert_array_equal(other.rotation_valid, motion.rotation_valid[:, MIRROR])
    assert motion.eyes is not None and other.eyes is not None
    np.testing.assert_array_equal(other.eyes, motion.eyes * [-1, 1])
    assert other.jaw is motion.jaw


@given(yaw=st.floats(-3, 3), pitch=st.floats(-1, 1), vector=st.tuples(*[st.floats(-2, 2)] * 3))
def test_mirrored_turns_move_mirrored_points(yaw: float, pitch: float, vector: tuple[float, ...]) -> None:
    """Turning and then mirroring a point is mirroring it and then turning by the mirrored rotation."""
    turn = rot.multiply(rot.exp([0.0, 0.0, yaw]), rot.exp([0.0, pitch, 0.3]))
    known = np.ones((1, JOINT_COUNT), bool)
    one = HumanMotion(
        positions=np.zeros((1, JOINT_COUNT, 3)), rotations=np.tile(turn, (1, JOINT_COUNT, 1)),
        position_valid=known, rotation_valid=known, fps=1.0,
    )  # fmt: skip
    flip = np.array([1.0, -1.0, 1.0])
    mirrored_turn = mirrored(one).rotations[0, 0]
    np.testing.assert_allclose(rot.rotate(mirrored_turn, np.array(vector) * flip), rot.rotate(turn, vector) * flip,
                               atol=1e-12)  # fmt: skip


def test_mirroring_a_walk_to_the_left_walks_to_the_right(motion: HumanMotion) -> None:
    """The path is mirrored, and so commutes with turning the world the other way."""
    turn, back = rot.exp([0.0, 0.0, 0.7]), rot.exp([0.0, 0.0, -0.7])
    turned = replace(
        motion, positions=rot.rotate(turn, motion.positions), rotations=rot.multiply(turn, motion.rotations)
    )
    expected = mirrored(motion)
    np.testing.assert_allclose(mirrored(turned).position("hips"), rot.rotate(back, expected.position("hips")))
    assert np.ptp(motion.position("hips")[:, 1]) > 0.1


def test_scale_lengthens_the_path_alone(motion: HumanMotion) -> None:
    """The hips go 1.5 times as far from where they began; heights, size, directions and turns stay."""
    far = path_scaled(motion, 1.5)
    way, farther = (m.position("hips") - m.position("hips")[0] for m in (motion, far))
    np.testing.assert_allclose(farther, way * [1.5, 1.5, 1.0], atol=1e-12)
    known = motion.position_valid
    shape, other = (m.positions - m.positions[:, :1] for m in (motion, far))
    np.testing.assert_allclose(other[known], shape[known], atol=1e-12)
    np.testing.assert_allclose(far.rotations, motion.rotations, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(far.position_valid, known)
    assert_same(path_scaled(far, 1 / 1.5), motion, 1e-12)


def test_scale_bridges_frames_without_hips(motion: HumanMotion) -> None:
    """Where the hips are lost the rest of the body does not jump; where they were never known nothing can be scaled."""
    valid = motion.position_valid.copy()
    valid[10:20, 0] = False
    head = INDEX["head"]
    moved = path_scaled(replace(motion, position_valid=valid), 2.0)
    step = np.linalg.norm(np.diff(moved.positions[:, head] - motion.positions[:, head], axis=0), axis=1)
    known = motion.position_valid[1:, head] & motion.position_valid[:-1, head]
    assert step[known].max() < 0.06
    valid[:, 0] = False
    lost = replace(motion, position_valid=valid)
    assert path_scaled(lost, 2.0) is lost


def test_the_same_rate_is_the_same_motion(motion: HumanMotion) -> None:
    """Nothing is computed, so nothing changes."""
    assert resampled(motion, motion.fps) is motion
    assert edited(motion) is motion


@pytest.mark.parametrize("times", [2, 3, 4])
def test_frames_that_exist_stay_exact(motion: HumanMotion, times: int) -> None:
    """At a multiple of the rate every original frame is there unchanged, and back again gives the motion."""
    fine = resampled(motion, motion.fps * times)
    assert len(fine) == times * (len(motion) - 1) + 1
    np.testing.assert_array_equal(fine.positions[::times], motion.positions)
    np.testing.assert_array_equal(fine.position_valid[::times], motion.position_valid)
    assert_same(resampled(fine, motion.fps), motion, 1e-15)


@pytest.mark.parametrize("fps", [24.0, 29.97, 47.3, 125.0])
def test_a_joint_is_known_between_frames_that_know_it(motion: HumanMotion, fps: float) -> None:
    """Flags at any rate: of both neighbours, or of the one frame that the time falls on; no hole leaks into others."""
    out = resampled(motion, fps)
    frames = np.arange(len(out)) / fps * motion.fps
    before, after = np.floor(frames + 1e-6).astype(int), np.ceil(frames - 1e-6).astype(int)
    for flags, result in ((motion.position_valid, out.position_valid), (motion.rotation_valid, out.rotation_valid)):
        np.testing.assert_array_equal(result, flags[before] & flags[after])
    truth = resampled(read_motion("synth:walk?seconds=2&fps=30"), fps)
    error = np.linalg.norm(out.positions - truth.positions, axis=-1)[out.position_valid]
    assert error.max() < 0.02, "one-sided slopes beside a hole cost millimetres, not metres"


def test_interpolation_is_near_the_real_motion() -> None:
    """30 to 120 frames/s against the same performance generated at 120: a millimetre and half a degree on average."""
    coarse, fine = (read_motion(f"synth:walk?seconds=2&fps={fps}") for fps in (30, 120))
    out = resampled(coarse, 120.0)
    assert np.linalg.norm(out.positions - fine.positions, axis=-1).mean() < 1e-3
    assert np.degrees(rot.angle_between(out.rotations, fine.rotations)).mean() < 0.5


def test_cubic_positions_are_nearer_than_lines() -> None:
    """The cubic has an effect: a point on a circle is met ten times as well as by straight lines."""
    t = np.arange(21) / 20 * 2 * np.pi
    still = read_motion("synth:t-pose?seconds=1&fps=20")
    circle = replace(still, positions=np.repeat(np.stack([np.cos(t), np.sin(t), t], axis=1)[:, None], JOINT_COUNT, 1))
    inner = resampled(circle, 80.0).positions[4:-4, 0]
    radius = np.linalg.norm(inner[:, :2], axis=1)
    assert abs(radius - 1).max() < 0.1 * (1 - np.cos(np.pi / 20))


def test_speed_keeps_the_rate_and_changes_the_length(motion: HumanMotion) -> None:
    """Twice as fast is every second frame, at the same rate; half as fast doubles the length."""
    fast = at_speed(motion, 2.0)
    assert fast.fps == motion.fps
    np.testing.assert_allclose(fast.positions, motion.positions[::2], atol=1e-12)
    assert fast.eyes is not None and motion.eyes is not None
    np.testing.assert_allclose(fast.eyes, motion.eyes[::2])
    assert at_speed(motion, 0.5).duration_s == pytest.approx(2 * motion.duration_s)


def test_all_edits_at_once_are_one_after_the_other(motion: HumanMotion) -> None:
    """`edited` interpolates once, and gives what the single functions give."""
    one = edited(motion, mirror=True, scale=0.5, speed=0.5, fps=motion.fps)
    assert_same(one, at_speed(path_scaled(mirrored(motion), 0.5), 0.5), 1e-12)
    assert edited(motion, speed=2.0, fps=90.0).duration_s == pytest.approx(motion.duration_s / 2, abs=1 / 90)


@pytest.mark.parametrize("length", [0, 1])
def test_the_shortest_motions(motion: HumanMotion, length: int) -> None:
    """No frame and one frame pass through everything and take the new rate."""
    short = motion.frames(slice(0, length))
    out = edited(short, mirror=True, scale=2.0, speed=3.0, fps=50.0)
    assert (len(out), out.fps) == (length, 50.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
@pytest.mark.parametrize("what", ["scale", "speed", "fps"])
def test_nonsense_is_named(motion: HumanMotion, what: str, bad: float) -> None:
    """What must be positive and finite says so by its name."""
    with pytest.raises(InputError, match=f"{what} must be a positive number"):
        edited(motion, **{what: bad})


def test_too_many_frames_are_refused(motion: HumanMotion) -> None:
    """Before any memory is taken."""
    with pytest.raises(InputError, match="more than 1,000,000 frames"):
        resampled(motion, 1e9)
