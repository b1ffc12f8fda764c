"""What is counted of a source, and how it is told."""

from __future__ import annotations

from bunraku.sources.health import Tally


def test_a_devices_own_words_are_one_line() -> None:
    """Nothing in a reason moves a terminal's cursor, and none is endless."""
    reason = Tally().health(1, connected=False, reason="no\n\x1b[2Jskeleton 'é'" + "x" * 1000).reason
    assert reason.startswith("no  [2Jskeleton 'é'")
    assert reason.isprintable()
    assert len(reason) == 400
