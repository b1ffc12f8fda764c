"""The papers' experiments, each made small: what they are for holds, whatever the seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bunraku.experiments.catalog import PAPERS, TITLES, chosen, find
from bunraku.robots import catalog

needs_robots = pytest.mark.skipif(catalog.data_folder() is None, reason="the package with the robots is not installed")
SMALL: dict[str, dict[str, Any]] = {
    "p1.elbow:elbow_paths": {},
    "p3.arc:arc": {"operators": 1},
    "p3.likeness:trajectories": {},
    "p3.likeness:same_robot_motion": {},
    "p3.maps:joint_maps": {"steps": 5},
    "p4.sizes:sizes": {"heights": (1.5, 1.8)},
    "p5.target:cube_pose": {"seconds": 0.2, "turns": 4},
    "p5.arm:angles": {"seconds": 2.0},
    "p5.line:serial": {"cycles": 20},
}
"""experiments whose every row must be right however small they are made"""


@pytest.mark.parametrize("seed", [3])
@pytest.mark.parametrize("name", SMALL)
def test_every_row_is_met(name: str, seed: int) -> None:
    """Nothing is tuned to one seed."""
    found = find(name)(seed, **SMALL[name])
    assert found.rows
    for row in found.rows:
        assert row.ok or row.unit == "Hz", f"{row.quantity}: {row.ours} {row.unit} ({row.how})"
        assert row.paper.lower() == name[:2]
        assert row.how


def test_every_experiment_exists() -> None:
    """Five papers; each name leads to a function that says what it does."""
    assert tuple(PAPERS) == tuple(TITLES) == ("P1", "P2", "P3", "P4", "P5")
    for names in PAPERS.values():
        for name in names:
            assert find(name).__doc__


def test_papers_are_chosen_by_name() -> None:
    """In the catalogue's order, in any spelling; all where none is named."""
    assert chosen(["p5", "P2"]) == ("P2", "P5")
    assert chosen([]) == tuple(PAPERS)


@needs_robots
def test_a_palm_is_followed() -> None:
    """P2, two seconds of the lying eight: our share of the delay is small, and the robot's at least its stated lag."""
    from bunraku.experiments.p2.late_robot import LAG_S
    from bunraku.experiments.p2.palm import perform

    trial = perform("romeo", "figure-eight", 0, seconds=2.0)
    assert trial.human.shape == trial.measured.shape
    assert trial.ours.delay_s < 0.01
    assert LAG_S < trial.motor.delay_s < 0.12
    assert trial.whole.mean_shifted < 0.05


@needs_robots
def test_a_hand_moves_half_a_metre() -> None:
    """P4, one move there and back, from keypoints with noise to the simulated robot."""
    from bunraku.experiments.p4.move import half_metre

    assert all(row.ok for row in half_metre(1, moves=2).rows)


@needs_robots
@pytest.mark.parametrize("task", ["push:push_once", "lever:turn_once", "lift:lift_once", "wrist:follow_once"])
def test_a_task_is_done(task: str) -> None:
    """P4's tasks, one run each, and again: a seed gives the same run."""
    outcome = find(f"p4.{task}")(7)
    assert outcome.failure == ""  # type: ignore[attr-defined]
    assert all(np.isfinite(value) for value in outcome.measures.values())  # type: ignore[attr-defined]


@pytest.mark.slow
@needs_robots
def test_everything_is_reproduced() -> None:
    """All papers, as `bunraku reproduce` runs them: every row is met."""
    from bunraku.experiments.catalog import run_all

    rows = [row for _, found in run_all(tuple(PAPERS), 0) for row in found.rows]
    assert not [f"{row.paper} {row.quantity}: {row.ours}" for row in rows if not row.ok]
