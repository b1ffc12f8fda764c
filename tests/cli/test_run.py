"""`bunraku run` and `bunraku outputs`, as a person and as a program use them."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bunraku.cli.main import main

PATIENCE_S = 120.0
PROGRAM = [sys.executable, "-m", "bunraku.cli.main", "run", "--rate", "50", "--robot", "lamp"]


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, *words: str) -> None:
        pid, self.fd = pty.fork()
        if pid == 0:
            os.execv(sys.executable, [*PROGRAM, *words])
        self.pid, self.text = pid, ""

    def read(self, seconds: float) -> None:
        """What is shown within so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    return
                if not data:
                    return
                self.text += data.decode(errors="replace")

    def until(self, pattern: str) -> None:
        """It must be shown."""
        deadline = time.monotonic() + PATIENCE_S
        while not re.search(pattern, self.text):
            assert time.monotonic() < deadline, f"{pattern} never came: {self.text[-2000:]}"
            self.read(0.1)

    def press(self, keys: str) -> None:
        """Forget what was shown, and press."""
        self.text = ""
        os.write(self.fd, keys.encode())

    def end(self) -> int:
        """Its exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self.read(0.1)
            pid, code = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(code)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError(f"it never ended: {self.text[-2000:]}")


def test_keys_on_a_terminal() -> None:
    """Nothing moves before a key; arm, engage, stop and release do what they say; q leaves with the robot released."""
    terminal = Terminal("--source", "synth:conduct", "--output", "null:")
    terminal.until("STANDBY")
    assert "space stop" in terminal.text
    terminal.press("a")
    terminal.until("ARMED")
    terminal.press("e")
    terminal.until("(ACTIVE|DEGRADED)")
    terminal.press(" ")
    terminal.until("HOLD")
    assert "why" in terminal.text
    terminal.press("r")
    terminal.until("RELEASING|STANDBY")
    terminal.press("q")
    assert terminal.end() == 0
    assert "p99" in terminal.text and "the operator" in terminal.text


def test_ctrl_c_releases_and_puts_the_terminal_back() -> None:
    """Ctrl-C is a way to leave: the summary says that the robot was released."""
    terminal = Terminal("--source", "synth:conduct", "--output", "null:", "--arm")
    terminal.until("(ACTIVE|DEGRADED)")
    terminal.press("\x03")
    assert terminal.end() == 130
    assert re.search("→ standby", terminal.text)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it_well(number: signal.Signals, tmp_path: Path) -> None:
    """The commands' file is whole, the last command has no authority left."""
    path = tmp_path / "c.csv"
    process = subprocess.Popen(
        [*PROGRAM, "--source", "synth:conduct", "--output", f"csv:{path}", "--arm", "--json"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "active" in line or "degraded" in line:
            break
    process.send_signal(number)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert json.loads(out)["state"] == "standby"
    rows = path.read_text().splitlines()
    assert float(rows[-1].split(",")[1]) < 0.05
    assert len({row.count(",") for row in rows}) == 1


def test_a_summary_for_programs(tmp_path: Path) -> None:
    """One JSON object on stdout with all that the contract names; the recording reads again as motion."""
    path = tmp_path / "s.braw"
    words = ["--source", "synth:conduct?fps=50", "--output", "null:", "--record", str(path), "--seconds", "5", "--json"]
    done = subprocess.run([*PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout)
    assert {"frames", "lost", "stages_ms", "changes", "limits_hit", "similarity", "sources"} <= set(summary)
    assert {"p50", "p99"} <= set(summary["stages_ms"]["receive"])
    assert summary["frames"] > 50
    assert main(["sources", "show", f"replay:{path}"]) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "--source"),
        (["--source", "synth:wave"], "--arm"),
        (["--source", "nothing:", "--arm"], "nothing:"),
        (["--source", "synth:wave", "--output", "robot:", "--arm"], "sim:"),
        (["--source", "synth:wave", "--rate", "20", "--arm"], "50"),
        (["--source", "synth:wave", "--engage", "now", "--arm"], "meet"),
        (["--source", "synth:wave", "--seconds", "-1"], "seconds"),
        (["--source", "synth:wave", "--arm", "--smooth", "0"], "cutoff"),
        (["--source", "synth:wave", "--arm", "--ahead", "nan"], "ahead"),
        (["--source", "synth:wave", "--record", "/proc/none/x", "--arm"], "cannot write"),
    ],
)
def test_refusals(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, before anything begins."""
    monkeypatch.setattr("bunraku.cli.run.keyboard_there", lambda: False)
    assert main(["run", "--robot", "lamp", *words]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_no_stop_key_no_real_robot(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What moves in the world is not run without keys, nor armed by itself."""
    monkeypatch.setattr("bunraku.outputs.output.is_simulated", lambda _: False)
    monkeypatch.setattr("bunraku.session.live.is_simulated", lambda _: False)
    for there, words in ((False, []), (True, ["--arm"])):
        monkeypatch.setattr("bunraku.cli.run.keyboard_there", lambda there=there: there)
        assert main(["run", "--robot", "lamp", "--source", "synth:wave", "--output", "null:", *words]) == 2
        assert "key" in capsys.readouterr().err


def test_outputs(capsys: pytest.CaptureFixture[str]) -> None:
    """What there is, for people and for programs."""
    assert main(["outputs", "--json"]) == 0
    kinds = json.loads(capsys.readouterr().out)["outputs"]
    assert {"sim", "null", "csv"} <= {kind["scheme"] for kind in kinds}
    assert main(["outputs"]) == 0
    assert "faulty+" in capsys.readouterr().out
