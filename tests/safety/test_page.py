"""The page about safety says what the code does."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "safety.md"


def test_the_tables_are_up_to_date() -> None:
    """Otherwise: python -m tools.safety_page."""
    sys.path.insert(0, str(ROOT))
    try:
        from tools.safety_page import filled
    finally:
        sys.path.remove(str(ROOT))
    assert filled(PAGE.read_text()) == PAGE.read_text()


def test_every_test_that_is_named_exists() -> None:
    """A promise without a test is none."""
    named = re.findall(r"`tests/([\w/]+\.py)::(\w+)`", PAGE.read_text())
    assert len(named) > 20
    for file, name in named:
        assert re.search(rf"^(def|class) {name}\b|^{name} = ", (ROOT / "tests" / file).read_text(), re.MULTILINE), name


def test_every_invariant_has_its_line() -> None:
    """I1 to I30, in order."""
    assert re.findall(r"^\| I(\d+) \|", PAGE.read_text(), re.MULTILINE) == [str(k) for k in range(1, 31)]
