"""A folder with what was found: `index.html`, `papers.md`, and a PNG for each figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from bunraku.experiments.catalog import TITLES
from bunraku.experiments.findings import Findings, Row, Table, Value
from bunraku.experiments.plot import draw
from bunraku.files import whole_file

_STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}td,th{border-bottom:1px solid #ddd;padding:.3rem .6rem;text-align:left;
vertical-align:top}td.how{color:#666;font-size:13px}.ok{color:#17713a}.no{color:#a8201a;font-weight:600}
img{max-width:100%}figcaption{color:#555;font-size:14px}figure{margin:1.5rem 0}"""
HEADER = ("quantity", "paper", "ours", "unit", "verdict", "how")


def shown(value: Value) -> str:
    """A value as the table prints it."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.4g}"


def verdict(row: Row) -> str:
    """In one word."""
    return "ok" if row.ok else "short"


def write_report(folder: Path, found: Mapping[str, Sequence[Findings]], seed: int) -> list[Path]:
    """Everything into `folder`; the files written."""
    written = []
    for paper, several in found.items():
        for figure in (figure for findings in several for figure in findings.figures):
            written.append(draw(figure, folder / f"{paper.lower()}_{figure.name}.png"))
    for name, text in (("index.html", _html(found, seed)), ("papers.md", markdown(found, seed))):
        with whole_file(folder / name) as part:
            part.write_text(text, encoding="utf-8")
        written.append(folder / name)
    return written


def _html(found: Mapping[str, Sequence[Findings]], seed: int) -> str:
    body = [f"<h1>The papers' experiments</h1><p>bunraku reproduce --seed {seed}</p>"]
    for paper, several in found.items():
        body.append(f"<h2>{paper}: {escape(TITLES[paper])}</h2>")
        rows = [row for findings in several for row in findings.rows]
        body.append("<table><tr>" + "".join(f"<th>{name}</th>" for name in HEADER) + "</tr>")
        for row in rows:
            cells = (row.quantity, shown(row.theirs), shown(row.ours), row.unit)
            mark = f'<td class="{"ok" if row.ok else "no"}">{verdict(row)}</td>'
            body.append("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + mark)
            body.append(f'<td class="how">{escape(row.how)}</td></tr>')
        body.append("</table>")
        notes = [note for findings in several for note in findings.notes]
        body += [f"<p>{escape(note)}</p>" for note in dict.fromkeys(notes)]
        body += [_html_table(table) for findings in several for table in findings.tables]
        for figure in (figure for findings in several for figure in findings.figures):
            name = f"{paper.lower()}_{figure.name}.png"
            body.append(f'<figure><img src="{name}" alt=""><figcaption>{escape(figure.caption)}</figcaption></figure>')
    page = "\n".join(body)
    return f'<!doctype html><meta charset="utf-8"><title>papers</title><style>{_STYLE}</style>\n{page}\n'


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f"<p>{escape(table.caption)}</p><table><tr>{head}</tr>{rows}</table>"


def markdown(found: Mapping[str, Sequence[Findings]], seed: int) -> str:
    """The same tables for `docs/papers.md`."""
    out = ["# The papers, theirs beside ours", ""]
    out += [f"Printed by `bunraku reproduce --report DIR --seed {seed}`; every number comes from that run.", ""]
    for paper, several in found.items():
        out += [f"## {paper}: {TITLES[paper]}", ""]
        out += _markdown_table(HEADER, [
            (r.quantity, shown(r.theirs), shown(r.ours), r.unit, verdict(r), r.how)
            for findings in several for r in findings.rows
        ])  # fmt: skip
        out += [f"- {note}" for note in dict.fromkeys(note for findings in several for note in findings.notes)]
        out.append("")
        for table in (table for findings in several for table in findings.tables):
            out += [table.caption, "", *_markdown_table(table.header, table.rows)]
    return "\n".join(out).rstrip() + "\n"


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in (header, *rows)]
    return [lines[0], "|" + "---|" * len(header), *lines[1:], ""]
