"""The program as a whole: help, unknown words, one line for known errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bunraku.cli import main as program
from bunraku.cli.main import VERBS, main
from bunraku.errors import BunrakuError


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    """`bunraku` alone shows what it can do."""
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(verb in shown for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each verb's help ends well and shows how it is called."""
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert stop.value.code == 0
    assert f"bunraku {verb}" in capsys.readouterr().out.split("example", 1)[1]


@pytest.mark.parametrize("words", [["dance"], ["--frobnicate"], ["retarget"], ["evaluate", "one"]])
def test_wrong_words_exit_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Unknown verbs, unknown options and missing arguments."""
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert capsys.readouterr().err


def test_a_known_error_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Line breaks are folded; the exit code is 2."""

    def fail(arguments: list[str]) -> int:
        raise BunrakuError("first\nsecond")

    monkeypatch.setattr(program, "_run", fail)
    assert main(["demo"]) == 2
    assert capsys.readouterr().err == "bunraku: first second\n"


def test_an_unknown_error_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw is not hidden."""

    def fail(arguments: list[str]) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(program, "_run", fail)
    with pytest.raises(ZeroDivisionError):
        main(["demo"])


def test_ctrl_c_is_no_traceback(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who stops the program is told that nothing is broken."""

    def stop(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "_run", stop)
    assert main(["demo"]) == 130
    assert "whole" in capsys.readouterr().err


def test_to_be_told_to_end_is_ctrl_c() -> None:
    """SIGTERM, as `timeout` and service managers send it, ends the program in the same orderly way."""
    code = (
        "import os, signal, sys, bunraku.cli.main as m\n"
        "m._run = lambda words: os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.exit(m.main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "bunraku: stopped; finished files are whole\n")


def test_importing_is_light() -> None:
    """`import bunraku` and the help load neither numpy nor anything heavier."""
    heavy = "[x for x in ('numpy', 'numba', 'mujoco') if x in sys.modules]"
    code = f"import sys, bunraku, bunraku.cli.main as m; m.main([]); print({heavy})"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.splitlines()[-1] == "[]"


def run(words: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    return subprocess.run([sys.executable, "-m", "bunraku.cli.main", *words], text=True, **options)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_one_line() -> None:
    """What cannot be written is said; no traceback."""
    with Path("/dev/full").open("w") as full:
        done = run(["robots", "--json"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith("bunraku: ")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_went_away_is_no_error() -> None:
    """`bunraku robots | head -1` ends well and silently, however little is written."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = run(["sources"], stdout=pipe, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_without_the_characters(tmp_path: Path) -> None:
    """Tables and file names are printed as well as the terminal can."""
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = run(["robots"], env=ascii_only, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "puppet" in done.stdout
    done = run(["retarget", os.fsdecode(os.fsencode(tmp_path) + b"/\xff.bvh")], env=ascii_only, capture_output=True)
    assert done.returncode == 2
    assert "no such file" in done.stderr
