"""Mutants that change nothing that anybody could see, and why: (module, line, change) → reason."""

from __future__ import annotations

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "machine",
        "if memory.asked_ns >= 0 and 0 <= memory.matched_ns <= memory.now_ns - DWELL_S * 1e9:",
        "GtE → Gt",
    ): "a press in the very first nanosecond of the clock",
    (
        "promises",
        "if np.any(beyond > np.maximum(np.maximum(bounds.lower - was, was - bounds.upper), 0.0) + SLACK):",
        "Gt → GtE",
    ): "exactly at what rounding may do",
    (
        "promises",
        "if np.any(np.abs(now - was) > bounds.velocity * dt_s * (1 + SLACK) + SLACK):",
        "Gt → GtE",
    ): "exactly at what rounding may do",
    (
        "machine",
        "if observed.operator.engage and memory.asked_ns < 0:",
        "0 → 1",
    ): "a press in the very first nanosecond of the clock",
}
