"""What an experiment gives back: rows of a table, figures and tables as data. Drawing is someone else's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Value = float | str | None


@dataclass(frozen=True, kw_only=True)
class Row:
    """One quantity of a paper, theirs beside ours."""

    paper: str
    quantity: str
    theirs: Value
    """None where the paper has no such figure"""
    ours: Value
    unit: str
    ok: bool
    how: str
    """how ours was got, and what was asked of it"""

    def to_dict(self) -> dict[str, Any]:
        """As the JSON contract has it."""
        return dict(self.__dict__)


@dataclass(frozen=True, eq=False)
class Line:
    """One curve; `style` as matplotlib has it."""

    x: Array
    y: Array
    label: str = ""
    style: str = "-"


@dataclass(frozen=True, eq=False)
class Heat:
    """A map of values (rows are y) over evenly spaced x and y."""

    x: Array
    y: Array
    values: Array
    label: str


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes, with lines or a map."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line] = ()
    heat: Heat | None = None
    equal: bool = False
    """the same scale on both axes"""


@dataclass(frozen=True, eq=False)
class Figure:
    """Panels in a grid."""

    name: str
    """of the file, without ending"""
    caption: str
    panels: Sequence[Panel]
    columns: int = 2


@dataclass(frozen=True)
class Table:
    """A table of a paper, redone."""

    name: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Findings:
    """All that one experiment found."""

    rows: Sequence[Row] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = field(default=())
    """what was chosen before the result was seen: lags, noise, what is not measured"""
