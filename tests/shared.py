"""Where the real recordings and robot files stand, on machines that have them."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "shared"


def data(pattern: str) -> list[Path]:
    """Recordings that match, sorted; empty on a machine without them."""
    return sorted((ROOT / "data").glob(pattern))


def robots(pattern: str) -> list[Path]:
    """Robot files that match, sorted; empty on a machine without them."""
    return sorted((ROOT / "robots").glob(pattern))


def need(paths: list[Path]) -> list[Path]:
    """The same paths, or skip the test where there are none."""
    if not paths:
        pytest.skip("the shared recordings are not on this machine")
    return paths
