"""MediaPipe's arrays to landmarks: real recordings, and anything at all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.bone_lengths import spread
from bunraku.sources.camera_person import motion_of
from bunraku.sources.landmarks import HANDS, ROW
from bunraku.sources.mediapipe_landmarks import POSE_POINTS, hands_by_side, picture_landmarks, world_landmarks
from shared import data, need

ABOVE = {"forearm": "upper_arm", "hand": "forearm", "shin": "thigh", "foot": "shin"}


def recording(path: Path) -> tuple[HumanMotion, list[dict]]:
    """A dump's person, and its rows."""
    header, *rows = (json.loads(line) for line in path.read_text().splitlines())
    size = np.array([header["width"], header["height"], header["width"]])
    frames = []
    for row in rows:
        hands = {s: None if row[f"{s}_hand"] is None else np.array(row[f"{s}_hand"]) * size for s in SIDES}
        frames.append(world_landmarks(row["pose"], row["pose_world"], hands))
    return motion_of(frames, "guessed", fps=header["fps"], name=path.stem), rows


@pytest.mark.parametrize("path", data("mediapipe/*.jsonl") or [None], ids=lambda p: p.stem if p else "none")
def test_real_recordings_are_people(path: Path | None) -> None:
    """Bones are constant and as long as a person's, elbows and knees bend as a person's do, the head faces the
    camera within what the film shows."""
    need([path] if path else [])
    assert path is not None
    motion, rows = recording(path)
    assert len(motion) == len(rows)
    assert np.nanmax(spread(motion.positions, motion.position_valid)) < 1e-9
    bounds = {"forearm": (0.18, 0.36), "hand": (0.18, 0.32), "shin": (0.30, 0.50), "foot": (0.30, 0.50)}
    for joint, (least, most) in bounds.items():
        for side in SIDES:
            end, parent = f"{side}_{joint}", ABOVE[joint]
            both = motion.position_valid[:, INDEX[end]] & motion.position_valid[:, INDEX[f"{side}_{parent}"]]
            if both.any():
                bone = motion.position(end)[both] - motion.position(f"{side}_{parent}")[both]
                assert least < np.linalg.norm(bone, axis=1).mean() < most, end
    head = motion.rotation("head")[motion.rotation_valid[:, INDEX["head"]]]
    assert len(head) > 0.9 * len(motion)
    assert (rot.rotate(head, [1.0, 0.0, 0.0])[:, 0] > 0).mean() > 0.95
    # One of the cameras looks down and leans.
    assert (rot.rotate(head, [0.0, 0.0, 1.0])[:, 2] > 0.3).all()


def test_knees_and_elbows_of_the_real_walker() -> None:
    """No knee bends forward by more than noise, no limb is folded into itself."""
    path = need(data("mediapipe/p2s*.jsonl"))[0]
    motion, _ = recording(path)
    for side in SIDES:
        thigh, shin, foot, toe = (motion.position(f"{side}_{part}") for part in ("thigh", "shin", "foot", "toe"))
        upper, lower = shin - thigh, foot - shin
        cosine = np.sum(upper * lower, 1) / np.linalg.norm(upper, axis=1) / np.linalg.norm(lower, axis=1)
        assert np.degrees(np.arccos(np.clip(cosine, -1, 1))).max() < 160
        ahead = toe - foot
        forward = np.sum((shin - (thigh + foot) / 2) * ahead, axis=1) / np.linalg.norm(ahead, axis=1)
        assert (forward > -0.03).mean() > 0.9


def test_left_is_left() -> None:
    """The odd points are the person's left: to the right of the picture, and y in our world."""
    pose = np.zeros((POSE_POINTS, 4))
    pose[:, 3] = 1.0
    pose[11, :3], pose[12, :3] = [0.2, -0.5, 0.0], [-0.2, -0.5, -0.1]
    points, known = world_landmarks(pose, pose, {})
    assert known[ROW["left_shoulder"]]
    np.testing.assert_allclose(points[ROW["left_shoulder"]], [0.0, 0.2, 0.5], atol=1e-12)
    np.testing.assert_allclose(points[ROW["right_shoulder"]], [0.1, -0.2, 0.5], atol=1e-12)


def test_visibility_decides() -> None:
    """Points that MediaPipe only guesses, and those outside the picture, are not known."""
    pose = np.full((POSE_POINTS, 4), 0.5)
    pose[:, 3] = 1.0
    pose[13, 3], pose[14, 0] = 0.1, 1.2
    seen = picture_landmarks(pose, {}, 640, 480)
    assert not seen.known[[ROW["left_elbow"], ROW["right_elbow"]]].any()
    assert seen.known[ROW["left_wrist"]]
    np.testing.assert_allclose(seen.points[ROW["left_wrist"]], [320, 240])


def test_hands_go_to_the_nearest_wrist() -> None:
    """Whatever the label; a hand far from both wrists is nobody's; two hands at one wrist are one."""
    pose = np.zeros((POSE_POINTS, 4))
    pose[15, :2], pose[16, :2] = [0.8, 0.5], [0.2, 0.5]
    hand = np.zeros((21, 3))
    left, right, far = hand + [0.78, 0.5, 0], hand + [0.22, 0.52, 0], hand + [0.5, 0.9, 0]
    assert {side: p[0, 0] for side, p in hands_by_side([right, left, far], pose).items()} == {
        "left": 0.78,
        "right": 0.22,
    }
    assert list(hands_by_side([left, left + 0.01], pose)) == ["left"]
    assert hands_by_side([left], None) == {}


def test_a_hand_is_put_onto_the_wrist_at_the_persons_size() -> None:
    """Its first point is the wrist, its palm a person's, whatever unit it came in."""
    pose = np.zeros((POSE_POINTS, 4))
    pose[:, 3] = 1.0
    pose[13, :3], pose[15, :3] = [0.2, 0.0, 0.0], [0.2, -0.26, 0.0]
    hand = np.random.default_rng(0).normal(size=(21, 3))
    for unit in (1.0, 0.001, 500.0):
        points, known = world_landmarks(None, pose, {"left": hand * unit})
        assert known[HANDS["left"]].all() and not known[HANDS["right"]].any()
        np.testing.assert_allclose(points[ROW["left_hand_0"]], points[ROW["left_wrist"]])
        palm = np.linalg.norm(points[ROW["left_hand_9"]] - points[ROW["left_hand_0"]])
        assert palm == pytest.approx(0.092, abs=0.002)


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3), lambda x: st.lists(x, max_size=34), max_leaves=80
)


@given(anything, anything, anything)
def test_anything_gives_landmarks(pose: object, world: object, hand: object) -> None:
    """What is no array of the right shape is nothing seen."""
    points, known = world_landmarks(pose, world, {"left": hand})  # type: ignore[dict-item, arg-type]
    assert np.isfinite(points[known]).all()
    assert not picture_landmarks(pose, {"right": hand}, 640, 480).known.any()  # type: ignore[dict-item, arg-type]
