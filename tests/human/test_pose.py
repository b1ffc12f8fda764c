"""One pose, and a motion as a row of them."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.human import HumanMotion, HumanPose
from bunraku.human.skeleton import INDEX, JOINT_COUNT


def _motion(T: int = 4, **changes: object) -> HumanMotion:
    values: dict[str, object] = {
        "positions": np.arange(T * JOINT_COUNT * 3, dtype=float).reshape(T, JOINT_COUNT, 3),
        "rotations": np.tile([1.0, 0, 0, 0], (T, JOINT_COUNT, 1)),
        "position_valid": np.ones((T, JOINT_COUNT), bool),
        "rotation_valid": np.ones((T, JOINT_COUNT), bool),
        "fps": 50.0,
    }
    return HumanMotion(**{**values, **changes})  # type: ignore[arg-type]


def test_an_empty_pose_knows_nothing() -> None:
    """All flags are off, and its rotations are unit nevertheless."""
    pose = HumanPose.empty(stamp_ns=3, received_ns=4)
    assert not pose.position_valid.any()
    assert not pose.rotation_valid.any()
    np.testing.assert_allclose(np.linalg.norm(pose.rotations, axis=-1), 1)
    assert (pose.stamp_ns, pose.received_ns, pose.jaw, pose.eyes) == (3, 4, None, None)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_becomes_unknown(bad: float) -> None:
    """A joint with a number that is none loses its flag and its number, and only that joint in that frame."""
    positions, rotations = _motion().positions.copy(), _motion().rotations.copy()
    positions[1, 5, 2] = bad
    rotations[2, 6, 0] = bad
    motion = _motion(positions=positions, rotations=rotations)
    assert np.argwhere(~motion.position_valid).tolist() == [[1, 5]]
    assert np.argwhere(~motion.rotation_valid).tolist() == [[2, 6]]
    assert np.isfinite(motion.positions).all()
    np.testing.assert_array_equal(motion.rotations[2, 6], [1, 0, 0, 0])


def test_quaternions_become_unit_and_zero_ones_unknown() -> None:
    """Any length is accepted except none."""
    rotations = _motion().rotations.copy()
    rotations[0, 0] = [0, 3, 0, 4]
    rotations[0, 1] = 0
    motion = _motion(rotations=rotations)
    np.testing.assert_allclose(motion.rotations[0, 0], [0, 0.6, 0, 0.8])
    assert not motion.rotation_valid[0, 1]
    np.testing.assert_allclose(np.linalg.norm(motion.rotations, axis=-1), 1)


def test_unknown_joints_hold_no_number() -> None:
    """What stands behind an off flag is dropped, so that it cannot be used by mistake."""
    valid = np.ones((4, JOINT_COUNT), bool)
    valid[:, 3] = False
    assert not _motion(position_valid=valid).positions[:, 3].any()


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"positions": np.zeros((4, 7, 3))}, r"positions has shape \(4, 7, 3\), expected \(4, 61, 3\)"),
        ({"rotations": np.zeros((3, JOINT_COUNT, 4))}, "rotations has shape"),
        ({"position_valid": np.ones(4, bool)}, "position_valid has shape"),
        ({"fps": 0.0}, "fps must be positive"),
        ({"fps": np.nan}, "fps must be positive"),
    ],
)
def test_wrong_shapes_and_rates_are_refused(changes: dict[str, object], message: str) -> None:
    """The message names the array and both shapes."""
    with pytest.raises(ValueError, match=message):
        _motion(**changes)


def test_poses_are_the_frames_with_their_times() -> None:
    """Frame k is stamped k / fps; iterating gives them all; jaw and eyes go along."""
    motion = _motion(jaw=np.array([0.0, 0.1, 0.2, 0.3]), eyes=np.arange(8.0).reshape(4, 2))
    poses = list(motion)
    assert [pose.received_ns for pose in poses] == [0, 20_000_000, 40_000_000, 60_000_000]
    np.testing.assert_array_equal(poses[2].positions, motion.positions[2])
    assert (poses[2].jaw, poses[2].eyes) == (0.2, (4.0, 5.0))
    assert _motion().pose(1).jaw is None


def test_duration_is_from_the_first_to_the_last_frame() -> None:
    """Four frames at 50/s last 60 ms; one frame and none last nothing."""
    assert _motion().duration_s == pytest.approx(0.06)
    assert _motion(1).duration_s == _motion(0).duration_s == 0


def test_frames_picks_by_slice_list_and_mask() -> None:
    """The chosen frames in the chosen order, everything that belongs to them included."""
    motion = _motion(jaw=np.arange(4.0) / 4)
    for selection, expected in (
        (slice(1, 3), [1, 2]),
        ([3, 0], [3, 0]),
        (np.array([True, False, False, True]), [0, 3]),
    ):
        part = motion.frames(selection)
        np.testing.assert_array_equal(part.positions, motion.positions[expected])
        assert part.jaw is not None
        np.testing.assert_array_equal(part.jaw, np.array(expected) / 4)
        assert part.fps == motion.fps


def test_has_asks_whether_most_frames_know() -> None:
    """Known in more than half of the frames, all joints asked for; an empty motion has nothing."""
    valid = np.ones((4, JOINT_COUNT), bool)
    valid[:2, INDEX["head"]] = False
    valid[:1, INDEX["hips"]] = False
    motion = _motion(position_valid=valid)
    assert motion.has("hips")
    assert not motion.has("hips", "head")
    assert not _motion(0).has("hips")
    np.testing.assert_array_equal(motion.position("neck"), motion.positions[:, INDEX["neck"]])
    np.testing.assert_array_equal(motion.rotation("neck"), motion.rotations[:, INDEX["neck"]])
