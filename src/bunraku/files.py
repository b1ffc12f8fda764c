"""Writing files so that they appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bunraku.errors import OutputError


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
