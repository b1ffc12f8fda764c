"""The one place where Numba is set up: compiled once, cached for good, in a folder that can be written.

Numba notices when a kernel's own file changes, not when a kernel that it calls does. So the compiled code of a file is
kept in a folder named by the content of that file, of all files of the package that it imports, and of this room, whose
tuples are the arguments of most kernels.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
from numba.core import event

Kernel = Callable[..., Any]

PACKAGE = Path(__file__).resolve().parents[1]
_IMPORT = re.compile(rb"^(?:from|import) bunraku\.([\w.]+)", re.MULTILINE)


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: with the package, or in the user's cache where that is read-only."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    beside = PACKAGE / "kinematics" / "__pycache__"
    if os.access(beside if beside.exists() else beside.parent, os.W_OK):
        return beside / "kernels"
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "bunraku" / "kernels"


@cache
def _folder_of(source: Path) -> Path:
    """Where the kernels of one file are kept; what older versions of that file left is removed."""
    if not source.is_relative_to(PACKAGE):
        return cache_folder() / "elsewhere"
    stem = ".".join(source.relative_to(PACKAGE).with_suffix("").parts)
    folder = cache_folder() / f"{stem}-{_fingerprint(source)}"
    if not folder.exists():
        for stale in cache_folder().glob(f"{stem}-*"):
            if stale != folder:  # another process may just have made it
                shutil.rmtree(stale, ignore_errors=True)
    return folder


def kernel(function: Kernel) -> Kernel:
    """Compile to machine code at first call, cached on disk. Divisions by zero give inf, as in numpy."""
    return _compiled(function)


def part(function: Kernel) -> Kernel:
    """The same for a small piece of a kernel: it becomes part of what calls it, where a call would cost more."""
    return _compiled(function, forceinline=True)


def _compiled(function: Kernel, *, forceinline: bool = False) -> Kernel:
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_folder_of(Path(function.__code__.co_filename).resolve()))
    try:
        return cast(Kernel, numba.njit(cache=True, error_model="numpy", forceinline=forceinline)(function))
    finally:
        config.CACHE_DIR = before


def when_compiling(tell: Callable[[], None]) -> None:
    """Have `tell` called once, as soon as a kernel must be compiled because none is kept from an earlier run."""
    event.register("numba:compile", _Once(tell))


class _Once(event.Listener):
    """Passes on the first event alone."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def on_start(self, _: object) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, _: object) -> None:
        """Of no interest."""


def _fingerprint(source: Path) -> str:
    """Twelve digits that change with the file, with any file of the package that it imports, near or far, and with this
    room."""
    files, ahead = {source, *Path(__file__).parent.glob("*.py")}, [source]
    while ahead:
        for module in _IMPORT.findall(ahead.pop().read_bytes()):
            path = PACKAGE.joinpath(*module.decode().split(".")).with_suffix(".py")
            if path not in files and path.exists():
                files.add(path)
                ahead.append(path)
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
