"""Minutes of random faults: nothing is broken, the same seed gives the same minutes, and a report remains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bunraku.robots import load_robot
from bunraku.session.soak import Soak, SoakPlan, SoakReport
from bunraku.sources import read_motion


def soaked(seed: int, hours: float = 0.05, rate_hz: float = 60.0) -> SoakReport:
    motion = read_motion("synth:conduct?seconds=10&fps=30")
    return Soak(SoakPlan(robot=load_robot("lamp"), motion=motion, hours=hours, seed=seed, rate_hz=rate_hz)).run()


@pytest.mark.parametrize("seed", [1, 2])
def test_no_promise_is_broken(seed: int, tmp_path: Path) -> None:
    """Three simulated minutes with a dozen faults; the robot was engaged again and again."""
    report = soaked(seed)
    figures = report.figures()
    assert not report.breaches
    assert figures["faults"] >= 7
    assert figures["engagements"] >= 3
    assert report.states["active"] > report.ticks / 3
    assert len(report.samples) == 17
    saved = json.loads(report.save(tmp_path / "deep" / "r.json").read_text())
    assert saved["figures"] == figures


def test_the_seed_decides() -> None:
    """Faults, states and commands are those of the seed."""
    one, again, other = (soaked(seed, 0.015) for seed in (5, 5, 6))
    assert (one.faults, one.states, one.commands) == (again.faults, again.states, again.commands)
    assert one.faults != other.faults


@pytest.mark.slow
def test_an_hour() -> None:
    """One simulated hour."""
    assert not soaked(11, 1.0, 120.0).breaches
