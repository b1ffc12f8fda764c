"""Reading BVH: megabytes a second, and how many times faster than other readers on the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from figure import Figure, best_of


def figures() -> Iterator[Figure]:
    """A file of about 3 MB, written here; the packages `bvh` and `bvhio` read it in the same run."""
    from bunraku.sources import read_motion
    from bunraku.sources.bvh import read_bvh, write_bvh

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "random.bvh"
        write_bvh(path, read_motion("synth:random?seconds=32&fps=60"))
        megabytes = path.stat().st_size / 1e6
        read_bvh(path)
        ours = best_of(lambda: read_bvh(path), 7)
        how = f"read_bvh of a {megabytes:.1f} MB file to canonical poses, single thread, best of 7"
        yield Figure("bvh.read", megabytes / ours, "MB/s", 25, "at_least", how)
        yield from _peers(path, ours)


def _peers(path: Path, ours: float) -> Iterator[Figure]:
    try:
        import bvh
        import bvhio
    except ImportError:
        return
    text = path.read_text()
    theirs = best_of(lambda: bvh.Bvh(text).frames, 2)
    yield Figure("bvh.vs_bvh", theirs / ours, "times", 20, "at_least", "time of the package bvh over ours, same file")
    theirs = best_of(lambda: bvhio.readAsBvh(str(path)), 2)
    yield Figure("bvh.vs_bvhio", theirs / ours, "times", 20, "at_least", "time of the package bvhio over ours, same file")
