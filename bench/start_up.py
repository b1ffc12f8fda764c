"""How long the program takes to begin."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from figure import Figure, best_of


def figures() -> Iterator[Figure]:
    """Import and help, each in a fresh interpreter."""
    bare = best_of(lambda: _python("-c", "pass"), 5)
    importing = best_of(lambda: _python("-c", "import bunraku"), 5) - bare
    helping = best_of(lambda: _python("-m", "bunraku.cli.main", "--help"), 5)
    yield Figure("cli.import", importing, "s", 0.25, "at_most", "import bunraku in a fresh interpreter, best of 5")
    yield Figure("cli.help", helping, "s", 0.35, "at_most", "bunraku --help, interpreter start included, best of 5")


def _python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
