"""A person as dots on a terminal: braille characters, eight dots each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import JOINT_COUNT, PARENTS

_DOT = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_BLANK = 0x2800
_SAMPLES = 64


def stick_figure(
    positions: NDArray[np.float64], valid: NDArray[np.bool_], *, columns: int = 40, lines: int = 20
) -> list[str]:
    """The known joints (J, 3) seen from the person's front, bones between them, filling the space as far as it keeps
    its proportions; lines of text."""
    canvas = np.zeros((4 * lines, 2 * columns), bool)
    seen = np.flatnonzero(valid)
    if len(seen):
        # The person's left is on the right of the picture, as when one looks at them.
        flat = np.stack([positions[:, 1], positions[:, 2]], axis=1)
        low, high = flat[seen].min(axis=0), flat[seen].max(axis=0)
        size = max(float((high[0] - low[0]) / (canvas.shape[1] - 1)), float((high[1] - low[1]) / (canvas.shape[0] - 1)))
        size = max(size, 1e-3)
        middle = (low + high) / 2
        dots = (flat - middle) / size + [canvas.shape[1] / 2, canvas.shape[0] / 2]
        share = np.linspace(0.0, 1.0, _SAMPLES)[:, None]
        for joint in range(JOINT_COUNT):
            parent = _known_above(joint, valid)
            if valid[joint]:
                line = dots[joint] + share * (dots[parent] - dots[joint]) if parent >= 0 else dots[joint : joint + 1]
                column = np.clip(line[:, 0].astype(int), 0, canvas.shape[1] - 1)
                row = np.clip(canvas.shape[0] - 1 - line[:, 1].astype(int), 0, canvas.shape[0] - 1)
                canvas[row, column] = True
    blocks = canvas.reshape(lines, 4, columns, 2)
    codes = _BLANK + np.einsum("lrcd,rd->lc", blocks.astype(int), _DOT)
    return ["".join(map(chr, row)).rstrip(chr(_BLANK)) for row in codes]


def _known_above(joint: int, valid: NDArray[np.bool_]) -> int:
    """The nearest joint towards the hips that is known, -1 where there is none."""
    parent = int(PARENTS[joint])
    while parent >= 0 and not valid[parent]:
        parent = int(PARENTS[parent])
    return parent
