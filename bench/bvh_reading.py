"""Reading BVH: megabytes a second, and how many times faster than other readers on the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from figure import Figure, best_of


def figures() -> Iterator[Figure]:
    """A file of about 3 MB, written here. The packages `bvh` and `bvhio` do the same step on it in the same run."""
    from bunraku.sources import read_motion
    from bunraku.sources.bvh import parse_bvh, read_bvh, write_bvh

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "random.bvh"
        write_bvh(path, read_motion("synth:random?seconds=41&fps=60"))
        megabytes = path.stat().st_size / 1e6
        read_bvh(path)
        posing = best_of(lambda: read_bvh(path), 7)
        how = f"read_bvh of a {megabytes:.1f} MB file to canonical world poses, single thread, best of 7"
        yield Figure("bvh.read", megabytes / posing, "MB/s", 25, "at_least", how)
        numbers = best_of(lambda: parse_bvh(path.read_bytes()), 7)
        yield from _peers(path, numbers, posing)


def _peers(path: Path, numbers: float, posing: float) -> Iterator[Figure]:
    try:
        import bvh
        import bvhio
    except ImportError:
        return

    def floats() -> list[list[float]]:
        return [[float(word) for word in frame] for frame in bvh.Bvh(path.read_text()).frames]

    for name, ours, work, step in (
        ("vs_bvh", numbers, floats, "file to numbers: the package bvh, its words made floats, over parse_bvh"),
        ("vs_bvhio", numbers, lambda: bvhio.readAsBvh(str(path)), "file to numbers: bvhio.readAsBvh over parse_bvh"),
        ("vs_bvhio_poses", posing, lambda: bvhio.readAsHierarchy(str(path)),
         "file to posed skeleton: bvhio.readAsHierarchy over read_bvh"),
    ):  # fmt: skip
        yield Figure(f"bvh.{name}", best_of(work, 2) / ours, "times", 20, "at_least", f"time of {step}, same file")
