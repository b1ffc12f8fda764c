"""The one place where Numba is set up: compiled once, cached for good, in a folder that can be written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

Kernel = Callable[..., Any]

def _use_writable_cache() -> None:
    """Where the package is installed read-only, compiled kernels go to the user's cache folder."""
    if "NUMBA_CACHE_DIR" in os.environ or os.access(Path(__file__).parent, os.W_OK):
        return
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    os.environ["NUMBA_CACHE_DIR"] = str(Path(base) / "bunraku" / "numba")


_use_writable_cache()

import numba  # noqa: E402  (reads NUMBA_CACHE_DIR when it is imported)


def kernel(function: Kernel) -> Kernel:
    """Compile to machine code at first call, cached on disk. Divisions by zero give inf, as in numpy."""
    return cast(Kernel, numba.njit(cache=True, error_model="numpy")(function))
