"""What names tell about sides and parts."""

from __future__ import annotations

import pytest

from bunraku.robots.names import mentions, plain, side_of, votes, words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("left_shoulder_pitch_joint", ["left", "shoulder", "pitch", "joint"]),
        ("LShoulderPitch", ["l", "shoulder", "pitch"]),
        ("arm_right_4_joint", ["arm", "right", "4", "joint"]),
        ("leftElbow", ["left", "elbow"]),
        ("l_hip-yaw.2", ["l", "hip", "yaw", "2"]),
        ("RKNEE", ["r", "knee"]),
        ("leftknee", ["left", "knee"]),
        ("lfemurrz", ["l", "femur"]),
        ("rhumerusrx", ["r", "humerus"]),
        ("hip_z", ["hip", "z"]),
    ],
)
def test_words_of_common_styles(name: str, expected: list[str]) -> None:
    """Snake, camel, dashed, glued and capital names come apart into the same words."""
    assert words(name) == expected


@pytest.mark.parametrize(
    ("names", "side"),
    [
        (["left_elbow", "left_forearm_link"], "left"),
        (["RElbowYaw"], "right"),
        (["torso"], None),
        (["left_right_link"], None),
        (["leg_link"], None),
        (["codo_izq", "hombro_izq", "der"], "left"),
        (["l_knee", "left_shin", "right_bolt"], "left"),
    ],
)
def test_side_is_what_most_names_say(names: list[str], side: str | None) -> None:
    """One side wins by votes; none, or a tie, is no answer. An l within a word is no side."""
    assert side_of(names) == side


def test_parts_are_words_not_letters() -> None:
    """ "forearm" speaks of arms, "charming" does not."""
    assert mentions(["left_forearm"], "arm")
    assert not mentions(["charming_link"], "arm")
    assert votes(["hip_1", "knee", "torso"], "leg") == 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("g1_29dof (v2.1)", "g1_29dof-(v2.1)"),
        ("../../etc/evil", "etc-evil"),
        ("a\nb\\c\0d", "a-b-c-d"),
        ("文楽", "文楽"),
        (" / ", "robot"),
        ("x" * 300, "x" * 80),
    ],
)
def test_plain_names_can_be_part_of_a_files_name(name: str, expected: str) -> None:
    """No separators, line ends or spaces, no leading dots; never empty, never endless."""
    assert plain(name) == expected
