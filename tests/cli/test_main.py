"""The program as a whole: help, unknown words, one line for known errors."""

from __future__ import annotations

import subprocess
import sys

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


def test_importing_is_light() -> None:
    """`import bunraku` and the help load neither numpy nor anything heavier."""
    heavy = "[x for x in ('numpy', 'numba', 'mujoco') if x in sys.modules]"
    code = f"import sys, bunraku, bunraku.cli.main as m; m.main([]); print({heavy})"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.splitlines()[-1] == "[]"
