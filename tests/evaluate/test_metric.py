"""Declarations of metrics, and averages of nothing."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import BunrakuError
from bunraku.evaluate import METRICS
from bunraku.evaluate.ingredients import Ingredients
from bunraku.evaluate.metric import MissingError, mean, percentile


def test_a_metric_needs_what_its_function_takes() -> None:
    """Parameters without a default are ingredients; one that is set already, such as the limb, is none."""
    assert METRICS["slide_cm_s"].needs == ("contact", "sole_height", "sole_speed")
    assert METRICS["limb_deg_shin"].needs == ("limb_angles", "limb_known")


@pytest.mark.parametrize("name", METRICS)
def test_each_declaration_is_whole(name: str) -> None:
    """A name, a meaning, a range that is one, a direction, and ingredients that exist."""
    metric = METRICS[name]
    assert metric.name == name
    assert metric.meaning
    assert metric.low < metric.high
    assert metric.better in ("lower", "higher", "neither")
    constant = {"fps", "joints", "lower", "upper", "velocity", "hinge"}
    assert all(need in constant or hasattr(Ingredients, need) for need in metric.needs)


def test_nothing_has_no_average() -> None:
    """An empty sample raises the given reason, as an error of this package; others have mean and percentile."""
    with pytest.raises(MissingError, match="no such thing"):
        mean(np.empty(0), "no such thing")
    with pytest.raises(BunrakuError, match="no such thing"):
        percentile(np.empty(0), 50, "no such thing")
    assert mean(np.array([1.0, 3.0]), "") == 2.0
    assert percentile(np.arange(101.0), 95, "") == 95.0
