"""What a headset's page says of head, hands and controllers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.human import HumanPose
from bunraku.human.skeleton import FINGERS, INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.webxr_fake import captured_messages
from bunraku.sources.webxr_frames import XrFrames
from shared import data, need

UNTURNED = [0.0, 0.0, 0.0, 1.0]


def pose_of(message: dict[str, Any]) -> HumanPose:
    """The pose of one message."""
    pose = XrFrames().pose(message, 5)
    assert not isinstance(pose, str), pose
    return pose


def sent(position: list[float], turn: np.ndarray) -> list[float]:
    """A joint as the page sends it: our wxyz turn of the headset's axes to its xyzw."""
    w, x, y, z = turn
    return [*position, -y, z, -x, w]


def test_a_head_looks_where_it_looks() -> None:
    """Ahead is x, up is z; a turn to the left is one about z; the neck is behind and below the eyes."""
    pose = pose_of({"head": [0.1, 1.6, -0.3, *UNTURNED]})
    head = INDEX["head"]
    np.testing.assert_allclose(pose.rotations[head], rot.IDENTITY, atol=1e-12)
    np.testing.assert_allclose(pose.positions[head], [0.3 - 0.10, -0.1, 1.6 - 0.08], atol=1e-12)
    left = rot.from_axis_angle([0.0, 0.0, 1.0], 0.5)
    turned = pose_of({"head": sent([0.0, 1.6, 0.0], left)})
    np.testing.assert_allclose(turned.rotations[head], left, atol=1e-12)
    assert pose.received_ns == 5


@pytest.mark.parametrize("side", SIDES)
def test_a_flat_hand_ahead(side: str) -> None:
    """Joints along -z, backs along y: fingers point ahead, the back faces up, and every finger is straight."""
    joints = [[0.0, 1.0, -0.1 * k, *UNTURNED] for k in range(25)]
    pose = pose_of({side: {"joints": joints}})
    out = 1.0 if side == "left" else -1.0
    for part in ("hand", "index_1", "little_3"):
        joint = INDEX[f"{side}_{part}"]
        assert pose.rotation_valid[joint]
        np.testing.assert_allclose(rot.rotate(pose.rotations[joint], [0, out, 0]), [1, 0, 0], atol=1e-12)
        np.testing.assert_allclose(rot.rotate(pose.rotations[joint], [0, 0, 1]), [0, 0, 1], atol=1e-12)
    assert pose.position_valid.sum() == 21
    # index-finger-phalanx-proximal is the seventh joint, pinky-finger-tip the last one.
    np.testing.assert_allclose(pose.positions[INDEX[f"{side}_index_1"]], [0.6, 0, 1.0])
    np.testing.assert_allclose(pose.positions[INDEX[f"{side}_little_tip"]], [2.4, 0, 1.0])


@pytest.mark.parametrize("side", SIDES)
def test_a_controller_held_upright(side: str) -> None:
    """A rod that points up: knuckles ahead, the back of the hand to the outer side."""
    upright = rot.from_axis_angle([0.0, 1.0, 0.0], -np.pi / 2)  # -z of the headset's axes to the top
    pose = pose_of({side: {"grip": sent([0.0, 1.0, 0.0], upright), "trigger": 1.0, "squeeze": 0.0}})
    wrist, out = INDEX[f"{side}_hand"], 1.0 if side == "left" else -1.0
    np.testing.assert_allclose(rot.rotate(pose.rotations[wrist], [0, out, 0]), [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(rot.rotate(pose.rotations[wrist], [0, 0, 1]), [0, out, 0], atol=1e-9)
    np.testing.assert_allclose(pose.positions[wrist], [-0.08, 0, 1.0], atol=1e-9)
    for finger in FINGERS[1:]:
        bend = rot.angle_between(pose.rotations[wrist], pose.rotations[INDEX[f"{side}_{finger}_1"]])
        assert bend == pytest.approx(1.4 if finger == "index" else 0.0, abs=1e-6)
    tip = rot.rotate(pose.rotations[INDEX[f"{side}_index_1"]], [0, out, 0])
    assert tip @ rot.rotate(pose.rotations[wrist], [0, 0, -1]) > 0.9, "a pulled trigger bends to the palm"


def test_a_tracked_body() -> None:
    """Places of its joints, and the turns that they tell."""
    names = {"hips": [0, 1, 0], "chest": [0, 1.3, 0], "neck": [0, 1.5, 0], "spine-lower": [0, 1.1, 0],
             "left-arm-upper": [-0.2, 1.4, 0], "right-arm-upper": [0.2, 1.4, 0], "left-upper-leg": [-0.1, 0.95, 0],
             "right-upper-leg": [0.1, 0.95, 0], "left-hand-palm": [9, 9, 9]}  # fmt: skip
    pose = pose_of({"body": {name: [*place, *UNTURNED] for name, place in names.items()} | {"head": None}})
    assert pose.position_valid.sum() == len(names) - 1
    for part in ("hips", "chest"):
        assert pose.rotation_valid[INDEX[part]]
        assert np.degrees(rot.angle_between(pose.rotations[INDEX[part]], rot.IDENTITY)) < 5
    np.testing.assert_allclose(pose.positions[INDEX["left_upper_arm"]], [0, 0.2, 1.4])


def test_signs_stay_together() -> None:
    """The same turn, sent with the other sign, is no jump."""
    frames = XrFrames()
    a = frames.pose({"head": [0, 0, 0, 0.1, 0, 0, 0.99]}, 0)
    b = frames.pose({"head": [0, 0, 0, -0.1, 0, 0, -0.99]}, 1)
    assert not isinstance(a, str)
    assert not isinstance(b, str)
    np.testing.assert_allclose(a.rotations, b.rotations)


@pytest.mark.parametrize(
    "message",
    [
        {"head": [0, 0, 0, 0, 0, 0, 0]},
        {"head": [0, 0, 0]},
        {"head": "ahead"},
        {"head": [0, float("nan"), 0, 0, 0, 0, 1]},
        {"head": [0, 1e9, 0, 0, 0, 0, 1]},
        {"left": {"joints": [[0] * 7] * 24}},
        {"left": {"joints": [[0] * 7] * 25}},
        {"left": 3},
        {"right": {"grip": [0] * 7}},
        {"body": {"hips": [1, 2]}},
        {"body": [1]},
        {"t": "now"},
    ],
)
def test_what_is_no_frame_says_why(message: dict[str, Any]) -> None:
    """Nothing raises, and no pose comes of it."""
    assert isinstance(XrFrames().pose(message, 0), str)


ANYTHING = st.recursive(
    st.none() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=8) | st.dictionaries(st.sampled_from(["joints", "grip", "hips", "trigger"]), inner)
    ),
)


@given(st.dictionaries(st.sampled_from(["head", "left", "right", "body", "t", "epoch"]), ANYTHING))
def test_any_message_is_read_or_refused(message: dict[str, Any]) -> None:
    """Nothing raises; poses hold numbers."""
    pose = XrFrames().pose(message, 0)
    if not isinstance(pose, str):
        assert np.isfinite(pose.positions).all()
        assert np.isfinite(pose.rotations).all()


def test_a_real_session() -> None:
    """Twenty seconds of a Quest 3: every frame is read; fingers point where their turns say, to 3°."""
    (path,) = need(data("webxr/iwer_quest3_capture.json"))
    frames, hands, worst = XrFrames(), 0, 0.0
    for message in captured_messages(path):
        pose = frames.pose(message, 0)
        assert not isinstance(pose, str), pose
        for side in SIDES:
            a, b = INDEX[f"{side}_middle_1"], INDEX[f"{side}_middle_2"]
            if pose.position_valid[a]:
                bone = pose.positions[b] - pose.positions[a]
                along = rot.rotate(pose.rotations[a], [0, 1.0 if side == "left" else -1.0, 0])
                worst = max(worst, float(np.degrees(np.arccos(np.clip(bone @ along / np.linalg.norm(bone), -1, 1)))))
                hands += 1
    assert hands > 500
    assert worst < 3.0
