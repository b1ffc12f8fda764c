"""The one place where Numba is set up: compiled once, cached for good, in a folder that can be written.

Numba notices when a kernel's own file changes, not when a kernel that it calls does. So compiled code is kept in a
folder named by the content of all kernel files: any change to one of them compiles all anew.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba

Kernel = Callable[..., Any]

PACKAGE = Path(__file__).resolve().parents[1]


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: with the package, or in the user's cache where that is read-only."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    name = f"kernels-{_fingerprint()}"
    beside = PACKAGE / "kinematics" / "__pycache__"
    if os.access(beside if beside.exists() else beside.parent, os.W_OK):
        if not (beside / name).exists():
            for stale in beside.glob("kernels-*"):
                shutil.rmtree(stale, ignore_errors=True)
        return beside / name
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "bunraku" / name


def kernel(function: Kernel) -> Kernel:
    """Compile to machine code at first call, cached on disk. Divisions by zero give inf, as in numpy."""
    return _compiled(function)


def part(function: Kernel) -> Kernel:
    """The same for a small piece of a kernel: it becomes part of what calls it, where a call would cost more."""
    return _compiled(function, forceinline=True)


def _compiled(function: Kernel, *, forceinline: bool = False) -> Kernel:
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        return cast(Kernel, numba.njit(cache=True, error_model="numpy", forceinline=forceinline)(function))
    finally:
        config.CACHE_DIR = before


def is_compiled(name: str) -> bool:
    """Whether a kernel of that name was compiled before on this machine."""
    return any(cache_folder().glob(f"**/*.{name}-*.nbi"))


def _fingerprint() -> str:
    """Twelve digits that change with any file that holds kernels."""
    digest = hashlib.sha256()
    for path in sorted([*PACKAGE.glob("kinematics/*.py"), *PACKAGE.glob("*/*kernels.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
