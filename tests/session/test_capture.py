"""Some seconds of a live source."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bunraku.cli.main import main
from bunraku.errors import InputError
from bunraku.session.capture import RATE_HZ, capture
from bunraku.sources.axis_neuron_fake import SuitFake
from bunraku.sources.live import open_source
from bunraku.sources.played import PlayedSource
from bunraku.sources.source import read_motion


class Clock:
    """Moves on by a millisecond whenever it is looked at."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        self.now += 1_000_000
        return self.now


def test_what_a_source_shows_is_captured() -> None:
    """As many frames as the time holds, each the newest then."""
    motion, clock = read_motion("synth:wave?seconds=5"), Clock()
    source = PlayedSource(motion, loop="yes")
    source.open(0)
    seen = capture(source, 1.0, "wave", clock_ns=clock)
    assert (len(seen), seen.fps) == (RATE_HZ, RATE_HZ)
    assert np.abs(np.diff(seen.position("right_hand"), axis=0)).max() > 0
    assert np.abs(seen.positions[0] - motion.positions[:30]).max(axis=(1, 2)).min() < 1e-9


def test_a_source_that_shows_nothing_says_why() -> None:
    """And one that falls silent on the way."""
    source = open_source("axis-neuron://127.0.0.1:9")
    source.open(0)
    with pytest.raises(InputError, match="nothing answers"):
        capture(source, 1.0, "t-pose", patience_s=0.2, clock_ns=Clock())
    source.close()
    short = PlayedSource(read_motion("synth:wave?seconds=1"), loop="no")
    short.open(0)
    with pytest.raises(InputError, match="fell silent"):
        capture(short, 5.0, "wave", clock_ns=Clock())


def test_a_live_suit_is_calibrated_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the wire to the file: the person in the suit is as tall as the suit's program says."""
    import bunraku.session.capture as module

    device = SuitFake(read_motion("synth:t-pose?seconds=1&fps=60"), "127.0.0.1", 0, {})
    uri, frame = device.open(), [0]
    real = module.select.select

    def sending(*args: object) -> object:
        device.receive()
        device.send(frame[0])
        frame[0] += 1
        return real(*args)

    monkeypatch.setattr(module.select, "select", sending)
    out = tmp_path / "me.json"
    try:
        assert main(["calibrate", "--source", uri, "--poses", "t-pose", "--wait", "0.1", "--out", str(out)]) == 0
    finally:
        device.close()
    assert json.loads(out.read_text())["reach_m"]["sideways"] == pytest.approx(0.525, abs=0.01)


@pytest.mark.parametrize(
    "words",
    [["--poses", "headstand"], ["--wait", "99"], ["--poses", "t-pose,t-pose"], ["--source", "synth:t-pose"]],
)
def test_wrong_words_are_refused(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit code 2, no file."""
    out = tmp_path / "me.yaml"
    assert main(["calibrate", "--source", "axis-neuron://127.0.0.1:9", "--out", str(out), *words]) == 2
    assert len([line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]) == 1
    assert not out.exists()
