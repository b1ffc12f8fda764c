"""The smaller verbs: robots, sources, evaluate, doctor, demo, bench."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import odd_robots as odd
from bunraku.cli import bench
from bunraku.cli.main import main
from bunraku.errors import BunrakuError, GraphicsError, OutputError
from bunraku.robots import RobotMotion
from outputs_pictures import need_graphics
from small_robots import TRUNK, limb_arm, urdf, write


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


def test_robots_check_says_what_is_under_defined(capsys: pytest.CaptureFixture[str]) -> None:
    """Each part with the person's freedoms and the robot's; what neither side has a counterpart for."""
    checked = as_json(["robots", "check", "lamp"], capsys)
    rows = {row["part"]: row for row in checked["definition"]}  # type: ignore[attr-defined]
    assert "left_thigh" in checked["unmatched"] and "jaw" in checked["unmatched"]  # type: ignore[operator]
    assert checked["idle"] == []
    assert (rows["base"]["person"], rows["base"]["robot"], rows["base"]["verdict"]) == (6, 0, "no counterpart")
    assert main(["robots", "check", "inmoov"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split()[:5] == ["left", "elbow", "1", "1", "properly"] for line in lines)
    assert any(line.split()[:5] == ["neck", "3", "3", "properly", "defined"] for line in lines)
    assert any(line.startswith("of the person, no counterpart on this robot:") for line in lines)


def test_robots_check_tries_gestures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A head on a post has no limb in common with a person; a lamp's joint that ends is named."""
    assert main(["robots", "check", str(write(tmp_path, odd.humanoid(below="", above=odd.head()), "post.xml"))]) == 0
    assert "wave: no limb in common" in capsys.readouterr().out
    assert main(["robots", "check", "lamp"]) == 0
    assert "right arm: upper arm" in capsys.readouterr().out


def test_robots_check_writes_a_yaml_that_is_the_robot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is the same robot where a robot is asked for, wherever the program is started; corrections have effect."""
    folder, out = tmp_path / "there", tmp_path / "notes" / "mine.yaml"
    folder.mkdir()
    description = folder / "pal.urdf"
    description.write_text(urdf(TRUNK, limb_arm("left"), limb_arm("right"), name="pal"))
    assert main(["robots", "check", str(description), "--yaml", str(out)]) == 0
    assert f"wrote {out}" in capsys.readouterr().err
    one, two = (as_json(["robots", "check", str(path)], capsys) for path in (description, out))
    assert one == two
    out.write_text(out.read_text().replace("left_elbow_joint: 3.0", "left_elbow_joint: 0.5"))
    changed = {row["name"]: row["velocity"] for row in as_json(["robots", "show", str(out)], capsys)["joints"]}  # type: ignore[attr-defined]
    assert changed["left_elbow_joint"] == 0.5 and changed["right_elbow_joint"] == 3.0
    motion = tmp_path / "wave.npz"
    assert main(["retarget", "synth:wave?seconds=1&fps=30", "--robot", str(out), "--out", str(motion)]) == 0
    assert main(["evaluate", "synth:wave?seconds=1&fps=30", str(motion), "--robot", str(out)]) == 0
    assert "0 " in capsys.readouterr().out


def test_robots_check_of_a_name_writes_the_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A robot that goes by a name is found by it; a correction of a correction is one of the robot."""
    for given, out in (("lamp", tmp_path / "a.yaml"), (str(tmp_path / "a.yaml"), tmp_path / "b.yaml")):
        assert main(["robots", "check", given, "--yaml", str(out)]) == 0
        assert "robot: lamp\n" in out.read_text()
    assert (tmp_path / "a.yaml").read_text() == (tmp_path / "b.yaml").read_text()


def test_robots_check_draws_both_bodies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The picture is named on stderr, and what the robot does differs between its two halves."""
    need_graphics()
    out = tmp_path / "aligned.png"
    assert main(["robots", "check", "lamp", "--picture", str(out)]) == 0
    assert f"wrote {out}" in capsys.readouterr().err
    picture = np.asarray(Image.open(out).convert("RGB"), float)
    half = picture.shape[1] // 2
    assert picture.shape[1] > 2 * picture.shape[0]
    assert np.abs(picture[:, :half] - picture[:, -half:]).max() > 50


def test_robots_needs_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    """`show` without a robot says how it is meant."""
    assert main(["robots", "show"]) == 2
    assert "bunraku robots show g1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["list", "lamp"], "robots show"),
        (["list", "--picture", "x.png"], "robots show"),
        (["list", "--yaml", "x.yaml"], "robots show"),
        (["show", "lamp", "--yaml", "x.yaml"], "--yaml goes with check"),
        (["check", "lamp", "--yaml", "x.json"], ".yaml"),
        (["show", "lamp", "--picture", "x.gif"], ".png"),
        (["show", "lamp", "--picture", "plain/x.png"], "is not a folder"),
    ],
)
def test_robots_refuses_what_it_would_not_do(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, before anything is loaded or drawn; nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("plain").write_text("")
    assert main(["robots", *words]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


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


def test_evaluate_opens_no_robot_file_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A motion of a robot that is not known by name needs --robot, whatever path its file holds."""
    out = tmp_path / "w.npz"
    assert main(["retarget", "synth:wave?seconds=1&fps=30", "--robot", "lamp", "--out", str(out)]) == 0
    motion = RobotMotion.load(out)
    for name, says in (
        ("", "which robot"),
        ("mine", "'mine' is not known by name: give --robot FILE"),
        ("/a.urdf", "by name"),
    ):
        replace(motion, robot=name).save(out)
        assert main(["evaluate", "synth:wave?seconds=1&fps=30", str(out)]) == 2
        assert says in capsys.readouterr().err
    assert main(["evaluate", "synth:wave?seconds=1&fps=30", str(out), "--robot", "lamp"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 half a zip", b"not a zip at all"])
def test_evaluate_refuses_what_is_no_motion(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Empty, truncated and foreign files are one line."""
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    assert main(["evaluate", "synth:walk?seconds=1", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_evaluate_wants_frames_on_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Motions without frames cannot be judged; motions of different lengths are, and it is said."""
    from bunraku.sources import read_motion
    from bunraku.sources.bvh import write_bvh

    motion = tmp_path / "w.npz"
    assert main(["retarget", "synth:reach?seconds=1&fps=30", "--robot", "lamp", "--out", str(motion)]) == 0
    capsys.readouterr()
    assert main(["evaluate", "synth:reach?seconds=3", str(motion)]) == 0
    assert "the person moves for 3.0 s, the robot for 1.0 s" in capsys.readouterr().err
    nobody = write_bvh(tmp_path / "nobody.bvh", read_motion("synth:wave?seconds=1").frames(slice(0, 0)))
    assert main(["evaluate", str(nobody), str(motion)]) == 2
    assert "nobody.bvh: it holds no frames" in capsys.readouterr().err
    whole = RobotMotion.load(motion)
    still = replace(whole, qpos=whole.qpos[:0]).save(tmp_path / "still.npz")
    assert main(["evaluate", "synth:reach", str(still)]) == 2
    assert "still.npz: it holds no frames" in capsys.readouterr().err


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


@pytest.mark.skipif(sys.platform != "linux", reason="displays have names on Linux")
def test_demo_on_a_display_that_is_not_there() -> None:
    """A name left over from another login: one line before the work, and no end within MuJoCo."""
    gone = {**os.environ, "DISPLAY": ":987", "WAYLAND_DISPLAY": ""}
    done = subprocess.run(
        [sys.executable, "-m", "bunraku.cli.main", "demo"], env=gone, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no window can be opened here: bunraku demo --headless" in done.stderr


def test_demo_headless_writes_motion_and_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A short demo on the smallest robot: summary as JSON, motion file whole."""
    shown = as_json(
        ["demo", "--headless", "--robot", "lamp", "--motion", "reach", "--seconds", "1", "--out", str(tmp_path)], capsys
    )
    assert (tmp_path / "reach.lamp.npz").is_file()
    assert str(tmp_path / "reach.lamp.npz") in shown["files"]  # type: ignore[operator]
    assert shown["summary"]["frames"] > 30  # type: ignore[index]


def test_demo_without_graphics_keeps_the_motion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be drawn, what to install is said, and the rest is done; what cannot be written is an error."""
    words = ["demo", "--headless", "--robot", "lamp", "--motion", "reach", "--seconds", "0.5", "--out", str(tmp_path)]

    def fails_with(error: BunrakuError) -> None:
        def fail(*_: object) -> None:
            raise error

        monkeypatch.setattr("bunraku.session.pictures.write_strip", fail)

    fails_with(GraphicsError("apt-get install it"))
    assert main(words) == 0
    assert "no pictures: apt-get install it" in capsys.readouterr().err
    fails_with(OutputError("cannot write it"))
    assert main(words) == 2
    assert "bunraku: cannot write it" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["reach.lamp.npz"]


def test_demo_refuses_before_it_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be, a film without its package or without --headless: one line, and nothing is written."""
    (tmp_path / "plain").write_text("")
    assert main(["demo", "--headless", "--out", str(tmp_path / "plain" / "x")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert main(["demo", "--video"]) == 2
    assert "--headless" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "av", None)
    assert main(["demo", "--headless", "--video", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "bunraku: writing films needs the package 'av': pip install 'bunraku[video]'\n"
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


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
