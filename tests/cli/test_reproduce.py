"""`bunraku reproduce`: the table, the JSON contract, the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bunraku.cli.main import main
from bunraku.experiments import catalog
from bunraku.experiments.findings import Figure, Findings, Heat, Line, Panel, Row, Table


def findings(seed: int) -> Findings:
    """One row that is met and one that is not, a figure and a table."""
    import numpy as np

    x = np.linspace(0, 1, 5)
    rows = [
        Row(paper="P1", quantity=name, theirs=None, ours=float(seed), unit="mm", ok=ok, how="by | hand")
        for name, ok in (("met", True), ("missed", False))
    ]
    panels = [Panel("lines", "s", "m", [Line(x, x, "a")]), Panel("map", "x", "y", heat=Heat(x, x, np.outer(x, x), "m"))]
    return Findings(
        rows, [Figure("fig", "A figure.", panels)], [Table("t", "A table.", ("a",), (("1",),))], ("A note.",)
    )


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one experiment, that of this file."""
    monkeypatch.setattr(catalog, "PAPERS", {"P1": ("x:findings",)})
    monkeypatch.setattr(catalog, "find", lambda name: findings)


@pytest.mark.usefixtures("small")
def test_rows_as_the_contract_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON object; exit code 1 where a row is missed."""
    assert main(["reproduce", "P1", "--json", "--seed", "4"]) == 1
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [set(row) for row in rows] == [{"paper", "quantity", "theirs", "ours", "unit", "ok", "how"}] * 2
    assert rows[0]["ours"] == 4.0
    assert rows[0]["theirs"] is None


@pytest.mark.usefixtures("small")
def test_the_report_is_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page, a table for the documents, and each figure as a PNG."""
    pytest.importorskip("matplotlib")
    assert main(["reproduce", "--report", str(tmp_path / "out")]) == 1
    assert "short" in capsys.readouterr().out
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"index.html", "papers.md", "p1_fig.png"}
    assert (tmp_path / "out/p1_fig.png").read_bytes().startswith(b"\x89PNG")
    assert "| met | – | 0 | mm | ok | by / hand |" in (tmp_path / "out/papers.md").read_text()
    assert "A note." in (tmp_path / "out/index.html").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [(["P9"], "P1, P2, P3, P4, P5"), (["--jobs", "0"], "at least 1"), (["--seed", "-1"], "--seed -1")],
)
def test_what_is_not_there_is_refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, before any work."""
    assert main(["reproduce", *words]) == 2
    assert says in capsys.readouterr().err
