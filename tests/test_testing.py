"""The checks that plug-ins call: what a driver must not do is found, and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from bunraku.human import HumanPose
from bunraku.outputs.null import NullOutput
from bunraku.outputs.output import RobotInfo, Sent
from bunraku.robots import Robot, load_robot
from bunraku.robots.command import Command, Measured
from bunraku.sources import open_source
from bunraku.sources.health import Health, Tally
from bunraku.testing import ConformanceError, check_output, check_source

Change = Callable[[HumanPose, int], HumanPose]


class Driver:
    """A source that is right in all but one thing."""

    def __init__(self, change: Change | None = None, **wrong: object) -> None:
        self.inner, self.change, self.wrong = open_source("synth:walk"), change, wrong
        self.shown: HumanPose | None = None
        self.raw: HumanPose | None = None

    def open(self, now_ns: int) -> None:
        self.inner.open(now_ns)

    def waits_on(self) -> Sequence[int]:
        return self.wrong.get("waits_on", ())  # type: ignore[return-value]

    def receive(self, now_ns: int) -> None:
        self.inner.receive(now_ns)
        pose = self.inner.latest(now_ns)
        if pose is not None and pose is not self.raw:
            self.shown = self.change(pose, now_ns) if self.change else pose
        self.raw = pose

    def latest(self, now_ns: int) -> HumanPose | None:
        early = self.wrong.get("early")
        if "restless" in self.wrong and self.shown is not None:
            return replace(self.shown)
        return HumanPose.empty() if early else self.shown

    def health(self, now_ns: int) -> Health:
        return replace(self.inner.health(now_ns), **self.wrong.get("health", {}))  # type: ignore[arg-type]

    def close(self) -> None:
        self.inner.close()


def spoil(**values: object) -> Change:
    return lambda pose, now: replace(pose, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("driver", "says"),
    [
        (lambda: Driver(early=True), "before it is opened"),
        (lambda: Driver(waits_on=("tty",)), "descriptors"),
        (lambda: Driver(restless=True), "another object"),
        (lambda: Driver(health={"received": 999}), "accepted"),
        (lambda: Driver(health={"connected": False, "reason": ""}), "does not say why"),
        (lambda: Driver(health={"age_s": -1.0}), "old"),
        (lambda: Driver(spoil(positions=np.zeros((3, 3)))), "shape"),
        (lambda: Driver(spoil(positions=np.full((61, 3), np.nan))), "finite"),
        (lambda: Driver(spoil(rotations=np.full((61, 4), 0.7))), "unit"),
        (lambda: Driver(lambda pose, now: replace(pose, received_ns=now + 1)), "future"),
        (lambda: Driver(lambda pose, now: replace(pose, received_ns=-now)), "earlier"),
    ],
)
def test_what_a_source_must_not_do(driver: Callable[[], Driver], says: str) -> None:
    """One thing wrong is found; nothing wrong passes."""
    with pytest.raises(ConformanceError, match=says):
        check_source(driver, seconds=0.3)
    assert check_source(Driver, seconds=0.3) > 10


class Wrong(NullOutput):
    """An output that is right in all but one thing."""

    def __init__(self, robot: Robot, what: str) -> None:
        super().__init__(robot)
        self.what = what

    def open(self) -> RobotInfo:
        info = super().open()
        return replace(info, joint_names=info.joint_names[::-1]) if self.what == "order" else info

    def send(self, command: Command) -> Sent:
        sent = super().send(command)
        if self.what == "nothing":
            return replace(sent, qpos=np.zeros(1))
        if self.what == "ahead":
            return replace(sent, acknowledged=sent.sequence + 1)
        return replace(sent, sequence=0, acknowledged=-1) if self.what == "uncounted" else sent

    def measured(self) -> Measured | None:
        told = super().measured()
        assert told is not None
        if self.what == "backwards":
            return replace(told, stamp_ns=-told.stamp_ns)
        if self.what == "nan":
            return replace(told, qpos=np.full_like(told.qpos, np.nan))
        return replace(told, effort=np.zeros(1)) if self.what == "short" else told


@pytest.mark.parametrize(
    ("what", "says"),
    [("order", "order"), ("nothing", "no configuration"), ("ahead", "acknowledged"), ("uncounted", "count"),
     ("backwards", "earlier stamp"), ("nan", "no number"), ("short", "effort has shape")],
)  # fmt: skip
def test_what_an_output_must_not_do(what: str, says: str) -> None:
    """One thing wrong is found; nothing wrong passes."""
    robot = load_robot("lamp")
    with pytest.raises(ConformanceError, match=says):
        check_output(lambda: Wrong(robot, what), robot, seconds=0.1)
    assert check_output(lambda: NullOutput(robot), robot, seconds=0.1) > 5


def test_a_tally_is_bounded() -> None:
    """However many reasons there are, they are counted, the rare ones together."""
    tally = Tally()
    for number in range(1000):
        tally.reject(f"reason {number}")
    tally.lose(3)
    tally.jump()
    health = tally.health(0, connected=True)
    assert len(health.rejected) == 32
    assert sum(health.rejected.values()) == health.received == 1000
    assert (health.lost, health.epoch) == (3, 1)
