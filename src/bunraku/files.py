"""Writing files so that they appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bunraku.errors import OutputError


def need_writable(path: str | Path) -> None:
    """Refuse before the work, as an OutputError, what `whole_file` could not write after it. Nothing is made."""
    path = Path(path)
    try:
        if path.is_dir():
            raise OutputError(f"cannot write {path}: it is a folder")
        folder = next(place for place in path.absolute().parents if place.exists())
        if not folder.is_dir():
            raise OutputError(f"cannot write {path}: {folder} is not a folder")
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A path to write to, beside the real one; it takes the real one's place when the block ends well.

    Folders are made. What the system refuses is an OutputError; after any failure, Ctrl-C included, nothing is left.
    """
    path = Path(path)
    part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
