"""Hands first: where they are wanted, feet where they stand, balance kept, the body's height used."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import UnknownNameError
from bunraku.experiments.p4.teleoperation import FORWARD, READY, centauro
from bunraku.human.skeleton import SIDES
from bunraku.kinematics import rotations as rot
from bunraku.retarget.cartesian import CartesianMapper, HandTarget, standing_nodes
from bunraku.robots import catalog, load_robot

pytestmark = pytest.mark.skipif(catalog.data_folder() is None, reason="the package with CENTAURO is not installed")
DT = 1 / 30


def go(way: tuple[float, float, float], frames: int = 90):  # type: ignore[no-untyped-def]
    """Both hands moved by `way` from the ready pose; mapper and configurations (T, nq)."""
    _, mapper, ready = centauro()
    state = mapper.start(ready)
    wanted = {side: HandTarget(READY[side] + np.array(way), FORWARD[side]) for side in SIDES}
    return mapper, np.array([ready, *(mapper.solve(wanted, state, DT) for _ in range(frames))])


@pytest.mark.parametrize("way", [(0.0, 0.0, 0.2), (0.1, 0.0, -0.1), (-0.05, 0.0, -0.15)])
def test_hands_come_to_their_places(way: tuple[float, float, float]) -> None:
    """Within 5 mm and 6 degrees, wheels within 2 mm of where they stood."""
    mapper, path = go(way)
    for side in SIDES:
        place, turn = mapper.hand_pose(path[-1], side)
        assert np.linalg.norm(place - READY[side] - way) < 0.005
        assert rot.angle_between(turn, FORWARD[side]) < np.radians(6)
    wheels = mapper.robot.tree.forward(path)[0][:, list(mapper.standing)]
    assert len(mapper.standing) == 4
    assert np.abs(wheels - wheels[0]).max() < 2e-3


def test_a_low_place_lowers_the_body() -> None:
    """What the arms alone cannot reach, the legs make up for."""
    mapper, path = go((0.0, 0.0, -0.4), 150)
    assert path[0, 2] - path[-1, 2] > 0.08
    assert np.linalg.norm(mapper.hand_pose(path[-1], "left")[0] - READY["left"] + [0, 0, 0.4]) < 0.02


def test_balance_is_kept_however_far_it_reaches() -> None:
    """Hands a metre ahead cannot be had: the centre of mass stays over the wheels."""
    mapper, path = go((1.0, 0.0, -0.5), 150)
    assert min(mapper.balance(qpos) for qpos in path) > 0.0


def test_no_joint_is_faster_than_it_can() -> None:
    """Speeds and ranges hold in every frame."""
    mapper, path = go((0.2, 0.2, 0.4))
    robot = mapper.robot
    speed = np.abs(np.diff(path[:, 7:], axis=0)) / DT
    assert (speed <= robot.velocity * (1 + 1e-6)).all()
    assert (path[:, 7:] >= robot.lower - 1e-9).all()
    assert (path[:, 7:] <= robot.upper + 1e-9).all()


def test_bad_targets_are_not_followed() -> None:
    """NaN, or no target: the hand is left alone, and nothing becomes NaN."""
    _, mapper, ready = centauro()
    state = mapper.start(ready)
    for _ in range(5):
        qpos = mapper.solve({"left": HandTarget(np.full(3, np.nan), np.full(4, np.nan))}, state, DT)
    assert np.isfinite(qpos).all()
    assert np.linalg.norm(mapper.hand_pose(qpos, "left")[0] - READY["left"]) < 0.02


def test_what_does_not_fit_is_refused() -> None:
    """A hand is left or right."""
    with pytest.raises(UnknownNameError, match="left, right"):
        CartesianMapper(load_robot("puppet"), hands={"middle": "head"})
    _, mapper, ready = centauro()
    with pytest.raises(UnknownNameError, match="left, right"):
        mapper.hand_pose(ready, "middle")
    assert standing_nodes(load_robot("puppet", base="free"))
