"""Mutants that change nothing that anybody could see, and why."""

from __future__ import annotations

EQUIVALENT: dict[tuple[str, int, str], str] = {}
