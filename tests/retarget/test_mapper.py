"""The seam between people and robots, and the mappers by name."""

from __future__ import annotations

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli.retarget import MAPPERS as NAMES
from bunraku.errors import RobotError, UnknownNameError
from bunraku.human.body import Body
from bunraku.retarget import MAPPERS, Mapper, make_mapper
from bunraku.robots import load_robot

FITS = {"whole-body": "lamp", "angles": "lamp", "dls": "lamp"}


def test_the_command_line_knows_the_same_names() -> None:
    """The help is written without the package; it lists what there is."""
    assert tuple(MAPPERS) == NAMES


@pytest.mark.parametrize("name", MAPPERS)
def test_every_mapper_keeps_the_seam(name: str) -> None:
    """Made by name, fitted to an operator, started, asked for a pose and for a recording, at once and one by one."""
    robot = load_robot(FITS.get(name, "leonardo"))
    mapper = make_mapper(name, robot)
    assert isinstance(mapper, Mapper) and mapper.robot is robot
    mapper.prepare_for(Body.scaled(1.5))
    human = bk.read_motion("synth:wave?seconds=0.2&fps=30")
    target = mapper.solve(human.pose(0), mapper.start(), dt_s=1 / 30)
    assert target.qpos.shape == robot.neutral.shape
    result = bk.retarget(human, robot, mapper=name)
    assert result.qpos.shape == (len(human), len(robot.neutral)) and np.isfinite(result.qpos).all()
    assert result.robot == robot.name


def test_states_do_not_share_anything() -> None:
    """Two states of one mapper, fed differently, do not know of each other."""
    mapper = make_mapper("gong", load_robot("leonardo"))
    human = bk.read_motion("synth:conduct?seconds=1&fps=30")
    first, second = mapper.start(), mapper.start()
    alone = [mapper.solve(pose, first, dt_s=1 / 30).qpos for pose in human]
    first = mapper.start()
    for pose, expected in zip(human, alone, strict=True):
        mapper.solve(human.pose(0), second, dt_s=1 / 30)
        np.testing.assert_array_equal(mapper.solve(pose, first, dt_s=1 / 30).qpos, expected)


def test_an_unknown_name_lists_the_valid_ones() -> None:
    """One line with what there is."""
    with pytest.raises(UnknownNameError, match=r"Did you mean 'girard'.*hirschmanner"):
        make_mapper("girrard", load_robot("lamp"))
    with pytest.raises(RobotError, match="Robots that fit: lamp"):
        make_mapper("angles", load_robot("puppet"))


def test_a_recording_without_frames_makes_a_motion_without_frames() -> None:
    """Nothing in, nothing out."""
    human = bk.read_motion("synth:wave?seconds=1&fps=30").frames(slice(0, 0))
    assert len(bk.retarget(human, load_robot("leonardo"), mapper="girard")) == 0
