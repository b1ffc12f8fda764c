"""The smaller verbs: robots, sources, evaluate, doctor, demo, bench."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bunraku.cli import bench
from bunraku.cli.main import main


def as_json(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, object]:
    """Run with --json: stdout is one object and nothing else."""
    assert main([*words, "--json"]) == code
    value = json.loads(capsys.readouterr().out)
    assert isinstance(value, dict)
    return value


def test_robots_list(capsys: pytest.CaptureFixture[str]) -> None:
    """The built-in ones are there, with a word on each."""
    robots = {row["name"]: row for row in as_json(["robots"], capsys)["robots"]}  # type: ignore[attr-defined]
    assert {"puppet", "inmoov", "lamp", "g1", "romeo", "talos", "icub", "centauro"} <= set(robots)
    assert all(robots[name]["installed"] and robots[name]["description"] for name in ("puppet", "inmoov", "lamp"))
    assert main(["robots"]) == 0
    assert "puppet" in capsys.readouterr().out


def test_robots_show_and_check(capsys: pytest.CaptureFixture[str]) -> None:
    """Joints with their parts, and the reasons for what was recognised."""
    shown = as_json(["robots", "show", "inmoov"], capsys)
    assert len(shown["joints"]) == 53  # type: ignore[arg-type]
    assert main(["robots", "show", "lamp"]) == 0
    assert "joint_1" in capsys.readouterr().out
    assert main(["robots", "check", "inmoov"]) == 0
    told = capsys.readouterr().out
    assert "no counterpart on this robot: left_thigh" in told
    assert "elbow" in told


def test_robots_needs_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    """`show` without a robot says how it is meant."""
    assert main(["robots", "show"]) == 2
    assert "bunraku robots show g1" in capsys.readouterr().err


def test_sources(capsys: pytest.CaptureFixture[str]) -> None:
    """Every kind has an example; one recording can be described."""
    kinds = as_json(["sources"], capsys)["sources"]
    assert {kind["scheme"] for kind in kinds} >= {"bvh", "synth"}  # type: ignore[union-attr, index]
    shown = as_json(["sources", "show", "synth:walk?seconds=1&fps=30"], capsys)
    assert shown["frames"] == 31
    assert main(["sources"]) == 0
    assert main(["sources", "show", "synth:t-pose"]) == 0
    assert main(["sources", "show"]) == 2
    capsys.readouterr()


def test_evaluate_reads_the_robot_from_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole round: generate, retarget, evaluate, as a table and as JSON."""
    out = str(tmp_path / "w.npz")
    assert main(["retarget", "synth:walk?seconds=2&fps=30", "--out", out]) == 0
    capsys.readouterr()
    metrics = as_json(["evaluate", "synth:walk?seconds=2&fps=30", out], capsys)["metrics"]
    assert metrics["limb_deg_world"]["value"] < 2  # type: ignore[index]
    assert main(["evaluate", "synth:walk?seconds=2&fps=30", out]) == 0
    assert "limb_deg_world" in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 half a zip", b"not a zip at all"])
def test_evaluate_refuses_what_is_no_motion(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Empty, truncated and foreign files are one line."""
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    assert main(["evaluate", "synth:walk?seconds=1", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    """What is always needed is there, or this test could not run."""
    findings = {row["what"]: row for row in as_json(["doctor"], capsys)["findings"]}  # type: ignore[attr-defined]
    assert findings["numpy"]["ok"] and findings["mujoco"]["ok"]
    assert main(["doctor"]) == 0
    assert "numba" in capsys.readouterr().out


def test_demo_without_a_display_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line that names --headless."""
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert main(["demo"]) == 2
    assert "--headless" in capsys.readouterr().err


def test_demo_headless_writes_motion_and_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A short demo on the smallest robot: summary as JSON, motion file whole."""
    shown = as_json(
        ["demo", "--headless", "--robot", "lamp", "--motion", "reach", "--seconds", "1", "--out", str(tmp_path)], capsys
    )
    assert (tmp_path / "reach.lamp.npz").is_file()
    assert str(tmp_path / "reach.lamp.npz") in shown["files"]  # type: ignore[operator]
    assert shown["summary"]["frames"] > 30  # type: ignore[index]


@pytest.mark.parametrize("words", [["--seconds", "0"], ["--seconds", "nan"], ["--motion", "wav"], ["--robot", "pupet"]])
def test_demo_refuses_nonsense(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Lengths and names that cannot be."""
    assert main(["demo", "--headless", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_bench_shape(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures have the keys of the contract; a missed target is exit code 1."""
    from bunraku.cli.bench import FOLDER

    if not FOLDER.is_dir():
        pytest.skip("the benchmarks are part of the repository")
    figures = main(["bench", "cli", "--json"])
    rows = json.loads(capsys.readouterr().out)["figures"]
    assert {row["id"] for row in rows} == {"cli.import", "cli.help"}
    assert all(set(row) == {"id", "value", "unit", "target", "ok", "how"} for row in rows)
    assert figures == (0 if all(row["ok"] for row in rows) else 1)
    assert main(["bench", "weather"]) == 2
    assert "cli" in capsys.readouterr().err
    assert main(["bench", "quality", "--data", "no-such-folder"]) == 2
    assert "no-such-folder" in capsys.readouterr().err
    monkeypatch.setattr(bench, "FOLDER", Path("nowhere"))
    assert main(["bench"]) == 2
