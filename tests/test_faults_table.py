"""The table of faults says what is true: every row is there, and every test that it names."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
TABLE = TESTS.parent / "docs" / "faults.md"
ROWS = 72


def rows() -> dict[int, list[str]]:
    """Number → cells."""
    found = {}
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            found[int(cells[0])] = cells
    return found


def test_every_row_is_there() -> None:
    """All of the catalogue, each with a fault and an answer."""
    table = rows()
    assert sorted(table) == list(range(1, ROWS + 1))
    assert all(len(cells) == 4 and cells[1] and cells[2] for cells in table.values())


def test_every_row_has_a_test_or_a_reason() -> None:
    """Where no test is named, the row says why not."""
    for number, cells in rows().items():
        named = re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", " ".join(cells))
        assert named or "not here: " in cells[2] or "not here: " in cells[3], number


def test_every_test_that_is_named_exists() -> None:
    """As a file, and a function in it."""
    for number, cells in rows().items():
        for file, function in re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", " ".join(cells)):
            path = TESTS / file
            assert path.is_file(), (number, file)
            assert not function or re.search(rf"^def {function}\(", path.read_text(), re.M), (number, file, function)
