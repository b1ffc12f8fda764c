"""What a metric is: a pure function of arrays, declared with its unit, its range and its meaning.

A metric's parameters are names of ingredients (`ingredients.Ingredients`). Where one is not there, `MissingError` says
why, and the metric is left out of the evaluation with that reason.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Better = Literal["lower", "higher", "neither"]


class MissingError(InputError):
    """Something that a metric needs is not there; the message says what and why."""


@dataclass(frozen=True)
class Metric:
    """A named figure and how it is computed."""

    name: str
    unit: str
    """empty for counts and ratios"""
    better: Better
    meaning: str
    compute: Callable[..., float]
    low: float = 0.0
    high: float = math.inf

    @property
    def needs(self) -> tuple[str, ...]:
        """The ingredients: the parameters of `compute` that have no default."""
        parameters = inspect.signature(self.compute).parameters.values()
        return tuple(p.name for p in parameters if p.default is p.empty)


def mean(samples: Array, absent: str) -> float:
    """Average of the samples; without any, `absent` is the reason."""
    if not samples.size:
        raise MissingError(absent)
    return float(samples.mean())


def percentile(samples: Array, percent: float, absent: str) -> float:
    """The value below which so many percent of the samples lie; without any, `absent` is the reason."""
    if not samples.size:
        raise MissingError(absent)
    return float(np.percentile(samples, percent))
