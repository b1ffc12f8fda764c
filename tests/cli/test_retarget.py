"""`bunraku retarget`: files in, files out, and what it says when something is wrong."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from bunraku.cli.main import main
from bunraku.retarget import retarget
from bunraku.robots import RobotMotion, load_robot
from bunraku.sources import read_motion
from bunraku.sources.bvh import write_bvh


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short BVH file."""
    path = tmp_path_factory.mktemp("clips") / "wave.bvh"
    write_bvh(path, read_motion("synth:wave?seconds=1&fps=30"))
    return path


def test_a_file_becomes_an_npz_of_the_contract(clip: Path, tmp_path: Path) -> None:
    """The keys, shapes and types that other tools rely on."""
    out = tmp_path / "wave.npz"
    assert main(["retarget", str(clip), "--robot", "puppet", "--out", str(out)]) == 0
    with np.load(out, allow_pickle=False) as data:
        assert set(data.files) == {"qpos", "joint_names", "fps", "robot", "root"}
        assert data["qpos"].shape == (31, 7 + len(data["joint_names"]))
        assert float(data["fps"]) == 30
        assert (str(data["robot"]), str(data["root"])) == ("puppet", "free")
    again = RobotMotion.load(out)
    assert np.allclose(np.linalg.norm(again.qpos[:, 3:7], axis=1), 1)


def test_several_formats_and_a_folder(clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder in, a folder out, each format a file; JSON says what was written."""
    words = ["retarget", str(clip.parent), "--robot", "inmoov", "--out", str(tmp_path), "--format", "npz,csv", "--json"]
    assert main(words) == 0
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert [Path(file).suffix for file in result["files"]] == [".npz", ".csv"]
    assert all(Path(file).is_file() for file in result["files"])
    header = (tmp_path / "wave.inmoov.csv").read_text().splitlines()[0]
    assert header.startswith("time_s,") and "elbow" in header


def test_pkl_has_the_layout_of_other_retargeters(clip: Path, tmp_path: Path) -> None:
    """fps, root position, root rotation as xyzw, joints."""
    out = tmp_path / "wave.pkl"
    assert main(["retarget", str(clip), "--out", str(out)]) == 0
    data = pickle.loads(out.read_bytes())
    assert set(data) >= {"fps", "root_pos", "root_rot", "dof_pos"}
    assert data["root_rot"].shape == (31, 4)
    assert np.abs(data["root_rot"][:, 3]).mean() > 0.9, "the person hardly turns: w, at the end, is near one"


def test_jobs_give_the_same_motion(clip: Path, tmp_path: Path) -> None:
    """Two processes write what one does."""
    inputs = [str(clip), "synth:box?seconds=1&fps=30"]
    assert main(["retarget", *inputs, "--out", str(tmp_path / "one")]) == 0
    assert main(["retarget", *inputs, "--out", str(tmp_path / "two"), "--jobs", "2"]) == 0
    for file in sorted((tmp_path / "one").iterdir()):
        ours, theirs = RobotMotion.load(file), RobotMotion.load(tmp_path / "two" / file.name)
        assert np.array_equal(ours.qpos, theirs.qpos)


def test_edits_of_the_persons_motion(clip: Path, tmp_path: Path) -> None:
    """Mirrored under a name of its own, half as fast, at another rate; both processes and one do the same."""
    edits = ["--mirror", "--speed", "0.5", "--fps", "50", "--scale", "1.2"]
    assert main(["retarget", str(clip), *edits, "--out", str(tmp_path / "one")]) == 0
    more = ["synth:box?seconds=1", "--jobs", "2", "--out", str(tmp_path / "two")]
    assert main(["retarget", str(clip), *more, *edits]) == 0
    one, two = (RobotMotion.load(tmp_path / folder / "wave.mirrored.puppet.npz") for folder in ("one", "two"))
    assert (len(one), one.fps) == (101, 50)
    np.testing.assert_array_equal(one.qpos, two.qpos)


def test_modes_bodies_and_bases(clip: Path, tmp_path: Path) -> None:
    """Each option is what `retarget` does with it; two processes do the same."""
    human, robot = read_motion(str(clip)), load_robot("puppet")
    for words, way in ((["--mode", "hands"], {"mode": "hands"}), (["--body", "upper"], {"body": "upper"})):
        out = tmp_path / "one.npz"
        assert main(["retarget", str(clip), "--robot", "puppet", "--out", str(out), *words]) == 0
        np.testing.assert_array_equal(RobotMotion.load(out).qpos, retarget(human, robot, **way).qpos)  # type: ignore[arg-type]
    jobs = ["--robot", "puppet", "--jobs", "2", "--mode", "hands", "--base", "planar", "--out", str(tmp_path)]
    assert main(["retarget", str(clip), "synth:box?seconds=0.5&fps=30", *jobs]) == 0
    rolled = RobotMotion.load(tmp_path / "wave.puppet.npz")
    assert rolled.root == "free" and np.ptp(rolled.qpos[:, 2]) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.bvh"], "nowhere.bvh"),
        (["{clip}", "--robot", "g11"], "Did you mean 'g1'"),
        (["{clip}", "--format", "fbx"], "npz"),
        (["{clip}", "--out", "{tmp}/x.fbx"], ".npz"),
        (["{clip}", "synth:wave", "--out", "{tmp}/x.npz"], "more than one"),
        (["synth:wav"], "wave"),
        (["synth:wave?second=3"], "seconds"),
        (["smoke:signals"], "bvh"),
        (["{clip}", "--jobs", "0"], "at least 1"),
        (["{tmp}"], "no motion file"),
        ([""], "without a name"),
        (["{clip}", "--out", "{clip}/x/y.npz"], "is not a folder"),
        (["{clip}", "--speed", "0"], "speed must be a positive number"),
        (["{clip}", "--fps", "nan"], "fps must be a positive number"),
    ],
)
def test_what_is_wrong_is_one_line(
    words: list[str],
    says: str,
    clip: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 2, one line that names what would be right, and nothing written."""
    monkeypatch.chdir(tmp_path)
    given = [word.format(clip=clip, tmp=tmp_path) for word in words]
    assert main(["retarget", *given]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_bad_file_alone_needs_no_robot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with the only input is said before a robot is loaded; with --json too."""
    bad = tmp_path / "bad.bvh"
    bad.write_bytes(b"")
    monkeypatch.setattr("bunraku.robots.load_robot", None)
    assert main(["retarget", str(bad), "--json"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_a_bad_file_does_not_stop_the_others(clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The good one is written, the bad one is a line, the exit code is 2."""
    bad = tmp_path / "bad.bvh"
    bad.write_bytes(b"\x00\x01 not a motion")
    assert main(["retarget", str(bad), str(clip), "--out", str(tmp_path / "out")]) == 2
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["wave.puppet.npz"]
    assert "bad.bvh" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder(clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Said in one line, nothing left behind."""
    tmp_path.chmod(0o500)
    assert main(["retarget", str(clip), "--out", str(tmp_path / "x.npz")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_a_file_where_a_folder_is_needed(clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--out` below a plain file cannot be made."""
    (tmp_path / "plain").write_text("")
    assert main(["retarget", str(clip), "--out", str(tmp_path / "plain" / "x.npz")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_results_lie_as_deep_as_their_inputs(clip: Path, tmp_path: Path) -> None:
    """Files of one name in several folders keep apart."""
    for folder in ("a", "b/c"):
        (tmp_path / "in" / folder).mkdir(parents=True)
        (tmp_path / "in" / folder / "x.bvh").write_bytes(clip.read_bytes())
    assert main(["retarget", str(tmp_path / "in"), "--robot", "lamp", "--out", str(tmp_path / "out")]) == 0
    written = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.npz"))
    assert written == ["a/x.lamp.npz", "b/c/x.lamp.npz"]


def test_results_never_take_each_others_place(clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two inputs whose results would have one name are refused, and nothing is written."""
    (tmp_path / "other").mkdir()
    again = tmp_path / "other" / clip.name
    again.write_bytes(clip.read_bytes())
    for inputs in ([str(clip), str(again)], [str(clip), f"bvh:{again}?up=y"], ["synth:wave", "synth:wave?seconds=1"]):
        assert main(["retarget", *inputs, "--out", str(tmp_path / "out")]) == 2
        assert "one name" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_robots_name_leads_nowhere(clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a robot file calls itself is part of a file's name, not a way out of the folder."""
    monkeypatch.chdir(tmp_path)
    robot = tmp_path / "r.xml"
    robot.write_text(
        '<mujoco model="x/../../../out"><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    assert main(["retarget", str(clip), "--robot", str(robot), "--out", str(tmp_path / "a" / "b")]) == 0
    assert [file.name for file in (tmp_path / "a" / "b").iterdir()] == ["wave.x-..-..-..-out.npz"]


def test_a_robot_like_no_person_is_said(clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A turntable is retargeted to, but not silently."""
    robot = tmp_path / "turntable.urdf"
    robot.write_text(
        '<robot name="turntable"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    assert main(["retarget", str(clip), "--robot", str(robot), "--out", str(tmp_path / "x.npz")]) == 0
    assert "turntable: nothing that is like a part of a person" in capsys.readouterr().err
