"""Mutants that change nothing that anybody could see, and why: (module, line, change) → reason."""

from __future__ import annotations

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "machine",
        "if memory.asked_ns >= 0 and 0 <= memory.matched_ns <= memory.now_ns - DWELL_S * 1e9:",
        "GtE → Gt",
    ): "a press in the very first nanosecond of the clock",
}
