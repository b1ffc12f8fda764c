"""A source on a terminal."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bunraku.cli.main import main
from bunraku.cli.source_view import known_joints, page, summary
from bunraku.cli.stick_figure import stick_figure
from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX, JOINT_COUNT
from bunraku.sources import read_motion
from bunraku.sources.health import Health


def test_a_person_is_drawn_upright() -> None:
    """In a T: arms make the widest line, in the upper half; the person's left is on the right."""
    pose = read_motion("synth:t-pose?seconds=0.1").pose(0)
    lines = stick_figure(pose.positions, pose.position_valid, columns=40, lines=20)
    assert len(lines) == 20
    widths = [sum(c != "\u2800" for c in line) for line in lines]
    assert 0 < int(np.argmax(widths)) < 9
    only = np.zeros(JOINT_COUNT, bool)
    only[[INDEX["hips"], INDEX["left_hand"]]] = True
    drawn = stick_figure(pose.positions, only)
    top = next(line for line in drawn if line)
    assert len(top) > 30


def test_nobody_is_an_empty_picture() -> None:
    """No joint known, one joint known, all in one place: nothing raises."""
    empty = HumanPose.empty()
    assert stick_figure(empty.positions, empty.position_valid) == [""] * 20
    one = np.zeros(JOINT_COUNT, bool)
    one[3] = True
    assert sum(map(bool, stick_figure(empty.positions, one))) == 1
    assert any(stick_figure(empty.positions, np.ones(JOINT_COUNT, bool)))


def test_the_page_says_what_is_wrong() -> None:
    """Figures, groups, reasons."""
    pose = read_motion("synth:wave?seconds=0.1").pose(0)
    health = Health(connected=False, reason="nothing answers", accepted=3, rejected={"junk": 4}, received=7)
    text = "\n".join(page(health, pose))
    assert "nothing answers" in text
    assert "rejected 4 × junk" in text
    assert "left_hand" in text
    assert "nothing yet" in summary(health, None)
    assert known_joints(None) == []


def test_watching_ends_with_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON object on stdout, lines on stderr."""
    assert main(["sources", "watch", "synth:wave", "--seconds", "0.3", "--json"]) == 0
    out = capsys.readouterr()
    report = json.loads(out.out)
    assert report["accepted"] > 5
    assert "left_hand" in report["joints"]
    assert "frames" in out.err


def test_a_source_that_gives_nothing_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and the reason in words."""
    assert main(["sources", "watch", "axis-neuron://127.0.0.1:9", "--seconds", "0.2", "--json"]) == 1
    assert "nothing answers at 127.0.0.1:9" in json.loads(capsys.readouterr().out)["reason"]


@pytest.mark.parametrize("given", [["watch"], ["watch", "nothing://"], ["watch", "synth:wave", "--seconds", "-1"]])
def test_wrong_words_are_refused(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One line that names what would be right."""
    assert main(["sources", *given]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
