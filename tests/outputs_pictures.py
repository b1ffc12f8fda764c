"""What the tests of pictures share."""

from __future__ import annotations

import pytest

from bunraku.errors import OutputError
from bunraku.outputs.gl import backend


def need_graphics() -> None:
    """Skip where there is nothing to draw with."""
    try:
        backend()
    except OutputError as error:
        pytest.skip(str(error))
