"""Outputs by URI: what there is, what each promises, and harm on purpose."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from bunraku.errors import BunrakuError, OutputError
from bunraku.faults import MODES
from bunraku.outputs.csv_file import CsvOutput
from bunraku.outputs.faulty import FaultyOutput
from bunraku.outputs.null import NullOutput
from bunraku.outputs.output import is_simulated, make_output, outputs
from bunraku.robots import Robot, load_robot
from bunraku.robots.command import Command
from bunraku.testing import check_output

S = 1_000_000_000


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load_robot("lamp")


def command(robot: Robot, at_s: float, value: float = 0.0) -> Command:
    return Command(qpos=robot.neutral + value, stamp_ns=round(at_s * S))


def test_every_output_is_what_its_entry_point_says() -> None:
    """Scheme, example and options are there."""
    assert {"sim", "null", "csv"} <= set(outputs())
    for scheme, kind in outputs().items():
        assert kind.scheme == scheme
        assert kind.example.startswith(f"{scheme}:")
        assert is_simulated(kind.example) == kind.simulated
        assert is_simulated("faulty+" + kind.example) == kind.simulated


def test_outputs_keep_to_the_seam(robot: Robot, tmp_path: Path) -> None:
    """Each of those that move nothing passes the check that a driver's own tests call."""
    for uri in ("null:", f"csv:{tmp_path / 'c.csv'}", "sim:", "faulty+null:?mode=slow"):
        assert check_output(lambda uri=uri: make_output(uri, robot), robot, seconds=0.3) > 0, uri


@pytest.mark.parametrize(
    "uri", ["", "sim", "nil:", "null:x", "sim:x", "sim:?touch=maybe", "sim:?speed=1", "null:?a=b", "csv:",
            "csv:/proc/nothing/here.csv", "faulty+null:", "faulty+null:?mode=x"],
)  # fmt: skip
def test_nonsense_is_one_line(uri: str, robot: Robot) -> None:
    """Schemes, options and files that cannot be."""
    with pytest.raises(BunrakuError):
        make_output(uri, robot)


def test_csv_rows(robot: Robot, tmp_path: Path) -> None:
    """One row for each command: time, authority and every coordinate by name."""
    path = tmp_path / "c.csv"
    output = make_output(f"csv:{path}", robot)
    output.open()
    for tick in range(3):
        output.send(command(robot, tick / 100, 0.1 * tick))
    output.close()
    with path.open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["time_s", "weight", *robot.joint_names]
    assert [float(row[0]) for row in rows[1:]] == [0.0, 0.01, 0.02]
    assert np.allclose(np.array(rows[3][2:], float), robot.neutral + 0.2)


def test_csv_on_a_full_disk_is_an_output_error(robot: Robot) -> None:
    """What the system refuses is told in words; /dev/full is always full."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    output = CsvOutput(robot, Path("/dev/full"))
    output.open()
    with pytest.raises(OutputError, match="cannot write"):
        for tick in range(10_000):
            output.send(command(robot, tick / 100))
    with suppress(OutputError):  # what was left in the buffer
        output.close()
    assert output.measured() is None


def test_nothing_is_sent_to_what_is_closed(robot: Robot) -> None:
    """An error in words, and no measurement."""
    output = NullOutput(robot)
    assert output.measured() is None
    with pytest.raises(OutputError, match="not open"):
        output.send(command(robot, 0))


@pytest.mark.parametrize("mode", MODES)
def test_faulty_outputs(mode: str, robot: Robot) -> None:
    """The first half of each period is sound; in the second the commands or the reports come to harm."""
    output = make_output(f"faulty+null:?mode={mode}&period=1&share=0.5&seed=3", robot)
    assert isinstance(output, FaultyOutput)
    output.open()
    harmed = 0
    for tick in range(100):
        value = 0.5 * np.sin(tick / 10)
        sent = output.send(command(robot, tick / 100, value))
        measured = output.measured()
        same = measured is not None and np.array_equal(measured.qpos, robot.neutral + value)
        if tick < 50:
            assert same and sent.sequence == tick + 1, tick
        else:
            harmed += not same or sent.sequence > tick + 1
    assert harmed >= (0 if mode == "flip" else 15)
    output.switch(None)
    output.send(command(robot, 2, 0.25))
    measured = output.measured()
    assert measured is not None
    assert np.allclose(measured.qpos, robot.neutral + 0.25)
