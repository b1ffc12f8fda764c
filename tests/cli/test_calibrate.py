"""`bunraku calibrate` and what `retarget` makes of its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bunraku.cli.main import main
from bunraku.human import Body, Calibration
from bunraku.session.operator_file import read_calibration, write_calibration


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_three_poses_make_a_file(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It holds a short person's lengths, and reads back the same."""
    file = tmp_path / f"me.{ending}"
    sources = [word for pose in ("t-pose", "arms-down") for word in ("--source", f"synth:{pose}?height=1.5")]
    assert main(["calibrate", *sources, "--poses", "t-pose,arms-down", "--out", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["height_m"] == pytest.approx(1.5, abs=1e-4)
    found = read_calibration(file)
    assert found.height == pytest.approx(1.5, abs=1e-4)
    assert set(found.reach) == {"sideways", "down"}
    assert "synth" in found.offsets


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--poses", "t-pose,t-pose"], "each pose once"),
        (["--poses", "t-pose,arms-down,arms-forward"], "do not hold 3 poses"),
        (["--poses", "arms-down"], "left arm points 90°"),
        (["--poses", "crouch"], "arms-forward"),
        (["--source", "synth:t-pose", "--poses", "arms-down"], "2 sources for 1 poses"),
    ],
)
def test_what_is_no_calibration_is_refused(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, and no file is left."""
    file = tmp_path / "me.yaml"
    assert main(["calibrate", "--source", "synth:t-pose", *words, "--out", str(file)]) == 2
    assert says in capsys.readouterr().err
    assert not file.exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [("a: [", "neither YAML"), ("[1, 2]", "mapping"), ("lengths_m: {spine: far}", "lengths_m"), ("", "mapping")],
)
def test_a_broken_file_is_refused(text: str, says: str, tmp_path: Path) -> None:
    """Whatever stands in it, before any work."""
    file = tmp_path / "me.yaml"
    file.write_text(text)
    from bunraku.errors import InputError

    with pytest.raises(InputError, match=says):
        read_calibration(file)


def test_the_file_is_checked_before_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`retarget --calibration` with a file that is not there, or of another kind."""
    for name in ("none.yaml", "me.txt"):
        words = ["retarget", "synth:wave", "--calibration", str(tmp_path / name), "--out", str(tmp_path / "w.npz")]
        assert main(words) == 2
        assert name.rpartition(".")[2] in capsys.readouterr().err


def test_retargets_with_it(tmp_path: Path) -> None:
    """A whole person's motion goes through unharmed."""
    file = write_calibration(tmp_path / "me.yaml", Calibration.average(Body.scaled(1.6).height))
    words = ["retarget", "synth:wave?seconds=0.2", "--robot", "pepper", "--mapper", "hirschmanner"]
    assert main([*words, "--calibration", str(file), "--out", str(tmp_path / "w.npz")]) == 0
