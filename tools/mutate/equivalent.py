"""Mutants that change nothing that anybody could see, and why: (module, line, change) → reason."""

from __future__ import annotations

EQUIVALENT: dict[tuple[str, str, str], str] = {}
